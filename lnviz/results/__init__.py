"""Stored results: what takes too long to compute for a page."""
