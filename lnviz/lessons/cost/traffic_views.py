"""Charts of the traffic figure: bars of reads and writes."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.explorable import Chart, ViewRow
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import bars, chart
from lnviz.norms import CATALOGUE
from lnviz.topics.cost.traffic import Operation


def charts(operations: Mapping[str, tuple[Operation, ...]]) -> ViewRow:
    """Draw bars of the memory traffic of each operation of a norm: reads and writes."""
    return tuple(_bars(norm, each) for norm, each in operations.items())


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
        linear_axis("times all values", 0, most + 0.2, padded=False, dtick=1),
        f"What each of {CATALOGUE[norm].label}’s {len(operations) - 1} operations reads and "
        "writes, and what one kernel for all of them does, at width {width}. One kernel moves "
        "{kernel MB:g3} MB, the operations together {written MB:g3} MB ({numbers}).",
        height=400,
        when={"norm": (norm,)},
        bargap=0.3,
        barmode="group",
    )
