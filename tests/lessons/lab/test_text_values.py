"""What the lesson's text says of the runs besides what they came to."""

from lnviz.lessons.lab.stored_runs import RUNS


def test_besides_norms_there_are_dyt_and_neither() -> None:
    assert {"none", "dyt"} <= set(RUNS.norms)


def test_smaller_batches_take_as_many_steps_and_so_see_fewer_images() -> None:
    assert {RUNS.reached["layer", size] for size in RUNS.sizes} == {RUNS.specification.steps}


def test_the_stored_runs_have_one_learning_rate() -> None:
    assert len(RUNS.rates) == 1
