"""Where the sentences of the two axes' figure are said: for which norms, cases and numbers."""

from __future__ import annotations

import torch
from jaxtyping import Bool
from torch import Tensor

from lnviz.explorable import Swept
from lnviz.lessons.axes.scene import EPS, MOST_TERMS, Scene
from lnviz.lessons.axes.views import Written, keys
from lnviz.lessons.words import Case, Said, Values, Words
from lnviz.norms import BATCH

LEAST_VARIANCE = 0.995  # after standardizing: below it, a grid shows less than 1.00

Cases = dict[str, tuple[Case, ...]]


def said(words: Words, scene: Scene, places: Written) -> tuple[Said, dict[str, Swept]]:
    """Write sentences on the pointed cell, on cases that need one, and on the data."""
    special, tensors = _special(scene)
    values: Values = {"line": places.line, "cells": places.cells, "eps": EPS}
    cases = _sums(scene) | _outlines(scene) | special | _data(scene)
    return words.said(values, cases), tensors


def _sums(scene: Scene) -> Cases:
    """Where the mean and the variance of each norm are written out, and where only their sums."""
    cases: dict[str, list[Case]] = {
        f"{what} of {many}": []
        for what in ("mean", "variance", "mean square")
        for many in ("few", "many")
    }
    for norm in scene.norms:
        most = len(scene.batch) if norm is BATCH else scene.size(norm)
        count = "{batch size}" if norm is BATCH else f"{most:,}"
        many = "few" if most <= MOST_TERMS else "many"
        for what in ("mean", "variance") if norm.center else ("mean square",):
            cases[f"{what} of {many}"].append(Case({"norm": (norm.key,)}, {"count": count}))
    return {name: tuple(some) for name, some in cases.items()}


def _outlines(scene: Scene) -> Cases:
    """Which norms center, and what the outline says of each."""
    centering, others = (keys(scene.norms, center) for center in (True, False))
    sizes = tuple(range(2, len(scene.batch) + 1))
    not_batch = tuple(norm.key for norm in scene.norms if norm is not BATCH)
    return {
        "centering": (Case({"norm": centering}),),
        "not centering": (Case({"norm": others}),),
        "several cases": (Case({"norm": (BATCH.key,), "batch size": sizes}),),
        "groups": tuple(Case({"norm": (norm.key,)}) for norm in scene.norms if norm.group_count),
        "others than BatchNorm": (Case({"norm": not_batch}),),
    }


def _special(scene: Scene) -> tuple[Cases, dict[str, Swept]]:
    """Where all numbers are equal, or epsilon or 32-bit numbers have a say; if that is anywhere."""
    walk = scene.walk
    several = walk.inside.clone()
    several[scene.norms.index(BATCH), 0] = False  # a batch of one has a sentence of its own
    centers = torch.tensor([norm.center for norm in scene.norms], device=several.device)
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
        name: Swept(over, torch.where(mask, 1.0, torch.nan).flatten(2), 0)
        for name, mask in there.items()
    }
    if there.keys() & {"rounded", "small variance", "small square"}:
        tensors["exact var"] = Swept(over, walk.var.flatten(2))
        tensors["after var"] = Swept(over, walk.after_var.flatten(2))
    return {name: (Case({}),) if name in there else () for name in masks}, tensors


def _data(scene: Scene) -> Cases:
    """What is on the screen, and what is not."""
    source = scene.source
    count, width = source.values.shape
    window = {
        "cases": count,
        "width": width,
        "first-case": scene.cases.start + 1,
        "last-case": scene.cases.stop,
        "first-feature": scene.units.start + 1,
        "last-feature": scene.units.stop,
    }
    said: dict[str, tuple[bool, Values]] = {
        "no groups": (not any(norm.group_count for norm in scene.norms), {"width": width}),
        "window": (source.values.shape != scene.shown.shape, window),
        "data": (bool(source.note), {"data": source.note or ""}),
        "pictures": (source.pictures is not None, {}),
    }
    return {name: (Case({}, values),) if is_so else () for name, (is_so, values) in said.items()}
