"""Captions of the grid figure, which depend on the norm, the picked cell and the data."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lnviz.explorable import SweptTensor
from lnviz.lessons.axes.views import NumberStyle, keys
from lnviz.lessons.axes.window import EPS, MOST_TERMS, Window
from lnviz.lessons.captions import (
    Captions,
    CaptionVariant,
    CaptionVariants,
    RenderedCaptions,
    Values,
)
from lnviz.norms import BATCH

ROUNDING = 1e-9  # relative error of sums in 64-bit arithmetic, at most
LEAST_VARIANCE = 0.995  # after standardizing: below it, a grid shows less than 1.00


def render_captions(
    words: Captions, window: Window, places: NumberStyle
) -> tuple[RenderedCaptions, dict[str, SweptTensor]]:
    """Render the grid figure's captions; return them, and tensors that show or hide captions."""
    special, tensors = _special_groups(window)
    tensors |= _signs(window, places)
    values: Values = {"line": places.line_format, "cells": places.cell_format, "eps": EPS}
    cases = _arithmetic(window) | _norm_properties(window) | special | _data_notes(window)
    return words.render(values, cases), tensors


def _arithmetic(window: Window) -> CaptionVariants:
    """Return caption variants for means and variances, with all terms if there are few."""
    cases: dict[str, list[CaptionVariant]] = {
        f"{what} of {many}": []
        for what in ("mean", "variance", "mean square")
        for many in ("few", "many")
    }
    for norm in window.norms:
        most = len(window.batch) if norm is BATCH else window.size(norm)
        count = "{batch size}" if norm is BATCH else f"{most:,}"
        many = "few" if most <= MOST_TERMS else "many"
        for what in ("mean", "variance") if norm.center else ("mean square",):
            cases[f"{what} of {many}"].append(
                CaptionVariant({"norm": (norm.key,)}, {"count": count})
            )
    return {name: tuple(some) for name, some in cases.items()}


def _signs(window: Window, places: NumberStyle) -> dict[str, SweptTensor]:
    """Return whether sums and quotients, as they are shown, are equal or approximate."""
    walk = window.walk
    counts = group_sizes(window).to(walk.mean.device)
    signs = {}
    for summed, divided, terms, means in (
        ("sum", "mean", walk.terms, walk.mean),
        ("squares", "var", walk.squares, walk.var),
    ):
        numbers = places.as_shown(terms, places.cell_format).nan_to_num()
        total = places.as_shown(means.double() * counts, places.line_format)
        mean = places.as_shown(means, places.line_format)
        far = (numbers.sum(-1) - total).abs()
        signs[f"{summed} sign"] = far <= ROUNDING * numbers.abs().sum(-1)
        signs[f"{divided} sign"] = (total / counts - mean).abs() <= ROUNDING * mean.abs()
    over = ("norm", "batch size", "cell")
    return {
        name: SweptTensor(over, is_equal.flatten(2).float(), 0, words=("≈", "="))
        for name, is_equal in signs.items()
    }


def group_sizes(window: Window) -> Float[Tensor, "norms B 1 1"]:
    """Return the number of values that share a mean under each norm, at each batch size."""
    sizes = torch.arange(1, len(window.batch) + 1)
    of_norms = [
        sizes if norm is BATCH else torch.full_like(sizes, window.size(norm))
        for norm in window.norms
    ]
    return torch.stack(of_norms).double()[..., None, None]


def _norm_properties(window: Window) -> CaptionVariants:
    """Return caption variants for norms that center, that have groups, or that use the batch."""
    centering, others = (keys(window.norms, center) for center in (True, False))
    sizes = tuple(range(2, len(window.batch) + 1))
    return {
        "centering": (CaptionVariant({"norm": centering}),),
        "not centering": (CaptionVariant({"norm": others}),),
        "several cases": (CaptionVariant({"norm": (BATCH.key,), "batch size": sizes}),),
        "groups": tuple(
            CaptionVariant(
                {"norm": (norm.key,)}, {"part": window.size(norm), "width": window.batch.shape[1]}
            )
            for norm in window.norms
            if norm.group_count
        ),
    }


def _special_groups(window: Window) -> tuple[CaptionVariants, dict[str, SweptTensor]]:
    """Return caption variants for groups of equal or extreme values, and masks of those groups."""
    walk = window.walk
    several = walk.inside.clone()
    several[window.norms.index(BATCH), 0] = False  # a batch of one has its own caption
    centers = torch.tensor([norm.center for norm in window.norms], device=several.device)
    centers = centers[:, None, None, None]
    finite = walk.var.isfinite()
    none = several & (walk.var == 0)
    small = several & finite & ~walk.flat & (walk.var > 0) & (walk.after_var < LEAST_VARIANCE)
    masks: dict[str, Bool[Tensor, "norms B N U"]] = {
        "equal": none & walk.flat & centers,
        "zero": none & walk.flat & ~centers,
        "rounded": several & finite & walk.flat & (walk.var > 0),
        "vanished": none & ~walk.flat,
        "small variance": small & centers,
        "small square": small & ~centers,
        "endless": walk.inside & ~finite,
    }
    there = {name: mask for name, mask in masks.items() if mask.any()}
    over = ("norm", "batch size", "cell")
    tensors = {
        name: SweptTensor(over, torch.where(mask, 1.0, torch.nan).flatten(2), 0)
        for name, mask in there.items()
    }
    if there.keys() & {"rounded", "small variance", "small square"}:
        tensors["exact var"] = SweptTensor(over, walk.var.flatten(2))
        tensors["after var"] = SweptTensor(over, walk.after_var.flatten(2))
    return {name: name in there for name in masks}, tensors


def _data_notes(window: Window) -> CaptionVariants:
    """Return caption variants that describe the data and the visible part of the data."""
    source = window.source
    count, width = source.values.shape
    numbers = {
        "cases": count,
        "width": width,
        "first-case": window.cases.start + 1,
        "last-case": window.cases.stop,
        "first-feature": window.units.start + 1,
        "last-feature": window.units.stop,
    }
    said: dict[str, tuple[bool, Values]] = {
        "no groups": (not any(norm.group_count for norm in window.norms), {"width": width}),
        "window": (source.values.shape != window.shown.shape, numbers),
        "data": (bool(source.note), {"data": source.note or ""}),
        "pictures": (source.images is not None, {}),
    }
    return {
        name: (CaptionVariant({}, values),) if is_so else ()
        for name, (is_so, values) in said.items()
    }
