"""Trainings as the lab shows them: those of visitors, and a stored one of each experiment."""

from __future__ import annotations

from functools import cache

from lnviz.results import LAB_RUNS
from lnviz.training.database import location
from lnviz.training.record import Record
from lnviz.training.store import Store


@cache
def store() -> Store:
    """Return where this server keeps trainings."""
    return Store(location())


def record(job: str) -> Record | None:
    """Return what has become of a visitor's job so far; None where there is no such job."""
    found = store().job(job)
    return store().record(found) if found and found.id == job else None


@cache
def stored(experiment: str) -> Record:
    """Return what became of an experiment's default specification.

    >>> stored("digits").specification.norms
    ('none', 'batch', 'layer', 'rms')
    """
    return Record.from_json(LAB_RUNS[experiment].path.read_text(encoding="utf-8"))
