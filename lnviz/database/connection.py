"""Database connections: engine, migrations, sessions, and translation of exceptions."""

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
from lnviz.extras import require_extra

URL_VARIABLE = "LNVIZ_DATABASE_URL"
MIGRATIONS = Path(__file__).parent / "migrations"
CONNECT_TIMEOUT_S = 10
"""Seconds that connecting to a PostgreSQL server may take."""
CONNECT_ERRORS = (SQLAlchemyError, OSError, ImportError)
"""Errors of connecting: also of the file, of the network, and of a driver that is not installed."""
LOCK_TIMEOUT_S = 30
"""Seconds that a transaction waits for the lock of another one."""
SQLITE = "sqlite"
PRIVATE_MODE = 0o600
"""File mode of databases: only the owner may read them."""
FILE_SUFFIXES = ("", "-wal", "-shm")
"""Suffixes of the files of an SQLite database."""
LOCK_ID = 20_160_721
"""Id of PostgreSQL's advisory lock for migrations; the next one is `advisory_lock`'s."""
MIGRATION_LOCK = threading.Lock()
LOG = logging.getLogger(__name__)
REMEDY = (
    f"Free disk space, repair the database, move it away, or set {URL_VARIABLE} to another "
    "database."
)


def database_url() -> str:
    """Return the URL of the database: `LNVIZ_DATABASE_URL`, by default an SQLite file."""
    configured = os.environ.get(URL_VARIABLE, "").strip()
    return configured or f"{SQLITE}:///{user_data_path('lnviz') / 'trainings.sqlite'}"


class Database:
    """An SQLite or PostgreSQL database to which all migrations have been applied.

    Args:
        url: SQLAlchemy URL of the database.
        integrity_check: as in `connect`.
        timeout_s: as in `connect`.
        secure_delete: as in `connect`; see `truncate_wal`.
        lock_timeout: whether, in PostgreSQL, `timeout_s` also limits the wait for a lock and the
            duration of an idle transaction.

    Raises:
        StoreError: as `connect`. Sessions also raise it if the database fails.
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
        """Context manager: a session with a transaction, committed unless the block raises."""
        with translate_errors(self.url), Session(self._engine) as session, session.begin():
            # The driver may fail to connect with an error of the system. An error of the system
            # that the block raises is not the database's.
            with translate_errors(self.url, CONNECT_ERRORS):
                session.connection()
            yield session

    @contextmanager
    def immediate_transaction(self) -> Iterator[Session]:
        """Context manager: like `session`, but holding SQLite's write lock from the beginning.

        In PostgreSQL, callers must lock the rows that they read.
        """
        with self.session() as session:
            if self.is_sqlite:
                session.connection().exec_driver_sql("BEGIN IMMEDIATE")
            yield session

    @property
    def is_sqlite(self) -> bool:
        """True if the database is an SQLite file, False if it is PostgreSQL."""
        return self._engine.dialect.name == SQLITE

    def truncate_wal(self) -> None:
        """Truncate SQLite's write-ahead log, which would still contain deleted content.

        The log is not truncated while other connections read.
        """
        if self.is_sqlite:
            with (
                translate_errors(self.url, CONNECT_ERRORS),
                self._engine.connect() as connection,
            ):
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _set_lock_timeout(self, timeout_s: float) -> None:
        """In PostgreSQL, limit the wait for a lock and the duration of an idle transaction."""

        @event.listens_for(self._engine, "connect")
        def prepare(connection: Any, _: Any) -> None:
            with connection.cursor() as cursor:
                for name in ("lock_timeout", "idle_in_transaction_session_timeout"):
                    cursor.execute(f"SET {name} = {round(1000 * timeout_s)}")  # in milliseconds
            connection.commit()  # or the settings would end with the transaction

        # The connections of the migrations do not have the settings.
        self._engine.dispose()


def connect(
    url: str,
    *,
    integrity_check: bool = False,
    timeout_s: float = LOCK_TIMEOUT_S,
    secure_delete: bool = False,
) -> Engine:
    """Apply all migrations to a database, and return an SQLAlchemy engine for it.

    Args:
        url: SQLAlchemy URL of the database.
        integrity_check: whether to first read an SQLite file completely, which takes seconds per
            gigabyte, and to move it aside if it is damaged or not a database. Servers do so; other
            programs leave the file unchanged.
        timeout_s: seconds that an SQLite transaction waits for another transaction's lock.
        secure_delete: whether SQLite overwrites deleted content.

    Raises:
        StoreError: the database is unavailable, damaged, or of another version of lnviz.
    """
    with translate_errors(url, CONNECT_ERRORS):
        engine = _migrate(_create_engine(url, timeout_s, secure_delete), url, integrity_check)
        if integrity_check:
            try:
                # Without a lock: many processes read all of the file when servers start.
                with engine.connect() as connection:
                    _check_integrity(connection)
            except DatabaseError:
                # Another process may have moved the file aside and begun a new one: check again,
                # under the lock.
                engine.dispose()
                engine = _migrate(
                    _create_engine(url, timeout_s, secure_delete),
                    url,
                    integrity_check,
                    _check_integrity,
                )
        return engine


def _migrate(
    engine: Engine,
    url: str,
    may_quarantine: bool,
    check: Callable[[Connection], None] = lambda connection: None,
) -> Engine:
    """Apply all migrations while locking out other processes; return the engine.

    Args:
        engine: engine of the database.
        url: URL of the database.
        may_quarantine: whether to move a damaged SQLite file aside.
        check: called before the migrations.
    """
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    # Alembic has one context for the whole process.
    with MIGRATION_LOCK, _file_lock(engine):
        try:
            with _migration_transaction(engine) as connection:
                check(connection)
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
        except Exception as error:
            engine.dispose()
            damaged = isinstance(error, DatabaseError) and engine.dialect.name == SQLITE
            if may_quarantine and damaged and not isinstance(error, OperationalError):
                raise StoreError(_quarantine(url)) from error
            raise
    return engine


@contextmanager
def translate_errors(
    url: str, errors: type[Exception] | tuple[type[Exception], ...] = SQLAlchemyError
) -> Iterator[None]:
    """Context manager: log exceptions of the database, and raise a `StoreError` instead.

    Args:
        url: URL of the database, for the log.
        errors: the exceptions to translate. Use `CONNECT_ERRORS` only around code that merely
            connects or prepares the database's files.

    Raises:
        StoreError: an error was translated.
    """
    try:
        yield
    except CommandError as error:
        LOG.error(
            "The database %s was made by another version of lnviz (%s). %s",
            *(_without_password(url), error, REMEDY),
        )
        raise StoreError("The stored data was made by another version of lnviz.") from error
    except errors as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        LOG.error("The database %s cannot be used: %s. %s", _without_password(url), reason, REMEDY)
        raise StoreError(
            "Stored data can’t be read or written right now. Try again in a few minutes."
        ) from error


def _without_password(url: str) -> str:
    """Return a database URL with its password masked."""
    return make_url(url).render_as_string() if "://" in url else "this address"


def advisory_lock(session: Session) -> None:
    """Take a lock that serializes changes to jobs and uploads until the transaction ends.

    SQLite serializes all writes anyway.
    """
    if session.get_bind().dialect.name != SQLITE:
        session.execute(select(func.pg_advisory_xact_lock(LOCK_ID + 1)))


@require_extra("postgres")
def _create_engine(url: str, timeout_s: float, secure_delete: bool) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() != SQLITE:
        # By default, a host that drops packets blocks a thread for minutes.
        timeout = (
            {} if "connect_timeout" in parsed.query else {"connect_timeout": CONNECT_TIMEOUT_S}
        )
        return create_engine(parsed, pool_pre_ping=True, connect_args=timeout)
    if parsed.database:
        _create_private_file(Path(parsed.database))
    engine = create_engine(parsed, connect_args={"timeout": timeout_s})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")  # readers do not wait for a writer
        cursor.execute("PRAGMA foreign_keys=ON")  # by default, rows are not deleted with parents
        cursor.execute(f"PRAGMA secure_delete={'ON' if secure_delete else 'OFF'}")
        cursor.close()

    return engine


def _create_private_file(file: Path) -> None:
    """Create an empty SQLite file that only its owner can read, if it does not exist.

    SQLite creates its other files, `-wal` and `-shm`, with the same permissions. The database holds
    the secret key that signs clients' ids.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not file.exists():
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, PRIVATE_MODE))


