from itertools import product

from lnviz.topics.geometry.downhill import Recipe
from lnviz.topics.geometry.landscape import NORMS, RATES, RECIPES, stored_profile

LOWEST, MIDDLE, HIGHEST = RATES


def medians(recipe: Recipe) -> tuple[list[float], list[float]]:
    """How much the loss varies, and how rough it is, for each norm."""
    found = [stored_profile(norm.key, recipe.rate, recipe.centered) for norm in NORMS]
    varies = [float((one.highest - one.lowest).median()) for one in found]
    return varies, [float(one.roughness.median()) for one in found]


def test_all_that_is_stored_is_finite() -> None:
    for norm, recipe in product(NORMS, RECIPES):
        one = stored_profile(norm.key, recipe.rate, recipe.centered)
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
