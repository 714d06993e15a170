"""Steps to an error, and the lowest error: every run counted anew, one by one."""

import math
from itertools import product
from statistics import median

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Explorable, Grid, Readout
from lnviz.lessons.lab.figure_builder import ERROR
from lnviz.lessons.lab.reached import RUNS, SIZES, WANTED
from lnviz.lessons.lab.stored_runs import ALL
from lnviz.lessons.lab.targets import steps_to
from tests.lessons.lab.reading import errors
from tests.lessons.running import built, printed, views


@pytest.fixture
def figure() -> Explorable:
    return built("lab", "reached")


def cell(row: str, size: int) -> int:
    return RUNS.index((ALL.norms.index(row), SIZES.index(size)))


def alone(row: str, size: int, wanted: float) -> list[float]:
    """After how many steps each run was first at the error, by a plain loop."""
    return [
        next(
            (s for s, e in zip(ALL.steps, run, strict=True) if e <= wanted + 1e-9),
            math.inf,
        )
        for run in errors(row)[ALL.sizes.index(size)].tolist()
    ]


def test_a_run_reaches_an_error_where_it_is_first_at_or_below_it() -> None:
    points = ALL.steps
    runs = torch.full((2, len(points)), 50.0)
    runs[0, 3], runs[0, 5], runs[1, 7] = 2.0, 1.0, 1.5
    steps = steps_to(runs, torch.tensor([2.0, 1.2]), points)
    assert steps.tolist() == [[points[3], points[7]], [points[5], math.inf]]


@pytest.mark.parametrize("wanted", [1.0, 2.0, 3.0, 7.5, 20.0])
def test_every_cell_has_the_median_of_its_runs(wanted: float, figure: Explorable) -> None:
    for row, size in product(ALL.norms, SIZES):
        state = {ERROR: WANTED.index(wanted), RUNS.name: cell(row, size)}
        steps = alone(row, size, wanted)
        middle = median(steps)
        expected = middle if middle < math.inf else math.nan
        assert float(figure.lookup("missing", state)) == steps.count(math.inf)
        assert float(figure.lookup("median", state)) == pytest.approx(expected, nan_ok=True)
        in_table = figure.lookup("median of all", state)[cell(row, size)]
        assert float(in_table) == pytest.approx(expected, nan_ok=True)
        if min(steps) < math.inf:
            assert float(figure.lookup("fastest", state)) == min(steps)
            assert float(figure.lookup("slowest", state)) == max(s for s in steps if s < math.inf)


def test_one_sentence_tells_how_each_cell_fares(figure: Explorable) -> None:
    findings = [view for view in views(figure, Readout) if view.style == "finding"]
    for wanted, at in product(range(WANTED.size), range(RUNS.size)):
        state = {ERROR: wanted, RUNS.name: at}
        shown = [
            view
            for view in findings
            if divmod(at, len(SIZES)) in view.when[RUNS.name]
            and not (view.if_finite and figure.lookup(view.if_finite, state).isnan())
            and not (view.if_nan and not figure.lookup(view.if_nan, state).isnan())
        ]
        assert len(shown) == 1


def test_the_runs_that_do_not_exist_are_those_of_batch_norm_in_batches_of_one(
    figure: Explorable,
) -> None:
    (grid,) = views(figure, Grid)
    for word, (row, size) in zip(grid.words, product(ALL.rows, SIZES), strict=True):
        assert bool(word) == (row.norm == "batch" and size == 1)


def test_a_smaller_error_is_never_reached_earlier(figure: Explorable) -> None:
    table = figure.tensors["median of all"].values.nan_to_num(math.inf)
    assert (table[1:] <= table[:-1]).all()


def test_the_code_counts_the_steps_of_the_runs_pointed_at(figure: Explorable) -> None:
    state = {ERROR: WANTED.index(3.0), RUNS.name: cell("layer", 4)}
    steps, middle, best = printed(figure, state)
    assert steps.tolist() == alone("layer", 4, 3.0)
    assert float(middle) == float(figure.lookup("median", state))
    assert_close(best.mean(), figure.lookup("best", state), rtol=0, atol=0.01, check_dtype=False)


def test_the_code_finds_nothing_where_no_run_exists(figure: Explorable) -> None:
    steps, *_ = printed(figure, {ERROR: 0, RUNS.name: cell("batch", 1)})
    assert steps.isinf().all()


def test_test_errors_are_those_of_the_stored_runs_in_batches_of_four(figure: Explorable) -> None:
    (method,) = (view.text for view in views(figure, Readout) if view.style == "method")
    for row in ALL.rows:
        mean = float(ALL.tested[ALL.index(row.key, 4)].mean())
        assert f"and {mean:.1f}%" in method, row.key
