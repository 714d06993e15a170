"""Layer normalization and its relatives, computed so that every intermediate can be shown."""
