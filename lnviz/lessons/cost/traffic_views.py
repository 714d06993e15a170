"""The views of the figure on what a norm reads and writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lnviz.explorable import Chart, Readout, Row
from lnviz.lessons.chart_axes import linear, powers
from lnviz.lessons.charts import bars, chart, dots, line
from lnviz.norms import CATALOGUE
from lnviz.numerals import number
from lnviz.topics.cost.roofline import DEVICES, Device
from lnviz.topics.cost.traffic import Operation
from lnviz.topics.transformer.counts import OPERATIONS

INTENSITIES = tuple(-1.4 + 0.02 * step for step in range(281))
"""Where the roofs are drawn: logarithms of operations a byte."""
HIGHEST = 3.2  # logarithm of 10^12 operations a second
LOWEST = -3.0


def views(operations: Mapping[str, tuple[Operation, ...]]) -> tuple[Row, ...]:
    """Draw bars for every operation beside the roofline, and say the numbers."""
    bars = tuple(_bars(norm, each) for norm, each in operations.items())
    return (
        (*bars, _roofline()),
        (*_words({norm: len(each) - 1 for norm, each in operations.items()}), *_assumptions()),
    )


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
        linear("", type="category", tickangle=-45),
        linear("times all numbers", 0, most + 0.2, room=False, dtick=1),
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
            dots("ink", "written x", "written y", symbol=hollow, name="norm, written out"),
            dots("ink", "kernel x", "kernel y", name="norm, one kernel"),
            dots(
                "ink",
                "product x",
                "product y",
                symbol="square",
                name="product with a D × D matrix",
            ),
        ],
        powers("operations a byte", INTENSITIES[0], INTENSITIES[-1]),
        powers("10<sup>12</sup> operations a second", LOWEST, HIGHEST),
        "A roofline of {device}, both axes logarithmic: the operations a second that it can reach "
        "against the operations it does with each byte, rising to a ridge at {ridge:g3} and level "
        "from there ({numbers}). With width {width} and {tokens} tokens, {norm} as one kernel "
        "lies at {norm intensity:g2} operations a byte, a product with a square matrix at "
        "{product intensity:g3}.",
        height=400,
    )


def _words(counts: Mapping[str, int]) -> Iterator[Readout]:
    for norm, count in counts.items():
        yield Readout(
            f"Written out, {CATALOGUE[norm].label} is {count} operations that read and write "
            "{written MB:g3 value} MB in all, {times:2 stat} times as much as one kernel, "
            "{kernel MB:g3 value} MB.",
            "verdict",
            {"norm": (norm,)},
        )
    yield Readout(
        "Bytes divided by the bandwidth of {device}: {norm} takes {written us:g3 value} µs at "
        "least written out, {kernel us:g3 value} µs as one kernel. Computing alone would take "
        "{norm computing:g2 value} % of the one kernel's time. With the gradient, written out "
        "moves {times with gradient:2 value} times the bytes that two kernels need ({numbers})."
    )
    product = (
        "A product with a D × D matrix does {product intensity:g3 value} operations with each "
        "byte, and takes {product us:g3 value} µs at least. The ridge of {device} is at "
        "{ridge:g3} operations a byte: "
    )
    yield Readout(
        product + "the product lies left of it, and waits for memory, too.",
        given="waits",
    )
    yield Readout(
        product + "the product lies right of it, and computing takes longer than moving.",
        lacking="waits",
    )


def _assumptions() -> Iterator[Readout]:
    for key, each in DEVICES.items():
        yield Readout(_device(each), when={"device": (key,)})
    layer, rms = OPERATIONS["layer"], OPERATIONS["rms"]
    yield Readout(
        f"An operation is an addition or a multiplication: {layer} for each number under "
        f"LayerNorm, {rms} under RMSNorm, forward. Norms run on the ordinary units, in float32 "
        "inside; the product on the matrix units where numbers have 16 bits. What one operation "
        "writes and the next one reads is taken to go through memory; a cache can save that where "
        "everything fits."
    )


def _device(device: Device) -> str:
    """What is known of a device."""
    moves = f"{device.label}: {number(device.bandwidth / 1e9, '0')} GB/s from and to memory"
    if not device.sixteen:
        return (
            f"{moves} and {number(device.plain / 1e9, '0')} · 10⁹ operations a second, "
            f"{device.source}, in "
            "float32. With 16 bits nothing was measured; the roof is left where it is, as if they "
            "were computed as fast."
        )
    return (
        f"{moves}; {device.plain / 1e12:g} · 10¹² operations a second with float32 on its "
        f"ordinary units, {device.matrix / 1e12:g} · 10¹² with {device.sixteen} on its matrix "
        f"units. {device.source}; the highest numbers there are, which no program quite reaches. "
        "Nothing here was measured on one."
    )
