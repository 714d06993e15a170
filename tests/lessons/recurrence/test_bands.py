from functools import cache

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Chart, Explorable
from lnviz.lessons.recurrence import length, task
from lnviz.lessons.recurrence.bands import FAMILIES, Score, members, runs
from lnviz.topics.recurrence.reader import KINDS


@cache
def built(name: str) -> Explorable:
    return {"task": task, "length": length}[name].build()


def charts(explorable: Explorable, family: str) -> list[Chart]:
    views = [view for row in explorable.views for view in row]
    return [v for v in views if isinstance(v, Chart) and (family,) in v.when.values()]


def test_every_kind_of_network_is_in_one_of_the_families() -> None:
    assert {key for family in FAMILIES for key in members(family)} == set(KINDS)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("figure", "shown"), [("task", [task.LOSS, task.RIGHT]), ("length", [length.RIGHT])]
)
def test_a_chart_has_a_mean_inside_a_band_for_every_network(
    family: str, figure: str, shown: list[Score]
) -> None:
    keys = members(family)
    for chart, score in zip(charts(built(figure), family), shown, strict=True):
        bands, lines = chart.figure.data[: len(keys)], chart.figure.data[len(keys) : 2 * len(keys)]
        for key, band, line in zip(keys, bands, lines, strict=True):
            middle = torch.tensor(line.y)
            assert_close(middle, runs(key, score.outcome).mean(0))
            count = len(middle)
            high, low = torch.tensor(band.y[:count]), torch.tensor(band.y[count:]).flip(0)
            assert (low <= middle).all()
            assert (middle <= high).all()
        assert len({(line.line.color, line.line.dash) for line in lines}) == len(keys)
