"""Numbers quoted in the text of /inside."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.diagnostics import example
from lnviz.lessons.inside import loss_text_values
from lnviz.lessons.inside.massive import losses, peak
from lnviz.lessons.inside.reading import median_size, near_zero_gains, sublayer_norms
from lnviz.lessons.inside.yours import MOST
from lnviz.pretrained import MINILM, SMOLLM2, minilm, smollm2
from lnviz.pretrained.final_norm import DIVISION, FINAL_NORM, GAINS, VARIANTS, WHOLE
from lnviz.pretrained.massive_activations import CONTROL_COMPONENTS
from lnviz.pretrained.records import EPSILONS, SWAP_KINDS
from lnviz.pretrained.stored_records import stored_records

NOES = 10
"""The index of the stored text that repeats one word."""


def text_values() -> Mapping[str, float]:
    """Return the numbers quoted in /inside: model dimensions, probabilities, losses, etc."""
    sizes = {"smollm2": smollm2.SHAPE, "minilm": minilm.SHAPE}
    return {
        **{f"{name}-layers": shape.layers for name, shape in sizes.items()},
        **{f"{name}-width": shape.width for name, shape in sizes.items()},
        "most": MOST,
        "run-layers": example.SHAPE.layers,
        "run-steps": example.STEPS,
        "runs": 10 * round(_runs() / 10),
        "smollm2-additions": 2 * smollm2.SHAPE.layers,
        **_final(),
        **_massive(),
        **_gains(),
        **loss_text_values.loss_values(),
    }


def _final() -> Mapping[str, float]:
    """Return the quoted probabilities of the top token, with all and half of the final norm."""
    chances = FINAL_NORM.result.tensor("chances", "way", "text", "guess")[..., 0]
    whole, gains, division = (chances[VARIANTS.index(way)] for way in (WHOLE, GAINS, DIVISION))
    return {
        "whole-least": whole.min().item(),
        "whole-most": whole.max().item(),
        "gains-least": gains.min().item(),
        "division-most": division.max().item(),
    }


def _massive() -> Mapping[str, float]:
    """Return the quoted massive activations, and losses with massive activations set to 0."""
    texts, minilm_texts = (
        stored_records(SMOLLM2.key).sentence_records,
        stored_records(MINILM.key).sentence_records,
    )
    page = stored_records(SMOLLM2.key).passage_record
    component, norms = page.zeroed.component, page.norms
    peaks, minilm_peaks = list(map(peak, texts)), list(map(peak, minilm_texts))
    values = [abs(each.value) for each in peaks]
    unchanged, without, elsewhere, *others = losses(page).tolist()
    noes_loss, noes_without, *_ = losses(texts[NOES]).tolist()
    layer = int(norms[peaks[0].norm].split(".")[1])
    return {
        "massive": component,
        "minilm-massive": minilm_texts[0].zeroed.component,
        "peak": layer,
        "peak-least": min(values),
        "peak-most": max(values),
        "peak-ratio": max(values) / min(values),
        "peak-share": int(100 * min(each.share for each in peaks)),
        "peak-behind": peaks[0].behind,
        "root": smollm2.SHAPE.width**0.5,
        "writer": layer - 1,
        "first-eraser": smollm2.SHAPE.layers - 2,
        "second-eraser": smollm2.SHAPE.layers - 1,
        "noes": len(texts[NOES].tokens),
        "noes-loss": noes_loss,
        "noes-without": noes_without,
        "minilm-massive-most": max(each.value for each in minilm_peaks),
        "minilm-behind": minilm_peaks[0].behind,
        "others": CONTROL_COMPONENTS,
        "page": unchanged,
        "page-without": without,
        "page-others": max(abs(loss - unchanged) for loss in others),
        "page-elsewhere": elsewhere,
    }


def _gains() -> Mapping[str, float]:
    """Return the medians of gains and the layers with near-zero gains quoted in /inside."""
    gains, off = stored_records(SMOLLM2.key).gains, near_zero_gains(SMOLLM2.key)  # S,D
    norms = stored_records(SMOLLM2.key).passage_record.norms
    alone = {
        layer: int(off[norm].nonzero())
        for layer, norm in enumerate(sublayer_norms(norms, "feedforward"))
        if off[norm].sum() == 1
    }
    some = [
        layer for layer, norm in enumerate(sublayer_norms(norms, "attention")) if off[norm].any()
    ]
    first, *_, final = median_size(gains).tolist()
    second = alone[min(alone)]
    dead = near_zero_gains(MINILM.key)[-1].nonzero().flatten().tolist()
    return {
        "first-median": first,
        "final-median": final,
        "median-ratio": final / first,
        "off-from": min(alone),
        "off-to": max(alone),
        "second": second,
        "second-to": max(layer for layer, component in alone.items() if component == second),
        "none-from": some[-1] + 1,
        "first-off": int(off[0].sum()),
        "first-negative": int((gains[0] < 0).sum()),
        **{f"dead-{at}": component for at, component in enumerate(dead, 1)},
        **_minilm_gains(),
    }


def _minilm_gains() -> Mapping[str, float]:
    """Return how the gains of MiniLM's largest component rank among each norm's gains."""
    minilm = stored_records(MINILM.key)
    component, norms = minilm.passage_record.zeroed.component, minilm.passage_record.norms
    sizes = minilm.gains.abs()
    smaller = (sizes < sizes[:, component, None]).sum(-1)  # S
    larger = sizes.shape[1] - 1 - smaller
    at_attention, behind = sublayer_norms(norms, "attention"), sublayer_norms(norms, "feedforward")
    return {
        "largest-to": max(layer for layer, norm in enumerate(at_attention) if larger[norm] == 0),
        "smallest": int(smaller[behind].max()) + 1,
    }


def _runs() -> int:
    """Return the number of forward passes, whole or partial, that all figures need for one text."""
    record = stored_records(SMOLLM2.key).sentence_records[0]
    return len(SWAP_KINDS) * (len(record.locations) + 1) + len(EPSILONS) + CONTROL_COMPONENTS + 4
