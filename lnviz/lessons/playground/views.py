"""Views of the playground: the data points, the selected network, and a heat map for each norm."""

from __future__ import annotations

from dataclasses import dataclass

from lnviz.explorable import Grid, ScatterPlane, UnitMaps, ViewRow
from lnviz.topics.playground.data import ALPHABET, EDGE, FEWEST, MOST, OWN
from lnviz.topics.playground.network import BIAS_BEFORE
from lnviz.topics.playground.specification import PlaygroundSpecification

NORM, STEP, NETWORK, MAPS = "norm", "step", "network", "maps"
RIGHT, ALIVE = "right", "alive"
"""The options of what the heat maps show: accuracy, or the fraction of active units."""
NAMES = {"none": "no norm", "batch": "BatchNorm", "layer": "LayerNorm", "rms": "RMSNorm"}
CODES = {
    "none": "nn.Identity",
    "batch": "nn.BatchNorm1d",
    "layer": "nn.LayerNorm",
    "rms": "lambda units: nn.RMSNorm(units, eps=1e-5)",
}
"""Python source of the PyTorch module for each norm."""
COLORS = ("blue", "orange")
"""The names of the two classes of points."""
PALEST = {RIGHT: 45.0, ALIVE: 102.0}
"""The percentage of errors (or dead units) from which on cells have no color. It is below 50% for
errors, since guessing is right half of the time. For units, of 20 color steps only 100% rounds to
the last.
"""
UNKNOWN = 101
"""The cell value of a network that overflowed."""
SHARES = (*(str(100 - failed) for failed in range(UNKNOWN)), "–")
"""The text of a table cell, indexed by the percentage of errors or of dead units."""


@dataclass(frozen=True)
class Across:
    """Names of the quantity on one axis of the heat maps, such as the number of layers.

    Attributes:
        label: the label of the option, and of the axis.
        noun: the word before a value.
    """

    label: str
    noun: str


AXES = {
    "depth": Across("layers", "depth"),
    "scale": Across("initialization scale", "scale"),
    "batch": Across("batch size", "batch"),
}


def playground_views(asked: PlaygroundSpecification) -> tuple[ViewRow, ...]:
    """Return the views: data, selected network, its logits, and heat maps of all networks."""
    return (
        (_data(),),
        (*_units(asked), _score_plane()),
        tuple(_map(norm, asked) for norm in asked.norms),
    )


def _data() -> ScatterPlane:
    return ScatterPlane(
        "Points to learn",
        "points",
        "classes",
        COLORS,
        EDGE,
        ("first input", "second input"),
        "The training points: {blue:0} blue squares and {orange:0} orange dots.",
        paint="data",
        prefix=OWN,
        letters=ALPHABET,
        fewest=FEWEST,
        most=MOST,
    )


def _score_plane() -> ScatterPlane:
    return ScatterPlane(
        "{network}: {right}",
        "points",
        "classes",
        COLORS,
        EDGE,
        ("first input", "second input"),
        "Where the network at {network}, with {norm}, predicts orange and where blue across the "
        "plane, after {step} steps. On the points: {right}.",
        score="score",
    )


def _units(asked: PlaygroundSpecification) -> tuple[UnitMaps, ...]:
    """Return the maps of the selected network's units, for each formula of a layer."""
    role = "add to its input" if asked.residual else "return"
    return tuple(
        UnitMaps(
            f"What four units of a layer {role}: {formula}",
            "inputs",
            "units",
            "drawn",
            "every",
            f"What the network at {{network}} computes across the plane, layer by layer: its two "
            f"inputs, then four units per drawn layer. Layers drawn: {{drawn:0}} of "
            f"{{layers:0}}. A layer {role} {formula}.",
            norm,
            {NORM: shown},
        )
        for (formula, norm), shown in _formulas(asked).items()
    )


def _formulas(asked: PlaygroundSpecification) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return each formula of a layer, with its norm's name, and the norms that it is for."""
    formulas: dict[tuple[str, str], tuple[str, ...]] = {}
    for norm in asked.norms:
        if norm == "none":
            formula = "ReLU(Wx + b)", ""
        elif asked.residual:
            formula = "ReLU(W {norm}(x) + b)", "{norm}"
        else:
            has_bias = asked.bias and norm in BIAS_BEFORE
            formula = f"ReLU({{norm}}(Wx{' + b' if has_bias else ''}))", "{norm}"
        formulas[formula] = (*formulas.get(formula, ()), norm)
    return formulas


def _map(norm: str, asked: PlaygroundSpecification) -> Grid:
    return Grid(
        NAMES[norm],
        NETWORK,
        "palest",
        f"{norm} failed",
        row_labels=tuple(f"{rate:g}" for rate in asked.rates),
        color=norm,
        shade="success",
        also={NORM: (norm,)},
        axes=(AXES[asked.axis].label, "rate"),
    )
