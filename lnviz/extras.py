"""Packages that only a part of lnviz needs, and what to install when one is missing.

`pyproject.toml` lists the packages of each extra.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec


class MissingPackageError(ImportError):
    """Error: a package is not installed; the message names it and the extra that brings it."""


@contextmanager
def require_extra(extra: str) -> Iterator[None]:
    """Run code, as a context manager or a decorator, that needs the packages of an extra.

    Args:
        extra: Name of the extra, such as `figures`.

    Raises:
        MissingPackageError: A package that the code imports is not installed.

    >>> with require_extra("figures"):
    ...     import no_such_package
    Traceback (most recent call last):
    ...
    lnviz.extras.MissingPackageError: no_such_package is not installed. Install it: pip install \
"lnviz[figures]"
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if not package or _is_installed(package):
            raise  # it lacks a module, which is a fault of its own
        raise MissingPackageError(
            f'{package} is not installed. Install it: pip install "lnviz[{extra}]"', name=package
        ) from error


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # what stands in `sys.modules` in its place has no origin
        return False
