"""Stored results of computations that take too long to run when a page loads."""
