"""Steps: a figure's story, and what is refused of it."""

import re

import pytest
import torch

from lnviz.explorable import CellPicker, Choice, Explorable, Option, Slider, Step, SweptTensor

CONTROLS = (
    Slider("scale", (0.5, 1.0, 2.0), 0.5),
    Choice("norm", (Option("none", "no norm"), Option("layer", "LayerNorm")), "none"),
    CellPicker("cell", ("1", "2"), ("a", "b"), "unit"),
)
TENSORS = {"size": SweptTensor(("scale",), torch.arange(3.0))}
OPENING = Step("It opens at {size}.")


def figure(*steps: Step) -> Explorable:
    return Explorable("a figure", CONTROLS, TENSORS, (), steps=steps)


def test_a_step_has_the_positions_that_it_names_and_the_starts_of_the_others() -> None:
    moved = Step("{size}", {"scale": 1.9, "norm": "layer", "cell": 2.0})
    opening, document = figure(OPENING, moved).payload()["steps"]
    assert opening["positions"] == {"scale": 0, "norm": 0, "cell": 0}
    assert document["positions"] == {"scale": 2, "norm": 1, "cell": 2}
    assert document["about"] == []


def test_a_figure_that_starts_elsewhere_has_no_steps() -> None:
    begun = figure(OPENING, Step("Now.", {"scale": 1.0})).with_start({"scale": 2.0})
    assert begun.steps == ()


@pytest.mark.parametrize(
    ("steps", "fault"),
    [
        ((OPENING,), "a figure has 2 to 4 steps, got 1"),
        ((OPENING, *[Step("a", {"scale": s}) for s in (1, 2, 1, 2)]), "2 to 4 steps, got 5"),
        ((Step("a", {"scale": 2.0}), OPENING), "names no control"),
        ((OPENING, Step("b")), "changes a control"),
        ((OPENING, Step("b", {"rate": 1})), "there is no ['rate']"),
        ((OPENING, Step("b", {"norm": "group"})), "no position 'group'"),
        ((OPENING, Step("b", {"cell": 4.0})), "'cell' has 4 cells, none of them 4.0"),
        ((OPENING, Step("{gone}", {"scale": 2.0})), "names ['gone']"),
        ((OPENING, Step("b", {"scale": 2.0}, (1,))), "about [1] of 0 pictures"),
    ],
)
def test_steps_that_tell_no_story_are_refused(steps: tuple[Step, ...], fault: str) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        figure(*steps)
