"""The norms side by side: a table of the best known, and the formulas of all."""

from __future__ import annotations

import re

from lnviz.lessons.tables import Cell, Row, Source, Table
from lnviz.norms import BATCH, CATALOGUE, INSTANCE, LAYER, RMS, WEIGHT, Norm
from lnviz.topics.transformer.counts import MODELS

GROUP = CATALOGUE["group"]
LAYOUT = "NCHW"

_SALIMANS = Source("Salimans and Kingma 2016", "https://arxiv.org/abs/1602.07868")
_ULYANOV = Source("Ulyanov et al. 2016", "https://arxiv.org/abs/1607.08022")
_WU = Source("Wu and He 2018", "https://arxiv.org/abs/1803.08494")
PAPERS = Source("the models' papers, named there", "placement#figure-count")


def measured(text: str, figure: str) -> Cell:
    """Return a cell that a test computes."""
    return Cell(text, figure, "measured here")


def over(norm: Norm) -> str:
    """Return the axes of (N, C, H, W) over which a norm takes its statistics, in words.

    >>> over(LAYER), over(GROUP)
    ('C, H, W', 'C / G, H, W')
    """
    axes = ", ".join(LAYOUT[dim] for dim in norm.over(LAYOUT))
    return axes.replace("C", "C / G") if norm.group_count else axes


def formulas(*, successors: bool) -> str:
    """Return the formulas of the catalogue as a list in Markdown, with what is said of each.

    Args:
        successors: Whether to list what was proposed in place of LayerNorm, or the others.
    """
    return "\n".join(
        f"- **{norm.label}**: $\\displaystyle {norm.equation}${norm.said}"
        for norm in CATALOGUE.values()
        if norm.said and norm.successor == successors
    )


def _users(norm: Norm) -> str:
    """Published models that have a norm, without their sizes."""
    models = (model.label for model in MODELS.values() if model.norm == norm.key)
    return ", ".join(re.split(", | base| 7B", label)[0] for label in models)


def _row(norm: Norm, *cells: Cell) -> Row:
    return Row(norm.label, cells, norm.key)


ALONE = "the same, from the example alone"

TABLE = Table(
    name="norms",
    caption=(
        "Six norms. The axes are N examples, C channels, H × W places and G groups; a table of "
        "examples and units is the same without H and W. On images, LayerNorm stands here as in "
        "the paper on GroupNorm; the parameters are those of PyTorch's modules as they start."
    ),
    head="Norm",
    columns=(
        "Normalizes over",
        "Depends on the batch",
        "Parameters",
        "Centers",
        "Training against inference",
        "Works at batch 1",
        "Used for",
    ),
    rows=(
        _row(
            BATCH,
            measured(over(BATCH), "images#figure-cube"),
            measured("yes, in training", "batch#figure-noise"),
            measured("2 C", "gain-bias#figure-line"),
            measured("yes", "axes#figure-grid"),
            measured("batch statistics, then running averages", "batch#figure-running"),
            measured(
                "not in training, unless there are places: then it is InstanceNorm",
                "batch#figure-noise",
            ),
            Cell(
                "image classifiers in large batches: ResNet-50 with 32 images a worker",
                "images#figure-cost-of-groups",
                "cited",
                _WU,
            ),
        ),
        _row(
            LAYER,
            measured(over(LAYER), "images#figure-cube"),
            measured("no", "batch#figure-noise"),
            measured("2 for each value of an example: 2 C H W", "gain-bias#figure-line"),
            measured("yes", "rmsnorm#figure-offset"),
            measured(ALONE, "batch#figure-running"),
            measured("yes", "axes#figure-grid"),
            Cell(f"Transformers: {_users(LAYER)}", "placement#figure-count", "cited", PAPERS),
        ),
        _row(
            RMS,
            measured(over(RMS), "rmsnorm#figure-sphere"),
            measured("no", "axes#figure-grid"),
            measured("1 for each value of an example: C H W", "placement#figure-count"),
            measured("no", "rmsnorm#figure-offset"),
            measured(ALONE, "axes#figure-grid"),
            measured("yes", "axes#figure-grid"),
            Cell(f"language models: {_users(RMS)}", "placement#figure-count", "cited", PAPERS),
        ),
        _row(
            GROUP,
            measured(over(GROUP), "images#figure-cube"),
            measured("no", "images#figure-cube"),
            measured("2 C", "gain-bias#figure-line"),
            measured("yes", "images#figure-cube"),
            measured(ALONE, "images#figure-cube"),
            measured("yes", "images#figure-cube"),
            Cell(
                "images in small batches: ResNet-50 with 2 images a worker",
                "images#figure-cost-of-groups",
                "cited",
                _WU,
            ),
        ),
        _row(
            INSTANCE,
            measured(over(INSTANCE), "images#figure-cube"),
            measured("no", "images#figure-pictures"),
            measured("none; 2 C with affine=True", "gain-bias#figure-line"),
            measured("yes", "images#figure-pictures"),
            measured(ALONE, "images#figure-pictures"),
            measured("yes, with two places or more", "images#figure-cube"),
            Cell(
                "painting a picture in the style of another",
                "images#figure-pictures",
                "cited",
                _ULYANOV,
            ),
        ),
        _row(
            WEIGHT,
            measured("no data: the weights of a unit", "invariance#figure-table"),
            measured("no", "invariance#figure-table"),
            measured("C lengths", "geometry#figure-gain"),
            measured("no", "invariance#figure-table"),
            measured("the same, from the weights alone", "invariance#figure-table"),
            measured("yes", "invariance#figure-table"),
            Cell(
                "recurrent, generative and reinforcement learning models",
                "invariance#figure-table",
                "cited",
                _SALIMANS,
            ),
        ),
    ),
)
