"""Scaffolding in the source tree: new lessons and figures, and the README's table of pages."""
