"""The secret with which visitors' names are signed: all processes of a server share it."""

from __future__ import annotations

import secrets

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from lnviz.database.connection import Database
from lnviz.database.models import SigningKeyRow

ACTIVE_KEYS = 2
"""How many are known: what the last but one has signed holds until the next rotation."""


def active_keys(database: Database) -> list[str]:
    """Return the secrets, the one to sign with last; the first process to ask makes it."""
    with database.session() as session:
        found = _known(session)
        if not found:
            try:
                with session.begin_nested():
                    session.add(SigningKeyRow(number=1, secret=secrets.token_hex(32)))
            except IntegrityError:  # another process was faster
                pass
            found = _known(session)
        return found


def rotate(database: Database) -> None:
    """Sign with a new secret from now on, and forget all but the one before."""
    active_keys(database)
    with database.session() as session:
        last = session.scalars(
            select(SigningKeyRow.number).order_by(SigningKeyRow.number.desc())
        ).first()
        number = (last or 0) + 1
        session.add(SigningKeyRow(number=number, secret=secrets.token_hex(32)))
        session.execute(delete(SigningKeyRow).where(SigningKeyRow.number <= number - ACTIVE_KEYS))


def _known(session: Session) -> list[str]:
    return list(session.scalars(select(SigningKeyRow.secret).order_by(SigningKeyRow.number)))
