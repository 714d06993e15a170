"""Report of a run as text or HTML: the findings, and a table of the norms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from lnviz.diagnostics.findings import WARNING, Finding
from lnviz.diagnostics.norm_statistics import NormStats
from lnviz.norms import CATALOGUE
from lnviz.number_format import number

COLUMNS = (
    "norm",
    "kind",
    "over",
    "epsilon",
    "gains",
    "calls",
    "size before",
    "after",
    "largest",
    "convention",
)
MAX_ROWS = 80
"""Maximum number of norms in the table."""


def report_text(
    model: str,
    norms: Mapping[str, NormStats],
    findings: Sequence[Finding],
    unwatched: Sequence[str],
) -> str:
    """Return a run's report as text: findings, a table of norms, and the modules not recorded.

    Args:
        model: class name of the model.
        norms: the norms, by name.
        findings: the findings, worst first.
        unwatched: the modules that were not followed, each with its class and the reason.
    """
    lines = [_headline(model, norms, unwatched), ""]
    if norms:
        for finding in findings:
            lines += [str(finding), f"  see {finding.figure} and {finding.symptom}"]
        lines += [] if findings else ["Nothing was found."]
        rows = [COLUMNS, *(_row(norm) for norm in list(norms.values())[:MAX_ROWS])]
        lines += ["", *text_table(rows)]
        if len(norms) > MAX_ROWS:
            lines.append(f"and {len(norms) - MAX_ROWS} more norms")
        lines.append("")
    lines += [f"not followed: {line}" for line in unwatched]
    return "\n".join(lines).rstrip()


def report_html(
    model: str,
    norms: Mapping[str, NormStats],
    findings: Sequence[Finding],
    unwatched: Sequence[str],
) -> str:
    """Return the report of a run as HTML; the arguments are those of `report_text`."""
    items = "".join(f"<li>{_html_finding(finding)}</li>" for finding in findings)
    listed = f"<ul>{items}</ul>" if items else "<p>Nothing was found.</p>" if norms else ""
    table = html_table(COLUMNS, map(_row, list(norms.values())[:MAX_ROWS])) if norms else ""
    missed = "".join(f"<li>not followed: {escape(line)}</li>" for line in unwatched)
    return (
        f"<p>{escape(_headline(model, norms, unwatched))}</p>{listed}{table}"
        f"{f'<ul>{missed}</ul>' if missed else ''}"
    )


def _html_finding(finding: Finding) -> str:
    """Return a finding as HTML, bold if it is a warning."""
    text = escape(str(finding))
    links = f"(see {finding.figure} and {finding.symptom})"
    return f"<strong>{text}</strong> {links}" if finding.level == WARNING else f"{text} {links}"


def _headline(model: str, norms: Mapping[str, NormStats], unwatched: Sequence[str]) -> str:
    if norms:
        calls = sum(len(norm.calls["call"]) for norm in norms.values())
        return f"{model}: norms: {len(norms)}, calls: {calls}"
    if unwatched:
        return f"{model}: no norm could be followed."
    return f"{model}: no norm was called. Call the model inside the block."


def text_table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table of strings, with left-aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(map(str.ljust, row, widths)).rstrip()


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table with the given column headings and rows of strings."""

    def row(tag: str, cells: Sequence[str]) -> str:
        # Some notebooks, such as marimo, take the space between cells away.
        room = 'style="padding: 0.2em 0.6em"'
        return f"<tr>{''.join(f'<{tag} {room}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

    return f"<table>{row('th', head)}{''.join(row('td', each) for each in rows)}</table>"


def _row(norm: NormStats) -> tuple[str, ...]:
    spec = norm.spec
    return (
        norm.name,
        CATALOGUE[spec.kind].label,
        spec.statistics_over,
        number(spec.eps, "g2"),
        "none" if norm.gains is None else number(float(norm.gains.abs().median()), "g3"),
        str(len(norm.calls["call"])),
        number(norm.median("x_median"), "g3"),
        number(norm.median("y_rms"), "g3"),
        number(norm.maximum("x_largest"), "g3"),
        spec.convention,
    )
