"""What a figure ought to draw, from Python, beside what `reading` reads from the page."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lnviz.explorable import (
    Chart,
    Control,
    Cube,
    Diagram,
    Explorable,
    Grid,
    PhotoGallery,
    Pictures,
    Profile,
    Readout,
    ScatterPlane,
    Scene,
    Slider,
    SweptTensor,
    UnitMaps,
)
from lnviz.explorable.chart import MarkAt, TraceSource
from lnviz.explorable.still import text_at
from lnviz.explorable.views import View
from lnviz.frontend.theme import TOKENS, mix
from lnviz.number_format import number
from tests.lessons.running import control, shows

State = Mapping[str, int]


def expected(explorable: Explorable, state: State) -> list[dict[str, Any] | None]:
    """The views of a figure at a state, as `reading.READ` reads them; a chart's traces as tensors.

    What stands above the controls or is folded away is in no row.
    """
    return [
        _view(explorable, view, state) if shows(explorable, view, state) else None
        for row in explorable.views
        for view in row
        if not (isinstance(view, Readout) and view.style in ("finding", "method"))
    ]


def assert_draws(drawn: list[dict[str, Any] | None], explorable: Explorable, state: State) -> None:
    """What the page has drawn is what Python's tensors hold at a state."""
    wanted = expected(explorable, state)
    assert len(drawn) == len(wanted)
    for seen, want in zip(drawn, wanted, strict=True):
        if seen is None or want is None:
            assert seen == want
            continue
        traces, labels = want.pop("traces", {}), want.pop("labels", ())
        seen_traces = seen.pop("traces", [])
        pixels = want.pop("pixels", torch.empty(0))
        sheet = "".join(seen.pop("pixels", [])).encode("latin-1")
        assert seen.pop("lengths", []) == pytest.approx(want.pop("lengths", []), rel=1e-4)
        assert seen == want
        # Each channel in whole steps of 255, rounded once here and once by the canvas.
        assert_close(torch.tensor([*sheet]), pixels.flatten(), rtol=0, atol=1, check_dtype=False)
        for trace, attributes in traces.items():
            for attribute, values in attributes.items():
                points = torch.tensor(seen_traces[trace][attribute], dtype=torch.float64)
                if trace in labels:
                    assert_in_order(points, values)
                    continue
                assert_close(points, values, rtol=0, atol=1e-9, equal_nan=True)


def assert_in_order(labels: Tensor, ends: Tensor) -> None:
    """Labels at lines' ends may be moved apart, and keep the order of the lines."""
    assert torch.equal(labels.isnan(), ends.isnan())
    by_height = labels[ends.argsort(stable=True)].nan_to_num(torch.inf)
    assert bool((by_height.diff().nan_to_num(0) >= 0).all())


def values(explorable: Explorable, tensor: str, state: State) -> list[float]:
    """A slice of a tensor, rounded as it travels to the browser."""
    return _travelled(explorable, tensor, explorable.lookup(tensor, state))


def along(explorable: Explorable, tensor: str, state: State, pointer: Control) -> list[float]:
    """The values that a tensor has over all positions of a control, or its slice without it."""
    if pointer.name not in explorable.tensors[tensor].dims:
        return values(explorable, tensor, state)
    cells = [explorable.lookup(tensor, {**state, pointer.name: i}) for i in range(pointer.size)]
    return _travelled(explorable, tensor, torch.stack(cells))


def _received(explorable: Explorable, view: Chart) -> dict[str, SweptTensor]:
    """The tensors of a chart, rounded as they travel to the browser."""
    return {
        name: SweptTensor(
            swept.dims, torch.tensor(rounded, dtype=torch.float64).view_as(swept.values)
        )
        for name, swept in explorable.tensors.items()
        if name in set(view.references())
        for rounded in [_travelled(explorable, name, swept.values)]
    }


def _travelled(explorable: Explorable, tensor: str, found: Tensor) -> list[float]:
    decimals, numbers = explorable.tensors[tensor].decimals, found.double().flatten()
    if decimals is not None:
        scaled = (numbers * 10**decimals).round()  # half to even
        known = scaled.isfinite() & (scaled.abs() < 2**31)
        numbers = torch.where(known, scaled / 10**decimals, torch.nan)
    rounded: list[float] = numbers.tolist()
    return rounded


def _text(explorable: Explorable, template: str, state: State) -> str:
    return text_at(explorable, template, state, values)


