"""The table of norm placements in Transformer blocks."""

from __future__ import annotations

from lnviz.book.reference.norms import PAPERS, measured_cell
from lnviz.lessons.tables import CellSource, ComparisonCell, ComparisonRow, ComparisonTable
from lnviz.topics.transformer import PERI, POST, PRE, Placement
from lnviz.topics.transformer.profiles import PROFILES
from lnviz.topics.transformer.warmup import WARM_UPS, WARMUP, find_failed

_KIM = CellSource("Kim et al. 2025", "https://arxiv.org/abs/2502.02732")
_GEMMA = CellSource("Gemma Team 2024", "https://arxiv.org/abs/2408.00118")

DEPTHS = PROFILES.result.specification.depths
"""Numbers of blocks of the measured networks, in ascending order."""


def failures(placement: Placement, warmed: bool) -> str:
    """Return how many small language models with a placement failed to learn, as text.

    >>> failures(PRE, warmed=False)
    '0 of 30'
    """
    at = WARMUP.result.index("placement", placement.key)
    runs = find_failed(WARMUP.result)[at, WARM_UPS.index("with" if warmed else "without")]
    return f"{int(runs.sum())} of {runs.numel()}"


_GRADIENT_LEVEL = (
    f"nearly independent of depth: with {DEPTHS[-1]} blocks, the last layer’s gradient is within "
    f"a third of its value with {DEPTHS[0]}"
)
_GRADIENT_FALLS = (
    f"falls with depth: with {DEPTHS[-1]} blocks, the last layer’s gradient is less than half of "
    f"its value with {DEPTHS[0]}"
)

TABLE = ComparisonTable(
    name="placements",
    caption=(
        "Three placements of the norms in a Transformer block. Gradients and streams were measured "
        "in networks with random weights, failures in small language models at six learning rates."
    ),
    head="Placement",
    columns=(
        "Gradient before training",
        "Residual stream before training",
        "Stability",
        "Warm-up",
        "Used by",
    ),
    rows=(
        ComparisonRow(
            POST.label,
            (
                measured_cell(_GRADIENT_LEVEL, "placement#figure-layers"),
                measured_cell("the same length after every block", "placement#figure-residual"),
                measured_cell(
                    f"{failures(POST, warmed=False)} failed at a constant rate",
                    "placement#figure-warmup",
                ),
                measured_cell(
                    f"widens the range of rates: {failures(POST, warmed=True)} failed with warm-up",
                    "placement#figure-warmup",
                ),
                ComparisonCell(", ".join(POST.users), "placement#figure-count", "cited", PAPERS),
            ),
        ),
        ComparisonRow(
            PRE.label,
            (
                measured_cell(_GRADIENT_FALLS, "placement#figure-layers"),
                measured_cell("grows with depth", "placement#figure-residual"),
                measured_cell(
                    f"{failures(PRE, warmed=False)} failed at a constant rate",
                    "placement#figure-warmup",
                ),
                measured_cell(
                    f"not needed in these models: {failures(PRE, warmed=True)} failed with warm-up",
                    "placement#figure-warmup",
                ),
                ComparisonCell(", ".join(PRE.users), "placement#figure-count", "cited", PAPERS),
            ),
        ),
        ComparisonRow(
            PERI.label,
            (
                measured_cell(_GRADIENT_FALLS, "placement#figure-layers"),
                measured_cell(
                    "grows with depth, by additions of equal length",
                    "placement#figure-blocks",
                ),
                ComparisonCell(
                    "steadier gradients and convergence, up to 3.2 billion parameters",
                    "placement#figure-blocks",
                    "cited",
                    _KIM,
                ),
                ComparisonCell("not tried", "placement#figure-warmup", "not measured here"),
                ComparisonCell(
                    "Gemma 2, except the norm on the embedding",
                    "placement#figure-count",
                    "cited",
                    _GEMMA,
                ),
            ),
        ),
    ),
)
