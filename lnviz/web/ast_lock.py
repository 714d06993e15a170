"""One thread at a time makes a syntax tree, where Python itself does not see to that."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def install() -> None:
    """Have threads take turns at `ast.parse`, whoever calls it: NumPy reads a file's head with it.

    Before 3.11.8 and 3.12.2, Python counts how deep it is in a tree once for all threads: where the
    garbage collector lets another thread take its turn and that one parses, too, both may fail with
    a `SystemError` (https://github.com/python/cpython/issues/106905).
    """
    if sys.version_info < (3, 11, 8) or (3, 12) <= sys.version_info < (3, 12, 2):
        ast.parse = _in_turn(ast.parse)


def _in_turn(function: Callable[P, T]) -> Callable[P, T]:
    turn = Lock()

    @wraps(function)
    def taking_turns(*args: P.args, **kwargs: P.kwargs) -> T:
        with turn:
            return function(*args, **kwargs)

    return taking_turns
