"""The database: where it is, its tables brought up to date, its errors in words."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from filelock import FileLock
from platformdirs import user_data_path
from sqlalchemy import Connection, Engine, create_engine, event, func, make_url, select
from sqlalchemy.exc import DatabaseError, OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session

VARIABLE = "LNVIZ_DATABASE_URL"
MIGRATIONS = Path(__file__).parent / "migrations"
CONNECT_S = 10  # that connecting to a server of PostgreSQL may take
CONNECTING = (SQLAlchemyError, OSError, ImportError)
"""Errors of connecting: also of the file, of the network, and of a driver that is not installed."""
WAIT_S = 30  # that a writer waits for another, in SQLite
SQLITE = "sqlite"
PRIVATE = 0o600  # the mode of a database's files
BESIDE = ("", "-wal", "-shm")  # the files of one SQLite database
LOCK = 20_160_721  # in PostgreSQL, of who changes the tables
MIGRATING = threading.Lock()
LOG = logging.getLogger(__name__)
REMEDY = f"Make room, mend it, move it away, or name another one in {VARIABLE}."


class StoreError(RuntimeError):
    """The store cannot be used; the message says so to anybody, the log to whoever runs it."""


def location() -> str:
    """Return the database's address: what `LNVIZ_DATABASE_URL` names, else a file of this user."""
    named = os.environ.get(VARIABLE, "").strip()
    return named or f"{SQLITE}:///{user_data_path('lnviz') / 'trainings.sqlite'}"


class Database:
    """A database whose tables are made, or brought up to date, when it is opened.

    Args:
        url: its address, as SQLAlchemy has it.
        whole: whether all of a file is read first, as `connect` has it.
        wait: seconds that a writer waits for another, in SQLite.
        shreds: whether what is deleted from a file is written over, as `Database.shred` needs it.
        hurries: whether in PostgreSQL, too, nobody waits longer than that, and whoever says nothing
            for as long in the middle of a transaction loses it.

    Raises:
        StoreError: as `connect`. Whatever uses a session raises it where the database cannot do
            its part.
    """

    def __init__(
        self,
        url: str,
        *,
        whole: bool = False,
        wait: float = WAIT_S,
        shreds: bool = False,
        hurries: bool = False,
    ) -> None:
        self.url = url
        self._engine = connect(url, whole=whole, wait=wait, shreds=shreds)
        if hurries and not self.is_file:
            self._hurry(wait)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Give a transaction, which is kept when its block ends without an error."""
        with told(self.url), Session(self._engine) as session, session.begin():
            # The driver may fail to connect with an error of the system. One that the block
            # raises is the block's own.
            with told(self.url, CONNECTING):
                session.connection()
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Give a transaction that nobody else's write comes between, from its first look on.

        In PostgreSQL whoever looks has to lock what they look at.
        """
        with self.session() as session:
            if self.is_file:
                session.connection().exec_driver_sql("BEGIN IMMEDIATE")
            yield session

    @property
    def is_file(self) -> bool:
        """Whether it is SQLite's."""
        return self._engine.dialect.name == SQLITE

    def shred(self) -> None:
        """Empty the log of a file: what was deleted stands there still.

        Where others read meanwhile, it is for the next time.
        """
        if self.is_file:
            with told(self.url, CONNECTING), self._engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    def _hurry(self, wait: float) -> None:
        """Have PostgreSQL keep nobody waiting longer than this, in seconds."""

        @event.listens_for(self._engine, "connect")
        def prepare(connection: Any, _: Any) -> None:
            with connection.cursor() as cursor:
                for name in ("lock_timeout", "idle_in_transaction_session_timeout"):
                    cursor.execute(f"SET {name} = {round(1000 * wait)}")  # in milliseconds
            connection.commit()  # else it ends with the transaction

        # Those that made the tables do not know of it.
        self._engine.dispose()


def connect(url: str, *, whole: bool = False, wait: float = WAIT_S, shreds: bool = False) -> Engine:
    """Return an engine for a database whose tables have been made, or brought up to date.

    Args:
        url: the database's address, as SQLAlchemy has it.
        whole: whether all of a file is read first, which takes seconds for each gigabyte: a damaged
            page may lie where only later questions look. A server does, and keeps a file that is no
            database, or damaged, beside under another name; others leave it as it is.
        wait: seconds that a writer waits for another, in SQLite.
        shreds: whether what is deleted from a file is written over.

    Raises:
        StoreError: it cannot be reached, or its file is no database, or damaged.
    """
    with told(url, CONNECTING):
        engine = _opened(_engine(url, wait, shreds), url, whole)
        if whole:
            try:
                # Others open the file meanwhile: many read it all at once when servers start.
                with engine.connect() as connection:
                    _check(connection)
            except DatabaseError:
                # One of them may have moved it away by now, and begun another: look again, alone.
                engine.dispose()
                engine = _opened(_engine(url, wait, shreds), url, whole, _check)
        return engine


