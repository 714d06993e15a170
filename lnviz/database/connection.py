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

from lnviz.database.errors import StoreError

URL_VARIABLE = "LNVIZ_DATABASE_URL"
MIGRATIONS = Path(__file__).parent / "migrations"
CONNECT_TIMEOUT_S = 10  # that connecting to a server of PostgreSQL may take
CONNECT_ERRORS = (SQLAlchemyError, OSError, ImportError)
"""Errors of connecting: also of the file, of the network, and of a driver that is not installed."""
LOCK_TIMEOUT_S = 30  # that a writer waits for another, in SQLite
SQLITE = "sqlite"
PRIVATE_MODE = 0o600  # the mode of a database's files
FILE_SUFFIXES = ("", "-wal", "-shm")  # the files of one SQLite database
LOCK_ID = 20_160_721  # in PostgreSQL, of who changes the tables
MIGRATION_LOCK = threading.Lock()
LOG = logging.getLogger(__name__)
REMEDY = f"Make room, mend it, move it away, or name another one in {URL_VARIABLE}."


def database_url() -> str:
    """Return the database's address: what `LNVIZ_DATABASE_URL` names, else a file of this user."""
    named = os.environ.get(URL_VARIABLE, "").strip()
    return named or f"{SQLITE}:///{user_data_path('lnviz') / 'trainings.sqlite'}"


class Database:
    """A database whose tables are made, or brought up to date, when it is opened.

    Args:
        url: its address, as SQLAlchemy has it.
        integrity_check: whether all of a file is read first, as `connect` has it.
        timeout_s: seconds that a writer waits for another, in SQLite.
        secure_delete: whether SQLite overwrites deleted content; see `truncate_wal`.
        lock_timeout: whether `timeout_s` also limits waiting for a lock, and an idle transaction,
            in PostgreSQL.

    Raises:
        StoreError: as `connect`. Whatever uses a session raises it where the database cannot do
            its part.
    """

    def __init__(
        self,
        url: str,
        *,
        integrity_check: bool = False,
        timeout_s: float = LOCK_TIMEOUT_S,
        secure_delete: bool = False,
        lock_timeout: bool = False,
    ) -> None:
        self.url = url
        self._engine = connect(
            url, integrity_check=integrity_check, timeout_s=timeout_s, secure_delete=secure_delete
        )
        if lock_timeout and not self.is_sqlite:
            self._set_lock_timeout(timeout_s)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Give a transaction, which is kept when its block ends without an error."""
        with translate_errors(self.url), Session(self._engine) as session, session.begin():
            # The driver may fail to connect with an error of the system. One that the block
            # raises is the block's own.
            with translate_errors(self.url, CONNECT_ERRORS):
                session.connection()
            yield session

    @contextmanager
    def immediate_transaction(self) -> Iterator[Session]:
        """Give a transaction that nobody else's write comes between, from its first look on.

        In PostgreSQL whoever looks has to lock what they look at.
        """
        with self.session() as session:
            if self.is_sqlite:
                session.connection().exec_driver_sql("BEGIN IMMEDIATE")
            yield session

    @property
    def is_sqlite(self) -> bool:
        """Whether it is SQLite's."""
        return self._engine.dialect.name == SQLITE

    def truncate_wal(self) -> None:
        """Empty the log of a file: what was deleted stands there still.

        Where others read meanwhile, it is for the next time.
        """
        if self.is_sqlite:
            with translate_errors(self.url, CONNECT_ERRORS), self._engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    def _set_lock_timeout(self, wait: float) -> None:
        """Have PostgreSQL keep nobody waiting longer than this, in seconds."""

        @event.listens_for(self._engine, "connect")
        def prepare(connection: Any, _: Any) -> None:
            with connection.cursor() as cursor:
                for name in ("lock_timeout", "idle_in_transaction_session_timeout"):
                    cursor.execute(f"SET {name} = {round(1000 * wait)}")  # in milliseconds
            connection.commit()  # else it ends with the transaction

        # Those that made the tables do not know of it.
        self._engine.dispose()


