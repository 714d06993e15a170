"""Steps to an error, and the lowest error: every run counted anew, one by one."""

import math
from statistics import median

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Explorable, Grid, Readout
from lnviz.lessons.lab.drawing import steps_to
from lnviz.lessons.lab.reached import COLUMNS, ERROR, POINTS, ROWS, RUNS
from lnviz.topics.lab.comparison import Trained, stored
from tests.lessons.running import built, printed


@pytest.fixture
def figure() -> Explorable:
    return built("lab", "reached")


def alone(trained: Trained, wanted: float) -> list[float]:
    """After how many steps each run was first at the error, by a plain loop."""
    found = []
    for run in trained.validation_error:
        steps = zip(stored().points[1:], run[1:], strict=True)
        found.append(next((s for s, e in steps if e is not None and 100 * e <= wanted), math.inf))
    return found


def test_a_run_reaches_an_error_where_it_is_first_at_or_below_it() -> None:
    errors = torch.full((2, len(POINTS)), 50.0)
    errors[0, 3], errors[0, 5], errors[1, 7] = 2.0, 1.0, 1.5
    found = steps_to(errors, torch.tensor([2.0, 1.2]), POINTS)
    assert found.tolist() == [[POINTS[3], POINTS[7]], [POINTS[5], math.inf]]


@pytest.mark.parametrize("wanted", [1.0, 2.0, 3.0, 7.5, 20.0])
def test_every_cell_has_the_median_of_its_runs(wanted: float, figure: Explorable) -> None:
    at = ERROR.index(wanted)
    for row, (norm, head) in enumerate(ROWS):
        for column, size in enumerate(COLUMNS):
            state = {ERROR.name: at, RUNS.name: RUNS.index((row, column))}
            trained = stored().find(norm, size, head)
            steps = alone(trained, wanted) if trained else [math.inf] * 5
            middle = median(steps)
            assert float(figure.lookup("missing", state)) == steps.count(math.inf)
            expected = torch.tensor(middle if middle < math.inf else math.nan)
            shown = figure.lookup("median", state)
            assert_close(shown, expected, equal_nan=True, check_dtype=False)
            in_table = figure.lookup("table", state)[RUNS.index((row, column))]
            assert_close(in_table, shown, equal_nan=True)
            if min(steps) < math.inf:
                assert float(figure.lookup("fastest", state)) == min(steps)
                known = [s for s in steps if s < math.inf]
                assert float(figure.lookup("slowest", state)) == max(known)


def test_one_sentence_tells_how_each_cell_fares(figure: Explorable) -> None:
    verdicts = [
        v for row in figure.views for v in row if isinstance(v, Readout) and v.look == "verdict"
    ]
    for wanted in range(ERROR.size):
        for cell in range(RUNS.size):
            state = {ERROR.name: wanted, RUNS.name: cell}
            shown = [
                v
                for v in verdicts
                if divmod(cell, len(COLUMNS)) in v.when[RUNS.name]
                and not (v.given and figure.lookup(v.given, state).isnan())
                and not (v.lacking and not figure.lookup(v.lacking, state).isnan())
            ]
            assert len(shown) == 1


def test_the_runs_that_do_not_exist_are_those_of_batch_norm_in_batches_of_one(
    figure: Explorable,
) -> None:
    (grid,) = (v for row in figure.views for v in row if isinstance(v, Grid))
    for cell, word in enumerate(grid.words):
        row, column = divmod(cell, len(COLUMNS))
        assert bool(word) == (ROWS[row][0] == "batch" and COLUMNS[column] == 1)


def test_a_smaller_error_is_never_reached_earlier(figure: Explorable) -> None:
    table = figure.tensors["table"].values.nan_to_num(math.inf)
    assert (table[1:] <= table[:-1]).all()


def test_the_code_counts_the_steps_of_the_runs_pointed_at(figure: Explorable) -> None:
    cell = (ROWS.index(("layer", "plain")), COLUMNS.index(4))
    state = {ERROR.name: ERROR.index(3.0), RUNS.name: RUNS.index(cell)}
    trained = stored().find("layer", 4)
    assert trained is not None
    steps, middle, best = printed(figure, state)
    assert steps.tolist() == alone(trained, 3.0)
    assert float(middle) == float(figure.lookup("median", state))
    assert_close(best.mean(), figure.lookup("best", state), rtol=0, atol=0.01, check_dtype=False)


def test_the_code_finds_nothing_where_no_run_exists(figure: Explorable) -> None:
    cell = (ROWS.index(("batch", "plain")), COLUMNS.index(1))
    state = {ERROR.name: 0, RUNS.name: RUNS.index(cell)}
    steps, *_ = printed(figure, state)
    assert steps.isinf().all()