def _view(explorable: Explorable, view: View, state: State) -> dict[str, Any]:
    match view:
        case Readout():
            return {"text": _text(explorable, view.text, state)}
        case Grid():
            return _grid(explorable, view, state)
        case Cube():
            return _cube(explorable, view, state)
        case Diagram():
            return _diagram(explorable, view, state)
        case Scene():
            return _scene(explorable, view, state)
        case PhotoGallery():
            return _photos(explorable, view, state)
        case Pictures():
            return {
                "title": _text(explorable, view.title, state),
                "alt": _text(explorable, view.alt, state),
                "texts": _sheet(explorable, view, state),
                "pixels": _pixels(
                    values(explorable, view.values, state), view.color_limit, view.ink
                ),
            }
        case ScatterPlane():
            classes = values(explorable, view.classes, state)
            return {
                "title": _text(explorable, view.title, state),
                "alt": _text(explorable, view.alt, state),
                "texts": [_text(explorable, axis, state) for axis in view.axes],
                "classes": ["circle" if of else "rect" for of in classes],
                "pixels": _pixels(values(explorable, view.score, state) if view.score else []),
            }
        case UnitMaps():
            (layers,) = map(int, values(explorable, view.layers, state))
            shape = explorable.lookup(view.values, state).shape
            units = torch.tensor(values(explorable, view.values, state)).reshape(shape)[:layers]
            inputs = values(explorable, view.inputs, state)
            return {
                "title": _text(explorable, view.title, state),
                "alt": _text(explorable, view.alt, state),
                "norms": layers if view.norm else 0,
                "pixels": _pixels([*inputs, *units.flatten().tolist()]),
            }
        case Chart():
            return {
                "title": _text(explorable, view.title, state),
                "alt": _text(explorable, view.alt, state),
                "labels": [trace for trace, bound in view.bind.items() if _names(bound)],
                "traces": {
                    trace: {
                        attribute: torch.tensor(numbers, dtype=torch.float64)
                        for attribute, numbers in bound.items()
                    }
                    for trace, bound in view.trace_data(_received(explorable, view), state).items()
                },
            }


def _names(bound: Mapping[str, TraceSource]) -> bool:
    """Whether a trace stands at the ends of others."""
    return any(isinstance(source, MarkAt) and not source.control for source in bound.values())


def _grid(explorable: Explorable, grid: Grid, state: State) -> dict[str, Any]:
    pointer = control(explorable, grid.pointer)
    sources = [tensor for _, tensor in grid.rows] or [grid.values]
    cells = [value for tensor in sources for value in along(explorable, tensor, state, pointer)]
    shown = [margin for margin in grid.margins if shows(explorable, margin, state)]

    def texts(numbers: list[float], places: str) -> list[str]:
        return ["" if n != n else number(n, places) for n in numbers]

    words = explorable.tensors[sources[0]].words
    return {
        "title": _text(explorable, grid.title, state),
        "axes": [_text(explorable, axis, state) + arrow for axis, arrow in _pointed(grid)],
        "cells": [words[int(n)] for n in cells] if words else texts(cells, grid.format),
        "words": list(grid.words) if any(grid.words) else _above(explorable, grid, state, pointer),
        "pictures": _pictures(explorable, grid, state),
        "statistics": {
            margin.label: texts(values(explorable, margin.values, state), margin.format)
            for margin in shown
        },
    }


def _pointed(grid: Grid) -> Iterable[tuple[str, str]]:
    """What a grid's columns and rows are, with the arrow behind."""
    return zip(grid.axes, (" →", " ↓"), strict=True) if grid.axes else ()


def _above(explorable: Explorable, grid: Grid, state: State, pointer: Control) -> list[str]:
    """The words that follow the state, row by row."""
    return [
        explorable.tensors[name].words[int(number)]
        for name in grid.row_words
        for number in along(explorable, name, state, pointer)
    ]


def _pictures(explorable: Explorable, grid: Grid, state: State) -> list[list[list[float]]]:
    """Column, row and ink of every pixel that is not blank, for each picture."""
    if not grid.pictures:
        return []
    shape = explorable.lookup(grid.pictures, state).shape
    pixels = torch.tensor(values(explorable, grid.pictures, state), dtype=torch.float64)
    return [
        [[float(x), float(y), float(picture[y, x])] for y, x in picture.nonzero().tolist()]
        for picture in pixels.reshape(shape)
    ]


def _cube(explorable: Explorable, view: Cube, state: State) -> dict[str, Any]:
    flat = values(explorable, view.corners, state)
    pointed = state[view.pointer]
    pointer = control(explorable, view.pointer)
    groups = along(explorable, view.groups, state, pointer)
    fronts = [f.corners for f in view.faces if f.side == "front" and f.cell == pointed]

    def places(corners: tuple[int, ...]) -> list[list[float]]:
        return [flat[2 * corner : 2 * corner + 2] for corner in corners]

    return {
        "title": _text(explorable, view.title, state),
        "alt": _text(explorable, view.alt, state),
        "faces": [places(face.corners) for face in view.faces],
        "outline": places(fronts[0]),
        "filled": [cell for cell, group in enumerate(groups) if group == groups[pointed]],
    }


