import threading

import pytest

from lnviz.progress import Watch, Withdrawn, report, reporting, watched


def test_unwatched_computations_report_to_nobody() -> None:
    report(0.5)
    assert list(reporting("abc")) == ["a", "b", "c"]


def test_a_watch_has_no_share_before_the_first_report() -> None:
    assert Watch().share is None


def test_parts_within_parts_are_shares_of_a_share() -> None:
    watch, seen = Watch(), []
    with watched(watch):
        for _ in reporting("ab"):
            for _ in reporting("cd"):
                report(0.5)
                seen.append(watch.share)
    assert seen == [0.125, 0.375, 0.625, 0.875]


def test_a_share_once_reached_is_not_taken_back() -> None:
    watch = Watch()
    with watched(watch):
        report(0.75)
        report(0.25)
    assert watch.share == 0.75


def test_a_loop_that_is_left_early_leaves_the_rest_its_part() -> None:
    watch = Watch()
    with watched(watch):
        for _ in reporting("abcd"):
            break
        report(0.5)
    assert watch.share == 0.5


def test_what_is_withdrawn_ends_at_its_next_report() -> None:
    watch, done = Watch(), []

    def compute() -> None:
        for step in reporting("abc"):
            done.append(step)
            if step == "b":
                watch.withdraw()

    with watched(watch), pytest.raises(Withdrawn):
        compute()
    assert done == ["a", "b"]
    report(0.5)  # no longer watched


def test_a_watch_sees_its_own_computation_only() -> None:
    watches = Watch(), Watch()
    together = threading.Barrier(2)

    def compute(watch: Watch, share: float) -> None:
        with watched(watch):
            together.wait()
            report(share)

    threads = [
        threading.Thread(target=compute, args=(watch, share))
        for watch, share in zip(watches, (0.25, 0.5), strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [watch.share for watch in watches] == [0.25, 0.5]


def paused() -> tuple[Watch, threading.Event, threading.Thread, list[str]]:
    """A computation whose next report waits."""
    watch, begun, said = Watch(), threading.Event(), []

    def compute() -> None:
        with watched(watch):
            begun.set()
            try:
                report(0.5)
                said.append("done")
            except Withdrawn:
                said.append("withdrawn")

    watch.pause()
    return watch, begun, threading.Thread(target=compute), said


@pytest.mark.parametrize("end", ["resume", "withdraw"])
def test_a_paused_computation_waits_until_it_is_resumed_or_withdrawn(end: str) -> None:
    watch, begun, thread, said = paused()
    thread.start()
    begun.wait()
    assert not said
    getattr(watch, end)()
    thread.join()
    assert said == ["done" if end == "resume" else "withdrawn"]


def test_what_is_withdrawn_cannot_be_paused() -> None:
    watch = Watch()
    watch.withdraw()
    watch.pause()
    with watched(watch), pytest.raises(Withdrawn):
        report(0.5)
