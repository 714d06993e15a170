"""The roofline figure of /cost: calculated times of norms and a matrix product on real devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Choice, Explorable, Option, Slider, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis
from lnviz.lessons.charts import bars, chart, line, markers
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.topics.cost.roofline import (
    CARDS,
    DEVICES,
    attainable,
    norm_operations,
    product_bytes,
    product_operations,
)
from lnviz.topics.cost.traffic import bytes_moved, minimal_traffic, unfused_traffic
from lnviz.topics.transformer.counts import OPERATIONS

WIDTH = 4096
NORMS = tuple(OPERATIONS)
JOBS = {
    "layer written": "LayerNorm,<br>written out",
    "rms written": "RMSNorm,<br>written out",
    "layer kernel": "LayerNorm,<br>one kernel",
    "rms kernel": "RMSNorm,<br>one kernel",
    "product": "matrix<br>product",
}
"""The label of each computation, keyed by norm and implementation."""
LABELS = {key: each.label.split()[0] for key, each in CARDS.items()}
DEVICE = Choice(
    "device",
    tuple(Option(key, LABELS.get(key, "one CPU thread"), code=repr(key)) for key in DEVICES),
    "h100",
)
_COUNTS = sorted({round(2 ** (step / 2)) for step in range(33)})
TOKENS = Slider("tokens", tuple(map(float, _COUNTS)), 2048.0, decimals=0)
OVER = (DEVICE.name, TOKENS.name)
INTENSITIES = tuple(-1.4 + 0.02 * step for step in range(281))
"""The ends of the roofs: logarithms of operations per byte."""
LOWEST, HIGHEST = -3.0, 3.2
"""The ends of the vertical axis: logarithms of TFLOP/s."""
HEIGHT = 300
CAPTIONS = load_captions(__file__)


class Work(NamedTuple):
    """Operations, bytes and times of computations (J) on devices (V) by number of tokens (T).

    Attributes:
        operations: additions and multiplications.
        moved: bytes read and written.
        seconds: the minimum time, by the roofline model.
    """

    operations: Float[Tensor, "J V T"]
    moved: Float[Tensor, "J V T"]
    seconds: Float[Tensor, "J V T"]


def build() -> Explorable:
    """Build a roofline with norms and a matrix product, and bars of their operations and times."""
    done = work()
    captions = _render_captions()
    return Explorable(
        title=captions.title,
        controls=(DEVICE, TOKENS),
        tensors=_tensors(done),
        views=((_shares(), _roofline()), captions.readouts),
        code=load_program(__file__, cpu=_measured()),
        steps=captions.steps,
    )


def work() -> Work:
    """Return the operations, bytes and minimum times of `JOBS`, by device and number of tokens."""
    rows = torch.tensor(TOKENS.values, dtype=torch.float64)  # T
    width = torch.full_like(rows, WIDTH)
    size = _of_devices([_value_bytes(key) for key in DEVICES])  # V,1
    norms = torch.stack([norm_operations(norm, rows, width) for norm in NORMS])  # norms,T
    each = [
        traffic(norm).forward for traffic in (unfused_traffic, minimal_traffic) for norm in NORMS
    ]
    moved = [size * bytes_moved(some, rows, width, 1) for some in each]
    product = product_operations(rows, width)
    operations = torch.cat([norms, norms, product[None]])[:, None].expand(-1, len(DEVICES), -1)
    bytes_ = torch.stack([*moved, size * product_bytes(rows, width, 1)])
    peak = torch.stack([*[_of_devices([d.plain for d in DEVICES.values()])] * len(each), _matrix()])
    bandwidth = _of_devices([each.bandwidth for each in DEVICES.values()])
    return Work(operations, bytes_, torch.maximum(operations / peak, bytes_ / bandwidth))


def _measured() -> str:
    """Return the measured processor's speeds as Python source for the figure's program."""
    (found,) = (device for key, device in DEVICES.items() if key not in CARDS)
    return repr((found.bandwidth, found.plain, found.matrix))


def _of_devices(values: Sequence[float]) -> Float[Tensor, "V 1"]:
    return torch.tensor(values, dtype=torch.float64)[:, None]


def _matrix() -> Float[Tensor, "V 1"]:
    return _of_devices([each.matrix for each in DEVICES.values()])


def _value_bytes(device: str) -> int:
    """Return the bytes per value: 2 (16 bits) on GPUs, 4 on the measured processor."""
    return 2 if device in CARDS else 4


def _tensors(done: Work) -> dict[str, SweptTensor]:
    names, product = list(JOBS), len(JOBS) - 1
    shares = {
        "operations": 100 * done.operations / done.operations[product],
        "time": 100 * done.seconds / done.seconds[product],
    }
    tensors = {
        f"{name} bars": SweptTensor(OVER, each.movedim(0, -1).float(), 3)
        for name, each in shares.items()
    }
    for at, name in enumerate(names):
        intensity, speed = done.operations[at] / done.moved[at], done.operations / done.seconds
        tensors |= {
            f"{name} x": SweptTensor(OVER, intensity.log10()[..., None].float(), 3),
            f"{name} y": SweptTensor(OVER, (speed[at] / 1e12).log10()[..., None].float(), 3),
            f"{name} us": SweptTensor(OVER, 1e6 * done.seconds[at].float()),
            f"{name} share": SweptTensor(OVER, shares["time"][at].float(), 3),
        }
    of_work = shares["operations"][names.index("layer kernel")]
    places = 10 ** torch.tensor(INTENSITIES, dtype=torch.float64)
    roofs = {"plain roof": "plain", "roof": "matrix"}
    for name, units in roofs.items():
        heights = torch.stack(
            [attainable(places, d.bandwidth, getattr(d, units)) for d in DEVICES.values()]
        )
        tensors[name] = SweptTensor((DEVICE.name,), (heights / 1e12).log10().float(), 4)
    ridge = torch.tensor([d.matrix / d.bandwidth for d in DEVICES.values()])
    computing = done.operations / torch.stack([_matrix()] * len(JOBS))
    waits = done.seconds[product] > computing[product]
    return tensors | {
        "of the operations": SweptTensor(OVER, of_work.float(), 4),
        "product intensity": SweptTensor(
            OVER, (done.operations[product] / done.moved[product]).float()
        ),
        "ridge": SweptTensor((DEVICE.name,), ridge),
        "waits": SweptTensor(OVER, torch.ones_like(of_work).where(waits, torch.nan).float(), 0),
    }


def _roofline() -> Chart:
    places = list(INTENSITIES)
    drawn = [
        line("limit without matrix units", "soft", places, "plain roof", width=1.5, dash="dash"),
        line("upper limit", "ink", places, "roof", width=2.5, showlegend=False),
    ]
    for name, token, symbol, label in (
        ("rms written", "rms", "circle-open", ""),
        ("layer written", "layer", "circle-open", "norm, written out"),
        ("rms kernel", "rms", "circle", ""),
        ("layer kernel", "layer", "circle", "norm, one kernel"),
        ("product", "ink", "square", "matrix product"),
    ):
        drawn.append(markers(token, f"{name} x", f"{name} y", symbol=symbol, name=label))
    return chart(
        "{device}: the speed that memory and arithmetic allow",
        drawn,
        log_axis("operations per byte", INTENSITIES[0], INTENSITIES[-1]),
        log_axis("10¹² operations per second", LOWEST, HIGHEST),
        "The roofline of {device}: how many operations per second it can do, by operations per "
        "byte. The line rises to a ridge at {ridge:g3} and is flat from there. Tokens: "
        "{tokens}. The norms lie far down the slope, and a product with a square matrix lies at "
        "{product intensity:g3} on the lower axis. Both axes are logarithmic.",
        height=HEIGHT,
    )


def _shares() -> Chart:
    labels = list(JOBS.values())
    return chart(
        "Compared with a matrix product; tokens: {tokens}",
        [
            bars("operations", "soft", labels, "operations bars"),
            bars("minimum time", "ink", labels, "time bars"),
        ],
        linear_axis("", type="category"),
        linear_axis("% of the matrix product", 0, 105, padded=False),
        "Operations and minimum time of each computation on {device}, as percentages of a matrix "
        "product’s. LayerNorm does {of the operations:g2}% as many operations; its minimum time is "
        "{layer kernel share:g2}% of the product’s as one kernel and {layer written share:g2}% "
        "written out.",
        height=HEIGHT,
        bargap=0.25,
        barmode="group",
    )


def _render_captions() -> RenderedCaptions:
    cards = tuple(
        CaptionVariant(
            {DEVICE.name: (key,)},
            {
                "label": each.label,
                "speed": each.bandwidth / 1e9,
                "plain": each.plain / 1e12,
                "matrix": each.matrix / 1e12,
                "sixteen": each.sixteen,
                "source": each.source,
            },
        )
        for key, each in CARDS.items()
    )
    machines = tuple(
        CaptionVariant(
            {DEVICE.name: (key,)},
            {
                "label": d.label,
                "speed": d.bandwidth / 1e9,
                "plain": d.plain / 1e9,
                "source": d.source,
            },
        )
        for key, d in DEVICES.items()
        if key not in CARDS
    )
    values = {"width": WIDTH, "layer": OPERATIONS["layer"], "rms": OPERATIONS["rms"]}
    return CAPTIONS.render(values, {"card": cards, "machine": machines})


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    names = ("layer written us", "layer kernel us", "product us")
    for microseconds, name in zip(printed[0], names, strict=True):
        yield microseconds, shown.lookup(name, state)


FIGURE = FigureSpec("roofline", build, program_output=ProgramOutput(_printed))
