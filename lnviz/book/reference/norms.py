"""The table of the best-known norms, and the formulas of all norms in the catalogue."""

from __future__ import annotations

import re

from lnviz.lessons.tables import CellSource, ComparisonCell, ComparisonRow, ComparisonTable
from lnviz.norms import BATCH, CATALOGUE, GROUP, INSTANCE, LAYER, RMS, WEIGHT, Norm
from lnviz.topics.transformer.counts import MODELS

LAYOUT = "NCHW"

_SALIMANS = CellSource("Salimans and Kingma 2016", "https://arxiv.org/abs/1602.07868")
_ULYANOV = CellSource("Ulyanov et al. 2016", "https://arxiv.org/abs/1607.08022")
_WU = CellSource("Wu and He 2018", "https://arxiv.org/abs/1803.08494")
PAPERS = CellSource("the models' papers, named there", "placement#figure-count")


def measured_cell(text: str, figure: str) -> ComparisonCell:
    """Return a table cell that is marked "measured here"; a test verifies its content."""
    return ComparisonCell(text, figure, "measured here")


def normalized_axes(norm: Norm) -> str:
    """Return the axes of an (N, C, H, W) tensor that a norm averages over, as text.

    >>> normalized_axes(LAYER), normalized_axes(GROUP)
    ('C, H, W', 'C / G, H, W')
    """
    axes = ", ".join(LAYOUT[dim] for dim in norm.over(LAYOUT))
    return axes.replace("C", "C / G") if norm.group_count else axes


def formulas(*, successors: bool) -> str:
    """Return the formulas of the norms in the catalogue as a Markdown list, with notes.

    Args:
        successors: Whether to list the norms proposed to replace LayerNorm, or all others.
    """
    return "\n".join(
        f"- **{norm.label}**: $\\displaystyle {norm.equation}${norm.note}"
        for norm in CATALOGUE.values()
        if norm.note and norm.successor == successors
    )


def _users(norm: Norm) -> str:
    """Return the names of published models that use a norm, without model sizes."""
    models = (model.label for model in MODELS.values() if model.norm == norm.key)
    return ", ".join(re.split(", | base| 7B", label)[0] for label in models)


def _row(norm: Norm, *cells: ComparisonCell) -> ComparisonRow:
    return ComparisonRow(norm.label, cells, norm.key)


ALONE = "the same: from the example alone"

TABLE = ComparisonTable(
    name="norms",
    caption=(
        "Six norms. Images have N examples, C channels, H × W positions, and G groups of channels; "
        "a table of examples and units is the same without H and W. A Transformer has B sequences "
        "of T tokens with D features. For images, LayerNorm is defined as in the GroupNorm paper. "
        "Parameters are those of PyTorch’s modules by default."
    ),
    head="Norm",
    columns=(
        "Normalizes over",
        "In a Transformer (B, T, D)",
        "Depends on the batch",
        "Parameters",
        "Centers",
        "Training vs. inference",
        "Works at batch 1",
        "Used for",
    ),
    rows=(
        _row(
            BATCH,
            measured_cell(normalized_axes(BATCH), "images#figure-cube"),
            measured_cell("B and T, for each feature; 2 D parameters", "images#figure-cube"),
            measured_cell("yes, in training", "batch#figure-noise"),
            measured_cell("2 C", "gain-bias#figure-line"),
            measured_cell("yes", "axes#figure-grid"),
            measured_cell("batch statistics, then running averages", "batch#figure-running"),
            measured_cell(
                "not in training, unless there are positions: then it is InstanceNorm",
                "batch#figure-noise",
            ),
            ComparisonCell(
                "image classifiers in large batches: ResNet-50 with 32 images per device",
                "images#figure-cost-of-groups",
                "cited",
                _WU,
            ),
        ),
        _row(
            LAYER,
            measured_cell(normalized_axes(LAYER), "images#figure-cube"),
            measured_cell("D, for each token; 2 D parameters", "images#figure-cube"),
            measured_cell("no", "batch#figure-noise"),
            measured_cell("2 for each value of an example: 2 C H W", "gain-bias#figure-line"),
            measured_cell("yes", "rmsnorm#figure-offset"),
            measured_cell(ALONE, "batch#figure-running"),
            measured_cell("yes", "axes#figure-grid"),
            ComparisonCell(
                f"Transformers: {_users(LAYER)}", "placement#figure-count", "cited", PAPERS
            ),
        ),
        _row(
            RMS,
            measured_cell(normalized_axes(RMS), "rmsnorm#figure-sphere"),
            measured_cell("D, for each token; D parameters", "images#figure-cube"),
            measured_cell("no", "axes#figure-grid"),
            measured_cell("1 for each value of an example: C H W", "placement#figure-count"),
            measured_cell("no", "rmsnorm#figure-offset"),
            measured_cell(ALONE, "axes#figure-grid"),
            measured_cell("yes", "axes#figure-grid"),
            ComparisonCell(
                f"language models: {_users(RMS)}", "placement#figure-count", "cited", PAPERS
            ),
        ),
        _row(
            GROUP,
            measured_cell(normalized_axes(GROUP), "images#figure-cube"),
            measured_cell("T and D / G, for each sequence; 2 D parameters", "images#figure-cube"),
            measured_cell("no", "images#figure-cube"),
            measured_cell("2 C", "gain-bias#figure-line"),
            measured_cell("yes", "images#figure-cube"),
            measured_cell(ALONE, "images#figure-cube"),
            measured_cell("yes", "images#figure-cube"),
            ComparisonCell(
                "images in small batches: ResNet-50 with 2 images per device",
                "images#figure-cost-of-groups",
                "cited",
                _WU,
            ),
        ),
        _row(
            INSTANCE,
            measured_cell(normalized_axes(INSTANCE), "images#figure-cube"),
            measured_cell("T, for each sequence and feature; 0 parameters", "images#figure-cube"),
            measured_cell("no", "images#figure-pictures"),
            measured_cell("none; 2 C with affine=True", "gain-bias#figure-line"),
            measured_cell("yes", "images#figure-pictures"),
            measured_cell(ALONE, "images#figure-pictures"),
            measured_cell("yes, with two positions or more", "images#figure-cube"),
            ComparisonCell(
                "style transfer",
                "images#figure-pictures",
                "cited",
                _ULYANOV,
            ),
        ),
        _row(
            WEIGHT,
            measured_cell("no data: the weights of a unit", "invariance#figure-table"),
            measured_cell("no data; D parameters", "invariance#figure-table"),
            measured_cell("no", "invariance#figure-table"),
            measured_cell("C lengths", "geometry#figure-gain"),
            measured_cell("no", "invariance#figure-table"),
            measured_cell("the same: from the weights alone", "invariance#figure-table"),
            measured_cell("yes", "invariance#figure-table"),
            ComparisonCell(
                "recurrent, generative and reinforcement learning models",
                "invariance#figure-table",
                "cited",
                _SALIMANS,
            ),
        ),
    ),
)
