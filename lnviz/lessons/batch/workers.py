"""The workers figure of /batch: BatchNorm on a batch that is split across several devices."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import digits
from lnviz.device import device
from lnviz.explorable import (
    Chart,
    Choice,
    EnumParameter,
    Explorable,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, line, norm_line, points
from lnviz.lessons.data_parameters import to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import BATCH
from lnviz.topics.batch import combine_statistics, local_statistics
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
WHOLE = EnumParameter(
    "whole", "Examples in the batch", tuple(Option(size, size) for size in SIZES), "64"
)
CAPTIONS = load_captions(__file__)


def build(whole: str = "64") -> Explorable:
    """Build charts of BatchNorm's outputs with per-device statistics, against the whole batch's."""
    cases = int(whole)
    x = digits(examples=cases, features=UNITS).values.to(device())
    together = BATCH.apply(x, "ND", eps=EPS).y  # N,D
    apart, gathered = _outputs(x)  # W,N,D each
    workers = to_tensor(WORKERS.values)
    over = (WORKERS.name,)
    tensors = {
        "own": SweptTensor(over, apart[..., 0].contiguous(), 3),
        "off": SweptTensor(over, (apart - together).square().mean((1, 2)).sqrt(), 4),
        "sync off": SweptTensor(over, (gathered - together).square().mean((1, 2)).sqrt(), 4),
        "fewest": SweptTensor(over, (cases // workers).floor(), 0),
        "most": SweptTensor(over, (cases / workers).ceil(), 0),
    }
    said = _render_captions(cases)
    return Explorable(
        title=said.title,
        controls=(WORKERS, NETWORK),
        tensors=tensors,
        views=(
            (_dots(together[:, 0], tensors["own"].values), _curve(tensors["off"].values)),
            said.readouts,
        ),
        code=load_program(__file__, cases=str(cases)),
    )


def _outputs(
    x: Float[Tensor, "N D"],
) -> tuple[Float[Tensor, "W N D"], Float[Tensor, "W N D"]]:
    """Return BatchNorm's outputs with each device's own statistics, and with synchronized ones."""
    own = local_statistics(x, to_tensor(WORKERS.values).long())
    apart = (x - own.mean) / (own.var + EPS).sqrt()
    # There is a row for each example, with the statistics of its device.
    gathered = combine_statistics(own, torch.ones_like(own.mean[..., 0], dtype=torch.long))
    return apart, (x - gathered.mean[:, None]) / (gathered.var[:, None] + EPS).sqrt()


def _dots(together: Float[Tensor, " N"], own: Float[Tensor, "W N"]) -> Chart:
    reach = 1.08 * float(torch.cat([together.flatten(), own.flatten()]).abs().max())
    ends = [-reach, reach]
    name, look = "each worker’s own statistics", {"opacity": 0.7}
    return chart(
        "One unit’s outputs, a dot per example",
        [
            line("LayerNorm, synchronized", "layer", ends, ends, width=1.5),
            points(name, "batch", together, "own", 7, marker_style=look),
        ],
        linear_axis("with the whole batch", -reach, reach, padded=False),
        linear_axis("on its worker", -reach, reach, padded=False),
        "A dot per example: one unit’s output with the statistics of the whole batch (across) and "
        "of its worker (up). On the diagonal, both are equal; here, they differ by {off:2} (root "
        "mean square over all units). Workers: {workers}.",
        height=340,
    )


def _curve(off: Float[Tensor, " W"]) -> Chart:
    nothing = torch.zeros_like(off)
    return chart(
        "Distance from the outputs of the whole batch",
        [
            norm_line("batch", WORKERS, off),
            line("LayerNorm", "layer", WORKERS, nothing, width=5, mark=None),
            line("synchronized", "batch", WORKERS, nothing, width=2.5, dash="dot", mark=None),
        ],
        linear_axis(WORKERS.name, 0.0, WORKERS.values[-1]),
        linear_axis("root mean square", -0.05, 1.1 * float(off.max()), padded=False),
        "Distance from the outputs of the whole batch, by number of workers. At {workers}, it is "
        "{off:2} with each worker’s own statistics, {sync off:2} synchronized, and 0 under "
        "LayerNorm.",
        height=340,
    )


def _render_captions(cases: int) -> RenderedCaptions:
    def at(*workers: float) -> CaptionVariant:
        return CaptionVariant({WORKERS.name: workers})

    several = WORKERS.values[1:]
    return CAPTIONS.render(
        {"examples": cases, "units": UNITS},
        {
            "even": (at(*(k for k in several if not cases % k and cases // k > 1)),),
            "uneven": (at(*(k for k in several if cases % k)),),
            "single": tuple(at(k) for k in several if k == cases),
            "alone": tuple(at(k) for k in several if cases // k == 1),
            "network": tuple(
                CaptionVariant(
                    {NETWORK.name: (key,), WORKERS.name: several},
                    {
                        "network": network.label,
                        "layers": len(network.channels),
                        "channels": sum(network.channels),
                        "sent": network.sent,
                        "kilobytes": network.sent * BYTES / 1000,
                        "waits": network.waits,
                    },
                )
                for key, network in NETWORKS.items()
            ),
        },
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    off = [shown.lookup(name, state) for name in ("off", "sync off")]
    return zip(printed, [*off, torch.zeros(())], strict=True)  # LayerNorm's outputs do not change


FIGURE = FigureSpec(
    "workers", build, (WHOLE,), cpu_seconds=0.3, program_output=ProgramOutput(_printed)
)
