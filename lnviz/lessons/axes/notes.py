"""What the figure of the two axes says: what the outline means, and where numbers end."""

from __future__ import annotations

import torch
from jaxtyping import Bool
from torch import Tensor

from lnviz.explorable import Readout, Swept, When
from lnviz.lessons.axes.scene import EPS, Scene
from lnviz.norms import BATCH

POINTED = "You point at {cell}. "
OUTLINES = {
    "batch": "Its mean and variance are taken over the outline: one feature, {batch size} cases. "
    "Every case in the batch has a say in this number.",
    "layer": "Its mean and variance are taken over the outline: the features of one case and "
    "nothing else. Take other cases out of the batch, and this number stays.",
    "group": "Its mean and variance are taken over the outline: one part of the features of one "
    "case. No other case is looked at. The statistics beside the rows belong to the same part of "
    "each case.",
    "rms": "RMSNorm subtracts no mean. It divides by the root of the mean square over the outline: "
    "the features of one case.",
}
BESIDE_EPS = (
    "The {what} of the numbers in the outline, {{exact var:g3}}, is not large beside ε = "
    "{eps:.5f}. After standardizing it is {{after var:g3}} instead of 1. Give the numbers in a "
    "smaller unit, and ε no longer counts."
)
LEAST_VARIANCE = 0.995  # after standardizing: below it, a grid shows less than 1.00


def notes(found: Scene) -> tuple[tuple[Readout, ...], dict[str, Swept]]:
    """Sentences on the pointed cell, on cases that need one, and on the data."""
    special, tensors = _special(found)
    return (*_outlines(found), *special, *_data(found)), tensors


def _outlines(found: Scene) -> tuple[Readout, ...]:
    """What the outline says, for each norm, and what a batch of one does."""
    others = tuple(norm.key for norm in found.norms if norm is not BATCH)
    several: When = {"norm": (BATCH.key,), "batch size": tuple(range(2, len(found.batch) + 1))}
    return (
        Readout(
            "You point at a case outside the batch: {cell}. Nothing is computed there. Move the "
            "batch size up, or point at a case in the batch.",
            lacking="inside",
        ),
        Readout(POINTED + OUTLINES[BATCH.key], when=several, given="inside"),
        *(
            Readout(POINTED + OUTLINES[key], when={"norm": (key,)}, given="inside")
            for key in others
        ),
        Readout(
            "A batch of one: each feature is its own mean, every variance is 0, and every "
            "standardized value is 0, whatever the input was. Batch normalization has nothing left "
            "to normalize.",
            "verdict",
            {"norm": (BATCH.key,), "batch size": (1,)},
        ),
        Readout(
            "A batch of one is no different: its row has the same values as at any other size.",
            "verdict",
            {"norm": others, "batch size": (1,)},
        ),
    )


def _special(found: Scene) -> tuple[tuple[Readout, ...], dict[str, Swept]]:
    """Where all numbers are equal, or epsilon or 32-bit numbers have a say; if that is anywhere."""
    walk = found.walk
    several = walk.inside.clone()
    several[found.norms.index(BATCH), 0] = False  # a batch of one has a sentence of its own
    centers = torch.tensor([norm.center for norm in found.norms], device=several.device)
    centers = centers[:, None, None, None]
    finite = walk.var.isfinite()
    none = several & (walk.var == 0)
    small = several & finite & ~walk.flat & (walk.var > 0) & (walk.after_var < LEAST_VARIANCE)
    cases: dict[str, tuple[Bool[Tensor, "norms B N U"], str]] = {
        "equal": (
            none & walk.flat & centers,
            "The numbers in the outline do not differ, so their variance is 0. The standardized "
            "value is 0 by rule: ε keeps the division defined.",
        ),
        "zero": (
            none & walk.flat & ~centers,
            "The numbers in the outline are all 0, and so is their mean square. The standardized "
            "value is 0 by rule: ε keeps the division defined.",
        ),
        "rounded": (
            several & finite & walk.flat & (walk.var > 0),
            "The numbers in the outline do not differ, but their mean is off by a rounding of "
            "32-bit numbers. The variance, {exact var:g3}, is nothing but that rounding, and the "
            "standardized value is made of it.",
        ),
        "vanished": (
            none & ~walk.flat,
            "The numbers in the outline are so small that their squares have no place among "
            "32-bit numbers and become 0. What they are divided by is the root of ε alone. Give "
            "the numbers in a smaller unit to see their pattern.",
        ),
        "small variance": (small & centers, BESIDE_EPS.format(what="variance", eps=EPS)),
        "small square": (small & ~centers, BESIDE_EPS.format(what="mean square", eps=EPS)),
        "endless": (
            walk.inside & ~finite,
            "The numbers in the outline are so large that their sum or their squares go beyond "
            "3.4 × 10³⁸, where 32-bit numbers end. What follows is 0 or undefined. Give the "
            "numbers in a larger unit.",
        ),
    }
    there = {name: case for name, case in cases.items() if case[0].any()}
    over = ("norm", "batch size", "cell")
    tensors = {
        name: Swept(over, torch.where(mask, 1.0, torch.nan).flatten(2), 0)
        for name, (mask, _) in there.items()
    }
    if there.keys() & {"rounded", "small variance", "small square"}:
        tensors["exact var"] = Swept(over, walk.var.flatten(2))
        tensors["after var"] = Swept(over, walk.after_var.flatten(2))
    return tuple(Readout(text, "verdict", given=name) for name, (_, text) in there.items()), tensors


def _data(found: Scene) -> tuple[Readout, ...]:
    """What is on the screen, and what is not."""
    source = found.source
    count, width = source.values.shape
    said = []
    if not any(norm.group_count for norm in found.norms):
        said.append(
            f"GroupNorm is not on offer: {width:,} features cannot be cut into two or more equal "
            "groups of several features."
        )
    if source.values.shape != found.shown.shape:
        said.append(
            f"The array has {count:,} cases and {width:,} features. The batch here is cases "
            f"{found.cases.start + 1:,} to {found.cases.stop:,}; features "
            f"{found.units.start + 1:,} to {found.units.stop:,} are shown, and statistics over "
            f"features take all {width:,}."
        )
    if source.note:
        said.append(source.note)
    if source.pictures is not None:
        said.append(
            "A number in parentheses tells the images of one digit apart: digit 0 (2) is the "
            "second 0."
        )
    return tuple(map(Readout, said))
