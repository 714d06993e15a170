"""Exceptions of the database, in a module that does not import its drivers."""


class StoreError(RuntimeError):
    """The database is currently unavailable.

    Its message is for anybody and does not say where the database is; the log does.
    """
