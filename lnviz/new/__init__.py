"""Developers' scaffolding: creates lessons and figures, and updates the README's table of pages."""
