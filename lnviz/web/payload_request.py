"""A request for a figure's payload at certain parameter values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lnviz.explorable import TextParameter
from lnviz.lessons import FigureSpec
from lnviz.lessons.data_parameters import INLINE_PREFIX, RUN_PREFIX, STORED_PREFIX


@dataclass(frozen=True, eq=False)
class PayloadRequest:
    """A request for a figure's payload at certain parameter values.

    Attributes:
        lesson: Slug of the lesson.
        figure: The figure.
        values: Parsed values of the figure's parameters, by name.
    """

    lesson: str
    figure: FigureSpec
    values: dict[str, Any]

    @cached_property
    def key(self) -> str:
        """The cache key, equal for requests with equal payloads."""
        return json.dumps([self.lesson, self.figure.name, self.values], sort_keys=True)

    @property
    def module(self) -> str:
        """The name of the Python module that builds the figure."""
        return self.figure.build.__module__

    @property
    def cost(self) -> float:
        """The estimated CPU seconds to compute the payload."""
        return self.figure.cost(self.values)

    @property
    def has_user_data(self) -> bool:
        """True if the payload depends on a user's upload, training job, or values in the URL."""
        prefixes = (STORED_PREFIX, INLINE_PREFIX, RUN_PREFIX)
        return self.has_user_text or self._any_value_starts_with(prefixes)

    @cached_property
    def has_user_text(self) -> bool:
        """True if the payload is computed from a text of the user's own."""
        return any(
            isinstance(parameter, TextParameter) and self.values[parameter.name] != parameter.start
            for parameter in self.figure.parameters
        )

    @property
    def is_private(self) -> bool:
        """True if the payload depends on data stored on this server under a secret token."""
        return self._any_value_starts_with((STORED_PREFIX, RUN_PREFIX))

    def _any_value_starts_with(self, prefixes: tuple[str, ...]) -> bool:
        return any(isinstance(v, str) and v.startswith(prefixes) for v in self.values.values())
