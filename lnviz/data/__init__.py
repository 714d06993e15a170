"""Example data that are included in the app, and readers of users' uploads."""
