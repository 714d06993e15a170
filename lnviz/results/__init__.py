"""Stored results of computations that take too long to run while a page loads."""
