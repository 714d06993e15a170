"""The report on an uploaded run of a visitor's own model: findings and figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lnviz.diagnostics import Run
from lnviz.diagnostics.example import example
from lnviz.diagnostics.findings import WARNING
from lnviz.explorable import EnumParameter, Explorable, Option, ParameterError, Readout, Slider
from lnviz.lessons.inside import watch_report
from lnviz.lessons.inside.reading import with_url_prefix
from lnviz.lessons.inside.uploaded_run import KEPT, load_run
from lnviz.lessons.lesson import FigureSpec
from lnviz.topics.transformer import POST, PRE

LISTED = 8
"""The largest number of findings listed."""

RUN = EnumParameter(
    "run",
    "Run",
    (
        Option(POST.key, "a small Post-LN Transformer"),
        Option(PRE.key, "the same Transformer as Pre-LN"),
    ),
    POST.key,
    custom_prefixes=(KEPT,),
    accepts="run",
)
SHOWN = EnumParameter(
    "seen",
    "Figure",
    (
        Option("gradients", "gradients"),
        Option("stream", "RMS of the stream"),
        Option("massive", "largest components"),
        Option("gains", "gains"),
    ),
    "gradients",
)


def build(run: str = RUN.start, seen: str = SHOWN.start) -> Explorable:
    """Build one figure of an uploaded run, below the findings about the run.

    Raises:
        ParameterError: The run has been deleted, or does not have the figure's data.
    """
    shown = load_run(run, RUN.start) if run.startswith(KEPT) else example(run)
    try:
        made = watch_report.report_figure(shown, seen)
    except ValueError as error:
        there = next(iter(watch_report.report_figures(shown)), SHOWN.start)
        raise ParameterError(str(error), {SHOWN.name: there}) from error
    made = _start_at_worst(made, shown)
    return replace(with_url_prefix(made, "run"), views=(tuple(_found(shown)), *made.views))


def worst_figure(run: Run) -> str:
    """Return the value of `SHOWN` for the figure that shows a run's worst finding."""
    drawn = [*watch_report.report_figures(run)]
    for finding in run.findings:
        explained = finding.figure.rpartition("#figure-")[2]
        name = {"gradient": "gradients"}.get(finding.kind, explained)
        if name in drawn:
            return name
    return SHOWN.start if SHOWN.start in drawn or not drawn else drawn[0]


def _start_at_worst(figure: Explorable, run: Run) -> Explorable:
    """Return a figure whose slider over the norms starts at the worst finding's norm."""
    (norms,) = (
        control
        for control in figure.controls
        if isinstance(control, Slider) and control.name == "norm"
    )
    for finding in run.findings:
        if finding.module in norms.names:
            return figure.with_start({norms.name: norms.names.index(finding.module)})
    return figure


def _found(run: Run) -> Iterator[Readout]:
    """Yield the findings as captions, most serious first, with norm names escaped.

    Warnings are emphasized, notes are not.
    """
    if not run.findings:
        yield Readout(f"Nothing was found in {len(run.norms)} norms.", "verdict")
    for finding in run.findings[:LISTED]:
        text = str(finding).replace("{", "{{").replace("}", "}}")
        yield Readout(text, "verdict" if finding.level == WARNING else "note")
    if len(run.findings) > LISTED:
        yield Readout(f"And {len(run.findings) - LISTED} more.")


def _cost(run: str, seen: str) -> float:
    return 0.5 if run.startswith(KEPT) else 1.5


FIGURE = FigureSpec("run", build, (RUN, SHOWN), _cost)
