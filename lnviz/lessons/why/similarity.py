"""Cosine similarity of digits in fifty random layers, in a plain stack and a residual one."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from lnviz.data.examples import MAX_SEED, digit_images
from lnviz.device import device
from lnviz.explorable import (
    Chart,
    Choice,
    Explorable,
    IntParameter,
    Option,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, line
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import LAYER
from lnviz.topics.depth import NONLINEARITIES, RandomNetwork, spread

LAYERS, IMAGES = 50, 30  # the first three images of each digit
WIRING = Choice(
    "wiring",
    (
        Option("plain", "plain stack", code="False"),
        Option("residual", "residual connections", code="True"),
    ),
    "plain",
)
FUNCTION = Choice(
    "nonlinearity",
    (Option("relu", "ReLU", code="torch.relu"), Option("tanh", "tanh", code="torch.tanh")),
    "relu",
    url_name="function",
)
SEED = IntParameter("weights", "Seed", 0, MAX_SEED, 0, reroll_label="New weights")
MERGED = 0.95  # the cosine of different digits above which they count as almost the same
KINDS = {"different": ("different digits", "solid"), "same": ("the same digit", "dot")}
OVER = (WIRING.name, FUNCTION.name)
CAPTIONS = load_captions(__file__)


def build(weights: int = 0) -> Explorable:
    """Build curves of the cosines between images by layer, for each wiring and nonlinearity."""
    said = CAPTIONS.render({"layers": LAYERS, "images": IMAGES})
    return Explorable(
        title=said.title,
        controls=(WIRING, FUNCTION),
        tensors=_tensors(weights),
        views=((_cosines(),), said.readouts),
        code=load_program(__file__, seed=str(weights)),
    )


def _tensors(seed: int) -> dict[str, SweptTensor]:
    """Return the mean cosines by layer, and the first and last ones for captions that apply."""
    drawn = digit_images()
    x, digits = drawn.images[:IMAGES].to(device()), drawn.targets[:IMAGES].to(device())
    scale = torch.ones(1, device=x.device)
    spreads = [
        spread(LAYER.key, scale, RandomNetwork(f, LAYERS, seed, wiring == "residual"), x, digits)
        for wiring in (option.value for option in WIRING.options)
        for f in NONLINEARITIES
    ]
    shape = (len(WIRING.options), len(NONLINEARITIES))
    cosines = {
        "different": torch.cat([each.different_classes for each in spreads]).unflatten(0, shape),
        "same": torch.cat([each.same_class for each in spreads]).unflatten(0, shape),
    }
    tensors = {kind: SweptTensor(OVER, values, 3) for kind, values in cosines.items()}
    for kind, values in cosines.items():
        tensors[f"{kind} before"] = SweptTensor(OVER, values[..., 0].contiguous())
        tensors[f"{kind} after"] = SweptTensor(OVER, values[..., -1].contiguous())
    plain = torch.tensor([True, False], device=x.device)[:, None].expand(shape)
    merged = cosines["different"][..., -1] > MERGED
    for name, holds in (
        ("merged", plain & merged),
        ("scattered", plain & ~merged),
        ("apart", ~plain),
    ):
        tensors[name] = SweptTensor(OVER, torch.where(holds, 1.0, torch.nan))
    return tensors


def _cosines() -> Chart:
    return chart(
        "Mean cosine of two images, with LayerNorm",
        [
            line(name, LAYER.key, range(LAYERS + 1), kind, dash=dash)
            for kind, (name, dash) in KINDS.items()
        ],
        linear_axis("layer", 0, 1.02 * LAYERS, padded=False),
        linear_axis("cosine", -0.2, 1.05, padded=False),
        "From the input to the last layer, the mean cosine of different digits goes from "
        "{different before:2} to {different after:2}, and of the same digit from {same before:2} "
        "to {same after:2} ({wiring}, {nonlinearity}).",
        height=260,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for kind, cosines in zip(KINDS, printed, strict=True):
        yield cosines, shown.lookup(kind, state)


FIGURE = FigureSpec(
    "similarity", build, (SEED,), cpu_seconds=0.3, program_output=ProgramOutput(_printed)
)
