import threading
from collections.abc import Callable

import pytest

from lnviz.progress import Cancelled, Progress, report_progress, subtasks, track
from lnviz.seeding import isolated_rng
from lnviz.topics.cost.clock import time_interleaved

PATIENCE_S = 60  # after which a test says that something waits forever


def test_computation_without_a_tracker_may_report() -> None:
    report_progress(0.5)
    assert list(subtasks("abc")) == ["a", "b", "c"]


def test_the_fraction_is_none_before_the_first_report() -> None:
    assert Progress().fraction is None


def test_nested_subtasks_scale_their_fractions() -> None:
    progress, seen = Progress(), []
    with track(progress):
        for _ in subtasks("ab"):
            for _ in subtasks("cd"):
                report_progress(0.5)
                seen.append(progress.fraction)
    assert seen == [0.125, 0.375, 0.625, 0.875]


def test_a_fraction_never_decreases() -> None:
    progress = Progress()
    with track(progress):
        report_progress(0.75)
        report_progress(0.25)
    assert progress.fraction == 0.75


def test_a_loop_that_ends_early_restores_the_range() -> None:
    progress = Progress()
    with track(progress):
        for _ in subtasks("abcd"):
            break
        report_progress(0.5)
    assert progress.fraction == 0.5


def test_a_cancelled_computation_ends_at_its_next_report() -> None:
    progress, done = Progress(), []

    def compute() -> None:
        for step in subtasks("abc"):
            done.append(step)
            if step == "b":
                progress.cancel()

    with track(progress), pytest.raises(Cancelled):
        compute()
    assert done == ["a", "b"]
    report_progress(0.5)  # no longer tracked


def test_progress_is_tracked_per_thread() -> None:
    trackers = Progress(), Progress()
    together = threading.Barrier(2)

    def compute(progress: Progress, fraction: float) -> None:
        with track(progress):
            together.wait()
            report_progress(fraction)

    threads = [
        threading.Thread(target=compute, args=(progress, fraction))
        for progress, fraction in zip(trackers, (0.25, 0.5), strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [progress.fraction for progress in trackers] == [0.25, 0.5]


def paused() -> tuple[Progress, threading.Event, threading.Thread, list[str]]:
    """A computation whose next report waits."""
    progress, begun, outcome = Progress(), threading.Event(), []

    def compute() -> None:
        with track(progress):
            begun.set()
            try:
                report_progress(0.5)
                outcome.append("done")
            except Cancelled:
                outcome.append("cancelled")

    progress.pause()
    return progress, begun, threading.Thread(target=compute), outcome


@pytest.mark.parametrize("end", ["resume", "cancel"])
def test_a_paused_computation_waits_until_it_is_resumed_or_cancelled(end: str) -> None:
    progress, begun, thread, outcome = paused()
    thread.start()
    begun.wait()
    assert not outcome
    getattr(progress, end)()
    thread.join()
    assert outcome == ["done" if end == "resume" else "cancelled"]


def test_a_cancelled_computation_cannot_be_paused() -> None:
    progress = Progress()
    progress.cancel()
    progress.pause()
    with track(progress), pytest.raises(Cancelled):
        report_progress(0.5)


def drawn() -> None:
    with isolated_rng():
        report_progress(0.5)


def measured() -> None:
    time_interleaved([list], rounds=1, block=1e-6)


@pytest.mark.parametrize("compute", [drawn, measured])
def test_what_others_wait_for_is_given_back_before_a_pause(compute: Callable[[], None]) -> None:
    progress, ended = Progress(), threading.Event()

    def run() -> None:
        with track(progress):
            compute()
            ended.set()
            report_progress(0.9)

    progress.pause()
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        assert ended.wait(PATIENCE_S)
        assert thread.is_alive()
    finally:
        progress.resume()
    thread.join()
