"""What writes into the source tree: a lesson, a figure, the README's list of pages."""
