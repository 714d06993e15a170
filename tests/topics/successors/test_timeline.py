import pytest

from lnviz.norms import CATALOGUE
from lnviz.topics.successors import SUCCESSORS, Successor
from lnviz.topics.transformer import PLACEMENTS

EACH = pytest.mark.parametrize("each", SUCCESSORS, ids=lambda each: each.key)


def test_they_stand_in_order_of_time_and_each_once() -> None:
    assert [s.day for s in SUCCESSORS] == sorted(s.day for s in SUCCESSORS)
    assert len({s.key for s in SUCCESSORS}) == len(SUCCESSORS)


@EACH
def test_a_name_is_that_of_the_catalogue(each: Successor) -> None:
    if each.key in CATALOGUE:
        assert each.label == CATALOGUE[each.key].label
    named = {placement.label for placement in PLACEMENTS.values()}
    if each.changes == "placement" and each.key not in ("qk", "mix"):
        assert each.label in named
