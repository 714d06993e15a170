"""Data: the examples that ship with the app, and visitors' uploads."""
