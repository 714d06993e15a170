"""The frontend: scripts, style sheets and theme, and the modules that serve and bundle them.

- `engine`: an interactive figure, drawn from its payload;
- `page`: pages of the app, and a figure on its own page;
- `questions`: exercises;
- `book`: search, glossary and sortable tables;
- `present`: a lesson as slides;
- `room`: phones, projector and remote of a classroom;
- `lab`: a reader's own training runs;
- `export` and `notebook`: figures without a server.
"""
