"""One batch on several workers: how far BatchNorm's outputs part, and what keeping them costs."""

from __future__ import annotations

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import digits
from lnviz.device import device
from lnviz.explorable import (
    Chart,
    Choice,
    Explorable,
    Option,
    Pick,
    Readout,
    Slider,
    Swept,
    program,
)
from lnviz.lessons.chart_axes import linear
from lnviz.lessons.charts import chart, line, norm_line, plotted
from lnviz.lessons.inputs import tensor_of
from lnviz.lessons.lesson import Figure
from lnviz.norms import BATCH
from lnviz.numerals import number
from lnviz.topics.batch import own_statistics, synchronized
from lnviz.topics.batch.synchronizing import BYTES, NETWORKS

EPS = 1e-5
UNITS = 64
WORKERS = Slider("workers", tuple(map(float, range(1, 65))), 8.0, decimals=0)
NETWORK = Choice(
    "network",
    tuple(Option(key, network.label) for key, network in NETWORKS.items()),
    "resnet50",
)
SIZES = ("64", "128", "256")
WHOLE = Pick("whole", "Cases in the batch", tuple(Option(size, size) for size in SIZES), "64")


def build(whole: str = "64") -> Explorable:
    """Build outputs by each worker's own statistics beside those of the whole batch."""
    cases = int(whole)
    x = digits(cases=cases, units=UNITS).values.to(device())
    together = BATCH.apply(x, "ND", eps=EPS).y  # N,D
    apart, gathered = _outputs(x)  # W,N,D each
    workers = tensor_of(WORKERS.values)
    over = (WORKERS.name,)
    tensors = {
        "own": Swept(over, apart[..., 0].contiguous(), 3),
        "off": Swept(over, (apart - together).square().mean((1, 2)).sqrt(), 4),
        "sync off": Swept(over, (gathered - together).square().mean((1, 2)).sqrt(), 4),
        "fewest": Swept(over, (cases // workers).floor(), 0),
        "most": Swept(over, (cases / workers).ceil(), 0),
    }
    return Explorable(
        title="One batch on several workers",
        controls=(WORKERS, NETWORK),
        tensors=tensors,
        views=(
            (_dots(together[:, 0], tensors["own"].values), _curve(tensors["off"].values)),
            _sentences(cases),
            _costs(),
        ),
        code=program(__file__, cases=str(cases)),
    )


def _outputs(
    x: Float[Tensor, "N D"],
) -> tuple[Float[Tensor, "W N D"], Float[Tensor, "W N D"]]:
    """BatchNorm's outputs with each worker's own statistics, and with synchronized ones."""
    own = own_statistics(x, tensor_of(WORKERS.values).long())
    apart = (x - own.mean) / (own.var + EPS).sqrt()
    # There is a row for each case: it stands for its share by one case's weight.
    gathered = synchronized(own, torch.ones_like(own.mean[..., 0], dtype=torch.long))
    return apart, (x - gathered.mean[:, None]) / (gathered.var[:, None] + EPS).sqrt()


def _dots(together: Float[Tensor, " N"], own: Float[Tensor, "W N"]) -> Chart:
    reach = 1.08 * float(torch.cat([together.flatten(), own.flatten()]).abs().max())
    ends = [-reach, reach]
    dots = go.Scatter(
        mode="markers",
        name="each worker's own statistics",
        marker={"size": 7, "color": "var(--ln-batch)", "opacity": 0.7},
    )
    return chart(
        "One unit's outputs, a dot a case; workers: {workers}",
        [
            line("LayerNorm, synchronized", "layer", ends, ends, width=1.5),
            plotted(dots, x=together, y="own"),
        ],
        linear("with the whole batch", -reach, reach, room=False),
        linear("on its worker", -reach, reach, room=False),
        "A dot for each case: what one unit puts out with the statistics of the whole batch, and "
        "with those of its worker; workers: {workers}. On the diagonal both are the same. They "
        "differ by {off:2} (root mean square over all units).",
        height=340,
    )


def _curve(off: Float[Tensor, " W"]) -> Chart:
    nothing = torch.zeros_like(off)
    return chart(
        "How far outputs are from those of the whole batch",
        [
            norm_line("batch", WORKERS, off),
            line("LayerNorm", "layer", WORKERS, nothing, width=5, mark=None),
            line("synchronized", "batch", WORKERS, nothing, width=2.5, dash="dot", mark=None),
        ],
        linear(WORKERS.name, 0.0, WORKERS.values[-1]),
        linear("root mean square", -0.05, 1.1 * float(off.max()), room=False),
        "Distance of the outputs from those with the whole batch, against the number of workers. "
        "Workers: {workers}. {off:2} with each worker's own statistics, {sync off:2} "
        "synchronized, 0 under LayerNorm.",
        height=340,
    )


def _sentences(cases: int) -> tuple[Readout, ...]:
    uneven = tuple(k for k in WORKERS.values if cases % k)
    even = tuple(k for k in WORKERS.values if k > 1 and not cases % k and cases // k > 1)
    single = tuple(k for k in WORKERS.values if k == cases)
    alone = tuple(k for k in WORKERS.values if cases // k == 1)
    differ = (
        "With its own statistics each output is {off:2 value} away from what it would be in the "
        f"whole batch of {cases} (root mean square over all cases and {UNITS} units)."
    )
    return (
        Readout(f"Each worker has {{fewest:0}} cases. {differ}", when={WORKERS.name: even}),
        Readout(f"Each worker has one case. {differ}", when={WORKERS.name: single}),
        Readout(
            f"The {cases} cases do not divide evenly: a worker has {{fewest:0}} or {{most:0}}. "
            f"{differ}",
            when={WORKERS.name: uneven},
        ),
        Readout(
            "One worker has the whole batch. Nothing differs, and nothing has to be sent.",
            "verdict",
            {WORKERS.name: (1.0,)},
        ),
        Readout(
            "A worker with a single case: its variance is 0, and whatever the case was, 0 comes "
            "out of every unit. PyTorch refuses such a batch in training.",
            "verdict",
            {WORKERS.name: alone},
        ),
    )


def _costs() -> tuple[Readout, ...]:
    several = WORKERS.values[1:]
    return tuple(
        Readout(
            f"Synchronizing {network.label}: {len(network.channels)} BatchNorm "
            f"{'layer' if len(network.channels) == 1 else 'layers'} with "
            f"{sum(network.channels):,} channels. In each step of training every worker sends "
            f"{network.sent:,} numbers, {number(network.sent * BYTES / 1000, '1')} kB in "
            "float32, and "
            f"waits for all others {network.waits} times. LayerNorm: 0 numbers, no wait.",
            when={NETWORK.name: (key,), WORKERS.name: several},
        )
        for key, network in NETWORKS.items()
    )


FIGURE = Figure("workers", build, (WHOLE,), seconds=0.3)
