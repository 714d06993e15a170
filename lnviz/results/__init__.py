"""Stored results: results that take too long to compute for a page."""
