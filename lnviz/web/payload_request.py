"""A figure that somebody wants, at values of its parameters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lnviz.explorable import TextParameter
from lnviz.lessons import Figure
from lnviz.lessons.data_parameters import JOB, KEPT, WRITTEN
from lnviz.web.payload_store import maker


@dataclass(frozen=True, eq=False)
class Wanted:
    """A figure at values of its parameters."""

    lesson: str
    figure: Figure
    values: dict[str, Any]

    @cached_property
    def name(self) -> str:
        """A name that is the same for the same payload."""
        return json.dumps([self.lesson, self.figure.name, self.values], sort_keys=True)

    @property
    def maker(self) -> str:
        """The name of what would make it; see `payload_store.maker`."""
        return maker(self.figure.build.__module__)

    @property
    def cost(self) -> float:
        """The CPU seconds that it takes, about."""
        return self.figure.cost(self.values)

    @property
    def is_own(self) -> bool:
        """Whether its numbers are a visitor's own."""
        return self._begins((KEPT, WRITTEN, JOB)) or any(
            isinstance(parameter, TextParameter) and self.values[parameter.name] != parameter.start
            for parameter in self.figure.parameters
        )

    @property
    def is_private(self) -> bool:
        """Whether it names what a visitor has left on this server: a link that others lack."""
        return self._begins((KEPT, JOB))

    def _begins(self, prefixes: tuple[str, ...]) -> bool:
        return any(isinstance(v, str) and v.startswith(prefixes) for v in self.values.values())
