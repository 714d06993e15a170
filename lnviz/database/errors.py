"""Errors of the database, without importing its drivers."""


class StoreError(RuntimeError):
    """The database cannot be used now.

    Its message is for anybody and does not say where the database is; the log does.
    """
