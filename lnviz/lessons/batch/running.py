"""The running-averages figure of /batch: BatchNorm's statistics in training and at inference."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import DIGIT_COUNT, digits
from lnviz.device import device
from lnviz.explorable import (
    CellPicker,
    EnumParameter,
    Explorable,
    IntParameter,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.batch.running_views import averages, table
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import to_log10
from lnviz.lessons.data_parameters import to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.norms import BATCH, LAYER
from lnviz.topics.batch import MeanAndVariance, running_statistics
from lnviz.topics.batch.sampling import epoch_batches, shuffled_epochs

EPS = 1e-5
UNITS = 64
SHOWN = 6
BATCHES = 40
MOMENTUM = Slider.linear("momentum", 0, 1, 0.02, 0.1)
BATCH_SEEN = Slider(
    "batch", tuple(map(float, range(1, BATCHES + 1))), 1.0, decimals=0, has_step_buttons=True
)
CHANGES = {
    "shift": Slider.linear("shift", -2, 2, 0.2, 0),
    "scale": Slider("test scale", tuple(round(2 ** (n / 10), 3) for n in range(-10, 11)), 1.0),
}
CHANGE = EnumParameter(
    "change",
    "Change in the test set",
    (Option("shift", "shift"), Option("scale", "scale")),
    "shift",
)
CASES = IntParameter("cases", "Examples in a batch", 2, 128, 16)
CAPTIONS = load_captions(__file__)


@dataclass(frozen=True, eq=False)
class RunningData:
    """Data of the running-averages figure: training batches, their statistics, and a test example.

    Attributes:
        case: the pre-activations of one test example.
        whole: mean and biased variance of all examples.
        batches: the batches of the training loop.
        kept: running statistics for each momentum after each batch.
    """

    case: Float[Tensor, " D"]
    whole: MeanAndVariance
    batches: Float[Tensor, "batches N D"]
    kept: MeanAndVariance


def build(change: str = "shift", cases: int = 16) -> Explorable:
    """Build charts of the running mean and variance, and a table of one example's outputs."""
    by = CHANGES[change]
    seen = _seen(cases)
    pointer = CellPicker("unit", ("",), tuple(str(n) for n in range(1, SHOWN + 1)), "unit")
    tensors = _averages(seen) | _outputs(seen, by)
    said = _render_captions(by, cases)
    return Explorable(
        title=said.title,
        controls=(MOMENTUM, BATCH_SEEN, by, pointer),
        tensors=tensors,
        views=(
            averages(tensors, BATCH_SEEN),
            (table(by),),
            said.readouts,
        ),
        code=load_program(__file__, cases=str(cases), name=f'"{by.name}"', value=f"«{by.name}»"),
    )


def _render_captions(by: Slider, cases: int) -> RenderedCaptions:
    changed = CaptionVariant({by.name: tuple(value for value in by.values if value != by.start)})
    between = CaptionVariant(
        {MOMENTUM.name: tuple(value for value in MOMENTUM.values if 0 < value < 1)}
    )
    return CAPTIONS.render(
        {"examples": cases, "others": cases - 1, "units": UNITS},
        {
            "between": (between,),
            "shifted": (changed,) if by is CHANGES["shift"] else (),
            "scaled": (changed,) if by is CHANGES["scale"] else (),
        },
    )


def _seen(cases: int) -> RunningData:
    # The example is a test example, which no training batch contains.
    x = digits(examples=DIGIT_COUNT, features=UNITS).values.to(device())
    case, others = x[0], x[1:]
    epochs = -(-BATCHES // (len(others) // cases))
    order = shuffled_epochs(len(others), epochs, torch.Generator().manual_seed(0)).to(x.device)
    batches = others[epoch_batches(order, cases, BATCHES)]  # batches,N,D
    var, mean = torch.var_mean(others, 0, correction=0)
    kept = running_statistics(batches, to_tensor(MOMENTUM.values))
    return RunningData(case, MeanAndVariance(mean, var), batches, kept)


def _averages(seen: RunningData) -> dict[str, SweptTensor]:
    """Return running averages after each batch, the batches' statistics and the true statistics."""
    momentum, batch, unit = MOMENTUM.name, BATCH_SEEN.name, "unit"
    unbiased, means = torch.var_mean(seen.batches[..., :SHOWN], 1)  # batches,U
    rest = 1 - to_tensor(MOMENTUM.values)
    tensors: dict[str, SweptTensor] = {
        "biased": SweptTensor((batch, unit), seen.batches[..., :SHOWN].var(1, correction=0), 3),
        "rest": SweptTensor((momentum,), rest, 2),
        # Logarithms, since a power of a small number underflows float32. The logarithm of 0 is NaN,
        # so that at momentum 1 no caption on the remainder is shown.
        "left": SweptTensor(
            (momentum, batch), to_log10(rest)[:, None] * to_tensor(BATCH_SEEN.values)
        ),
    }
    for name, kept, new, true, first in (
        ("mean", seen.kept.mean, means, seen.whole.mean, 0.0),
        ("var", seen.kept.var, unbiased, seen.whole.var, 1.0),
    ):
        shown = torch.nn.functional.pad(kept[..., :SHOWN], (0, 0, 1, 0), value=first)  # M,1+T,U
        tensors |= {
            f"{name} line": SweptTensor((momentum, unit), shown.mT.contiguous(), 3),
            f"{name} kept": SweptTensor((momentum, batch, unit), shown[:, 1:], 3),
            f"{name} old": SweptTensor((momentum, batch, unit), shown[:, :-1], 3),
            f"{name} new": SweptTensor((batch, unit), new, 3),
            f"{name} true": SweptTensor((unit,), true[:SHOWN, None].repeat(1, 2), 3),
            f"{name} truth": SweptTensor((unit,), true[:SHOWN], 3),
        }
    return tensors


def _outputs(seen: RunningData, by: Slider) -> dict[str, SweptTensor]:
    """Return the test example normalized by batch statistics, running averages, and LayerNorm."""
    amounts = to_tensor(by.values)[:, None]
    case = seen.case + amounts if by.name == "shift" else seen.case * amounts  # S,D
    # In training, the example is the first of a batch that is shifted in the same way.
    company = torch.cat([seen.case.expand(BATCHES, 1, -1), seen.batches[:, 1:]], 1)  # T,N,D
    in_training = BATCH.apply(company, "ND", eps=EPS).y[:, 0]  # T,D
    mean, var = (v[:, :, None] for v in (seen.kept.mean, seen.kept.var))  # M,T,1,D
    at_inference = (case - mean) / (var + EPS).sqrt()  # M,T,S,D
    exact = (seen.case - seen.whole.mean) / (seen.whole.var + EPS).sqrt()
    layer = LAYER.apply(case, "ND", eps=EPS).y  # S,D
    unchanged = LAYER.apply(seen.case, "D", eps=EPS).y
    running = (MOMENTUM.name, BATCH_SEEN.name, by.name)
    return {
        "input": SweptTensor((by.name, "unit"), case[:, :SHOWN], 2),
        "in training": SweptTensor((BATCH_SEEN.name, "unit"), in_training[:, :SHOWN], 2),
        "at inference": SweptTensor((*running, "unit"), at_inference[..., :SHOWN], 2),
        "layer": SweptTensor((by.name, "unit"), layer[:, :SHOWN], 2),
        "off": SweptTensor(running, (at_inference - exact).square().mean(-1).sqrt(), 2),
        "layer off": SweptTensor((by.name,), (layer - unchanged).square().mean(-1).sqrt(), 2),
    }


FIGURE = FigureSpec("running", build, (CHANGE, CASES), cpu_seconds=0.8)
