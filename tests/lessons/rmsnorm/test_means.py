from functools import partial

import pytest
from torch import Tensor

from lnviz.topics.transformer.centering import CENTERING, at_random
from tests.lessons.running import built

figure = partial(built, "rmsnorm", "means")


def offsets(norm: str) -> Tensor:
    return CENTERING.result.tensor("offset", "step", "seed", "place", norm=norm)


def test_with_layernorm_the_mean_becomes_smaller_but_before_the_first_two_norms() -> None:
    found = offsets("layer").mean(1)  # points, norms
    assert ((found[1:] / found[0])[:, :2] > 0.95).all()
    assert ((found[1:] / found[0])[:, 2:] < 0.95).all()


def test_with_rmsnorm_the_mean_grows_first_and_ends_as_by_chance() -> None:
    found = offsets("rms").mean((1, 2))  # points
    chance = at_random(CENTERING.result.specification.width)
    assert found.argmax() == 1
    assert found[1] > 1.4 * chance
    for end in (found[0], found[-1]):
        assert end.item() == pytest.approx(chance, rel=0.1)


def test_a_mean_lies_in_its_band_at_every_norm() -> None:
    for norm in ("layer", "rms"):
        middle = figure().tensors[f"{norm} offset"].values
        low, high = (figure().tensors[f"{norm} {end}"].values for end in ("low", "high"))
        assert (low <= middle + 1e-6).all()
        assert (middle <= high + 1e-6).all()
