import pytest
from torch.testing import assert_close

from lnviz.lessons.geometry.landscape import PIXELS, RATE
from lnviz.topics.geometry.trainings import RATES
from tests.lessons.geometry.drawing import figure
from tests.lessons.running import printed


@pytest.mark.parametrize(
    ("query", "step"),
    [
        ((), 20.0),
        ((), 199.0),
        ((("pixels", "centered"), ("rate", "0.03")), 60.0),
        ((("rate", "0.3"),), 100.0),
    ],
)
def test_the_codes_landscape_is_the_stored_result(
    query: tuple[tuple[str, str], ...], step: float
) -> None:
    shown = figure("landscape", *query)
    where = shown.at(training_step=step)
    (found,) = printed(shown, where)
    for norm, curve in zip(("none", "batch", "layer"), found, strict=True):
        assert_close(
            curve.log10().float(), shown.lookup(f"{norm} loss", where), atol=1e-4, rtol=0.0
        )


def test_every_rate_of_the_stored_result_can_be_picked() -> None:
    assert [float(option.value) for option in RATE.options] == list(RATES)


@pytest.mark.parametrize("pixels", [option.value for option in PIXELS.options])
@pytest.mark.parametrize("rate", [option.value for option in RATE.options])
def test_every_training_can_be_shown(pixels: str, rate: str) -> None:
    shown = figure("landscape", ("pixels", pixels), ("rate", rate))
    for norm in ("none", "batch", "layer"):
        low, high = (shown.tensors[f"{norm} {end}"].values for end in ("low", "high"))
        assert bool((low < high).all())
