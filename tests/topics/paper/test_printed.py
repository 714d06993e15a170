"""The numbers, typed a second time from the paper (arXiv 1607.06450)."""

import math
import re

import pytest
import torch
from torch.testing import assert_close

from lnviz.norms import CATALOGUE
from lnviz.topics.paper import CAPTIONS, DRAW, IMAGES, SENTENCES, PrintedTable

TABLE_2 = """
Sym       45.4 -    88.7 5.8  36.3 -    85.8 9.0
OE        46.7 -    88.9 5.7  37.9 -    85.9 8.1
OE (ours) 46.6 79.3 89.1 5.2  37.8 73.6 85.7 7.9
OE + LN   48.5 80.6 89.8 5.1  38.9 74.3 86.3 7.6
"""
TABLE_3 = """
Original    0.848 0.778 0.287 75.5 79.3 92.1 86.9
Ours        0.842 0.767 0.298 77.3 81.8 92.6 87.9
Ours + LN   0.854 0.785 0.277 79.5 82.6 93.4 89.0
Ours + LN † 0.858 0.788 0.270 79.4 83.1 93.7 89.3
"""
TABLES = pytest.mark.parametrize(
    "table", [CAPTIONS, IMAGES, SENTENCES, DRAW], ids=["captions", "images", "sentences", "draw"]
)


def read(text: str) -> dict[str, list[str]]:
    """The numbers of each row by its name, as printed."""
    rows = [
        re.fullmatch(r"(.*?)\s+((?:[\d.]+|-)(?:\s+(?:[\d.]+|-))*)", line)
        for line in text.strip().splitlines()
    ]
    return {row[1]: row[2].split() for row in rows if row}


def written(table: PrintedTable) -> dict[str, list[str]]:
    """The same of a table of ours, to as many places as it says were printed."""
    return {
        model.name: [
            "-" if value is None else measure.written(value)
            for measure, value in zip(table.measures, row, strict=True)
        ]
        for model, row in zip(table.models, table.rows, strict=True)
    }


@pytest.mark.parametrize(("table", "columns"), [(CAPTIONS, slice(4)), (IMAGES, slice(4, 8))])
def test_order_embeddings_are_those_of_table_2(table: PrintedTable, columns: slice) -> None:
    printed = read(TABLE_2)
    assert len(printed) == 4
    assert written(table) == {name: numbers[columns] for name, numbers in printed.items()}


def test_skip_thoughts_are_those_of_table_3() -> None:
    assert written(SENTENCES) == read(TABLE_3)
    assert [measure.label for measure in SENTENCES.measures] == [
        *("r", "ρ", "MSE"),
        *("MR", "CR", "SUBJ", "MPQA"),
    ]


def test_draw_is_what_section_6_4_says() -> None:
    assert written(DRAW) == {"baseline model": ["82.36"], "layer normalization model": ["82.09"]}


def test_errors_and_ranks_are_better_when_lower_and_all_else_when_higher() -> None:
    lower = {m.key for t in (CAPTIONS, IMAGES, SENTENCES, DRAW) for m in t.measures if not m.higher}
    assert lower == {"rank", "mse", "bound"}


@TABLES
def test_a_gain_is_positive_for_the_better_of_two(table: PrintedTable) -> None:
    for at, measure in enumerate(table.measures):
        values = table.values[:, at]
        better = values > values[:, None] if measure.higher else values < values[:, None]
        assert torch.equal(table.gains[..., at] > 0, better)


@TABLES
def test_what_one_gains_on_the_other_the_other_loses(table: PrintedTable) -> None:
    assert_close(table.gains, -table.gains.transpose(0, 1), equal_nan=True)


@pytest.mark.parametrize("table", [CAPTIONS, IMAGES, SENTENCES])
def test_a_perfect_score_makes_up_all_that_is_missing(table: PrintedTable) -> None:
    perfect = tuple(measure.perfect for measure in table.measures)
    made = PrintedTable("", table.models, table.measures, (*table.rows[:-1], perfect))
    shares = made.shares[:-1, -1]
    known = ~made.values[:-1].isnan()
    assert known.any(1).all()
    assert_close(shares[known], torch.ones_like(shares[known]))


def test_a_share_of_what_is_missing_needs_a_perfect_score() -> None:
    with pytest.raises(
        ValueError, match=r"a share needs a perfect score, \['test bound'\] has none; use gains$"
    ):
        _ = DRAW.shares


def test_layer_norm_is_ahead_of_the_authors_own_baseline_in_every_measure() -> None:
    for table in (CAPTIONS, IMAGES, SENTENCES):
        assert (table.gains[table.at("ours"), table.at("ln")] > 0).all()


def test_a_month_more_helps_in_all_measures_but_one() -> None:
    gains = SENTENCES.gains[SENTENCES.at("ln"), SENTENCES.at("longer")]
    worse = [m.key for m, gain in zip(SENTENCES.measures, gains, strict=True) if gain < 0]
    assert worse == ["mr"]


@TABLES
def test_every_row_names_a_norm_and_every_number_is_one(table: PrintedTable) -> None:
    assert {model.norm for model in table.models} == {"none", "layer"}
    assert {model.norm for model in table.models} <= set(CATALOGUE)
    assert all(v is None or math.isfinite(v) for row in table.rows for v in row)
    assert len({model.key for model in table.models}) == len(table.models)


def test_a_row_that_is_too_short_is_refused() -> None:
    with pytest.raises(
        ValueError,
        match=r"^Section 6.4: 2 models in 1 measures need as many rows .*, received \[1, 2\]$",
    ):
        PrintedTable("Section 6.4", DRAW.models, DRAW.measures, ((1.0,), (1.0, 2.0)))
