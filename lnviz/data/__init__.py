"""Where numbers come from: examples that ship with the app, and what visitors bring."""
