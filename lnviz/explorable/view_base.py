"""The base class of a figure's views (charts, grids, diagrams, ...)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lnviz.explorable.controls import Control
from lnviz.explorable.schema import Serializable
from lnviz.explorable.swept import SweptTensor


@dataclass(frozen=True)
class BaseView(Serializable):
    """Base class of views (charts, grids, ...), which draw tensors at the state of the controls."""

    def check(self, tensors: Mapping[str, SweptTensor], controls: Mapping[str, Control]) -> None:
        """Check that the tensors have the shapes that this type of view can draw.

        Args:
            tensors: The figure's tensors by name; all that the view refers to exist.
            controls: The figure's controls by name; all that the view refers to exist.

        Raises:
            ValueError: The view cannot draw one of its tensors, or use one of its controls.
        """

    def source_location(self) -> str:
        """Return the file and line that declare the view, for error messages; "" if unknown."""
        return ""
