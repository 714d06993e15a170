"""Charts of the traffic figure: bars of reads and writes, and a roofline."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.explorable import Chart, ViewRow
from lnviz.lessons.chart_axes import linear_axis, log_axis
from lnviz.lessons.charts import bars, chart, line, markers
from lnviz.norms import CATALOGUE
from lnviz.topics.cost.traffic import Operation

INTENSITIES = tuple(-1.4 + 0.02 * step for step in range(281))
"""The ends of the roofs: logarithms of operations per byte."""
HIGHEST = 3.2  # logarithm of 10^12 operations per second
LOWEST = -3.0


def charts(operations: Mapping[str, tuple[Operation, ...]]) -> ViewRow:
    """Draw bars of what each operation of a norm reads and writes, and the roofline."""
    return (*(_bars(norm, each) for norm, each in operations.items()), _roofline())


def _bars(norm: str, operations: tuple[Operation, ...]) -> Chart:
    names = [f"{at}. {each.name}" for at, each in enumerate(operations[:-1], 1)]
    names.append(operations[-1].name)
    most = max(len(each.reads) for each in operations)
    return chart(
        f"What {CATALOGUE[norm].label} reads and writes, operation by operation",
        [
            bars("reads", "soft", names, f"{norm} reads"),
            bars("writes", "ink", names, f"{norm} writes"),
        ],
        linear_axis("", type="category", tickangle=-45),
        linear_axis("times all numbers", 0, most + 0.2, padded=False, dtick=1),
        f"Two bars for each of the {len(operations) - 1} operations of {CATALOGUE[norm].label} "
        "written out, and for one kernel that does all of it: what it reads and what it writes, "
        "in units of all numbers once, at width {width} and {tokens} tokens. One kernel moves "
        "{kernel MB:g3} MB, all operations together {written MB:g3} MB ({numbers}).",
        height=400,
        when={"norm": (norm,)},
        bargap=0.3,
        barmode="group",
    )


def _roofline() -> Chart:
    places = list(INTENSITIES)
    hollow = "circle-open"
    return chart(
        "{device}: what it can reach, {numbers}",
        [
            line("ordinary units", "soft", places, "plain roof", width=1.5, dash="dash"),
            line("the most it can reach", "ink", places, "roof", width=2.5),
            markers("ink", "written x", "written y", symbol=hollow, name="norm, written out"),
            markers("ink", "kernel x", "kernel y", name="norm, one kernel"),
            markers(
                "ink",
                "product x",
                "product y",
                symbol="square",
                name="product with a D × D matrix",
            ),
        ],
        log_axis("operations a byte", INTENSITIES[0], INTENSITIES[-1]),
        log_axis("10<sup>12</sup> operations a second", LOWEST, HIGHEST),
        "A roofline of {device}, both axes logarithmic: the operations a second that it can reach "
        "against the operations it does with each byte, rising to a ridge at {ridge:g3} and level "
        "from there ({numbers}). With width {width} and {tokens} tokens, {norm} as one kernel "
        "lies at {norm intensity:g2} operations a byte, a product with a square matrix at "
        "{product intensity:g3}.",
        height=400,
    )
