"""Example data that ship with the app, and readers of visitors' uploads."""
