"""The traffic figure of /cost: memory traffic of a norm, by operation and on a roofline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Choice, Explorable, Option, Slider, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.cost.traffic_views import INTENSITIES, charts
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import CATALOGUE
from lnviz.topics.cost.roofline import (
    CARDS,
    DEVICES,
    attainable,
    norm_operations,
    product_bytes,
    product_operations,
)
from lnviz.topics.cost.traffic import Operation, bytes_moved, minimal_traffic, unfused_traffic
from lnviz.topics.transformer.counts import OPERATIONS

WIDTH = Slider(
    "width",
    tuple(float(round(64 * 2 ** (step / 4))) for step in range(33)),
    4096.0,
    decimals=0,
    url_name="rows width",
)
_COUNTS = sorted({round(2 ** (step / 2)) for step in range(33)})
TOKENS = Slider("tokens", tuple(map(float, _COUNTS)), 2048.0, decimals=0)
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
DEVICE = Choice("device", tuple(Option(key, each.label) for key, each in DEVICES.items()), "a100")
SWEPT = (TOKENS.name, WIDTH.name)
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build bars of each operation's memory traffic, and a roofline with a norm and a matmul."""
    operations = {key: _operations(key) for key in OPERATIONS}
    said = _render_captions({key: len(each) - 1 for key, each in operations.items()})
    return Explorable(
        title=said.title,
        controls=(WIDTH, TOKENS, NORM, FORMAT, DEVICE),
        tensors=_tensors(),
        views=(charts(operations), said.readouts),
        code=load_program(__file__),
    )


def _render_captions(counts: Mapping[str, int]) -> RenderedCaptions:
    norms = tuple(
        CaptionVariant({NORM.name: (key,)}, {"norm": CATALOGUE[key].label, "count": count})
        for key, count in counts.items()
    )
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
                "label": each.label,
                "speed": each.bandwidth / 1e9,
                "plain": each.plain / 1e9,
                "source": each.source,
            },
        )
        for key, each in DEVICES.items()
        if key not in CARDS
    )
    values = {"layer": OPERATIONS["layer"], "rms": OPERATIONS["rms"]}
    return CAPTIONS.render(values, {"norm": norms, "card": cards, "machine": machines})


def _operations(norm: str) -> tuple[Operation, ...]:
    """Return the operations of a norm written out, followed by the single fused kernel."""
    return (*unfused_traffic(norm).forward, *minimal_traffic(norm).forward)


def _tensors() -> dict[str, SweptTensor]:
    """Return the figure's tensors by tokens and width, many also by norm, format and device."""
    rows = torch.tensor(TOKENS.values, dtype=torch.float64)[:, None]
    width = torch.tensor(WIDTH.values, dtype=torch.float64)[None]
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
    )  # norms,formats,T,W each
    flops = torch.stack([norm_operations(norm, rows, width) for norm in OPERATIONS])[:, None]
    product = product_operations(rows, width)  # T,W
    product_moved = torch.stack([product_bytes(rows, width, size) for size in sizes])  # F,T,W
    bandwidth = torch.tensor([each.bandwidth for each in DEVICES.values()])
    seconds = {
        name: each / bandwidth[:, None, None, None, None]
        for name, each in (("written", written), ("kernel", kernel))
    }  # devices,norms,F,T,W
    plain = torch.tensor([each.plain for each in DEVICES.values()])
    peak = torch.tensor([[each.plain, each.matrix] for each in DEVICES.values()])  # devices,F
    over = (NORM.name, FORMAT.name, *SWEPT)
    intensity = product / product_moved  # F,T,W
    ridge = peak / bandwidth[:, None]  # devices,F
    computing = product / peak[..., None, None]  # devices,F,T,W
    moving = product_moved / bandwidth[:, None, None, None]
    tensors = {
        "written MB": SweptTensor(over, written / 1e6),
        "kernel MB": SweptTensor(over, kernel / 1e6),
        "times": SweptTensor((NORM.name, *SWEPT), (written / kernel)[:, 0], 2),
        "times with gradient": SweptTensor((NORM.name, *SWEPT), (both / least)[:, 0], 2),
        **{
            f"{name} us": SweptTensor((DEVICE.name, *over), 1e6 * each, None)
            for name, each in seconds.items()
        },
        "norm computing": SweptTensor(
            (DEVICE.name, *over),
            100 * (flops / plain[:, None, None, None, None]) / seconds["kernel"],
            2,
        ),
        "product us": SweptTensor(
            (DEVICE.name, FORMAT.name, *SWEPT), 1e6 * torch.maximum(computing, moving)
        ),
        "product intensity": SweptTensor((FORMAT.name, *SWEPT), intensity),
        "ridge": SweptTensor((DEVICE.name, FORMAT.name), ridge),
        "waits": SweptTensor(
            (DEVICE.name, FORMAT.name, *SWEPT),
            torch.where(intensity < ridge[..., None, None], 1.0, torch.nan),
            0,
        ),
        "norm intensity": SweptTensor(over, flops / kernel, 3),
    }
    tensors |= _roofline(flops / written, flops / kernel, intensity)
    for norm in OPERATIONS:
        tensors |= _bars(norm, rows, width)
    return tensors


def _roofline(
    written: Float[Tensor, "norms formats T W"],
    kernel: Float[Tensor, "norms formats T W"],
    product: Float[Tensor, "formats T W"],
) -> dict[str, SweptTensor]:
    """Return rooflines and the points on them: log10 of operations per byte and of TFLOP/s."""
    over = (NORM.name, FORMAT.name, *SWEPT)
    places = 10 ** torch.tensor(INTENSITIES, dtype=torch.float64)

    def heights(at: Tensor, peaks: list[float]) -> Tensor:
        each = zip(DEVICES.values(), peaks, strict=True)
        return (
            torch.stack([attainable(at, d.bandwidth, peak) for d, peak in each]).div(1e12).log10()
        )

    plain = [each.plain for each in DEVICES.values()]
    matrix = [each.matrix for each in DEVICES.values()]
    tensors = {
        "roof": SweptTensor(
            (DEVICE.name, FORMAT.name),
            torch.stack([heights(places, plain), heights(places, matrix)], 1),
            4,
        ),
        "plain roof": SweptTensor((DEVICE.name,), heights(places, plain), 4),
    }
    for name, intensity in (("written", written), ("kernel", kernel)):
        tensors[f"{name} x"] = SweptTensor(over, intensity.log10()[..., None], 3)
        tensors[f"{name} y"] = SweptTensor(
            (DEVICE.name, *over), heights(intensity, plain)[..., None], 3
        )
    high = torch.stack([heights(product[0], plain), heights(product[1], matrix)], 1)
    tensors["product x"] = SweptTensor(over[1:], product.log10()[..., None], 3)
    tensors["product y"] = SweptTensor((DEVICE.name, *over[1:]), high[..., None], 3)
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
    )  # T,W,operations
    return {
        f"{norm} reads": SweptTensor(SWEPT, reads, 3),
        f"{norm} writes": SweptTensor(SWEPT, writes, 3),
    }


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for megabytes, name in zip(printed[0], ("written MB", "kernel MB"), strict=True):
        yield megabytes, shown.lookup(name, state)


FIGURE = FigureSpec("traffic", build, program_output=ProgramOutput(_printed))
