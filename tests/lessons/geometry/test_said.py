"""What the lesson's text says besides its figures."""

import math

import torch
from torch.distributions import Bernoulli, kl_divergence

from lnviz.geometry.downhill import LENGTHS, Recipe
from lnviz.geometry.trainings import RECIPES
from lnviz.lessons.geometry.descent import STEPS
from lnviz.lessons.geometry.model import CASES, INPUTS, SHOWN, UNITS
from tests.lessons.claims import says


def test_a_nat_is_as_many_bits_as_is_said() -> None:
    assert says("geometry", f"one nat is {1 / math.log(2):.2f} bits.")


def test_the_divergences_of_two_predictions_are_those_that_are_said() -> None:
    before = Bernoulli(torch.tensor(0.60))
    small, large = (kl_divergence(before, Bernoulli(torch.tensor(p))) for p in (0.61, 0.90))
    said = f"From 60 to 61 percent it is {small:.4f} nats, from 60 to 90 percent {large:.1f}."
    assert says("geometry", said)


def test_the_model_that_is_drawn_is_as_large_as_is_said() -> None:
    assert says("geometry", f"weights: {CASES} cases of {INPUTS} inputs, {UNITS} units,")
    assert len(SHOWN) == 1 + 4  # none, and "all four norms"


def test_the_network_that_learns_digits_is_as_large_as_is_said() -> None:
    recipe = Recipe()
    assert recipe.depth == 4
    assert says("geometry", f"with four hidden layers of {recipe.width} units")
    assert says("geometry", f"on mini-batches of {recipe.batch} images")
    assert {each.seed for each in RECIPES} == {recipe.seed}
    assert max(LENGTHS) == 4
    assert says("geometry", "up to four times as far as the training goes")


def test_the_descent_has_as_many_steps_as_is_said() -> None:
    assert says("geometry", f"does not settle within the {STEPS} steps.")
