import pytest

from lnviz.norms import CATALOGUE
from lnviz.topics.successors import SUCCESSORS, Successor
from lnviz.topics.transformer import PLACEMENTS

EACH = pytest.mark.parametrize("each", SUCCESSORS, ids=lambda each: each.key)


def test_they_stand_in_order_of_time_and_each_once() -> None:
    assert [s.day for s in SUCCESSORS] == sorted(s.day for s in SUCCESSORS)
    assert len({s.key for s in SUCCESSORS}) == len(SUCCESSORS)


@EACH
def test_the_month_is_that_of_its_number(each: Successor) -> None:
    # The first number that the source names; arXiv's begin with year and month.
    number = each.source.split("arXiv ")[1]
    assert number.startswith(f"{each.year % 100:02}{each.month:02}.")


@EACH
def test_a_name_is_that_of_the_catalogue(each: Successor) -> None:
    if each.key in CATALOGUE:
        assert each.label == CATALOGUE[each.key].label
    named = {placement.label for placement in PLACEMENTS.values()}
    if each.changes == "placement" and each.key not in ("qk", "mix"):
        assert each.label in named


@EACH
def test_every_line_of_a_card_says_something(each: Successor) -> None:
    assert each.changes in ("norm", "placement", "both")
    for text in (each.equation, each.legend, each.parameters, each.claim, each.caution):
        assert text.strip()
        assert "{" not in text
    assert all(text.endswith(".") for text in (each.legend, each.claim, each.caution))
