"""An explorable: controls, swept tensors, views and code, as one document for the browser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import torch
from torch import Tensor

from lnviz.explorable.chart import Chart, Standing
from lnviz.explorable.code import controls_in
from lnviz.explorable.controls import Choice, Control, Slider, position, positions, slug
from lnviz.explorable.edits import Edits
from lnviz.explorable.photos import Photos
from lnviz.explorable.scene import Scene
from lnviz.explorable.swept import Swept
from lnviz.explorable.views import Pictures, Readout, View

Row = tuple[View, ...]


@dataclass(frozen=True)
class Explorable:
    """One interactive figure.

    Args:
        title: Its accessible name.
        controls: The axes the reader moves, in the order of the page.
        tensors: What is looked up, by name.
        views: What is drawn, row by row; views in one row stand side by side where there is room.
        code: PyTorch that reproduces the figure's state. `«name»` stands for a control's code.
        edits: The table whose cells the reader may type anew, if there is one.

    Raises:
        ValueError: A tensor does not fit its controls or its words, a view names what does not
            exist or is shown at what is no position, has not the pictures it labels, or several
            choices could color the figure.
    """

    title: str
    controls: tuple[Control, ...]
    tensors: Mapping[str, Swept]
    views: tuple[Row, ...]
    code: str = ""
    edits: Edits | None = None

    def __post_init__(self) -> None:
        sizes = {control.name: control.size for control in self.controls}
        if len(sizes) != len(self.controls):
            raise ValueError(f"{self.title!r}: two controls share a name: {list(sizes)}")
        for name, swept in self.tensors.items():
            unknown = [control for control in swept.over if control not in sizes]
            if unknown:
                raise ValueError(
                    f"tensor {name!r} is swept over {unknown}, known are {list(sizes)}"
                )
            expected = tuple(sizes[control] for control in swept.over)
            received = tuple(swept.values.shape[: len(expected)])
            if received != expected:
                raise ValueError(
                    f"tensor {name!r}: leading dimensions must be {expected} for {swept.over}, "
                    f"received {received}"
                )
            if not swept.words:
                continue
            numbers = swept.values[~swept.values.isnan()]
            if not torch.isin(numbers, torch.arange(len(swept.words))).all():
                raise ValueError(
                    f"tensor {name!r}: {len(swept.words)} words are numbered from 0 to "
                    f"{len(swept.words) - 1}, received {numbers.amin():g} to {numbers.amax():g}"
                )
        for control in self.controls:
            conditions = control.when if isinstance(control, Slider | Choice) else {}
            missing = [name for name in conditions if name not in sizes]
            if missing:
                raise ValueError(f"{control.name!r} is shown by {missing}, known are {list(sizes)}")
            self._placed(control.payload())
        for view in self._all_views():
            place = view.place if isinstance(view, Readout) else ""
            place = place or f"a view of {self.title!r}"
            missing = [n for n in view.names() if n not in sizes and n not in self.tensors]
            if missing:
                raise ValueError(f"{place} names {missing}, which do not exist")
            try:
                self._placed(view.payload())
            except ValueError as error:
                raise ValueError(f"{place}: {error}") from error
            if isinstance(view, Chart):
                self._check_marks(view, sizes)
            if isinstance(view, Pictures):
                self._check_pictures(view)
            if isinstance(view, Photos):
                self._check_photos(view)
            if isinstance(view, Scene):
                self._check_scene(view)
        unknown = sorted(controls_in(self.code) - set(sizes))
        if unknown:
            raise ValueError(f"the code of {self.title!r} has no control for {unknown}")
        if len(self._colored) > 1:
            raise ValueError(
                f"{self.title!r} takes its color from one choice with colored options, received "
                f"{self._colored}"
            )

    @property
    def _colored(self) -> list[str]:
        """The choices whose options could color the figure."""
        choices = [control for control in self.controls if isinstance(control, Choice)]
        return [c.name for c in choices if any(o.color != "accent" for o in c.options)]

    def start(self) -> dict[str, int]:
        """Return a state with every control at rest."""
        return positions(self.controls, lambda control: control.start_index)

    def at(self, **values: Any) -> dict[str, int]:
        """Return the state at these values (underscores stand for blanks), else at rest."""
        known = {control.name: control for control in self.controls}
        state = self.start()
        for key, value in values.items():
            control = known[key.replace("_", " ")]
            state[control.name] = (
                control.index(value) if isinstance(control, Slider | Choice) else int(value)
            )
        return state

    def starting(self, values: Mapping[str, Any]) -> Explorable:
        """Return the figure with controls that begin elsewhere.

        Args:
            values: By the controls' names in addresses: a slider's value, of which the nearest
                position is taken, an option's, or the row and the column of a cell, from 0.

        Raises:
            ValueError: There is no such control, or it has no such position.
        """
        known = {_slug(control): control for control in self.controls}
        if unknown := [name for name in values if name not in known]:
            raise ValueError(f"{self.title!r} has no {unknown}; its controls are {[*known]}")
        begun = {known[name].name: _begun(known[name], value) for name, value in values.items()}
        controls = (begun.get(control.name, control) for control in self.controls)
        return replace(self, controls=tuple(controls))

    def lookup(self, tensor: str, state: Mapping[str, int | slice]) -> Tensor:
        """Return the slice of a tensor at a state: what the browser looks up.

        A slice in place of a position takes all positions of a control that it names.
        """
        swept = self.tensors[tensor]
        return swept.values[tuple(state[control] for control in swept.over)]

    def code_at(self, state: Mapping[str, int]) -> str:
        """Return the figure's code at a state."""
        text = self.code
        for control in self.controls:
            text = text.replace(f"«{control.name}»", control.code(state[control.name]))
        return text

    def payload(self) -> dict[str, Any]:
        """Return `Payload` of `payload.d.ts`, but for its parameters."""
        return {
            "title": self.title,
            "controls": [
                {**self._placed(control.payload()), "slug": _slug(control)}
                for control in self.controls
            ],
            "tensors": {name: swept.payload() for name, swept in self.tensors.items()},
            "views": [[self._placed(view.payload()) for view in row] for row in self.views],
            "code": self.code,
            "color": next(iter(self._colored), ""),
            "edits": self.edits.payload() if self.edits else None,
        }

    @cached_property
    def widget(self) -> Any:
        """The figure as a widget of a notebook, with its own numbers alone.

        Raises:
            ImportError: anywidget is not installed.
        """
        from lnviz.explorable import notebook  # not everybody has what it needs

        return notebook.widget(self.payload())

    def _repr_mimebundle_(self, **_: Any) -> Any:
        """What Jupyter shows."""
        shown = self._display_()
        return {"text/plain": shown} if isinstance(shown, str) else shown._repr_mimebundle_()

    def _display_(self) -> Any:
        """What marimo shows: the widget, or what is missing for it."""
        try:
            return self.widget
        except ImportError as error:
            return str(error)

    def _check_marks(self, view: Chart, sizes: Mapping[str, int]) -> None:
        marks = [
            (trace, attribute, source)
            for trace, sources in view.bind.items()
            for attribute, source in sources.items()
            if isinstance(source, Standing) and source.control
        ]
        drawn = view.drawn(self.tensors, self.start()) if marks else {}
        for trace, attribute, source in marks:
            positions = source.places or range(sizes[source.control])
            if len(positions) != sizes[source.control]:
                raise ValueError(
                    f"trace {trace} of {view.title!r} has {len(positions)} places for "
                    f"{sizes[source.control]} positions of {source.control!r}"
                )
            for on in source.traces:
                bound = drawn[on].get(attribute) if on in drawn and on != trace else None
                points = view.figure.data[on][attribute] if bound is None else bound
                if max(positions) >= len(points):
                    raise ValueError(
                        f"trace {trace} of {view.title!r} stands on trace {on}, whose "
                        f"{attribute} has {len(points)} points; {source.control!r} needs "
                        f"{max(positions) + 1}"
                    )

    def _check_pictures(self, view: Pictures) -> None:
        shape = self._slice(view.values)
        expected = (len(view.heads), len(view.labels))
        if len(shape) != 4 or shape[:2] != expected:
            raise ValueError(
                f"tensor {view.values!r}: pictures are (rows, columns, height, width), here "
                f"{expected} by the view's heads and labels, received {shape}"
            )

    def _check_photos(self, view: Photos) -> None:
        channels = (len(view.labels), 3)
        for name, length in ((view.values, 4), (view.scale, 2), (view.shift, 2)):
            shape = self._slice(name)
            if len(shape) != length or shape[:2] != channels:
                raise ValueError(
                    f"tensor {name!r}: photos begin with {channels}, pictures by the view's labels "
                    f"and channels, and have {length} dimensions, received {shape}"
                )

    def _check_scene(self, view: Scene) -> None:
        lines = [name for path in view.paths for name in path.points]
        spots = [spot.points for spot in view.spots]
        wrong = [(view.camera, "(3, 3)")] if self._slice(view.camera) != (3, 3) else []
        wrong += [(name, "(3,)") for name in spots if self._slice(name) != (3,)]
        wrong += [
            (name, "(3,) or (points, 3)")
            for name in lines
            if self._slice(name)[-1:] != (3,) or len(self._slice(name)) > 2
        ]
        for name, wanted in wrong:
            raise ValueError(
                f"tensor {name!r}: a scene takes {wanted} there, received {self._slice(name)}"
            )
        for name in view.places:
            if not self.tensors[name].values.isfinite().all():
                raise ValueError(f"tensor {name!r}: a scene draws every place, received NaN")

    def _slice(self, tensor: str) -> tuple[int, ...]:
        """The shape of what is left of a tensor where all its controls stand somewhere."""
        swept = self.tensors[tensor]
        return tuple(swept.values.shape[len(swept.over) :])

    def _all_views(self) -> Iterator[View]:
        return chain.from_iterable(self.views)

    def _placed(self, document: dict[str, Any]) -> dict[str, Any]:
        """A document with positions in place of values: the browser compares no values."""
        known = {control.name: control for control in self.controls}
        placed = {
            key: {
                name: [position(known[name], value) for value in values]
                for name, values in document[key].items()
            }
            for key in ("when", "also")
            if key in document
        }
        margins = [self._placed(margin) for margin in document.get("margins", [])]
        return document | placed | ({"margins": margins} if margins else {})


def _begun(control: Control, value: Any) -> Control:
    """A control that begins at another position."""
    if isinstance(control, Slider):
        return replace(control, start=control.values[control.index(value)])
    position(control, value)
    return replace(control, start=value)


def _slug(control: Control) -> str:
    return slug(control.address or control.name)
