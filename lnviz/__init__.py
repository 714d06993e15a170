"""Layer normalization and its relatives, computed so that every intermediate can be shown.

The names of `lnviz.norms` are here, too; `figure` gives any figure of the book, and `watch` shows
what the norms of a model of your own do:

>>> import torch
>>> from lnviz import LAYER, normalize
>>> x = torch.tensor([[1.0, 3.0], [10.0, 30.0]])
>>> bool((normalize(x, -1).y == LAYER.apply(x, "ND").y).all())
True

What is not asked for is not loaded: `import lnviz` alone reads neither PyTorch nor the book.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import nn

    from lnviz.diagnostics import NormWatcher, Run
    from lnviz.explorable import Explorable
    from lnviz.norms import (
        ADA,
        BATCH,
        CATALOGUE,
        DERF,
        DYT,
        GROUP,
        INSTANCE,
        LAYER,
        NONE,
        POWER,
        RMS,
        SCALE,
        WEIGHT,
        Norm,
        Normalized,
        group_norm,
        normalize,
        one_pass_variance,
        reference,
    )

__all__ = [
    "ADA",
    "BATCH",
    "CATALOGUE",
    "DERF",
    "DYT",
    "GROUP",
    "INSTANCE",
    "LAYER",
    "NONE",
    "POWER",
    "RMS",
    "SCALE",
    "WEIGHT",
    "Norm",
    "Normalized",
    "figure",
    "group_norm",
    "load",
    "normalize",
    "one_pass_variance",
    "plot",
    "reference",
    "watch",
]


def figure(lesson: str, name: str, **parameters: object) -> Explorable:
    """Return a figure of the book, which shows itself in a notebook.

    Args:
        lesson: The lesson's address.
        name: The figure's name, as in links to it.
        parameters: What it is computed from, and where its controls begin, each by its name in the
            figure's own address (an underscore stands for a dash): `data`, `seed` and `norm`, say.
            `data` can also be numbers of your own, examples x features.

    Returns:
        The figure, computed over the whole range of its controls. One that a page shows from a
        first part on is whole at once.

    Raises:
        ValueError: There is no such figure, control, or position of a control.
        ParameterError: A parameter is not allowed.

    >>> figure("axes", "grid", data="digits", norm="rms", batch_size=3).title
    'Numbers of a batch, before and after a norm'
    """
    from lnviz import book  # all of it: who wants a part of the package shall not wait for that

    declared = book.find_figure(lesson, name)
    if declared is None:
        named = {page.slug: [drawn.name for drawn in page.figures] for page in book.PAGES}
        raise ValueError(
            f"there is no figure {name!r} on {lesson!r}; there are "
            f"{named.get(lesson) or [slug for slug, names in named.items() if names]}"
        )
    from lnviz.explorable import EnumParameter
    from lnviz.lessons.data_parameters import written

    picks = [each for each in declared.parameters if isinstance(each, EnumParameter)]
    whole = {
        pick.name: pick.full_value for pick in picks if pick.full_value
    }  # nothing comes after it here
    names = {parameter.name for parameter in declared.parameters}
    query = {
        key: str(value) if isinstance(value, str | int | float) else written(value)
        for key, value in parameters.items()
        if key in names
    }
    begun = {key.replace("_", "-"): parameters[key] for key in parameters if key not in names}
    return declared.build(**declared.parse(whole | query)).with_start(begun)


def plot(normalized: Normalized) -> Explorable:
    """Return a figure of what `normalize` has returned: its cells, and which share a mean.

    Args:
        normalized: What `normalize` has returned. Its last two dimensions are a table, the others
            controls.

    Raises:
        TypeError: It is something else.
        ValueError: It is too large to look at.

    >>> import torch
    >>> from lnviz import normalize
    >>> plot(normalize(torch.randn(2, 3, 4), over=-1)).title
    'Normalized values of shape (2, 3, 4)'
    """
    from lnviz.lessons.axes import plotted

    return plotted.plot(normalized)


def watch(model: nn.Module, keep: str = "statistics", most: int = 256 * 2**20) -> NormWatcher:
    """Watch the norms of any PyTorch model while a block runs.

    Args:
        model: The model.
        keep: `statistics`, some thirty numbers a call, or `inputs` to keep what goes into the
            norms, too.
        most: Bytes of inputs that are kept at most.

    Returns:
        What has `findings`, `report()`, `norms`, `to_frame()`, `figure(name)`, `save(path)` and
        `write_html(path)`.

    Raises:
        TypeError: What is to be watched is no module.
        ValueError: `keep` is none of both.

    >>> import torch
    >>> from torch import nn
    >>> model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.LayerNorm(8))
    >>> with watch(model) as watched:
    ...     loss = model(torch.randn(16, 4)).square().mean()
    >>> watched.findings[0].module, watched.findings[0].kind
    ('2', 'double')
    """
    from lnviz.diagnostics import NormWatcher

    return NormWatcher(model, keep, most, _Drawing())


def load(path: str | Path) -> Run:
    """Return a run that `watched.save` has written. Nothing is unpickled.

    Args:
        path: The path of the file.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The file holds something else.
    """
    from lnviz.diagnostics import load as read

    return read(path, _Drawing())


class _Drawing:
    """Draws runs; what that takes is loaded when a figure is asked for: a report does without."""

    def figure(self, run: Run, name: str) -> Explorable:
        """Return a figure of a run."""
        from lnviz.lessons.inside import watch_report

        return watch_report.figure(run, name)

    def figures(self, run: Run) -> Mapping[str, Explorable]:
        """Return the figures that there are for a run, by name."""
        from lnviz.lessons.inside import watch_report

        return watch_report.figures(run)

    def page(self, run: Run) -> str:
        """Return a page with the report and all figures, as HTML."""
        from lnviz.lessons.inside import watch_report

        return watch_report.page(run)


def __getattr__(name: str) -> object:
    """Return a name of `lnviz.norms`, which is loaded when the first of them is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("lnviz.norms"), name)


def __dir__() -> list[str]:
    """Return the public names, those that are not loaded yet among them."""
    return sorted(__all__)
