"""Secret keys that sign client ids, shared by all processes of a server."""

from __future__ import annotations

import secrets

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from lnviz.database.connection import Database
from lnviz.database.models import SigningKeyRow

ACTIVE_KEYS = 2
"""Number of secrets that are kept: signatures stay valid until the second rotation."""


def active_keys(database: Database) -> list[str]:
    """Return the secret signing keys, newest last; create a key if there is none."""
    with database.session() as session:
        keys = _keys(session)
        if not keys:
            try:
                with session.begin_nested():
                    session.add(SigningKeyRow(number=1, secret=secrets.token_hex(32)))
            except IntegrityError:  # another process was faster
                pass
            keys = _keys(session)
        return keys


def rotate(database: Database) -> None:
    """Add a new signing key, and delete all but the latest `ACTIVE_KEYS` keys."""
    active_keys(database)
    newest = select(SigningKeyRow.number).order_by(SigningKeyRow.number.desc())
    with database.session() as session:
        number = (session.scalars(newest).first() or 0) + 1
        session.add(SigningKeyRow(number=number, secret=secrets.token_hex(32)))
        session.execute(delete(SigningKeyRow).where(SigningKeyRow.number <= number - ACTIVE_KEYS))


def _keys(session: Session) -> list[str]:
    return list(session.scalars(select(SigningKeyRow.secret).order_by(SigningKeyRow.number)))
