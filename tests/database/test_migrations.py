"""Migrations: they make the tables of the models, and leave other revisions alone."""

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from lnviz.database.connection import MIGRATIONS, Database
from lnviz.database.errors import StoreError
from lnviz.database.models import Base
from lnviz.training.run_repository import RunRepository
from tests.databases import logged
from tests.training.samples import SPECIFICATION


def test_the_migrations_make_the_tables_of_the_models(database: Database) -> None:
    with database._engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


@pytest.mark.parametrize("revision", ["later", "uploads are packed"])
def test_a_database_of_another_revision_is_refused_and_left_as_it_is(
    revision: str, runs: RunRepository, url: str
) -> None:
    job = runs.jobs.add(SPECIFICATION, 80, {})
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")
    engine.dispose()
    with pytest.raises(StoreError, match="another version"), logged("move it away, or set"):
        Database(url, integrity_check=True)
    assert runs.jobs.find(job.id) == job


def test_a_database_whose_tables_were_taken_away_gets_them_again(url: str) -> None:
    config, engine = Config(), create_engine(url)
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        command.downgrade(config, "base")
    runs = RunRepository(Database(url))
    assert runs.jobs.list_jobs() == []
    runs.database.close()
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").all()
    engine.dispose()