def _opened(
    engine: Engine,
    url: str,
    may_move: bool,
    look: Callable[[Connection], None] = lambda connection: None,
) -> Engine:
    """Return an engine for a database that is up to date; no other process looks or changes it."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    # Alembic's context is one for the whole process.
    with MIGRATING, _alone(engine):
        try:
            with _changing(engine) as connection:
                look(connection)
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
        except Exception as error:
            engine.dispose()
            broken = isinstance(error, DatabaseError) and engine.dialect.name == SQLITE
            if may_move and broken and not isinstance(error, OperationalError):
                raise StoreError(_set_aside(url)) from error
            raise
    return engine


@contextmanager
def told(
    url: str, errors: type[Exception] | tuple[type[Exception], ...] = SQLAlchemyError
) -> Iterator[None]:
    """Translate errors of the database to `StoreError`, and log them with its address.

    Args:
        url: the address of the database, for the log alone.
        errors: what counts as an error of the database; `CONNECTING` only around code that does
            nothing but connect or prepare the database's files.

    Raises:
        StoreError: an error was translated.
    """
    try:
        yield
    except CommandError as error:
        LOG.error("The database %s is of another version of lnviz. %s", _shown(url), REMEDY)
        raise StoreError("What is kept here was made by another version of lnviz.") from error
    except errors as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        LOG.error("The database %s cannot be used: %s. %s", _shown(url), reason, REMEDY)
        raise StoreError(
            "What is kept here cannot be read or written now. Try again in a few minutes."
        ) from error


def _shown(url: str) -> str:
    """The address without a password."""
    return make_url(url).render_as_string() if "://" in url else "this address"


def in_turn(session: Session) -> None:
    """Let nobody else change what is kept of visitors until this transaction ends.

    In SQLite every change does that.
    """
    if session.get_bind().dialect.name != SQLITE:
        session.execute(select(func.pg_advisory_xact_lock(LOCK + 1)))


def _engine(url: str, wait: float, shreds: bool) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() != SQLITE:
        # Else a host that drops packets holds a thread for minutes.
        timeout = {} if "connect_timeout" in parsed.query else {"connect_timeout": CONNECT_S}
        return create_engine(parsed, pool_pre_ping=True, connect_args=timeout)
    if parsed.database:
        _create(Path(parsed.database))
    engine = create_engine(parsed, connect_args={"timeout": wait})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        # Readers go on while one writes; without it a deleted job would leave its points behind.
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute(f"PRAGMA secure_delete={'ON' if shreds else 'OFF'}")
        cursor.close()

    return engine


def _create(file: Path) -> None:
    """Create an empty database that its owner alone can read; leave one that is there as it is.

    SQLite gives its other files, `-wal` and `-shm`, the mode of this one. The database holds the
    secret that signs visitors' names.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not file.exists():
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, PRIVATE))


@contextmanager
def _alone(engine: Engine) -> Iterator[None]:
    """Keep other processes from changing the tables of a file or moving it away."""
    if engine.dialect.name != SQLITE:
        yield
        return
    with FileLock(f"{engine.url.database}.lock", timeout=WAIT_S, mode=PRIVATE):
        yield


def _check(connection: Connection) -> None:
    """Read all pages of a file.

    Raises:
        DatabaseError: one is damaged.
    """
    if connection.dialect.name != SQLITE:
        return
    answer = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    if answer != "ok":
        raise DatabaseError("PRAGMA quick_check", None, RuntimeError(answer))


@contextmanager
def _changing(engine: Engine) -> Iterator[Connection]:
    """Give a transaction; in PostgreSQL no other process changes the tables meanwhile."""
    with engine.begin() as connection:
        if engine.dialect.name != SQLITE:
            connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
        yield connection


def _set_aside(url: str) -> str:
    """Move away a file that is no database; say what has become of it."""
    database = make_url(url).database or ""
    broken = f"{database}.broken-{int(time.time())}"
    for ending in BESIDE:
        file = Path(database + ending)
        if file.exists():
            file.chmod(PRIVATE)
            file.rename(broken + ending)
    LOG.error("%s is no database, or is damaged; it was kept as %s.", database, broken)
    return "What was kept here is damaged. With the next try it begins anew."
