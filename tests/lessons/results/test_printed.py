"""The two tables: every cell pointed at, what is drawn and what is said."""

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Chart, Explorable, Grid
from lnviz.lessons.results import retrieval, sentences
from lnviz.lessons.results.printed import PrintedTables
from lnviz.topics.paper import CAPTIONS, IMAGES, SENTENCES, PrintedTable
from tests.lessons.running import built, printed, said, views

Case = tuple[str, PrintedTables, int, PrintedTable]
CASES: list[Case] = [
    ("retrieval", retrieval.SHEET, 0, CAPTIONS),
    ("retrieval", retrieval.SHEET, 1, IMAGES),
    ("sentences", sentences.SHEET, 0, SENTENCES),
]
EACH = pytest.mark.parametrize("case", CASES, ids=["captions", "images", "sentences"])


def state(figure: Explorable, case: Case, row: int, column: int) -> dict[str, int]:
    _, sheet, at, _ = case
    task = {sheet.task.name: at} if sheet.task else {}
    return {**figure.start_state(), **task, sheet.pointer.name: sheet.pointer.index((row, column))}


def written(figure: Explorable, case: Case, row: int, column: int) -> list[str]:
    """The texts shown at a cell."""
    return [view.text for view in said(figure, state(figure, case, row, column))]


@EACH
def test_the_table_holds_every_printed_number(case: Case) -> None:
    figure, table = built("results", case[0]), case[3]
    found = figure.lookup("table", state(figure, case, 0, 0))
    assert_close(found.view_as(table.values), table.values, equal_nan=True)


@EACH
def test_bars_are_the_column_pointed_at_and_gains_over_its_row(case: Case) -> None:
    figure, table = built("results", case[0]), case[3]
    for row in range(len(table.models)):
        for column in range(len(table.measures)):
            here = state(figure, case, row, column)
            for at, model in enumerate(table.models):
                value = figure.lookup(f"{model.key} value", here)
                assert_close(value[at], table.values[at, column], equal_nan=True)
                assert value.isfinite().sum() <= 1
                gains = figure.lookup(f"{model.key} gains", here)
                assert_close(gains, 100 * table.shares[row, at], equal_nan=True)


@EACH
def test_a_dash_stands_exactly_where_a_bar_is_missing(case: Case) -> None:
    figure, table = built("results", case[0]), case[3]
    for row in range(len(table.models)):
        for column in range(len(table.measures)):
            here = state(figure, case, row, column)
            dashes = figure.lookup("missing values", here).isfinite()
            assert torch.equal(dashes, table.values[:, column].isnan())
            bars = [figure.lookup(f"{model.key} gains", here) for model in table.models]
            gone = torch.cat(bars).isnan()
            assert torch.equal(figure.lookup("missing gains", here).isfinite(), gone)


@EACH
def test_every_cell_is_told_with_its_number_its_direction_and_its_differences(case: Case) -> None:
    figure, table = built("results", case[0]), case[3]
    for row, model in enumerate(table.models):
        for column, measure in enumerate(table.measures):
            meaning, found, *compared, count = written(figure, case, row, column)
            assert f"{measure.label} " in meaning
            assert ("higher is better." in meaning) == measure.higher
            assert ("lower is better." in meaning) != measure.higher
            own = table.rows[row][column]
            known = [values[column] for values in table.rows if values[column] is not None]
            best = max(known) if measure.higher else min(known)
            assert f"the best is {measure.written(best)} (" in found
            if own is None:
                assert found.startswith(f"{measure.label} is not printed for “{model.label}”")
                assert not compared
                continue
            assert found.startswith(
                f"{measure.label} of “{model.label}” is {measure.written(own)};"
            )
            for other, values in zip(table.models, table.rows, strict=True):
                value, told = values[column], f"“{other.label}”"
                if other is model:
                    continue
                if value is None:
                    assert any(text.startswith("Not printed") and told in text for text in compared)
                    continue
                if value == best:
                    assert told in found.partition("the best is ")[2]
                better = value > own if measure.higher else value < own
                begun = f"{'Better' if better else 'Worse'} than “{model.label}”: "
                size = f"{told} by {measure.written(abs(value - own))}{measure.unit}"
                assert any(text.startswith(begun) and size in text for text in compared)
            assert count.endswith(f"{table.source}.")


def test_layer_norm_is_counted_ahead_in_all_measures_of_its_baseline() -> None:
    for case, count in zip(CASES, ("4 of 4", "4 of 4", "7 of 7"), strict=True):
        figure, table = built("results", case[0]), case[3]
        label = table.models[table.at("ln")].label
        *_, counted = written(figure, case, table.at("ours"), 0)
        assert f"“{label}” in {count}" in counted


@pytest.mark.parametrize("name", ["retrieval", "sentences"])
def test_an_axis_of_values_begins_at_0_and_one_of_gains_is_symmetric(name: str) -> None:
    views = [view for line in built("results", name).views for view in line]
    *values, gains = (view for view in views if isinstance(view, Chart))
    assert {chart.figure.layout.yaxis.range[0] for chart in values} == {0}
    low, high = gains.figure.layout.yaxis.range
    assert low == -high


def test_the_missing_cells_of_the_table_have_a_dash() -> None:
    (grid,) = views(built("results", "retrieval"), Grid)
    gone = CAPTIONS.values.isnan().flatten().tolist()
    assert [word == "–" for word in grid.words] == gone
    assert sum(gone) == 2


@pytest.mark.parametrize("task", ["captions", "images"])
def test_the_code_measures_recall_that_rises_with_k_and_a_rank(task: str) -> None:
    figure = built("results", "retrieval")
    results = printed(figure, figure.state_at(search_for=task))
    one, five, ten, rank = (float(value) for value in results)
    assert 0 < one < five < ten < 100
    assert 1 < rank < 200


@pytest.mark.parametrize(("row", "column"), [(0, 0), (1, 2), (3, 3)])
def test_the_code_finds_the_gains_on_the_row_pointed_at(row: int, column: int) -> None:
    figure = built("results", "sentences")
    here = {"score": sentences.SHEET.pointer.index((row, column))}
    gains, shares = printed(figure, here)
    assert_close(gains, SENTENCES.gains[row, :, column])
    assert_close(shares, 100 * SENTENCES.shares[row])
