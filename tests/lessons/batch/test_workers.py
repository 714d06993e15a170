from functools import cache

import pytest

from lnviz.explorable import Explorable
from lnviz.lessons.batch.workers import build
from tests.lessons.running import not_finite, said


@cache
def figure(whole: str = "64") -> Explorable:
    return build(whole)


@pytest.mark.parametrize("whole", ["64", "256"])
def test_one_worker_differs_in_nothing_and_more_differ_more(whole: str) -> None:
    off = figure(whole).tensors["off"].values
    assert off[0] < 1e-5
    assert off[1] < off[7] < off[63]
    assert not not_finite(figure(whole))


def test_a_worker_with_one_case_puts_out_nothing() -> None:
    assert not figure().tensors["own"].values[63].any()


def test_how_far_one_case_a_worker_is_off_is_said_in_words() -> None:
    texts = [view.text for view in said(figure(), figure().state_at(workers=64.0))]
    assert any("one example" in text and "{off:2 value}" in text for text in texts)


def test_synchronized_it_is_the_whole_batch_at_every_number_of_workers() -> None:
    assert figure().tensors["sync off"].values.max() < 1e-5
