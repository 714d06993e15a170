from functools import partial

import pytest

from lnviz.explorable import Chart
from lnviz.topics.successors import VARIANTS
from tests.lessons.running import built

figure = partial(built, "successors", "gradients")


@pytest.mark.parametrize("variant", ["simple", "layer", "ada"])
def test_with_both_derivatives_both_parts_are_shown_as_zero(variant: str) -> None:
    at = list(VARIANTS).index(variant)
    for part in ("mean", "parallel"):
        assert figure().tensors[f"{part} of all"].values[..., at].abs().max() < 5e-4


def test_only_what_layernorm_simple_lets_through_stands_still() -> None:
    gradient = figure().tensors["gradient"].values  # E,P,V,D
    moved = (gradient.amax((0, 1)) - gradient.amin((0, 1))).amax(-1)
    by_key = dict(zip(VARIANTS, moved.tolist(), strict=True))
    assert by_key["simple"] < 1e-3
    assert all(by_key[key] > 0.1 for key in VARIANTS if key != "simple")


def test_the_rows_of_the_chart_are_named_after_the_variants() -> None:
    chart = figure().views[0][1]
    assert isinstance(chart, Chart)
    assert list(chart.figure.layout.yaxis.ticktext) == [v.label for v in VARIANTS.values()]
