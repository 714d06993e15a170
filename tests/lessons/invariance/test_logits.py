import math
from functools import partial

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Chart, Explorable
from lnviz.lessons.invariance.logits import IMAGE, SCALE
from tests.lessons.running import built, not_finite, views

figure = partial(built, "invariance", "logits")


def along(shown: Explorable, tensor: str, where: dict[str, int]) -> torch.Tensor:
    """What a chart draws of a tensor: its values over all digits."""
    return torch.stack([shown.lookup(tensor, where | {"class": digit}) for digit in range(10)])


def state(scale: float, image: float) -> dict[str, int]:
    return figure().start_state() | {SCALE.name: SCALE.index(scale), IMAGE.name: IMAGE.index(image)}


@pytest.mark.slow
@pytest.mark.parametrize("image", [1.0, 13.0])
def test_behind_layernorm_the_bars_are_the_same_at_every_scale(image: float) -> None:
    normed = figure().tensors["normed"].values[:, IMAGE.index(image)]
    assert_close(normed, normed[:1].expand_as(normed), atol=1e-5, rtol=0.0)
    plain = figure().tensors["plain"].values[:, IMAGE.index(image)]
    assert (plain[0].max(), plain[-1].max()) == (plain.amax(1).min(), plain.amax(1).max())


def test_what_is_said_of_a_bar_chart_is_what_it_shows() -> None:
    where = state(0.5, 3.0)
    for name in ("plain", "normed"):
        p = along(figure(), name, where)
        assert_close(figure().lookup(f"{name} top", where), p.max(), atol=1e-5, rtol=0.0)
        entropy = figure().lookup(f"{name} entropy", where)
        assert_close(entropy, -(p * p.log()).sum(), atol=1e-4, rtol=0.0)


def test_no_entropy_passes_that_of_equal_chances() -> None:
    for name in ("plain", "normed"):
        assert figure().tensors[f"{name} mean entropy"].values.max() < math.log(10)


def test_axes_stay_and_texts_follow_the_state() -> None:
    charts = views(figure(), Chart)
    assert len(charts) == 2
    for chart in charts:
        assert chart.figure.layout.yaxis.range
        assert "entropy:3}" in chart.alt
    low, high = charts[1].figure.layout.xaxis.range
    assert low < math.log10(SCALE.values[0])
    assert math.log10(SCALE.values[-1]) < high


def test_nothing_undefined_is_drawn() -> None:
    assert not not_finite(figure())
