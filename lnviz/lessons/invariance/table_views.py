"""Views and captions of the table of invariances."""

from __future__ import annotations

from pathlib import Path

from lnviz.explorable import Grid, Margin, Side, ViewRow, When
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.invariance.table_controls import (
    CHANGES,
    ENTRIES,
    ENTRY,
    EPSILON,
    NORMS,
    STRENGTH,
)
from lnviz.norms import ALPHA, CATALOGUE
from lnviz.topics.invariance import TABLE_1, TRANSFORMATIONS, VISIBLE, Demonstration, Limits

WITHOUT_REASONS = ("dyt", "none")
"""The norms for which one explanation serves all entries."""
NOTES = ("zero outputs", "turned", "alone", "weights", "summed", "equal")
CAPTIONS = load_captions(str(Path(__file__).with_name("table.py")))
POSITIVE = tuple(s for s in STRENGTH.values if s > 0)
STATISTICS: dict[str, tuple[tuple[Side, str, str], ...]] = {
    "batch": (("column", "mean", "mean"), ("column", "var", "var")),
    "weight": (("column", "var", "|w|²"),),
    "layer": (("row", "mean", "mean"), ("row", "var", "var")),
    "rms": (("row", "var", "mean sq."),),
}
"""For each norm's statistics: the side of the grid to write them on, their name and heading."""


def table_views(
    limits: tuple[tuple[Limits, ...], ...], said: RenderedCaptions
) -> tuple[ViewRow, ...]:
    """Return the views: the table, an explanation of the selected entry, and its demonstration."""
    return (
        _tables(limits),
        said.readouts,
        said.sections["reason"],
        (
            _sheet("Pre-activations before", "before", 3.0, "before"),
            _sheet("Pre-activations after", "after", 3.0, "after"),
        ),
        (
            _sheet("Outputs before", "out before", 2.0),
            _sheet("Outputs after", "out after", 2.0),
        ),
        said.sections["small layer"],
    )


def render_captions(
    layers: int, window: str, opened: tuple[Demonstration, ...]
) -> RenderedCaptions:
    """Return the captions: on the table, and an explanation of each entry.

    Where the reason is that a factor cancels, it is limited to positive factors.
    """
    return CAPTIONS.render(
        {"layers": layers, "visible": VISIBLE, "alpha": ALPHA, "window": window},
        {
            "not positive": (
                CaptionVariant({STRENGTH.name: tuple(s for s in STRENGTH.values if s <= 0)}),
            ),
            **_notes(opened),
            **{norm: (CaptionVariant(_there(norm)),) for norm in WITHOUT_REASONS},
            **{
                f"{norm} {change}": (CaptionVariant(_there(norm, change)),)
                for norm, change in ENTRIES
                if norm not in WITHOUT_REASONS
            },
        },
    )


def _there(norm: str, change: str = "") -> When:
    """Return the condition that one table entry is selected, or any entry of one norm."""
    changes = (change,) if change else CHANGES
    here = {ENTRY.name: tuple((NORMS.index(norm), CHANGES.index(one)) for one in changes)}
    return here | ({STRENGTH.name: POSITIVE} if change and cancels(norm, change) else {})


def cancels(norm: str, change: str) -> bool:
    """Return whether a table entry is explained by a positive scale factor that cancels."""
    stays = TABLE_1.get(norm, TABLE_1["layer"])[change] and CATALOGUE[norm].elementwise is None
    return stays and TRANSFORMATIONS[change].kind != "recenter"


def _tables(limits: tuple[tuple[Limits, ...], ...]) -> ViewRow:
    """Return a table of verdicts for each epsilon; only the selected epsilon's table is shown."""
    return tuple(
        Grid(
            "Largest change of an output at strength {strength}",
            ENTRY.name,
            1.0,
            "changes",
            format="g2",
            words=tuple(
                f"{verdict(norm, change, ends)}\n{_stated(norm, change)}"
                for (norm, change), ends in zip(ENTRIES, row, strict=True)
            ),
            when={EPSILON.name: (option.value,)},
        )
        for option, row in zip(EPSILON.options, limits, strict=True)
    )


def verdict(norm: str, change: str, limits: Limits) -> str:
    """Return a table entry's text: whether outputs are unchanged, and up to which strength."""
    if limits == Limits(None, None):
        return "stays"
    if limits.below is not None and limits.above is not None and cancels(norm, change):
        return "stays near 1"
    is_factor = TRANSFORMATIONS[change].kind != "recenter"
    if is_factor and limits.above is None:
        return f"stays above {limits.below:g}"
    if is_factor and limits.below is None:
        return f"stays below {limits.above:g}"
    return "changes"


def _stated(norm: str, change: str) -> str:
    if norm not in TABLE_1:
        return ""
    return "paper: stays" if TABLE_1[norm][change] else "paper: changes"


def _sheet(title: str, values: str, reach: float, margins: str = "") -> Grid:
    """Return a grid of the small layer's values, before or after the change, with statistics."""
    return Grid(
        title,
        "unit",
        reach,
        values,
        groups="groups",
        margins=tuple(
            Margin(
                side,
                label,
                f"{side} {statistic} {margins}",
                {ENTRY.name: ENTRY.cells_in_row(NORMS.index(norm))},
                marks=f"{side} {statistic} moved" if margins == "after" else "",
            )
            for norm, statistics in STATISTICS.items()
            for side, statistic, label in statistics
            if margins
        ),
    )


def _notes(opened: tuple[Demonstration, ...]) -> dict[str, tuple[CaptionVariant, ...]]:
    """Return the variants of the captions that explain the demonstration, keyed by caption."""
    cases: dict[str, list[CaptionVariant]] = {kind: [] for kind in NOTES}
    for index, demonstration in enumerate(opened):
        for note in demonstration.notes:
            here = {ENTRY.name: (divmod(index, len(CHANGES)),), STRENGTH.name: note.strengths}
            values = {
                "before": "Before: " if note.is_before else "",
                "norm": CATALOGUE[demonstration.norm].label,
                "who": note.groups,
            }
            cases[note.kind].append(CaptionVariant(here, values if note.groups else {}))
    return {kind: tuple(some) for kind, some in cases.items()}
