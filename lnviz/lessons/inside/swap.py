"""The loss of a published model when its norms are replaced by other norms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Choice, Explorable, Option, Slider, SweptTensor
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.chart_axes import ChartAxis, linear_axis, log_axis, short_log_axis, to_log10
from lnviz.lessons.charts import Annotation, Mark, chart, line, marker, markers, threshold
from lnviz.lessons.inside import dividing
from lnviz.lessons.inside.reading import MODEL, PAGE, TEXT, stored_record
from lnviz.lessons.lesson import FigureSpec
from lnviz.pretrained import minilm, smollm2
from lnviz.pretrained.packages import MINILM, PACKAGES, SMOLLM2
from lnviz.pretrained.records import EPSILONS, SWAP_KINDS, TextRecord
from lnviz.pretrained.stored_records import stored_records

CHANGED = replace(MODEL, name="changed")
EPSILON = "epsilon"
EVERYWHERE = "every norm"
SHAPES = {SMOLLM2.key: smollm2.SHAPE, MINILM.key: minilm.SHAPE}
EVENLY = math.log(smollm2.VOCABULARY)
"""The loss of a model that predicts all tokens with equal probability."""
LOSSES = {SMOLLM2.key: "loss", MINILM.key: "distance from the unchanged vector"}
"""The name of each model's loss; MiniLM does not predict tokens. See `lnviz.pretrained.Model.loss`.
"""
LEAST = 1e-6  # nats; a loss of 0, from a confident and correct model in float32, is drawn here
ROOM = 1.6  # margin below the least loss, and above the largest for marks of missing losses
Alone = tuple[tuple[float | None, ...], ...]
CAPTIONS = load_captions(__file__)


def build(changed: str = SMOLLM2.key, passage: str = PAGE) -> Explorable:
    """Build the figure of losses with replaced norms, for a stored text in a published model."""
    alone = stored_records(changed).epsilon_losses_by_location if passage == PAGE else None
    return swap_figure(stored_record(changed, passage), alone)


def swap_figure(record: TextRecord, epsilons_alone: Alone | None = None) -> Explorable:
    """Build the figure of losses with replaced norms, for any text in a published model.

    Args:
        record: the record of the text.
        epsilons_alone: losses with another epsilon in a single layer, if known.
    """
    if record.swaps.loss is None:
        captions = CAPTIONS.render(variants={"language": False, "encoder": False, "short": True})
        return Explorable(captions.title, (), {}, (captions.sections["short"],))
    placed = (
        SWAP_KINDS if epsilons_alone is None else (*SWAP_KINDS, EPSILON)
    )  # losses known by position
    controls = _controls(record, placed)
    language = record.model == SMOLLM2.key
    case = (CaptionVariant({}, {"own": record.swaps.loss, "where": _where(placed)}),)
    captions = CAPTIONS.render(
        variants={
            "language": case if language else (),
            "encoder": () if language else (CaptionVariant({}, {"where": _where(placed)}),),
            "short": False,
        }
    )
    losses = _losses(record, epsilons_alone)  # kinds, epsilons, 1 + places
    tensors = _tensors(record, losses, controls, placed)
    where = {controls[0].name: placed}
    return Explorable(
        title=captions.title,
        controls=controls,
        tensors=tensors | dividing.divisor_tensors(record, controls[2]),
        views=(
            (replace(_places(record, losses, tensors, controls[1]), when=where),),
            captions.readouts,
            (
                replace(
                    _epsilons(record, losses, placed, controls[2]),
                    when={controls[0].name: (EPSILON,)},
                ),
                dividing.spread(record, {controls[0].name: ("sigma", "tanh", EPSILON)}),
            ),
        ),
    )


def replaced_norms(place: str) -> str:
    """Return the label of the layer, or final norm, whose norms are replaced, given its key.

    >>> replaced_norms("layers.3"), replaced_norms("final")
    ('layer 3', 'final norm')
    """
    kind, _, layer = place.partition(".")
    return f"layer {layer}" if layer else f"{kind} norm"


def _controls(record: TextRecord, placed: tuple[str, ...]) -> tuple[Choice, Slider, Slider]:
    """Return the controls: the kind of replacement, the layer with replaced norms, and epsilon."""
    centering = "removed" if record.model == MINILM.key else "added"
    replaced = Choice(
        "replaced",
        (
            Option("centering", f"centering {centering}"),
            Option("gains", "gains averaged"),
            Option("sigma", "sigma frozen"),
            Option("tanh", "tanh"),
            Option(EPSILON, EPSILON),
        ),
        "centering",
    )
    places = Slider(
        "layer",
        (-2.0, *dividing.norm_positions(record.locations)),
        -2.0,
        decimals=0,
        when={replaced.name: placed},
        has_step_buttons=True,
        names=(EVERYWHERE, *map(replaced_norms, record.locations)),
        url_name="place",
    )
    own = SHAPES[record.model].eps
    return (
        replaced,
        places,
        Slider(EPSILON, EPSILONS, own, log=True, when={replaced.name: (EPSILON,)}),
    )


def _losses(
    record: TextRecord, epsilons_alone: Alone | None
) -> Float[Tensor, "kinds epsilons places"]:
    """Return losses by replacement, epsilon and layer; layer index 0 means all layers at once.

    Losses that are not known for single positions are those for all positions.
    """
    swaps = record.swaps
    together, alone = _tensor(swaps.together), _tensor(swaps.alone)
    kinds = torch.cat([together[:, None], alone.T], 1)  # kinds,1 + places
    all_norms = _tensor(swaps.epsilons)[:, None]
    by_place = (
        all_norms.expand(-1, len(alone)) if epsilons_alone is None else _tensor(epsilons_alone).T
    )
    epsilons = torch.cat([all_norms, by_place], 1)  # epsilons,1 + places
    return torch.cat([kinds[:, None].expand(-1, len(EPSILONS), -1), epsilons[None]])


def _tensor(losses: tuple[float | None, ...] | Alone) -> Tensor:
    """Return losses as a tensor, with NaN for missing losses."""
    return torch.from_numpy(np.array(losses, dtype=np.float32))


def _heights(record: TextRecord, losses: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Return the losses as drawn on the vertical axis: as logarithms for a language model."""
    return losses if record.model == MINILM.key else to_log10(losses.clamp(min=LEAST))


