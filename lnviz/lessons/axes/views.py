"""What the figure of the two axes draws and says."""

from __future__ import annotations

from dataclasses import dataclass

from lnviz.data.examples import Cases
from lnviz.explorable import Grid, Margin, Readout, Row
from lnviz.norms import BATCH, Norm

EPS = 1e-5
REACH = 3.0  # where the colors end; one scale for both grids, unless the inputs are of another size
STEPS = ("mean", "variance", "standardize", "gain and bias")


@dataclass(frozen=True)
class Written:
    """How numbers of the inputs' size are written and travel.

    Attributes:
        cells: Their format in a grid.
        line: Their format in a line of arithmetic.
        stored: The decimal places that travel; float32 without.
    """

    cells: str
    line: str
    stored: int | None


def written(size: float) -> Written:
    """Two decimals say nothing of very small numbers, and very large ones have no room for them."""
    return Written("2", "4", 4) if 0.1 <= size < 1000 or size == 0 else Written("g2", "g5", None)


def views(
    n: int,
    margins: tuple[Margin, ...],
    size: float,
    written: Written,
    norms: tuple[Norm, ...],
    source: Cases,
    window: tuple[slice, slice],
) -> tuple[Row, ...]:
    """Inputs and outputs side by side, the pointed cell's arithmetic, and what it means."""
    titles = {
        "mean": "Minus the mean",
        "variance": "Squared distance from the mean",
        "standardize": "After {norm}",
        "gain and bias": "After {norm}, gain and bias",
    }
    # One grid a title: all draw the same slice, the step decides which of them is on the page.
    scaled = (Margin("column", "gain", "gain row"), Margin("column", "bias", "bias row"))
    # One scale for both grids where one serves both.
    alike = REACH / 10 < size < 3 * REACH
    reach = max(REACH, size) if alike or size == 0 else size
    raw = (STEPS[0], STEPS[1])
    outputs = tuple(
        Grid(
            title,
            "cell",
            reach if alike else {STEPS[0]: size, STEPS[1]: size**2}.get(step, REACH),
            "drawn",
            format=written.cells if step in raw else "2",
            groups="groups",
            layout="layout",
            color="current",
            margins=scaled if step == STEPS[3] else (),
            when={"step": (step,)},
        )
        for step, title in titles.items()
    )
    inputs = Grid(
        "Summed inputs",
        "cell",
        reach,
        "x",
        groups="groups",
        margins=margins,
        layout="layout",
        color="current",
        format=written.cells,
        pictures="pictures" if source.pictures is not None else "",
    )
    notes = [*_notes(n, norms, source.values.shape[1])]
    if 0 < size**2 < EPS:
        notes.append(
            Readout(
                f"The variance of these numbers is smaller than ε, {EPS:.5f}. Normalization then "
                "divides by little more than the root of ε, and the result stays near 0. Give the "
                "numbers in a smaller unit to see their pattern."
            )
        )
    if source.values.shape != (n, window[1].stop - window[1].start):
        notes.append(Readout(_window_note(source, window)))
    if source.note:
        notes.append(Readout(source.note))
    return ((inputs, *outputs), _formulas(written.line, norms), tuple(notes))


def _formulas(digits: str, norms: tuple[Norm, ...]) -> Row:
    """The arithmetic of the pointed cell, one line for each step."""
    x, mean = f"{{x:{digits} value}}", f"{{mean:{digits}n stat}}"
    root, x_hat = f"√({{var:{digits} stat}} + {EPS:.5f})", "{x_hat:4 value}"
    centered = (
        f"{x} − {mean} = {{centered:{digits} value}}",
        f"({x} − {mean})² = {{squared:{digits} value}}",
        f"({x} − {mean}) / {root} = {x_hat}",
        "{gain:2 stat} × {x_hat:4n value} + {bias:2n stat} = {y:4 value}",
    )
    not_centered = (
        f"{x}: nothing is subtracted",
        f"({x})² = {{squared:{digits} value}}",
        f"{x} / {root} = {x_hat}",
        "{gain:2 stat} × {x_hat:4n value} = {y:4 value}",
    )
    return tuple(
        Readout(line, "formula", {"step": (step,), "norm": keys}, given="x_hat")
        for lines, center in ((centered, True), (not_centered, False))
        for keys in (tuple(norm.key for norm in norms if norm.center == center),)
        for step, line in zip(STEPS, lines, strict=True)
    )


def _notes(n: int, norms: tuple[Norm, ...], width: int) -> Row:
    """What the outline says, for each norm, and what a batch of one does."""
    pointed = "You point at {cell}. "
    outlines = {
        "batch": "Its mean and variance are taken over the outline: one feature, {batch size} "
        "cases. Every case in the batch has a say in this number.",
        "layer": "Its mean and variance are taken over the outline: the features of one case and "
        "nothing else. Take other cases out of the batch, and this number stays.",
        "group": "Its mean and variance are taken over the outline: one part of the features of "
        "one case. No other case is looked at.",
        "rms": "RMSNorm subtracts no mean. It divides by the root of the mean square over the "
        "outline: the features of one case.",
    }
    others = tuple(norm.key for norm in norms if norm is not BATCH)
    several = tuple(range(2, n + 1))
    return (
        Readout(
            "{cell} is not in the batch, so there is nothing to compute. Move the batch size up, "
            "or point at a case in the batch.",
            lacking="x_hat",
        ),
        Readout(
            pointed + outlines["batch"],
            when={"norm": ("batch",), "batch size": several},
            given="x_hat",
        ),
        *(Readout(pointed + outlines[key], when={"norm": (key,)}, given="x_hat") for key in others),
        Readout(
            "A batch of one: each feature is its own mean, every variance is 0, and every "
            "standardized value is 0, whatever the input was. Batch normalization has nothing left "
            "to normalize.",
            "verdict",
            {"norm": ("batch",), "batch size": (1,)},
        ),
        Readout(
            "A batch of one is no different: its row has the same values as at any other size.",
            "verdict",
            {"norm": others, "batch size": (1,)},
        ),
        Readout(
            "The numbers in the outline do not differ, so their variance is 0. The standardized "
            "value is 0 by rule: ε keeps the division defined.",
            "verdict",
            {"norm": tuple(norm.key for norm in norms if norm.center)},
            given="flat",
        ),
        *(
            (
                Readout(
                    f"GroupNorm is not on offer: {width} features cannot be cut into equal groups "
                    "of several features."
                ),
            )
            if "group" not in others
            else ()
        ),
    )


def _window_note(source: Cases, window: tuple[slice, slice]) -> str:
    count, width = source.values.shape
    rows, columns = window
    return (
        f"The array has {count:,} cases and {width:,} features. The batch here is cases "
        f"{rows.start + 1:,} to {rows.stop:,}; features {columns.start + 1:,} to "
        f"{columns.stop:,} are shown, and statistics over features take all {width:,}."
    )
