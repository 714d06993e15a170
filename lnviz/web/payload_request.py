"""A figure that somebody wants, at values of its parameters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lnviz.explorable import TextParameter
from lnviz.lessons import Figure
from lnviz.lessons.data_parameters import JOB, KEPT, WRITTEN
from lnviz.web.payload_store import code_version


@dataclass(frozen=True, eq=False)
class PayloadRequest:
    """A figure at values of its parameters."""

    lesson: str
    figure: Figure
    values: dict[str, Any]

    @cached_property
    def key(self) -> str:
        """A name that is the same for the same payload."""
        return json.dumps([self.lesson, self.figure.name, self.values], sort_keys=True)

    @property
    def code_version(self) -> str:
        """The name of what would make it; see `payload_store.maker`."""
        return code_version(self.figure.build.__module__)

    @property
    def cost(self) -> float:
        """The CPU seconds that it takes, about."""
        return self.figure.cost(self.values)

    @property
    def has_user_data(self) -> bool:
        """Whether its numbers are a visitor's own."""
        return self._any_value_starts_with((KEPT, WRITTEN, JOB)) or any(
            isinstance(parameter, TextParameter) and self.values[parameter.name] != parameter.start
            for parameter in self.figure.parameters
        )

    @property
    def is_private(self) -> bool:
        """Whether it names what a visitor has left on this server: a link that others lack."""
        return self._any_value_starts_with((KEPT, JOB))

    def _any_value_starts_with(self, prefixes: tuple[str, ...]) -> bool:
        return any(isinstance(v, str) and v.startswith(prefixes) for v in self.values.values())
