"""What the table of invariances draws, and what is said of an entry."""

from __future__ import annotations

from lnviz.explorable import Grid, Margin, Readout, Row, Side
from lnviz.lessons.invariance.reasons import REASONS
from lnviz.lessons.invariance.table_controls import (
    CHANGES,
    ENTRIES,
    ENTRY,
    EPSILON,
    NORMS,
    STRENGTH,
)
from lnviz.norms import CATALOGUE
from lnviz.numerals import number
from lnviz.topics.invariance import TABLE_1, TRANSFORMATIONS, VISIBLE, Demonstration, Limits

POSITIVE = tuple(s for s in STRENGTH.values if s > 0)
STATISTICS: dict[str, tuple[tuple[Side, str, str], ...]] = {
    "batch": (("column", "mean", "mean"), ("column", "var", "var")),
    "weight": (("column", "var", "|w|²"),),
    "layer": (("row", "mean", "mean"), ("row", "var", "var")),
    "rms": (("row", "var", "mean sq."),),
}
"""Where each norm takes its statistics: the side of the grid, the statistic, and its heading."""


def views(
    limits: tuple[tuple[Limits, ...], ...],
    opened: tuple[Demonstration, ...],
    layers: int,
    window: str,
) -> tuple[Row, ...]:
    """Draw the table, the reason for the entry pointed at, and the entry on a small layer."""
    return (
        _tables(limits),
        (
            Readout(
                "The word is a verdict over all strengths of the slider, for factors the positive "
                f"ones: an entry stays where no output of {layers} random layers changes by more "
                f"than {number(VISIBLE, '0%')}. The number is the largest change of an output "
                "at strength "
                "{strength}, as a share of the layer's largest output before: 1 is 100 percent, "
                "and 0 is less than 0.00001."
            ),
            Readout(window),
            Readout(
                "A factor of 0 erases what it reaches, and a negative one turns its sign: neither "
                "cancels. The verdicts on factors are about positive ones.",
                "verdict",
                {STRENGTH.name: tuple(s for s in STRENGTH.values if s <= 0)},
            ),
        ),
        (Readout("{entry}", "formula"), *_reasons(opened), *_ends(layers)),
        (
            _sheet("Summed inputs before", "before", 3.0, "before"),
            _sheet("Summed inputs after", "after", 3.0, "after"),
        ),
        (
            _sheet("Outputs before", "out before", 2.0),
            _sheet("Outputs after", "out after", 2.0),
        ),
        (
            Readout(
                "At strength {strength} the largest change of an output of this small layer "
                "is {change:g3 value} percent of its largest output before."
            ),
            *_notes(opened),
        ),
    )


def cancels(norm: str, change: str) -> bool:
    """Return whether the reason is that a positive factor cancels."""
    stays = TABLE_1.get(norm, TABLE_1["layer"])[change] and CATALOGUE[norm].elementwise is None
    return stays and TRANSFORMATIONS[change].kind != "recenter"


def _tables(limits: tuple[tuple[Limits, ...], ...]) -> Row:
    """The table with its verdicts: one for each epsilon, of which one is on the page."""
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
    """Say what is left unchanged, and from where on."""
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
    """One of the small layer's four grids, `before` or `after` with its statistics beside it."""
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
                {ENTRY.name: tuple((NORMS.index(norm), column) for column in range(len(CHANGES)))},
                marks=f"{side} {statistic} moved" if margins == "after" else "",
            )
            for norm, statistics in STATISTICS.items()
            for side, statistic, label in statistics
            if margins
        ),
    )


def _reasons(opened: tuple[Demonstration, ...]) -> Row:
    """Why each entry is what it is; where the reason ends, at factors of 0 or less, what holds."""
    row = []
    for index, ((norm, change), text) in enumerate(REASONS.items()):
        here = {ENTRY.name: (divmod(index, len(CHANGES)),)}
        positive = {STRENGTH.name: POSITIVE} if cancels(norm, change) else {}
        row.append(Readout(text, when=here | positive))
        row += [
            Readout(_plain(note.text), when=here | {STRENGTH.name: note.strengths})
            for note in opened[index].notes
            if note.instead
        ]
    return tuple(row)


def _ends(layers: int) -> Row:
    """Where epsilon bites: an exact statement holds up to some factor only."""
    end = (
        f"the nearest factor at which an output of the {layers} layers changes by more than "
        f"{number(VISIBLE, '0%')} is"
    )
    return (
        Readout(
            f"With {{with epsilon}} the algebra of a factor is no longer exact. Below 1, {end} "
            "{below:g3 value}.",
            "verdict",
            given="below",
        ),
        Readout(
            f"With {{with epsilon}} the algebra of a factor is no longer exact. Above 1, {end} "
            "{above:g3 value}.",
            "verdict",
            given="above",
        ),
        Readout(
            f"With {{with epsilon}} the algebra of a factor is no longer exact, but at no positive "
            f"factor of the slider does an output of the {layers} layers change by more than "
            f"{number(VISIBLE, '0%')}.",
            "verdict",
            given="holds",
        ),
    )


def _notes(opened: tuple[Demonstration, ...]) -> Row:
    """What a picture alone would leave unexplained, said where it holds."""
    return tuple(
        Readout(
            _plain(note.text),
            "verdict",
            {ENTRY.name: (divmod(index, len(CHANGES)),), STRENGTH.name: note.strengths},
        )
        for index, demonstration in enumerate(opened)
        for note in demonstration.notes
        if not note.instead
    )


def _plain(text: str) -> str:
    """A text in which braces stand for themselves."""
    return text.replace("{", "{{").replace("}", "}}")
