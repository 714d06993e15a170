import sys
from pathlib import Path

import pytest
import torch

from lnviz.topics.geometry import trainings
from lnviz.topics.geometry.downhill import Downhill, Recipe
from lnviz.topics.geometry.trainings import NORMS, RATES, RECIPES, read, stored, written

LOWEST, MIDDLE, HIGHEST = RATES


def medians(recipe: Recipe) -> tuple[list[float], list[float]]:
    """How much the loss varies, and how rough it is, for each norm."""
    found = [stored()[norm.key, recipe] for norm in NORMS]
    varies = [float((one.highest - one.lowest).median()) for one in found]
    return varies, [float(one.roughness.median()) for one in found]


def test_what_is_written_is_read_again() -> None:
    found = Downhill((0.0, 1.0), torch.tensor([[2.0, 1.5]]), torch.tensor([0.123456789]))
    again = read(written({("layer", Recipe(steps=1)): found}))
    assert list(again) == [("layer", Recipe(steps=1))]
    one = again["layer", Recipe(steps=1)]
    assert one.lengths == found.lengths
    assert torch.equal(one.loss, found.loss)
    assert one.roughness.item() == pytest.approx(0.12346)


def test_the_command_trains_every_recipe_under_every_norm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = Recipe(steps=1, width=4, depth=1)
    monkeypatch.setattr(trainings, "RECIPES", (small,))
    out = tmp_path / "found.json"
    monkeypatch.setattr(sys, "argv", ["trainings", "--out", str(out)])
    trainings.main()
    assert set(read(out.read_text())) == {(norm.key, small) for norm in NORMS}
    assert f"Written to {out}" in capsys.readouterr().out


def test_the_shipped_result_holds_every_recipe_under_every_norm() -> None:
    assert set(stored()) == {(norm.key, recipe) for norm in NORMS for recipe in RECIPES}
    for one in stored().values():
        assert one.loss.shape == (Recipe().steps, len(one.lengths))
        assert bool(one.loss.isfinite().all())
        assert bool(one.roughness.isfinite().all())


def test_at_the_middle_rate_batchnorm_leads_until_pixels_are_centered() -> None:
    (none, batch, layer), _ = medians(Recipe(MIDDLE))
    assert batch < none / 8
    assert batch < layer / 8
    (none, batch, layer), _ = medians(Recipe(MIDDLE, centered=True))
    assert min(none, layer) < batch


def test_at_the_lowest_rate_batchnorm_leads_by_its_gradient_alone() -> None:
    (none, batch, _), rough = medians(Recipe(LOWEST))
    assert none < batch
    assert rough[1] == min(rough)


def test_at_the_highest_rate_the_loss_varies_most_without_a_norm() -> None:
    for centered in (False, True):
        varies, _ = medians(Recipe(HIGHEST, centered))
        assert varies[0] == max(varies)
