"""What a browser runs, room by room: scripts, styles and the theme; and how they are found.

- `engine`: draws a figure from its payload, and follows the hand;
- `page`: a page of the app, and a figure alone on its page;
- `questions`: what a page asks;
- `book`: the search and the tables that compare;
- `present`: a lesson one screen at a time;
- `room`: a room of a class, on phones, on the wall and in the hand of who teaches;
- `lab`: a reader's own trainings;
- `export` and `notebook`: the same where there is no server.
"""
