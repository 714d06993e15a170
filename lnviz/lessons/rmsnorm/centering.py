"""What the mean does in language models: how large it is, and whether it is needed."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Readout, Row, Slider, Swept, program
from lnviz.lessons.chart_axes import linear, powers
from lnviz.lessons.charts import chart, line, norm_line, stacked, threshold
from lnviz.lessons.lesson import Figure
from lnviz.norms import CATALOGUE
from lnviz.numerals import number
from lnviz.results.stored import Result
from lnviz.topics.transformer.centering import CENTERING, PASSAGES, Specification, at_random

CLOSE = -5.0
"""The logarithm of the difference up to which outputs are called equal."""


def build() -> Explorable:
    """Build means and losses in training, and what leaving the mean out changes."""
    result = CENTERING.result
    points = result.specification.points
    batches = Slider("batches", tuple(map(float, points)), float(points[-1]), 0, walks=True)
    return Explorable(
        title="The mean in language models as they train",
        controls=(batches,),
        tensors=_tensors(result, batches),
        views=(
            (_places(result),),
            (_changes(batches), _losses(result, batches)),
            (*_sentences(result), *_specification(result)),
        ),
        code=program(__file__),
    )


def _offsets(result: Result[Specification], norm: str) -> Float[Tensor, "points seeds norms"]:
    return result.tensor("offset", "step", "seed", "place", norm=norm)


def _loss(result: Result[Specification], norm: str) -> Float[Tensor, "points seeds"]:
    return result.tensor("loss", "step", "seed", norm=norm)


def _tensors(result: Result[Specification], batches: Slider) -> dict[str, Swept]:
    """Means over the seeds with the lowest and the highest, at every point of the training."""
    tensors: dict[str, Tensor] = {}
    for norm in result.names("norm"):
        offsets, loss = _offsets(result, norm), _loss(result, norm)
        low, high = offsets.aminmax(dim=1)
        size = result.tensor("size", "step", "seed", "place", norm=norm).mean(1)
        tensors |= {
            f"{norm} offset": offsets.mean(1),
            f"{norm} low": low,
            f"{norm} high": high,
            f"{norm} mean": offsets.mean((1, 2)),
            f"{norm} least": offsets.mean(2).amin(1),
            f"{norm} most": offsets.mean(2).amax(1),
            f"{norm} size": size[:, -1],
            f"{norm} loss": loss.mean(1),
            f"{norm} best": loss.amin(1),
            f"{norm} worst": loss.amax(1),
        }
    for name in result.names("rewriting"):
        change, exact, loss = (
            result.tensor(measure, "step", "seed", rewriting=name)
            for measure in ("change", "exact_change", "changed_loss")
        )
        tensors |= {
            f"{name} change": change.amax(1).log10(),
            f"{name} exact": exact.amax(1).log10(),
            f"{name} loss": loss.mean(1),
        }
    return {name: Swept((batches.name,), values, 4) for name, values in tensors.items()}


def _places(result: Result[Specification]) -> Chart:
    s = result.specification
    places = [float(n) for n in range(1, len(s.norms) + 1)]
    norms = stacked(result.names("norm"))
    most = max(float(_offsets(result, norm).max()) for norm in norms)
    ends = [0.5, places[-1] + 0.5]
    chance = [at_random(s.width)] * 2
    return chart(
        "The mean beside the root mean square in what comes to each norm, after {batches} batches",
        [
            *(
                norm_line(norm, places, f"{norm} offset", band=(f"{norm} low", f"{norm} high"))
                for norm in norms
            ),
            line("a direction drawn at random", "soft", ends, chance, width=1, dash="dot"),
        ],
        linear("norm, in order", *ends, room=False, ticks=places),
        linear("|mean| / RMS", 0, 1.08 * most, room=False),
        "The size of the mean as a share of the root mean square, in what comes to each of the "
        f"{len(places)} norms, after {{batches}} batches: on average {{layer mean:3}} with "
        "LayerNorm and {rms mean:3} with RMSNorm.",
        height=320,
    )


def _changes(batches: Slider) -> Chart:
    return chart(
        "LayerNorms replaced by RMSNorms: what becomes of the scores",
        [
            line("nothing else changed", "none", batches, "replaced change", dash="dash"),
            line("means taken out first", "rms", batches, "centered change"),
            threshold(CLOSE, "0.00001"),
        ],
        linear(batches.name, batches.values[0], batches.values[-1]),
        powers("largest change of a score", -7, 2),
        "The largest change of a score, logarithmic, against the batches trained. After {batches} "
        "batches it is {centered change:d2} with the means taken out of the weights first, and "
        "{replaced change:d2} without.",
        height=300,
    )


def _losses(result: Result[Specification], batches: Slider) -> Chart:
    losses = {norm: _loss(result, norm) for norm in stacked(result.names("norm"))}
    low, high = torch.stack(list(losses.values())).aminmax()
    return chart(
        "Trained with LayerNorm, and with RMSNorm from the start",
        [
            norm_line(norm, batches, loss.mean(1), band=(loss.amin(1), loss.amax(1)))
            for norm, loss in losses.items()
        ],
        linear(batches.name, batches.values[0], batches.values[-1]),
        linear("loss, nats a character", math.floor(low), math.ceil(high), room=False),
        "The loss on text that was not trained on, against the batches trained. After {batches} "
        "batches it is {layer loss:2} with LayerNorm and {rms loss:2} with RMSNorm.",
        height=300,
    )


def _sentences(result: Result[Specification]) -> Row:
    s = result.specification
    count = len(s.seeds)
    return (
        Readout(
            "Means taken out of the weights, LayerNorms replaced by RMSNorms: no score of any "
            "character changes by more than {centered change:d2 value} in numbers of 32 bits, or "
            "by more than {centered exact:d2} in numbers of 64 bits. That is rounding.",
            "verdict",
        ),
        Readout(
            "LayerNorms replaced and nothing else changed: scores change by up to "
            "{replaced change:d2 value}, and the loss is {replaced loss:3 value} in place of "
            "{layer loss:3} nats a character."
        ),
        Readout(
            f"After {{batches}} batches, over {len(s.norms)} norms and {count} seeds, the mean is "
            "on average {layer mean:3 value} of the root mean square with LayerNorm (seeds "
            "{layer least:3} to {layer most:3}) and {rms mean:3 value} with RMSNorm ({rms least:3} "
            f"to {{rms most:3}}). For a direction drawn at random in {s.width} dimensions it is "
            f"{number(at_random(s.width), '3')}. The root mean square itself, before the last "
            "norm, is "
            "{layer size:1} with LayerNorm and {rms size:1} with RMSNorm."
        ),
        Readout(
            "Loss on other text: {layer loss:3 value} nats with LayerNorm ({layer best:3} to "
            "{layer worst:3}), {rms loss:3 value} with RMSNorm ({rms best:3} to {rms worst:3})."
        ),
        Readout(_end(result)),
    )


def _end(result: Result[Specification]) -> str:
    """Whether the losses differ after all batches."""
    (low, high), (other_low, other_high) = (
        (float(end) for end in _loss(result, norm)[-1].aminmax()) for norm in result.names("norm")
    )
    overlap = low <= other_high and other_low <= high
    said = "overlap" if overlap else "do not overlap"
    first, second = (CATALOGUE[norm].label for norm in result.names("norm"))
    return (
        f"After all {result.specification.steps:,} batches the ranges of {first}'s and {second}'s "
        f"losses {said}."
    )


def _specification(result: Result[Specification]) -> Row:
    """What was trained, from the result itself."""
    s = result.specification
    return (
        Readout(
            f"The networks: Transformers that read {s.context} characters of Python's "
            f"documentation and say which comes next; {s.layers} blocks of width {s.width} with "
            f"{s.heads} heads and {s.inner} hidden units, norms before attention, before the "
            f"feed-forward layer and before the read-out, with gains, and with biases under "
            f"LayerNorm. {s.steps:,} batches of {s.batch} passages; Adam with a learning rate of "
            f"{s.rate:g}, tuned for neither; seeds {s.seeds[0]} to {s.seeds[-1]}. All is measured "
            f"on {PASSAGES} passages from the end of the text, which none was trained on."
        ),
        Readout(result.header.made_with),
    )


FIGURE = Figure("centering", build)
