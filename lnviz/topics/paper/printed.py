"""The values printed in the paper: tables 2 and 3, and two values of section 6.4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class TableColumn:
    """A column of one of the paper's tables: a metric.

    Attributes:
        key: short name, for URLs.
        label: printed column head.
        higher: whether higher is better.
        decimals: number of printed decimal places.
        perfect: the perfect score, or None if it is unknown.
        unit: unit of differences, printed after a value.
    """

    key: str
    label: str
    higher: bool
    decimals: int
    perfect: float | None
    unit: str = ""

    def written(self, value: float) -> str:
        """Format a value of this metric as the paper prints it."""
        return f"{value:.{self.decimals}f}"


@dataclass(frozen=True)
class TableRow:
    """A row of one of the paper's tables: a model.

    Attributes:
        key: short name.
        label: name on our pages.
        name: name in the paper.
        norm: a key of the catalogue.
        here: whether the paper's authors trained the model.
    """

    key: str
    label: str
    name: str
    norm: str
    here: bool = True


@dataclass(frozen=True)
class PrintedTable:
    """One of the paper's tables: the results of several models in several metrics.

    Attributes:
        source: the paper's table or section.
        models: the rows.
        measures: the columns.
        rows: the values, one row per model; None where the paper prints none.
    """

    source: str
    models: tuple[TableRow, ...]
    measures: tuple[TableColumn, ...]
    rows: tuple[tuple[float | None, ...], ...]

    def __post_init__(self) -> None:
        expected, received = len(self.measures), [len(row) for row in self.rows]
        if received != [expected] * len(self.models):
            raise ValueError(
                f"{self.source}: {len(self.models)} models in {expected} measures need as many "
                f"rows of as many numbers (None where none is printed), received {received}"
            )

    @property
    def values(self) -> Float[Tensor, "models measures"]:
        """The printed values as a float64 tensor, with NaN where the paper prints none."""
        nan = float("nan")
        given = [[nan if value is None else value for value in row] for row in self.rows]
        return torch.tensor(given, dtype=torch.float64)

    @property
    def gains(self) -> Float[Tensor, "base models measures"]:
        """The improvement of each model over every other model, in units of the metric.

        `gains[b, m] = ±(values[m] - values[b])`, with the sign chosen so that positive is better.

        >>> round(SENTENCES.gains[1, 2, 2].item(), 3)  # MSE: 0.298 without the norm, 0.277 with it
        0.021
        """
        sign = torch.tensor([1.0 if each.higher else -1.0 for each in self.measures])
        return sign * (self.values[None] - self.values[:, None])

    @property
    def shares(self) -> Float[Tensor, "base models measures"]:
        """Each model's improvement as a fraction of the other model's distance to a perfect score.

        `shares[b, m] = gains[b, m] / |perfect - values[b]|`. It makes metrics with different units
        comparable. The paper does not use it.

        Raises:
            ValueError: A metric has no known perfect score.

        >>> round(SENTENCES.shares[1, 2, 3].item(), 3)  # MR: 2.2 of the 22.7 % that were wrong
        0.097
        """
        perfect = [each.perfect for each in self.measures]
        unknown = [each.label for each in self.measures if each.perfect is None]
        if unknown:
            raise ValueError(
                f"{self.source}: a share needs a perfect score, {unknown} has none; use gains"
            )
        lacking = (torch.tensor(perfect, dtype=torch.float64) - self.values).abs()
        return self.gains / lacking[:, None]

    def at(self, model: str) -> int:
        """Return the row index of the model with the given key."""
        return [each.key for each in self.models].index(model)


def _table(
    source: str,
    measures: Sequence[TableColumn],
    rows: Sequence[tuple[TableRow, tuple[float | None, ...]]],
) -> PrintedTable:
    return PrintedTable(
        source, tuple(m for m, _ in rows), tuple(measures), tuple(values for _, values in rows)
    )


RETRIEVAL = (
    *(TableColumn(f"r{k}", f"R@{k}", True, 1, 100.0, " points") for k in (1, 5, 10)),
    TableColumn("rank", "mean rank", False, 1, 1.0),
)

SYM = TableRow("sym", "Sym, published", "Sym", "none", here=False)
OE = TableRow("oe", "OE, published", "OE", "none", here=False)
OURS = TableRow("ours", "OE, retrained", "OE (ours)", "none")
LN = TableRow("ln", "OE + LN", "OE + LN", "layer")

CAPTIONS = _table(
    "Table 2",
    RETRIEVAL,
    (
        (SYM, (45.4, None, 88.7, 5.8)),
        (OE, (46.7, None, 88.9, 5.7)),
        (OURS, (46.6, 79.3, 89.1, 5.2)),
        (LN, (48.5, 80.6, 89.8, 5.1)),
    ),
)
"""Order embeddings on MSCOCO: captions found for an image. Section 6.1."""

IMAGES = _table(
    "Table 2",
    RETRIEVAL,
    (
        (SYM, (36.3, None, 85.8, 9.0)),
        (OE, (37.9, None, 85.9, 8.1)),
        (OURS, (37.8, 73.6, 85.7, 7.9)),
        (LN, (38.9, 74.3, 86.3, 7.6)),
    ),
)
"""The same models: images found for a caption."""


SENTENCES = _table(
    "Table 3",
    (
        TableColumn("r", "r", True, 3, 1.0),
        TableColumn("rho", "ρ", True, 3, 1.0),
        TableColumn("mse", "MSE", False, 3, 0.0),
        *(
            TableColumn(key, key.upper(), True, 1, 100.0, " points")
            for key in ("mr", "cr", "subj", "mpqa")
        ),
    ),
    (
        (
            TableRow("original", "published", "Original", "none", here=False),
            (0.848, 0.778, 0.287, 75.5, 79.3, 92.1, 86.9),
        ),
        (
            TableRow("ours", "retrained", "Ours", "none"),
            (0.842, 0.767, 0.298, 77.3, 81.8, 92.6, 87.9),
        ),
        (
            TableRow("ln", "+ LN", "Ours + LN", "layer"),
            (0.854, 0.785, 0.277, 79.5, 82.6, 93.4, 89.0),
        ),
        (
            TableRow("longer", "+ LN, a month", "Ours + LN †", "layer"),
            (0.858, 0.788, 0.270, 79.4, 83.1, 93.7, 89.3),
        ),
    ),
)
"""Skip-thought vectors on seven measures. Section 6.3; † is about 1.7 million iterations."""

DRAW = _table(
    "Section 6.4",
    (
        # The variational bound on the negative log-likelihood of a test image.
        TableColumn("bound", "test bound", False, 2, None, " nats"),
    ),
    (
        (TableRow("baseline", "no norm", "baseline model", "none"), (82.36,)),
        (TableRow("ln", "LayerNorm", "layer normalization model", "layer"), (82.09,)),
    ),
)
"""DRAW on binarized MNIST after 200 epochs."""