def _diagram(explorable: Explorable, view: Diagram, state: State) -> dict[str, Any]:
    position = state[view.control]
    return {
        "title": _text(explorable, view.title, state),
        "alt": _text(explorable, view.alt, state),
        "note": _text(explorable, view.note, state),
        "boxes": [_text(explorable, box.text, state) for box in view.boxes],
        "lit": [position in part.at for part in (*view.arrows, *view.boxes)],
        "words": [
            *(
                _text(explorable, text, state)
                for bar in view.bars
                for text in (bar.label, bar.number)
            ),
            *(_profile_words(explorable, view.profile, state) if view.profile else []),
        ],
        "lengths": [
            *(
                max(0.75, view.scale * values(explorable, arrow.width, state)[0])
                for arrow in view.arrows
                if arrow.width
            ),
            *(
                max(0.75, bar.size[0] * values(explorable, bar.fraction, state)[0])
                for bar in view.bars
            ),
            *(_bars(explorable, view.profile, state) if view.profile else []),
        ],
    }


def _profile_words(explorable: Explorable, profile: Profile, state: State) -> list[str]:
    heads, ends = (
        [_text(explorable, text, state) for text in texts]
        for texts in (profile.headings, profile.ends)
    )
    layers = len(_bars(explorable, profile, state))
    return [*heads, "layer 1", f"layer {layers}", *ends]


def _bars(explorable: Explorable, profile: Profile, state: State) -> list[float]:
    """Lengths in the picture, beside which there is room for the road and for a number."""
    room = profile.size[0] - 110 - 38
    lengths = values(explorable, profile.bars, state)
    return [max(1.0, room * length / profile.full_length) for length in lengths if length == length]


def _scene(explorable: Explorable, view: Scene, state: State) -> dict[str, Any]:
    """Lines in the order of painting: what is filled or lies behind the middle, then the rest."""
    camera = values(explorable, view.camera, state)

    def seen(tensor: str) -> list[tuple[float, float, float]]:
        flat = values(explorable, tensor, state)
        return [
            (product(flat, i, 0), product(flat, i, 3), product(flat, i, 6))
            for i in range(0, len(flat), 3)
        ]

    def product(flat: list[float], point: int, row: int) -> float:
        x, y, z = (camera[row + i] * flat[point + i] for i in range(3))
        return x + y + z

    def whole(places: list[tuple[float, float, float]]) -> list[float]:
        return [number for place in places for number in place[:2]]

    behind, before = [], []
    for path in view.paths:
        joined = [place for tensor in path.points for place in seen(tensor)]
        if not path.sided:
            (behind if path.filled else before).append(whole(joined))
            continue
        sides: dict[bool, list[float]] = {False: [], True: []}
        for start, end in pairwise(joined):
            sides[start[2] + end[2] >= -0.01] += whole([start, end])
        behind.append(sides[False])
        (behind if path.filled else before).append(sides[True])
    return {
        "title": _text(explorable, view.title, state),
        "alt": _text(explorable, view.alt, state),
        "lines": behind + before,
        "dots": [list(seen(spot.points)[0][:2]) for spot in view.spots],
        "words": [spot.text for spot in view.spots],
    }


def _photos(explorable: Explorable, view: PhotoGallery, state: State) -> dict[str, Any]:
    def tensor(name: str) -> Tensor:
        shape = explorable.lookup(name, state).shape
        return torch.tensor(values(explorable, name, state), dtype=torch.float64).reshape(shape)

    scale, shift = (tensor(name)[..., None, None] for name in (view.scale, view.shift))
    colors = 255 * (scale * tensor(view.values) + shift).clamp(0, 1)
    whole = torch.cat([colors, torch.full_like(colors[:, :1], 255)], 1).round().int()
    return {
        "title": _text(explorable, view.title, state),
        "alt": _text(explorable, view.alt, state),
        "texts": [_text(explorable, label, state) for label in view.labels],
        "pixels": whole.permute(0, 2, 3, 1),
    }


def _sheet(explorable: Explorable, view: Pictures, state: State) -> list[str]:
    """The texts around pictures: of each row, below them a blank corner, of each column."""
    heads = [_text(explorable, head, state) for head in view.row_labels]
    labels = [_text(explorable, label, state) for label in view.labels]
    return [*heads, "", *labels] if any(view.row_labels) else labels


def _pixels(values: list[float], reach: float = 1.0, ink: bool = False) -> Tensor:
    return torch.tensor([_color(value, reach, ink) for value in values])


def _color(value: float, reach: float, ink: bool) -> list[int]:
    """Red, green, blue and opacity of a pixel on a light page; without a value it is clear."""
    if value != value:
        return [0, 0, 0, 0]
    share = min(1.0, max(0.0 if ink else -1.0, value / reach))
    end = "ink" if ink else "warm" if share > 0 else "cool"
    color = mix(TOKENS["page"].light, TOKENS[end].light, abs(share))
    return [*bytes.fromhex(color[1:]), 255]


def sliders(explorable: Explorable) -> list[Slider]:
    return [control for control in explorable.controls if isinstance(control, Slider)]
