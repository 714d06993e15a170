"""The pictures figure of /images: a photograph's brightness and contrast, under each norm."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.photos import CREDIT, CROPS, SIZE, photos
from lnviz.explorable import (
    Choice,
    Explorable,
    Option,
    PhotoGallery,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import CATALOGUE
from lnviz.number_format import number
from lnviz.topics.images import KINDS
from lnviz.topics.images.exposure import ExposedBatch, normalize_exposed

CONTRAST = Slider.linear("contrast", 0, 2, 0.05, 0.4)
BRIGHTNESS = Slider.linear("brightness", -0.5, 0.5, 0.02, 0)
CHANGED = Choice(
    "changed channels",
    (Option("all", "all colors", code="slice(0, 3)"), Option("red", "red", code="0")),
    "all",
)
OVER = (CHANGED.name, CONTRAST.name, BRIGHTNESS.name)
COLORS = ("red", "green", "blue")
REACH = 3.0  # standardized values at which a channel is dark, or full
NORMS = ("batch", "layer", "instance")
CAPTIONS = load_captions(__file__)
TITLES = {
    "none": "The batch",
    "batch": "After BatchNorm",
    "layer": "After LayerNorm",
    "instance": "After InstanceNorm",
}


def build() -> Explorable:
    """Build the figure of four photographs, the first one altered, before and after three norms."""
    batch = photos()
    names = batch.names
    exposures = {
        key: normalize_exposed(batch.images, KINDS[key], *_changes(len(names))) for key in TITLES
    }
    tensors: dict[str, SweptTensor] = {"photos": SweptTensor((), batch.images, 3)}
    for key, exposure in exposures.items():
        tensors |= _display_scaling(key, exposure)
    for key in NORMS:
        tensors |= _first_photo_statistics(key, exposures[key])
    said = _render_captions(names)
    return Explorable(
        title=said.title,
        steps=said.steps,
        controls=(CONTRAST, BRIGHTNESS, CHANGED),
        tensors=tensors,
        views=(
            (_photos("none", names), _photos("batch", names)),
            (_photos("layer", names), _photos("instance", names)),
            said.readouts,
        ),
        code=load_program(__file__, crops=str(CROPS)),
    )


def _changes(
    count: int,
) -> tuple[Float[Tensor, "changed K B N C"], Float[Tensor, "changed K B N C"]]:
    """Return contrast and brightness of each channel; the sliders set the first photograph's."""
    contrasts, brightnesses = torch.tensor(CONTRAST.values), torch.tensor(BRIGHTNESS.values)
    shape = (2, len(contrasts), len(brightnesses), count, len(COLORS))
    contrast, brightness = torch.ones(shape), torch.zeros(shape)
    for at, channels in enumerate((slice(None), slice(0, 1))):
        contrast[at, ..., 0, channels] = contrasts[:, None, None]
        brightness[at, ..., 0, channels] = brightnesses[None, :, None]
    return contrast, brightness


def _display_scaling(key: str, exposure: ExposedBatch) -> dict[str, SweptTensor]:
    """Return the scale and shift that turn the original photographs into the displayed ones."""
    scale, shift = exposure.scale, exposure.shift
    if key != "none":
        scale, shift = scale / (2 * REACH), shift / (2 * REACH) + 0.5
    return {
        f"{key} scale": SweptTensor(OVER, scale, 3),
        f"{key} shift": SweptTensor(OVER, shift, 3),
    }


def _first_photo_statistics(key: str, exposure: ExposedBatch) -> dict[str, SweptTensor]:
    """Return the mean and standard deviation of the first photograph after a norm."""
    means, stds = exposure.mean[..., 0, :], exposure.std[..., 0, :]  # changed,K,B,C
    mean = means.mean(-1)
    std = ((stds.square() + means.square()).mean(-1) - mean.square()).clamp(min=0).sqrt()
    left = {f"{key} first mean": mean, f"{key} first std": std}
    if key != "batch":
        left |= {f"{key} {color}": means[..., at] for at, color in enumerate(COLORS)}
    return {name: SweptTensor(OVER, values, 2) for name, values in left.items()}


def _photos(key: str, names: tuple[str, ...]) -> PhotoGallery:
    state = (
        f"The {names[0]} at contrast {{contrast}} and brightness {{brightness}} "
        "({changed channels})"
    )
    told = (
        "before any norm"
        if key == "none"
        else f"after {CATALOGUE[key].label}, with mean {{{key} first mean}} and standard deviation "
        f"{{{key} first std}}"
    )
    return PhotoGallery(
        TITLES[key],
        "photos",
        f"{key} scale",
        f"{key} shift",
        names,
        f"{state}, {told}. Next to it, the rest of the batch: {', '.join(names[1:])}.",
    )


def _render_captions(names: tuple[str, ...]) -> RenderedCaptions:
    changed = (
        CaptionVariant(
            {CONTRAST.name: tuple(value for value in CONTRAST.values if value not in (0, 1))}
        ),
        CaptionVariant(
            {
                CONTRAST.name: (1.0,),
                BRIGHTNESS.name: tuple(value for value in BRIGHTNESS.values if value),
            }
        ),
    )
    return CAPTIONS.render(
        {
            "first": names[0],
            "dark": number(-REACH, "g"),
            "full": number(REACH, "g"),
            "side": SIZE,
            "credit": CREDIT,
        },
        {"changed": changed},
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for row, what in zip(printed[0], ("mean", "std"), strict=True):
        yield row, torch.stack([shown.lookup(f"{key} first {what}", state) for key in NORMS])


FIGURE = FigureSpec("pictures", build, program_output=ProgramOutput(_printed))
