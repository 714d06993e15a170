import pytest

from lnviz.lessons.geometry.landscape import PIXELS, RATE
from lnviz.topics.geometry.landscape import RATES
from tests.lessons.geometry.drawing import figure


def test_every_rate_of_the_stored_result_can_be_picked() -> None:
    assert [float(option.value) for option in RATE.options] == list(RATES)


@pytest.mark.parametrize("pixels", [option.value for option in PIXELS.options])
@pytest.mark.parametrize("rate", [option.value for option in RATE.options])
def test_every_training_can_be_shown(pixels: str, rate: str) -> None:
    shown = figure("landscape", ("pixels", pixels), ("rate", rate))
    for norm in ("none", "batch", "layer"):
        low, high = (shown.tensors[f"{norm} {end}"].values for end in ("low", "high"))
        assert bool((low < high).all())