def _tensors(
    record: TextRecord,
    losses: Tensor,
    controls: tuple[Choice, Slider, Slider],
    placed: tuple[str, ...],
) -> dict[str, SweptTensor]:
    replaced, place, epsilon = (control.name for control in controls)
    heights = _heights(record, losses)
    tensors = {
        "loss": SweptTensor((replaced, epsilon, place), losses, 4),
        "height": SweptTensor((replaced, epsilon, place), heights, 4),
        "together": SweptTensor((replaced, epsilon), heights[..., :1].contiguous(), 4),
        "alone": SweptTensor((replaced, epsilon), heights[..., 1:].contiguous(), 4),
    }
    by_place = heights[-1]  # epsilons,1 + places
    if EPSILON in placed:
        tensors["epsilon height"] = SweptTensor((epsilon, place), by_place, 4)
    else:
        tensors["epsilon height"] = SweptTensor((epsilon,), by_place[:, 0].contiguous(), 4)
    if losses.isnan().any():
        top = float(_heights(record, ROOM * losses.nan_to_num().max()))
        beyond = torch.full_like(losses, top).where(losses.isnan(), torch.nan)
        tensors["beyond"] = SweptTensor((replaced, epsilon), beyond, 4)
    return tensors


def _places(
    record: TextRecord, losses: Tensor, tensors: Mapping[str, SweptTensor], place: Slider
) -> Chart:
    """Draw the loss against the layer whose norms are replaced."""
    places = dividing.norm_positions(record.locations)
    drawn = [
        line("replaced in one place", "accent", places, "alone", width=2, mode="lines+markers"),
        markers("soft", [-2.0], "together", symbol="diamond", name=f"at {EVERYWHERE}"),
        marker(place, "height"),
    ]
    if "beyond" in tensors:
        everywhere = [-2.0, *places]
        drawn.append(
            markers("ink", everywhere, "beyond", symbol="triangle-up-open", name="beyond float32")
        )
    ticks = {-2.0: "all"} | dividing.ticks(record.locations)
    axis, words = _scaled(record, losses)
    what = LOSSES[record.model].capitalize()
    return chart(
        f"{what}, with norms of {PACKAGES[record.model].label} replaced: {{replaced}}",
        [*drawn, words],
        linear_axis(
            "layer whose norms are replaced", -2.0, places[-1], ticks=ticks, zeroline=False
        ),
        axis,
        f"{what} when the norms of one layer of {PACKAGES[record.model].label} are replaced, and "
        "when all are ({replaced}; epsilon {epsilon}). The mark is at {layer}; its value is in "
        "the title.",
        height=400,
    )


def _scaled(record: TextRecord, losses: Tensor) -> tuple[ChartAxis, list[Annotation]]:
    """Return the axis of losses, and labeled lines at the losses of reference models."""
    known = losses[losses.isfinite()]
    own, most = float(record.swaps.loss or 0.0), float(known.max())
    least = max(float(known.min()), LEAST)
    if record.model == MINILM.key:
        return linear_axis("1 − cosine", 0.0, most, zeroline=False), []
    words = [
        threshold(math.log10(max(own, LEAST)), "unchanged", above=False),
        threshold(math.log10(EVENLY), "all tokens equally likely"),
    ]
    return short_log_axis("loss in nats", least / ROOM, max(ROOM * most, EVENLY)), words


def _where(placed: tuple[str, ...]) -> str:
    """Return the caption phrase that names the norms whose epsilon is changed."""
    return "{layer}" if EPSILON in placed else EVERYWHERE


def _epsilons(
    record: TextRecord, losses: Tensor, placed: tuple[str, ...], epsilon: Slider
) -> Chart:
    """Draw the loss against epsilon, for the layer selected in the other chart."""
    where = _where(placed)
    axis, words = _scaled(record, losses[-1])
    ink = Mark(token="ink")
    curve = line(
        "loss", "accent", epsilon, "epsilon height", width=2, mark=ink, mode="lines+markers"
    )
    ends = to_log10(torch.tensor(EPSILONS)).tolist()
    return chart(
        f"{LOSSES[record.model].capitalize()} by epsilon, {where}",
        [curve, words],
        log_axis("epsilon", ends[0], ends[-1]),
        axis,
        f"{LOSSES[record.model].capitalize()} of {PACKAGES[record.model].label} by epsilon, from "
        f"1e-12 to 1, at {where}. The mark is at {{epsilon}}; its value is in the title.",
        height=360,
        legend=False,
    )


FIGURE = FigureSpec("swap", build, (CHANGED, TEXT))
