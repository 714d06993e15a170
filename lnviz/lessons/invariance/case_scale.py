"""One example of a batch multiplied by a scale factor: the outputs of LayerNorm and BatchNorm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import CellPicker, Explorable, Grid, Slider, SweptTensor, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.data_parameters import load_examples, tensor_literal, to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import BATCH, LAYER
from lnviz.topics.invariance import OneCase, one_case

CASE = 1
SCALE = replace(Slider.decades("example scale", -2, 2, 50, 10.0), url_name="case-scale")
_EPSILONS = Slider.decades("epsilon", -12, -1, 10, 1e-5)
EPSILON = replace(_EPSILONS, values=(0.0, *_EPSILONS.values))
REACH = 3.0  # end of the color scale
UNSEEN = 0.1
"""The change in percent up to which an output is said not to change."""
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build the figure of an example multiplied by a factor, under LayerNorm and BatchNorm."""
    source = load_examples("worked", 0, units=6)
    multiplied = one_case(source.values, CASE, to_tensor(SCALE.values), to_tensor(EPSILON.values))
    examples = tuple(f"example {n}" for n in range(1, len(source.values) + 1))
    cell = CellPicker("cell", examples, source.feature_labels, "feature", (CASE, 1))
    before, layer, batch = _grids(examples)
    captions = CAPTIONS.render({"example": CASE + 1})
    return Explorable(
        title=captions.title,
        steps=captions.steps,
        controls=(SCALE, EPSILON, cell),
        tensors=_tensors(multiplied),
        views=((before, layer), (batch,), captions.readouts),
        code=load_program(__file__, x=tensor_literal(source.values)),
    )


def _tensors(multiplied: OneCase) -> dict[str, SweptTensor]:
    scale, moved = (SCALE.name,), (SCALE.name, EPSILON.name)
    shape = multiplied.summed.shape[1:]
    return {
        "x": SweptTensor((*scale, "cell"), multiplied.summed.flatten(1), 2),
        "layer": SweptTensor((*moved, "cell"), multiplied.layer.flatten(2), 2),
        "batch": SweptTensor((*moved, "cell"), multiplied.batch.flatten(2), 2),
        "rows": SweptTensor(("cell",), LAYER.groups(shape, "ND").flatten(), 0),
        "columns": SweptTensor(("cell",), BATCH.groups(shape, "ND").flatten(), 0),
        "batch moved": SweptTensor(moved, _moved(multiplied), 4),
        **layer_changes(multiplied),
    }


def layer_changes(multiplied: OneCase) -> dict[str, SweptTensor]:
    """Return LayerNorm's largest changes in percent of the largest output, negligible ones apart.

    A finite value of "unseen" or "seen" says which sentence holds; at scale 1, neither does.
    """
    moved = (SCALE.name, EPSILON.name)
    layer = 100 * multiplied.layer_change
    scaled = (to_tensor(SCALE.values) != 1)[:, None]
    return {
        "layer change": SweptTensor(moved, layer, 4),
        "unseen": SweptTensor(moved, layer.where(scaled & (layer < UNSEEN), torch.nan), 4),
        "seen": SweptTensor(moved, layer.where(scaled & (layer >= UNSEEN), torch.nan), 4),
    }


def _moved(multiplied: OneCase) -> Float[Tensor, "S E"]:
    """Return how far BatchNorm's outputs for the other examples move at most."""
    others = [n for n in range(multiplied.batch.shape[2]) if n != CASE]
    batch = multiplied.batch[:, :, others]
    return (batch - batch[SCALE.index(1)]).abs().amax((2, 3))


def _grids(examples: tuple[str, ...]) -> tuple[Grid, Grid, Grid]:
    heads = tuple(
        f"{label} × {{{SCALE.name}}}" if n == CASE else label for n, label in enumerate(examples)
    )
    return (
        Grid("Before the norm", "cell", REACH, "x", row_labels=heads),
        Grid("After LayerNorm", "cell", REACH, "layer", groups="rows", color=LAYER.key),
        Grid("After BatchNorm", "cell", REACH, "batch", groups="columns", color=BATCH.key),
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for table, norm in zip(printed, ("layer", "batch"), strict=True):
        yield table.flatten(), shown.lookup(norm, {**state, "cell": slice(None)})


FIGURE = FigureSpec("case-scale", build, program_output=ProgramOutput(_printed))
