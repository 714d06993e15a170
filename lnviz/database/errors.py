"""Exceptions of the database, in a module that does not import its drivers."""


class StoreError(RuntimeError):
    """Error: the database is currently unavailable.

    The message is public, so it does not contain the database's URL, which is logged instead.
    """
