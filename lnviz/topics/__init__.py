"""Computations by topic. Nothing in here draws."""
