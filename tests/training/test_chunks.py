"""Chunks: how often a run group is saved, and what of it."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from lnviz.training import chunks
from lnviz.training import group as groups
from lnviz.training.chunks import CHECKPOINT_S, MIN_TRAIN_RATIO, train_in_chunks
from lnviz.training.group import StepMetrics


class Group:
    """A run group whose steps take a second each, and saving it some."""

    norm, batch_size = "layer", 4

    def __init__(self, clock: list[float], steps: int, save_s: float) -> None:
        self.clock, self.steps, self.save_s = clock, steps, save_s
        self.step = 0

    def train(self) -> Iterator[StepMetrics | None]:
        yield self.metrics()
        while self.step < self.steps:
            self.step += 1
            self.clock[0] += 1
            yield self.metrics() if self.step % 5 == 0 else None

    def metrics(self) -> StepMetrics:
        value = torch.tensor([1 / 3, torch.nan])
        return StepMetrics(self.step, 2.0, value, value, value, {"gains": {"1": value}})

    def test(self) -> groups.TestMetrics:
        return groups.TestMetrics(torch.tensor([0.25, 2.0]), torch.tensor([0.5, 1.0]))

    def save(self) -> bytes:
        self.clock[0] += self.save_s
        return b"state %d" % self.step

    def restore(self, saved: bytes) -> None:
        self.step = int(saved.removeprefix(b"state "))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    passed = [0.0]
    monkeypatch.setattr(chunks, "time", SimpleNamespace(monotonic=lambda: passed[0]))
    return passed


def test_a_group_is_saved_every_few_seconds_and_saving_takes_little_of_the_time(
    clock: list[float],
) -> None:
    quick = [c.steps for c in train_in_chunks(cast("Any", Group(clock, 18, 0.0)), 0, None)]
    seldom = int(CHECKPOINT_S) + 1
    assert quick == [seldom] * (18 // seldom) + [18 % seldom]
    slow = [c.steps for c in train_in_chunks(cast("Any", Group(clock, 40, 3.0)), 0, None)]
    assert slow[0] == seldom
    assert slow[1:3] == [3 * MIN_TRAIN_RATIO + 1] * 2
    assert sum(slow) == 40


def test_a_chunk_has_what_was_measured_in_it_with_six_digits(clock: list[float]) -> None:
    first, *others = train_in_chunks(cast("Any", Group(clock, 6, 0.0)), 7, None)
    assert (first.group, first.step, first.steps, first.state) == (7, 4, 4, b"state 4")
    assert first.seconds == 4.0
    assert [m.step for m in first.metrics] == [0]
    assert first.metrics[0].values["loss"] == (0.333333, None)
    assert first.metrics[0].values["scales"] == {"gains": {"1": (0.333333, None)}}
    assert first.test_result is None
    (last,) = others
    assert (last.step, last.steps, last.state) == (6, 2, b"")
    assert [m.step for m in last.metrics] == [5]
    assert last.test_result is not None
    assert last.test_result.values == {"loss": (0.25, 2.0), "error": (0.5, 1.0)}


def test_a_group_that_is_stopped_saves_what_it_has_and_continues_from_there(
    clock: list[float],
) -> None:
    reported: list[tuple[str, int]] = []

    def report(label: str, step: int) -> None:
        reported.append((label, step))

    def stop() -> bool:
        return reported[-1][1] == 2

    (chunk,) = train_in_chunks(cast("Any", Group(clock, 6, 0.0)), 0, None, report, stop)
    assert reported == [("layer, batches of 4", step) for step in range(3)]
    assert (chunk.step, chunk.steps, chunk.test_result) == (2, 2, None)
    (rest,) = train_in_chunks(cast("Any", Group(clock, 6, 0.0)), 0, b"state 5")
    assert (rest.step, rest.steps) == (6, 1)
