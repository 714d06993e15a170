from functools import partial

import pytest
from torch import Tensor

from lnviz.explorable import Readout
from lnviz.lessons.why import depth
from lnviz.topics.depth.learning import DEEP, WIDE
from tests.lessons.running import built, printed, views

SCALES = WIDE.result.specification.scales


figure = partial(built, "why", "learning")


def right(norm: str) -> Tensor:
    """The mean over the seeds, by weight scale."""
    return WIDE.result.tensor("accuracy", "scale", "seed", norm=norm).mean(1)


def readouts() -> list[str]:
    return [view.text for view in views(figure(), Readout)]


def test_the_text_is_right_about_the_stored_result() -> None:
    assert (right("layer") > 0.5).all()
    assert (right("none") < 0.5).any()
    assert right("none").max() >= right("layer").max()
    assert DEEP.result.specification.layers == depth.LAYERS
    deep = {
        norm: DEEP.result.tensor("accuracy", "scale", "seed", norm=norm).mean()
        for norm in ("layer", "none")
    }
    assert deep["layer"] < deep["none"]


@pytest.mark.parametrize("norm", ["none", "layer"])
def test_the_scales_that_were_learned_from_are_counted(norm: str) -> None:
    learned = [s for s, r in zip(SCALES, right(norm), strict=True) if r > 0.5]
    (said,) = [text for text in readouts() if "More than 50%" in text and norm_in(text) == norm]
    ends = f"{learned[0]:.3f} to {learned[-1]:.3f}."
    assert f"from {len(learned)} of {len(SCALES)} weight scales: {ends}" in said
    # From the first to the last, none in between is left out.
    first, last = (SCALES.index(end) for end in (learned[0], learned[-1]))
    assert last - first + 1 == len(learned)


def norm_in(text: str) -> str:
    return "layer" if "LayerNorm" in text else "none"


@pytest.mark.parametrize("norm", ["none", "layer"])
def test_a_mean_lies_in_its_band_at_every_scale(norm: str) -> None:
    ends = ("low", "loss", "high")
    low, mean, high = (figure().tensors[f"{norm} {end}"].values for end in ends)
    assert (low <= mean + 1e-5).all()
    assert (mean <= high + 1e-5).all()


def test_the_code_trains_both_networks_from_the_scale_at_the_slider() -> None:
    state = figure().at(starting_scale=0.5)
    assert "scale = 0.5\n" in figure().code_at(state)
    plain, normed = printed(figure(), state)
    assert plain.isfinite().all()
    assert len(normed) == len(plain)
