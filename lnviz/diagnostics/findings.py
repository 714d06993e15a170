"""What is found in a run: a place, how bad it is, a number, a reason and a remedy."""

from __future__ import annotations

from dataclasses import dataclass, replace

WARNING, NOTE = "warning", "note"
SURE, LIKELY = "sure", "likely"

FIGURES = {
    "epsilon": "/inside#figure-swap",
    "overflow": "/inside#figure-massive",
    "constant": "/axes#figure-grid",
    "component": "/inside#figure-massive",
    "gain": "/inside#figure-gains",
    "gradient": "/placement#figure-layers",
    "stream": "/inside#figure-stream",
    "batch": "/batch#figure-scatter",
    "running": "/batch#figure-running",
    "mode": "/batch#figure-running",
    "axis": "/axes#figure-grid",
    "padding": "/batch#figure-padding",
    "decay": "/inside#figure-gains",
    "double": "/placement#figure-blocks",
    "mean": "/rmsnorm#figure-means",
}
"""Addresses of the figures that show what findings are about, by their kinds."""


@dataclass(frozen=True)
class Finding:
    """Something about a norm that somebody should know.

    Attributes:
        place: the name of the module.
        kind: what it is about, a key of `FIGURES`.
        level: `warning`, or `note` for what is unusual and harmless where it is.
        number: what was measured.
        reason: what was seen, as a sentence.
        remedy: what to try, as a sentence.
        certainty: `sure` where it follows from what was computed, `likely` where other causes are
            rare.
        weight: how bad it is, for the order.
        others: names of other modules of which the same was found.

    >>> str(Finding("norm", "epsilon", WARNING, 0.9, "Epsilon is 90% of it.", "Lower it.", SURE))
    'epsilon at norm (warning, sure): Epsilon is 90% of it. Lower it.'
    """

    place: str
    kind: str
    level: str
    number: float
    reason: str
    remedy: str
    certainty: str
    weight: float = 0.0
    others: tuple[str, ...] = ()

    @property
    def figure(self) -> str:
        """The address, in the app, of the figure that shows what this is."""
        return FIGURES[self.kind]

    def also(self, others: tuple[str, ...]) -> Finding:
        """Return the finding with the names of other modules of which the same was found."""
        return replace(self, others=others)

    def __str__(self) -> str:
        count = len(self.others)
        others = f" and {count} other norm{'s' * (count > 1)}" if count else ""
        return (
            f"{self.kind} at {self.place}{others} ({self.level}, {self.certainty}): "
            f"{self.reason} {self.remedy}"
        )
