"""Scaffolding for developers: creates lessons and figures, and updates the table of pages."""
