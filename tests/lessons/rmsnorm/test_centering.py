from functools import partial

import pytest
from torch import Tensor

from lnviz.topics.transformer.centering import CENTERING, at_random
from tests.lessons.running import built, printed, texts

figure = partial(built, "rmsnorm", "centering")


def readouts() -> str:
    return texts(figure())


def losses(norm: str) -> Tensor:
    return CENTERING.result.tensor("loss", "step", "seed", norm=norm)


def offsets(norm: str) -> Tensor:
    return CENTERING.result.tensor("offset", "step", "seed", "place", norm=norm)


def changes(rewriting: str, measure: str = "change") -> Tensor:
    return CENTERING.result.tensor(measure, "step", "seed", rewriting=rewriting)


def test_the_text_is_right_about_the_stored_result() -> None:
    assert changes("centered", "exact_change").max() < 1e-10
    assert changes("centered").max() < 1e-5
    assert changes("replaced").min() > 100 * changes("centered").max()


def test_the_text_is_right_about_the_losses_at_the_end() -> None:
    layer = losses("layer")[-1].mean()
    assert abs(losses("rms")[-1].mean() - layer) < 0.05
    assert abs(changes("replaced", "changed_loss")[-1].mean() - layer) < 0.05


def test_with_layernorm_the_mean_becomes_smaller_but_in_front_of_the_first_two_norms() -> None:

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


def test_whether_the_losses_differ_at_the_end_is_said() -> None:
    layer, rms = losses("layer")[-1], losses("rms")[-1]
    apart = bool(layer.max() < rms.min() or rms.max() < layer.min())
    assert ("losses do not overlap" in readouts()) == apart


def test_a_mean_lies_in_its_band_at_every_norm() -> None:
    for norm in ("layer", "rms"):
        middle = figure().tensors[f"{norm} offset"].values
        low, high = (figure().tensors[f"{norm} {end}"].values for end in ("low", "high"))
        assert (low <= middle + 1e-6).all()
        assert (middle <= high + 1e-6).all()


def test_the_code_takes_the_centering_out_of_pytorchs_own_layers() -> None:
    (change,) = printed(figure(), figure().start())
    assert 0 < change < 1e-4
