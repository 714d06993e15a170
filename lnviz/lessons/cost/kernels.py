"""The kernels figure of /cost: time of each implementation of each norm, by width."""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.device import device
from lnviz.explorable import (
    Choice,
    EnumParameter,
    Explorable,
    IntParameter,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.cost.kernels_views import charts
from lnviz.lessons.cost.shared import machine_note, machine_phrase
from lnviz.lessons.lesson import FigureSpec
from lnviz.topics.cost.costs import stored_costs
from lnviz.topics.cost.kernels import (
    COPY,
    PASSES,
    Kernels,
    KernelSpecification,
    measure,
    minimal_bytes,
)
from lnviz.topics.cost.ways import WAYS

SERVER = "server"
HERE = KernelSpecification(
    widths=(64, 128, 256, 512, 1024, 2048), rounds=11, block=0.002, ways=("written", "function")
)
"""The measurements that a page runs on request; compiling would take longer than all of them."""
SECONDS = 4.0
LIMIT = 9999  # the largest number of a measurement in a URL
START = 1024.0

MACHINE = EnumParameter(
    "machine",
    "Measured on",
    (
        *(Option(kind, each.kernels.machine.words) for kind, each in stored_costs().items()),
        Option(SERVER, "this server, now"),
    ),
    next(iter(stored_costs())),
    server_only=(SERVER,),
)
AGAIN = IntParameter(
    "measurement",
    "Measurement",
    0,
    LIMIT,
    0,
    reroll_label="Measure again",
    when={"machine": (SERVER,)},
)
PASS = Choice(
    "pass",
    (
        Option("forward", "forward", code="False"),
        Option("both", "forward and backward", code="True"),
    ),
    "forward",
)


HOW = {
    "written": "written out",
    "function": "with PyTorch’s functions",
    "compiled": "compiled",
}
CAPTIONS = load_captions(__file__)


def build(machine: str = MACHINE.start, measurement: int = 0) -> Explorable:
    """Build charts of the norms' times and bandwidths by width, stored or measured now."""
    if machine == SERVER:
        kernels = measure(HERE, device())
        made = f"Measured on this server, {kernels.machine.words}."
    else:
        kernels, made = stored_costs()[machine].kernels, stored_costs()[machine].made_with
    widths = tuple(map(float, kernels.specification.widths))
    width = Slider("width", widths, START, decimals=0)
    way = Choice(
        "way",
        tuple(Option(key, WAYS[key]) for key in kernels.specification.ways),
        "function",
    )
    tensors = _tensors(kernels, width, way)
    highest = max(float(tensors[f"{option.value} share"].values.max()) for option in way.options)
    said = _render_captions(kernels, made, way)
    return Explorable(
        title=said.title,
        controls=(width, PASS, way),
        tensors=tensors,
        views=(charts(kernels, highest, width), said.readouts),
        code=load_program(__file__),
    )


def _render_captions(kernels: Kernels, made: str, way: Choice) -> RenderedCaptions:
    ways = [option.value for option in way.options]
    lacks = "" if "compiled" in ways else " Compiling is left out here: it takes too long."
    return CAPTIONS.render(
        {
            "machine": machine_phrase(kernels.machine),
            "rows": kernels.specification.rows,
            "rounds": kernels.specification.rounds,
            "lacks": lacks,
            "made": made + machine_note(kernels.machine, kernels.own),
        },
        {
            "way": tuple(
                CaptionVariant(
                    {way.name: (key,)},
                    {"how": HOW[key], **{n: f"{{{key} {n}:2}}" for n in ("ratio", "low", "high")}},
                )
                for key in ways
            )
        },
    )


def _tensors(kernels: Kernels, width: Slider, way: Choice) -> dict[str, SweptTensor]:
    """Return each norm's time, log10 of ns per value, and bandwidth relative to a plain copy."""
    s = kernels.specification
    ways = [option.value for option in way.options]
    cells = s.rows * torch.tensor(s.widths, dtype=torch.float64)  # W
    copy = torch.tensor(kernels.copy, dtype=torch.float64)  # W,3
    norms = list(dict.fromkeys(name.split()[0] for name in kernels.times))
    times = {COPY: copy.expand(len(PASSES), len(ways), -1, -1)}  # P,Y,W,3
    times |= {
        norm: torch.stack([_times(kernels, norm, each) for each in ways], 1) for norm in norms
    }
    over = (PASS.name, way.name)
    tensors: dict[str, SweptTensor] = {}
    for name, seconds in times.items():
        logs = (seconds / cells[:, None] * 1e9).log10()  # P,Y,W,3
        low, middle, high = logs.unbind(-1)
        tensors |= {
            f"{name} curve": SweptTensor((*over, width.name), middle, 4),
            f"{name} low": SweptTensor((*over, width.name), low, 4),
            f"{name} high": SweptTensor((*over, width.name), high, 4),
            f"{name} us": SweptTensor((*over, width.name), seconds[..., 1] * 1e6),
        }
    moved = _bytes_moved(kernels, norms)  # norms,P,W
    speed = {COPY: _bytes_moved(kernels, [COPY])[0, 0] / copy[:, 1] / 1e9}  # W
    speed |= {norm: moved[at][:, None] / times[norm][..., 1] / 1e9 for at, norm in enumerate(norms)}
    tensors["copy speed"] = SweptTensor((width.name,), speed[COPY])
    tensors["layer speed"] = SweptTensor((PASS.name, way.name, width.name), speed["layer"])
    tensors["layer bytes"] = SweptTensor((PASS.name, width.name), moved[norms.index("layer")] / 1e6)
    for at, key in enumerate(ways):
        shown = [norm for norm in norms if f"{norm} {key}" in kernels.times]
        shares = torch.stack([100 * speed[norm][:, at] / speed[COPY] for norm in shown], -1)
        tensors[f"{key} share"] = SweptTensor((PASS.name, width.name), shares, 2)
        ratio = torch.tensor(kernels.ratios[key])  # P,W,3
        for end, name in enumerate(("low", "ratio", "high")):
            tensors[f"{key} {name}"] = SweptTensor((PASS.name, width.name), ratio[..., end], 3)
    return {name: replace(each, values=each.values.float()) for name, each in tensors.items()}


def _times(kernels: Kernels, norm: str, way: str) -> Float[Tensor, "passes widths 3"]:
    """Return the seconds that a norm takes in one implementation; NaN if PyTorch lacks it."""
    shape = (len(PASSES), len(kernels.specification.widths), 3)
    times = kernels.times.get(f"{norm} {way}")
    return torch.full(shape, math.nan).double() if times is None else torch.tensor(times).double()


def _bytes_moved(kernels: Kernels, norms: list[str]) -> Float[Tensor, "norms passes widths"]:
    """Return the minimum number of bytes that each norm reads and writes, by pass and width."""
    s = kernels.specification
    counted = [
        [[minimal_bytes(norm, s.rows, width, p == "both") for width in s.widths] for p in PASSES]
        for norm in norms
    ]
    return torch.tensor(counted, dtype=torch.float64)


def _seconds(machine: str, measurement: int) -> float:
    return SECONDS if machine == SERVER else 0.2


FIGURE = FigureSpec("kernels", build, (MACHINE, AGAIN), cpu_seconds=_seconds)
