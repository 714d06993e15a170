"""Common misconceptions about normalization, each with a figure that corrects it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lnviz.book.record.myths import myths


@dataclass(frozen=True)
class Misconception:
    """A learner's misconception, and the figure that corrects it.

    Attributes:
        belief: The misconception, in a learner's words.
        correction: The correct statement, as Markdown.
        figure_link: A link to the figure and instructions, as Markdown.
    """

    belief: str
    correction: str
    figure_link: str


BEGINNER_MISCONCEPTIONS = (
    Misconception(
        "LayerNorm and BatchNorm are two formulas",
        "It is one formula. The only difference is which numbers share a mean and a variance.",
        "Select a cell [under LayerNorm](axes?cell=2.2#figure-grid), then choose BatchNorm: the "
        "outline moves from the row to the column, and the formula below keeps its form.",
    ),
    Misconception(
        "LayerNorm gives every feature mean 0",
        "It gives every *example* mean 0 over its features. A feature’s mean over the examples can "
        "be anything.",
        "[A column of the second table](axes#figure-grid): add up its values.",
    ),
    Misconception(
        "Normalized numbers lie between −1 and 1",
        "They have variance 1, so their squares average 1. Unless all of them are exactly −1 or "
        "1, some lie beyond ±1.",
        "[The first example](axes?cell=1.2#figure-grid), and what its largest number becomes.",
    ),
    Misconception(
        "LayerNorm turns numbers into a bell curve",
        "Before gain and bias, it shifts and scales all numbers of an example in the same way, so "
        "they keep their order, and a lopsided distribution stays lopsided.",
        "[One example, without a nonlinearity](gain-bias?nonlinearity=none#figure-line): drag the "
        "gain, and all distances change in proportion.",
    ),
    Misconception(
        "Gain and bias undo the norm, so it does nothing",
        "Gain and bias are the same for every example. But each example has its own mean and "
        "variance, and no fixed gain and bias can restore all of these.",
        "[Multiply one example](invariance?case-scale=100#figure-case-scale): LayerNorm’s output "
        "hardly changes, so no gain after it can restore the factor.",
    ),
    Misconception(
        "After training, BatchNorm normalizes with the batch at hand",
        "At inference, it uses the running averages from training, so it can handle a single "
        "example.",
        "[Running averages](batch?batch=40#figure-running), and the test example below the curves.",
    ),
)
"""Misconceptions of beginners."""

RECORDED_MYTHS = (
    "Multiply an input by any factor, and LayerNorm’s output stays the same",
    "LayerNorm does not notice when its input is shifted",
    "Language models cannot use BatchNorm because their batches are small",
    "LayerNorm lets you make a network as deep as you like",
    "If a norm keeps the state level, the gradient stays level, too",
    "A Transformer uses either Pre-LN or RMSNorm",
    "At the start, Post-LN has very large gradients in the early layers",
    "RMSNorm is LayerNorm without the mean, so it ignores constants as well",
    "`momentum=0.1` keeps a tenth of the old average",
)
"""Statements of the page /record that suit a class."""


def misconceptions_markdown() -> str:
    """Return all misconceptions as Markdown."""
    return "\n\n".join(_lines())


def _lines() -> Iterator[str]:
    for each in BEGINNER_MISCONCEPTIONS:
        yield f"**“{each.belief}.”** {each.correction} *See it:* {each.figure_link}"
    for said in RECORDED_MYTHS:
        entry = myths()[said]
        see = entry.figure_links.rstrip(".")
        # A link's text is unique, for screen readers that list links.
        more = f"[Myths and facts: “{said.replace('`', '')}”]({entry.address})"
        yield f"**“{said}.”** {entry.verdict} *See it:* {see}. *More:* {more}."