def connect(
    url: str,
    *,
    integrity_check: bool = False,
    timeout_s: float = LOCK_TIMEOUT_S,
    secure_delete: bool = False,
) -> Engine:
    """Return an engine for a database whose tables have been made, or brought up to date.

    Args:
        url: the database's address, as SQLAlchemy has it.
        integrity_check: whether to read all of an SQLite file first, which takes seconds for each
            gigabyte, and to move a file that is damaged, or no database, aside. A server does;
            other programs leave the file as it is.
        timeout_s: seconds that a writer waits for another, in SQLite.
        secure_delete: whether what is deleted from a file is written over.

    Raises:
        StoreError: it cannot be reached, or its file is no database, or damaged.
    """
    with translate_errors(url, CONNECT_ERRORS):
        engine = _migrate(_engine(url, timeout_s, secure_delete), url, integrity_check)
        if integrity_check:
            try:
                # Others open the file meanwhile: many read it all at once when servers start.
                with engine.connect() as connection:
                    _check_integrity(connection)
            except DatabaseError:
                # One of them may have moved it away by now, and begun another: look again, alone.
                engine.dispose()
                engine = _migrate(
                    _engine(url, timeout_s, secure_delete), url, integrity_check, _check_integrity
                )
        return engine


def _migrate(
    engine: Engine,
    url: str,
    may_move: bool,
    look: Callable[[Connection], None] = lambda connection: None,
) -> Engine:
    """Return an engine for a database that is up to date; no other process looks or changes it."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    # Alembic's context is one for the whole process.
    with MIGRATION_LOCK, _file_lock(engine):
        try:
            with _migration_transaction(engine) as connection:
                look(connection)
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
        except Exception as error:
            engine.dispose()
            broken = isinstance(error, DatabaseError) and engine.dialect.name == SQLITE
            if may_move and broken and not isinstance(error, OperationalError):
                raise StoreError(_quarantine(url)) from error
            raise
    return engine


@contextmanager
def translate_errors(
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
        LOG.error(
            "The database %s is of another version of lnviz. %s", _without_password(url), REMEDY
        )
        raise StoreError("What is kept here was made by another version of lnviz.") from error
    except errors as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        LOG.error("The database %s cannot be used: %s. %s", _without_password(url), reason, REMEDY)
        raise StoreError(
            "What is kept here cannot be read or written now. Try again in a few minutes."
        ) from error


def _without_password(url: str) -> str:
    """The address without a password."""
    return make_url(url).render_as_string() if "://" in url else "this address"


def advisory_lock(session: Session) -> None:
    """Let nobody else change what is kept of visitors until this transaction ends.

    In SQLite every change does that.
    """
    if session.get_bind().dialect.name != SQLITE:
        session.execute(select(func.pg_advisory_xact_lock(LOCK_ID + 1)))


def _engine(url: str, wait: float, shreds: bool) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() != SQLITE:
        # Else a host that drops packets holds a thread for minutes.
        timeout = (
            {} if "connect_timeout" in parsed.query else {"connect_timeout": CONNECT_TIMEOUT_S}
        )
        return create_engine(parsed, pool_pre_ping=True, connect_args=timeout)
    if parsed.database:
        _create_private_file(Path(parsed.database))
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


def _create_private_file(file: Path) -> None:
    """Create an empty database that its owner alone can read; leave one that is there as it is.

    SQLite gives its other files, `-wal` and `-shm`, the mode of this one. The database holds the
    secret that signs visitors' names.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not file.exists():
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, PRIVATE_MODE))


@contextmanager
def _file_lock(engine: Engine) -> Iterator[None]:
    """Keep other processes from changing the tables of a file or moving it away."""
    if engine.dialect.name != SQLITE:
        yield
        return
    with FileLock(f"{engine.url.database}.lock", timeout=LOCK_TIMEOUT_S, mode=PRIVATE_MODE):
        yield


def _check_integrity(connection: Connection) -> None:
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
def _migration_transaction(engine: Engine) -> Iterator[Connection]:
    """Give a transaction; in PostgreSQL no other process changes the tables meanwhile."""
    with engine.begin() as connection:
        if engine.dialect.name != SQLITE:
            connection.execute(select(func.pg_advisory_xact_lock(LOCK_ID)))
        yield connection


def _quarantine(url: str) -> str:
    """Move away a file that is no database; say what has become of it."""
    database = make_url(url).database or ""
    broken = f"{database}.broken-{int(time.time())}"
    for ending in FILE_SUFFIXES:
        file = Path(database + ending)
        if file.exists():
            file.chmod(PRIVATE_MODE)
            file.rename(broken + ending)
    LOG.error("%s is no database, or is damaged; it was kept as %s.", database, broken)
    return "What was kept here is damaged. With the next try it begins anew."