@contextmanager
def _file_lock(engine: Engine) -> Iterator[None]:
    """Context manager that keeps other processes from migrating or moving an SQLite file."""
    if engine.dialect.name != SQLITE:
        yield
        return
    with FileLock(f"{engine.url.database}.lock", timeout=LOCK_TIMEOUT_S, mode=PRIVATE_MODE):
        yield


def _check_integrity(connection: Connection) -> None:
    """Read all pages of an SQLite file, to detect damage.

    Raises:
        DatabaseError: a page is damaged.
    """
    if connection.dialect.name != SQLITE:
        return
    result = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    if result != "ok":
        raise DatabaseError("PRAGMA quick_check", None, RuntimeError(result))


@contextmanager
def _migration_transaction(engine: Engine) -> Iterator[Connection]:
    """Context manager: a transaction that, in PostgreSQL, locks out other migrating processes."""
    with engine.begin() as connection:
        if engine.dialect.name != SQLITE:
            connection.execute(select(func.pg_advisory_xact_lock(LOCK_ID)))
        yield connection


def _quarantine(url: str) -> str:
    """Move a damaged SQLite file aside; return a message for clients."""
    database = make_url(url).database or ""
    aside = f"{database}.broken-{int(time.time())}"
    for suffix in FILE_SUFFIXES:
        file = Path(database + suffix)
        if file.exists():
            file.chmod(PRIVATE_MODE)
            file.rename(aside + suffix)
    LOG.error(
        "%s is not a database, or is damaged; it was moved to %s, and a new one is created.",
        *(database, aside),
    )
    return "The stored data was damaged. The next try starts with an empty store."
