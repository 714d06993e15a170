"""A lock around `ast.parse`, for versions of Python in which it is not thread-safe."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def install_ast_lock() -> None:
    """Wrap `ast.parse` in a lock; NumPy calls it for the header of an array file.

    Before Python 3.11.8 and 3.12.2, all threads share one counter of the parser's recursion depth.
    If the garbage collector switches between two threads that are parsing, both may fail with a
    `SystemError` (https://github.com/python/cpython/issues/106905).
    """
    if sys.version_info < (3, 11, 8) or (3, 12) <= sys.version_info < (3, 12, 2):
        ast.parse = _locked(ast.parse)


def _locked(function: Callable[P, T]) -> Callable[P, T]:
    lock = Lock()

    @wraps(function)
    def locked(*args: P.args, **kwargs: P.kwargs) -> T:
        with lock:
            return function(*args, **kwargs)

    return locked
