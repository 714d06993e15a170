"""Example data included in the app, and readers of users' uploads."""
