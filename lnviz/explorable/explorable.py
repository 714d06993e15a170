"""Explorables: interactive figures, sent to the browser as one JSON document each."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

from torch import Tensor

from lnviz.explorable.code import referenced_controls
from lnviz.explorable.controls import Choice, Control, Slider, exact_position, positions, slug
from lnviz.explorable.edits import Edits
from lnviz.explorable.steps import Step, check_steps
from lnviz.explorable.still import still_html, still_text
from lnviz.explorable.swept import SweptTensor
from lnviz.explorable.views import Readout, View
from lnviz.version import __version__

PUBLIC_URL = "LNVIZ_PUBLIC_URL"
"""The environment variable for the app's address on the web, for citations."""

ViewRow = tuple[View, ...]


def public_url() -> str:
    """Return the app's address on the web without a trailing slash; "" if none is set.

    Raises:
        ValueError: The environment variable holds something else than such an address.
    """
    address = os.environ.get(PUBLIC_URL, "").strip().rstrip("/")
    if address and not re.fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*)?", address):
        raise ValueError(
            f"{PUBLIC_URL} is {address!r}, which is not an address. Set it to one such as "
            "https://example.org/lnviz, or unset it."
        )
    return address


@dataclass(frozen=True)
class Explorable:
    """An interactive figure: controls, tensors computed at every control position, views and code.

    Args:
        title: The accessible name.
        controls: The controls, in their order on the page.
        tensors: The tensors that views look up, by name.
        views: The views, row by row; views of one row are side by side if there is room.
        code: A PyTorch program that reproduces the figure's state; `«name»` is replaced by the
            code of a control's position.
        edits: The data table that readers can edit; None if there is none.
        steps: The steps of its story, each a sentence with a state; the first is the start state.

    Raises:
        ValueError: A tensor's shape does not match its controls, a view or a step refers to a
            control, tensor or position that does not exist, a view's own check fails, or several
            choices have colored options.
    """

    title: str
    controls: tuple[Control, ...]
    tensors: Mapping[str, SweptTensor]
    views: tuple[ViewRow, ...]
    code: str = ""
    edits: Edits | None = None
    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        sizes = {control.name: control.size for control in self.controls}
        if len(sizes) != len(self.controls):
            raise ValueError(f"{self.title!r}: two controls share a name: {list(sizes)}")
        for name, swept in self.tensors.items():
            swept.check(name, sizes)
        for control in self.controls:
            conditions = control.when if isinstance(control, Slider | Choice) else {}
            missing = [name for name in conditions if name not in sizes]
            if missing:
                raise ValueError(f"{control.name!r} is shown by {missing}, known are {list(sizes)}")
            self._index_conditions(control.payload())
        for view in chain.from_iterable(self.views):
            self._check_view(view)
        pictures = [v for v in chain.from_iterable(self.views) if not isinstance(v, Readout)]
        check_steps(self.steps, self.controls, set(self.tensors), len(pictures))
        unknown = sorted(referenced_controls(self.code) - set(sizes))
        if unknown:
            raise ValueError(f"the code of {self.title!r} has no control for {unknown}")
        if len(self._color_choices) > 1:
            raise ValueError(
                f"{self.title!r} takes its color from one choice with colored options, received "
                f"{self._color_choices}"
            )

    @property
    def _color_choices(self) -> list[str]:
        """The names of the choice controls whose options have their own colors."""
        choices = [control for control in self.controls if isinstance(control, Choice)]
        return [c.name for c in choices if any(o.color != "accent" for o in c.options)]

    def start_state(self) -> dict[str, int]:
        """Return the figure's start state: the initial position of each control, by name."""
        return positions(self.controls, lambda control: control.start_index)

    def state_at(self, **values: Any) -> dict[str, int]:
        """Return the start state with some controls set to given values (write spaces as `_`)."""
        known = {control.name: control for control in self.controls}
        state = self.start_state()
        for key, value in values.items():
            control = known[key.replace("_", " ")]
            state[control.name] = (
                control.index(value) if isinstance(control, Slider | Choice) else int(value)
            )
        return state

    def with_start(self, values: Mapping[str, Any]) -> Explorable:
        """Return a copy of the figure with other initial control positions, without its steps.

        Args:
            values: The values by the controls' URL names: a slider's value (the nearest position is
                used), the value of an option, or the row and column of a cell, from 0.

        Raises:
            ValueError: There is no such control, or it has no such position.
        """
        known = {_url_name(control): control for control in self.controls}
        if unknown := [name for name in values if name not in known]:
            raise ValueError(f"{self.title!r} has no {unknown}; its controls are {[*known]}")
        begun = {
            known[name].name: _with_start(known[name], value) for name, value in values.items()
        }
        controls = (begun.get(control.name, control) for control in self.controls)
        return replace(self, controls=tuple(controls), steps=())

    def lookup(self, tensor: str, state: Mapping[str, int | slice]) -> Tensor:
        """Return a tensor's values at a state of the controls, as the browser looks them up.

        A state may have a slice instead of a control's position, to return the values at several
        positions.
        """
        swept = self.tensors[tensor]
        return swept.values[tuple(state[control] for control in swept.dims)]

    def code_at(self, state: Mapping[str, int]) -> str:
        """Return the figure's Python program, with the code for each control's position."""
        text = self.code
        for control in self.controls:
            text = text.replace(f"«{control.name}»", control.code(state[control.name]))
        return text

    def payload(self) -> dict[str, Any]:
        """Return the figure as JSON data (`Payload` in `payload.d.ts`), without parameters."""
        return {
            "title": self.title,
            "controls": [
                {**self._index_conditions(control.payload()), "slug": _url_name(control)}
                for control in self.controls
            ],
            "tensors": {name: swept.payload() for name, swept in self.tensors.items()},
            "views": [
                [self._index_conditions(view.payload()) for view in row] for row in self.views
            ],
            "code": self.code,
            "color": next(iter(self._color_choices), ""),
            "edits": self.edits.payload() if self.edits else None,
            "source": {"version": __version__, "site": public_url()},
            "steps": [step.payload(self.controls) for step in self.steps],
        }

    @cached_property
    def widget(self) -> Any:
        """The figure as an anywidget notebook widget, without parameters.

        Raises:
            ImportError: anywidget is not installed.
        """
        from lnviz.explorable import notebook  # anywidget is optional

        return notebook.widget(self.payload())

    @cached_property
    def _sharing_widget(self) -> Any:
        from lnviz.explorable import notebook  # anywidget is optional

        return notebook.sharing_widget(self.payload())

    def _repr_mimebundle_(self, **_: Any) -> Any:
        """Return the figure as a MIME bundle for Jupyter: a widget, and its start without one.

        The figures of a notebook share their scripts. Where no widget runs, as on GitHub, a
        notebook shows the figure as it stands at the start.
        """
        still = {"text/plain": still_text(self), "text/html": still_html(self)}
        try:
            shown, _ = self._sharing_widget._repr_mimebundle_()
        except ImportError as error:
            return still | {"text/plain": f"{error}\n\n{still['text/plain']}"}
        return shown | still

    def _display_(self) -> Any:
        """Return the widget for display in marimo, or a message if anywidget is missing."""
        try:
            return self.widget
        except ImportError as error:
            return str(error)

    def _check_view(self, view: View) -> None:
        location = view.source_location() or f"a view of {self.title!r}"
        controls = {control.name: control for control in self.controls}
        missing = [n for n in view.references() if n not in controls and n not in self.tensors]
        if missing:
            raise ValueError(f"{location} names {missing}, which do not exist")
        try:
            self._index_conditions(view.payload())
        except ValueError as error:
            raise ValueError(f"{location}: {error}") from error
        view.check(self.tensors, controls)

    def _index_conditions(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return a view's JSON, with the control values in its conditions replaced by positions."""
        known = {control.name: control for control in self.controls}
        placed = {
            key: {
                name: [exact_position(known[name], value) for value in values]
                for name, values in document[key].items()
            }
            for key in ("when", "also")
            if key in document
        }
        margins = [self._index_conditions(margin) for margin in document.get("margins", [])]
        return document | placed | ({"margins": margins} if margins else {})


def _with_start(control: Control, value: Any) -> Control:
    """Return a copy of a control with another initial value."""
    if isinstance(control, Slider):
        return replace(control, start=control.values[control.index(value)])
    exact_position(control, value)
    return replace(control, start=value)


def _url_name(control: Control) -> str:
    return slug(control.url_name or control.name)
