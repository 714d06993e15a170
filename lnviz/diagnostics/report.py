"""Report of a run as text or HTML: the findings, and a table of the norms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from lnviz.diagnostics.findings import Finding
from lnviz.diagnostics.norm_statistics import NormStats
from lnviz.norms import CATALOGUE
from lnviz.number_format import number

COLUMNS = ("norm", "kind", "over", "epsilon", "gain", "calls", "size before", "after", "largest")
MAX_ROWS = 80
"""Maximum number of norms in the table."""


def report_text(model: str, seen: Mapping[str, NormStats], findings: tuple[Finding, ...]) -> str:
    """Return the report of a run as text: the findings, worst first, and a table of the norms."""
    norms = list(seen.values())
    if not norms:
        return (
            f"{model}: no norm was called. Call the model inside the "
            "block; a norm that is no module of its own (F.layer_norm) cannot be watched."
        )
    calls = sum(len(norm.calls["call"]) for norm in norms)
    lines = [f"{model}: norms: {len(norms)}, calls: {calls}", ""]
    lines += [str(finding) for finding in findings] or ["Nothing was found."]
    rows = [COLUMNS, *(_row(norm) for norm in norms[:MAX_ROWS])]
    widths = [max(len(row[at]) for row in rows) for at in range(len(COLUMNS))]
    lines += [""]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join(cells).rstrip())
    if len(norms) > MAX_ROWS:
        lines.append(f"and {len(norms) - MAX_ROWS} more norms")
    return "\n".join(lines)


def report_html(model: str, seen: Mapping[str, NormStats], findings: tuple[Finding, ...]) -> str:
    """Return the report of a run as HTML."""
    norms = list(seen.values())
    items = "".join(f"<li>{escape(str(finding))}</li>" for finding in findings)
    title = f"{escape(model)}: norms: {len(norms)}"
    listed = f"<ul>{items}</ul>" if items else "<p>Nothing was found.</p>"
    return f"<p>{title}</p>{listed}{html_table(COLUMNS, map(_row, norms[:MAX_ROWS]))}"


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table with these column headings and rows of strings."""
    heads = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><tr>{heads}</tr>{body}</table>"


def _row(norm: NormStats) -> tuple[str, ...]:
    spec = norm.spec
    return (
        norm.name,
        CATALOGUE[spec.kind].label,
        spec.statistics_over,
        number(spec.eps, "g2"),
        spec.gain,
        str(len(norm.calls["call"])),
        number(norm.median("x_median"), "g3"),
        number(norm.median("y_rms"), "g3"),
        number(norm.maximum("x_largest"), "g3"),
    )
