"""The traffic figure of /cost: memory traffic of a norm, by operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from lnviz.explorable import Choice, Explorable, Option, Slider, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.cost.traffic_views import charts
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import CATALOGUE
from lnviz.topics.cost.traffic import Operation, bytes_moved, minimal_traffic, unfused_traffic
from lnviz.topics.transformer.counts import OPERATIONS

WIDTH = Slider(
    "width",
    tuple(float(round(64 * 2 ** (step / 4))) for step in range(33)),
    4096.0,
    decimals=0,
    url_name="rows width",
)
ROWS = 2048  # the tokens that are normalized
NORM = Choice(
    "norm",
    tuple(Option(key, CATALOGUE[key].label, key, repr(key)) for key in OPERATIONS),
    "layer",
)
SIZES = {"32": 4, "16": 2}
FORMAT = Choice(
    "numbers",
    (
        Option("32", "32 bits", code="torch.float32"),
        Option("16", "16 bits", code="torch.bfloat16"),
    ),
    "16",
)
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build bars of the memory traffic of each operation of a norm."""
    operations = {key: _operations(key) for key in OPERATIONS}
    said = _render_captions({key: len(each) - 1 for key, each in operations.items()})
    return Explorable(
        title=said.title,
        controls=(WIDTH, NORM, FORMAT),
        tensors=_tensors(),
        views=(charts(operations), said.readouts),
        code=load_program(__file__),
    )


def _render_captions(counts: Mapping[str, int]) -> RenderedCaptions:
    norms = tuple(
        CaptionVariant({NORM.name: (key,)}, {"norm": CATALOGUE[key].label, "count": count})
        for key, count in counts.items()
    )
    return CAPTIONS.render({"rows": ROWS}, {"norm": norms})


def _operations(norm: str) -> tuple[Operation, ...]:
    """Return the separate operations of an unfused norm, then the single fused kernel."""
    return (*unfused_traffic(norm).forward, *minimal_traffic(norm).forward)


def _tensors() -> dict[str, SweptTensor]:
    """Return the figure's tensors by norm, format and width."""
    width = torch.tensor(WIDTH.values, dtype=torch.float64)
    rows = torch.full_like(width, ROWS)
    sizes = list(SIZES.values())
    written, kernel, both, least = (
        torch.stack(
            [torch.stack([bytes_moved(ops, rows, width, s) for s in sizes]) for ops in each]
        )
        for each in (
            [unfused_traffic(norm).forward for norm in OPERATIONS],
            [minimal_traffic(norm).forward for norm in OPERATIONS],
            [unfused_traffic(norm).of(both=True) for norm in OPERATIONS],
            [minimal_traffic(norm).of(both=True) for norm in OPERATIONS],
        )
    )  # norms,formats,W each
    over = (NORM.name, FORMAT.name, WIDTH.name)
    tensors = {
        "written MB": SweptTensor(over, written / 1e6),
        "kernel MB": SweptTensor(over, kernel / 1e6),
        "times": SweptTensor((NORM.name, WIDTH.name), (written / kernel)[:, 0], 2),
        "times with gradient": SweptTensor((NORM.name, WIDTH.name), (both / least)[:, 0], 2),
    }
    for norm in OPERATIONS:
        tensors |= _bars(norm, rows, width)
    return tensors


def _bars(norm: str, rows: Tensor, width: Tensor) -> dict[str, SweptTensor]:
    """Return how much each operation reads and writes, in multiples of the number of values."""
    reads, writes = (
        torch.stack(
            [
                Operation(
                    "", each.reads if reading else (), () if reading else each.writes
                ).numbers(rows, width)
                / (rows * width)
                for each in _operations(norm)
            ],
            -1,
        )
        for reading in (True, False)
    )  # W,operations
    return {
        f"{norm} reads": SweptTensor((WIDTH.name,), reads, 3),
        f"{norm} writes": SweptTensor((WIDTH.name,), writes, 3),
    }


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for megabytes, name in zip(printed[0], ("written MB", "kernel MB"), strict=True):
        yield megabytes, shown.lookup(name, state)


FIGURE = FigureSpec("traffic", build, program_output=ProgramOutput(_printed))
