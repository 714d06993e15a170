"""The activations of two digits in fifty random layers, and their size, with and without a norm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import MAX_SEED, digit_images
from lnviz.device import device
from lnviz.explorable import (
    Chart,
    Choice,
    EnumParameter,
    Explorable,
    IntParameter,
    Option,
    Pictures,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis, to_log10
from lnviz.lessons.charts import chart, norm_line
from lnviz.lessons.data_parameters import to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.progress import subtasks
from lnviz.topics.depth import NONLINEARITIES, RandomNetwork, Spread, spread

STEPS = 40  # of the slider, to a factor of two
SCALE = Slider(
    "weight scale",
    tuple(round(2 ** (i / STEPS), 3) for i in range(-STEPS // 2, STEPS // 2 + 1)),
    0.841,  # vanishes before the reader's eyes, not at once
    decimals=3,
)
NONLINEARITY = Choice(
    "nonlinearity",
    (Option("relu", "ReLU", code="torch.relu"), Option("tanh", "tanh", code="torch.tanh")),
    "relu",
)
NORMS = ("none", "layer")
NAMES = {"none": "without a norm", "layer": "with LayerNorm"}
LAYERS = 50
SHOWN = (0, 1, 2, 5, 10, 20, LAYERS)
IMAGES = 30  # the first three of each digit
CHOSEN = {"0-1": (0, 1), "3-8": (3, 8), "3-3": (3, 13)}
PAIR = EnumParameter(
    "pair",
    "Digits",
    (
        Option("0-1", "0 and 1"),
        Option("3-8", "3 and 8"),
        Option("3-3", "3 and 3"),
    ),
    "0-1",
)
SEED = IntParameter("seed", "Seed", 0, MAX_SEED, 0, reroll_label="New weights")
HEIGHT = 140  # of charts, CSS pixels
REACH = 1.5  # end of the color scale
EVEN = 2.0  # the largest ratio of sizes that counts as unchanged
Spreads = Mapping[tuple[str, str], Spread]
"""Statistics and samples of the activations in all layers, keyed by norm and nonlinearity."""

OVER = (NONLINEARITY.name, SCALE.name)
POWERS = (-9.0, 8.0)
CAPTIONS = load_captions(__file__)


def build(pair: str = "0-1", seed: int = 0) -> Explorable:
    """Build pictures of two digits' activations by layer, and curves of the RMS."""
    spreads = _spreads(pair, seed)
    drawn = digit_images()
    labels = [str(int(drawn.targets[image])) for image in CHOSEN[pair]]
    said = CAPTIONS.render({"layers": LAYERS, "images": IMAGES, "units": len(drawn.images[0])})
    return Explorable(
        title=said.title,
        controls=(SCALE, NONLINEARITY),
        tensors=_tensors(spreads) | _ends(spreads),
        views=(
            tuple(_sheet(norm, labels) for norm in NORMS),
            (_sizes(),),
            said.readouts,
        ),
        code=load_program(__file__, seed=str(seed)),
        steps=said.steps,
    )


def _spreads(pair: str, seed: int) -> Spreads:
    """Return the activations of all images in all layers, with the two selected digits first."""
    drawn = digit_images()
    first = CHOSEN[pair]
    order = [*first, *(image for image in range(IMAGES) if image not in first)]
    x, digits = drawn.images[order].to(device()), drawn.targets[order].to(device())
    scales = to_tensor(SCALE.values)
    return {
        (norm, f): spread(norm, scales, RandomNetwork(f, LAYERS, seed), x, digits, at=SHOWN)
        for norm, f in subtasks([(norm, f) for norm in NORMS for f in NONLINEARITIES])
    }


def _stacked(
    spreads: Spreads, norm: str, attribute: str
) -> Float[Tensor, "nonlinearities S *rest"]:
    """Return one attribute of the activations with one norm, stacked over the nonlinearities."""
    return torch.stack([getattr(spreads[norm, f], attribute) for f in NONLINEARITIES])


def _tensors(spreads: Spreads) -> dict[str, SweptTensor]:
    """Return the tensors of the pictures of activations, and of the curves by layer."""
    tensors = {}
    for norm in NORMS:
        shown = _stacked(spreads, norm, "activations").unflatten(-1, (8, 8))  # f,S,2,at,8,8
        # Clipped to the color scale, since large values compress badly.
        tensors[f"{norm} pictures"] = SweptTensor(OVER, shown.clamp(-REACH, REACH), 2)
        tensors[f"{norm} size"] = SweptTensor(OVER, to_log10(_stacked(spreads, norm, "size")), 2)
    return tensors


def _ends(spreads: Spreads) -> dict[str, SweptTensor]:
    """Return values of the input and last layer for captions; NaN if a caption does not apply."""
    numbers: dict[str, Tensor] = {}
    for norm in NORMS:
        size = _stacked(spreads, norm, "size")
        numbers |= {"size before": size[..., 0], f"{norm} size after": size[..., -1]}
    growth = numbers["none size after"] / numbers["size before"]
    numbers["per layer"] = growth ** (1 / LAYERS)
    said = {
        "shrunk": (1 / growth, growth < 1 / EVEN),
        "grown": (growth, growth > EVEN),
        "kept": (growth, (growth >= 1 / EVEN) & (growth <= EVEN)),
    }
    numbers |= {key: value.where(holds, torch.nan) for key, (value, holds) in said.items()}
    return {name: SweptTensor(OVER, value) for name, value in numbers.items()}


def _sheet(norm: str, digits: list[str]) -> Pictures:
    layers = [str(layer) for layer in SHOWN[1:]]
    return Pictures(
        f"{NAMES[norm][0].upper()}{NAMES[norm][1:]}, at selected layers",
        f"{norm} pictures",
        ("input", *layers),
        f"Two digits, {digits[0]} and {digits[1]}, on their way through the layers {NAMES[norm]}: "
        f"at the end, the RMS is {{{norm} size after:g2}}. Shown: the input and layers "
        f"{', '.join(layers)}, at weight scale {{weight scale}} with {{nonlinearity}}.",
        REACH,
        row_labels=tuple(digits),
    )


def _sizes() -> Chart:
    return chart(
        "size (RMS) of the activations",
        [norm_line(norm, range(LAYERS + 1), f"{norm} size", label_at_end=True) for norm in NORMS],
        linear_axis("layer", 0, 1.02 * LAYERS, padded=False),
        log_axis("RMS", *POWERS, ticks=(1e-8, 1e-4, 1, 1e4, 1e8)),
        "Layer by layer, the RMS goes from {size before:g2} to {none size after:g2} without a "
        "norm, and to {layer size after:g2} with LayerNorm, at weight scale {weight scale} with "
        "{nonlinearity}. Logarithmic axis.",
        height=HEIGHT,
        legend=False,
        margin={"t": 8, "r": 90},
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for norm, sizes in zip(NORMS, printed, strict=True):
        yield sizes.log10(), shown.lookup(f"{norm} size", state)


FIGURE = FigureSpec(
    "depth", build, (PAIR, SEED), cpu_seconds=0.5, program_output=ProgramOutput(_printed)
)
