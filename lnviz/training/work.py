"""Work off a job: group by group, kept often enough that a sudden end costs seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from lnviz.rounding import numbers
from lnviz.training.experiment import Experiment
from lnviz.training.group import Group, Point
from lnviz.training.store import Checkpoint, Job, Measured, State, Store

DIGITS = 6  # that a number is kept with
KEEP_S = 3.0  # between two times that a job is kept: what a sudden end can cost
Report = Callable[[str, int], None]


def work(
    store: Store,
    job: Job,
    experiment: Experiment,
    *,
    device: torch.device | str = "cpu",
    report: Report = lambda label, step: None,
) -> State:
    """Run what is left of a job, until it is done or somebody has taken it out of `running`.

    Where another process works on the same job, the first of the two to keep something goes on, and
    the other one ends here.

    Args:
        store: where it is kept.
        job: which must be `running`.
        experiment: that its specification names.
        device: to train on.
        report: called before the first step and after each, with norm and batch size, and the steps
            done of them.

    Returns:
        Where it stands now.

    Raises:
        SpecificationError: the specification cannot be run.
    """
    experiment.check(job.specification)
    groups = experiment.groups(job.specification)
    last = store.checkpoint(job.id) or Checkpoint(0, b"")
    for at in range(last.group, len(groups)):
        group = Group(experiment, job.specification, *groups[at], device=device)
        if at == last.group and last.state:
            group.restore(last.state)
        if not _train(store, job, group, at, report):
            return store.state(job.id) or State.STOPPED
        tested = group.tested()
        outcome = _measured(group, {"loss": tested.loss, "error": tested.error})
        done = (at + 1) * job.specification.steps
        # After the last group, too: a job that ends before it is `done` has nothing left to train.
        if not store.keep(job.id, done, [], Checkpoint(at + 1, b""), outcome, before=done):
            return store.state(job.id) or State.STOPPED
    store.move(job.id, State.DONE, among=(State.RUNNING,))
    return store.state(job.id) or State.STOPPED


def _train(store: Store, job: Job, group: Group, at: int, report: Report) -> bool:
    """Train a group to its end; False where the job has been taken away before."""
    fresh: list[Measured] = []
    begun = at * job.specification.steps  # steps of the groups before
    before, kept = begun + group.step, time.monotonic()
    for point in group.points():
        if point:
            fresh.append(_point(group, point))
        report(f"{group.norm}, batches of {group.batch_size}", group.step)
        if time.monotonic() - kept > KEEP_S:
            done, state = begun + group.step, Checkpoint(at, group.save())
            if not store.keep(job.id, done, fresh, state, before=before):
                return False
            if store.state(job.id) is not State.RUNNING:
                return False
            before, fresh, kept = done, [], time.monotonic()
    done, state = begun + group.step, Checkpoint(at, group.save())
    kept_all = store.keep(job.id, done, fresh, state, before=before)
    return kept_all and store.state(job.id) is State.RUNNING


def _point(group: Group, point: Point) -> Measured:
    values: dict[str, Any] = {
        "loss": point.loss,
        "validation loss": point.validation_loss,
        "validation error": point.validation_error,
        "scales": point.scales,
    }
    return _measured(group, values, point.seconds)


def _measured(group: Group, values: Mapping[str, Any], seconds: float = 0.0) -> Measured:
    return Measured(group.norm, group.batch_size, group.step, seconds, _plain(values))


def _plain(value: Any) -> Any:
    """Tensors as the numbers that are kept, at any depth."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return numbers(value, DIGITS) if isinstance(value, Tensor) else value
