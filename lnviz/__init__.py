"""Layer normalization and its relatives, with every intermediate value available for display.

The names of `lnviz.norms` are also exported here. `figure` returns any figure of the book, and
`watch` records statistics of the norms in your own model:

>>> import torch
>>> from lnviz import LAYER, normalize
>>> x = torch.tensor([[1.0, 3.0], [10.0, 30.0]])
>>> bool((normalize(x, -1).y == LAYER.apply(x, "ND").y).all())
True

Everything is imported lazily: `import lnviz` alone loads neither PyTorch nor the book.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from lnviz.extras import require_extra
from lnviz.version import __version__ as __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from torch import nn

    from lnviz.diagnostics import Comparison, NormWatcher, Run
    from lnviz.diagnostics.training_log import ScalarWriter
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
    "compare",
    "figure",
    "group_norm",
    "load",
    "normalize",
    "one_pass_variance",
    "plot",
    "reference",
    "watch",
]


@require_extra("notebook")
def figure(lesson: str, name: str, **parameters: object) -> Explorable:
    """Return an interactive figure from the book's lessons, to display in a notebook.

    Args:
        lesson: The lesson's slug.
        name: The figure's name, as in links to it.
        parameters: Parameters of the figure, and start values of its controls, by their names in
            the figure's URL (with underscores for dashes), such as `data`, `seed` and `norm`.
            `data` can also be your own values, examples x features.

    Returns:
        The figure, computed over the full range of its controls. A figure that pages show first as
        a preview is computed in full.

    Raises:
        ValueError: There is no such figure or control, or a control has no such value.
        ParameterError: A parameter has an invalid value.
        MissingPackageError: Something that figures need is not installed.

    >>> figure("axes", "grid", data="digits", norm="rms", batch_size=3).title
    'Numbers of a batch, before and after a norm'
    """
    from lnviz import book  # imported here, since it takes long

    declared = book.find_figure(lesson, name)
    if declared is None:
        named = {page.slug: [drawn.name for drawn in page.figures] for page in book.PAGES}
        raise ValueError(
            f"there is no figure {name!r} on {lesson!r}; available: "
            + ", ".join(named.get(lesson) or [slug for slug, names in named.items() if names])
        )
    from lnviz.explorable import EnumParameter
    from lnviz.lessons.data_parameters import encode_table

    picks = [each for each in declared.parameters if isinstance(each, EnumParameter)]
    whole = {
        pick.name: pick.full_value for pick in picks if pick.full_value
    }  # the full value at once
    names = {parameter.name for parameter in declared.parameters}
    query = {
        key: str(value) if isinstance(value, str | int | float) else encode_table(value)
        for key, value in parameters.items()
        if key in names
    }
    begun = {key.replace("_", "-"): parameters[key] for key in parameters if key not in names}
    return declared.build(**declared.parse(whole | query)).with_start(begun)


@require_extra("notebook")
def plot(normalized: Normalized) -> Explorable:
    """Return a figure of the values that `normalize` computed, with each group of cells outlined.

    Args:
        normalized: A result of `normalize`. Its last two dimensions become a table, and the other
            dimensions become controls.

    Raises:
        TypeError: The argument is not a result of `normalize`.
        ValueError: The result is too large to display.
        MissingPackageError: Something that figures need is not installed.

    >>> import torch
    >>> from lnviz import normalize
    >>> plot(normalize(torch.randn(2, 3, 4), over=-1)).title
    'Normalized values of shape (2, 3, 4)'
    """
    from lnviz.lessons.axes import plotted

    return plotted.plot_normalized(normalized)


def watch(
    model: nn.Module,
    keep: str = "statistics",
    most: int = 256 * 2**20,
    *,
    gradients: bool = True,
    every: int = 1,
    most_calls: int = 100_000,
    log: str | Path | None = None,
    writer: ScalarWriter | None = None,
    raise_on: str | Sequence[str] = (),
) -> NormWatcher:
    """Return a context manager that records statistics of a PyTorch model's norms while it runs.

    Outputs and gradients stay the same to the last bit, and no exception is raised into the model:
    what cannot be followed is listed in the report with the reason.

    Args:
        model: The model.
        keep: `statistics` for about thirty numbers per call, or `inputs` to also record the inputs
            of the norms.
        most: Limit of the recorded inputs in bytes.
        gradients: Whether to record gradients of the norms' inputs and outputs.
        every: Record one of so many passes: the first, and then every so many.
        most_calls: Limit of the recorded calls. When it is reached, every other recorded pass is
            dropped, and from then on half as many are recorded.
        log: CSV file, to which a few statistics of each recorded pass are written.
        writer: TensorBoard's `SummaryWriter`, which gets them, too.
        raise_on: Kinds of findings that stop the training, such as `("nan", "overflow")`, or one
            kind: a warning in a recorded pass raises a `NormFaultError`.

    Returns:
        A context manager with `findings`, `report()`, `norms`, `to_frame()`, `figure(name)`,
        `save(path)` and `write_html(path)`.

    Raises:
        TypeError: `model` is not a `torch.nn.Module`.
        ValueError: `keep`, `every`, `most_calls` or `raise_on` has an invalid value.

    >>> import torch
    >>> from torch import nn
    >>> model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.LayerNorm(8))
    >>> with watch(model) as watched:
    ...     loss = model(torch.randn(16, 4)).square().mean()
    >>> watched.findings[0].module, watched.findings[0].kind
    ('2', 'double')
    """
    from lnviz.diagnostics import NormWatcher

    return NormWatcher(
        model,
        keep,
        most,
        _Renderer(),
        gradients=gradients,
        every=every,
        most_calls=most_calls,
        log=log,
        writer=writer,
        raise_on=raise_on,
    )


def compare(theirs: nn.Module, mine: nn.Module, inputs: object) -> Comparison:
    """Compare the norms of two implementations of a model; name the first that differs, and why.

    Both models run once in eval mode. Each norm of `mine` is then called on the input of its
    partner in `theirs`, so that a difference is the norm's own. A norm's function is measured from
    outside: axes, mean, factors (1 + w taken twice or not at all, a ratio, n − 1), bias, epsilon,
    and, in half precision, the order of casts.

    Args:
        theirs: The model that is right, such as a published one.
        mine: The model that is checked.
        inputs: The input of both: a tensor, a tuple of arguments, or a dict of keyword arguments.

    Returns:
        The differences in the order of calls; `first` is the first one, and `print` shows them all.

    Raises:
        ValueError: A model calls no norm.

    >>> import torch
    >>> from torch import nn
    >>> x = torch.randn(4, 8, generator=torch.manual_seed(0))
    >>> print(compare(nn.LayerNorm(8), nn.LayerNorm(8, eps=1e-3), x).first.reason)
    Epsilon is 1 × 10⁻⁵ in theirs and 0.001 in mine.
    """
    from lnviz.diagnostics import comparison

    return comparison.compare(theirs, mine, inputs)


def load(path: str | Path) -> Run:
    """Load a recorded run of a model, without unpickling, from a file that `watched.save` wrote.

    Args:
        path: The path of the file.

    Raises:
        FileNotFoundError: The file does not exist.
        ValueError: The file is not a saved run.
    """
    from lnviz.diagnostics import load as read

    return read(path, _Renderer())


class _Renderer:
    """Renderer of recorded runs as figures and HTML, which imports the figure code on first use."""

    @require_extra("notebook")
    def figure(self, run: Run, name: str) -> Explorable:
        """Return one figure of a recorded run."""
        from lnviz.lessons.inside import watch_report

        return watch_report.report_figure(run, name)

    @require_extra("notebook")
    def figures(self, run: Run) -> Mapping[str, Explorable]:
        """Return all figures for which a recorded run has data, keyed by name."""
        from lnviz.lessons.inside import watch_report

        return watch_report.report_figures(run)

    @require_extra("figures")
    def page(self, run: Run) -> str:
        """Return an HTML page with the report on a recorded run and all of its figures."""
        from lnviz.lessons.inside import watch_report

        return watch_report.report_page(run)


if not TYPE_CHECKING:  # a type checker would take any name for one of this module

    def __getattr__(name: str) -> object:
        """Import a name from `lnviz.norms` when it is first accessed as an attribute of `lnviz`."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module("lnviz.norms"), name)


def __dir__() -> list[str]:
    """Return the public names of `lnviz`, including those that have not been imported yet."""
    return sorted(__all__)
