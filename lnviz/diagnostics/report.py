"""A run as text: what was found, and a line for each norm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from lnviz.diagnostics.findings import Finding
from lnviz.diagnostics.norm_statistics import Seen
from lnviz.norms import CATALOGUE
from lnviz.number_format import number

HEAD = ("norm", "kind", "over", "epsilon", "gain", "calls", "size before", "after", "largest")
MOST = 80
"""Norms that a report lists."""


def written(model: str, seen: Mapping[str, Seen], findings: tuple[Finding, ...]) -> str:
    """Return the report of a run: what was found, worst first, and its norms."""
    norms = list(seen.values())
    if not norms:
        return (
            f"{model}: no norm was called. Call the model inside the "
            "block; a norm that is no module of its own (F.layer_norm) cannot be watched."
        )
    calls = sum(len(norm.calls["call"]) for norm in norms)
    lines = [f"{model}: norms: {len(norms)}, calls: {calls}", ""]
    lines += [str(finding) for finding in findings] or ["Nothing was found."]
    rows = [HEAD, *(_row(norm) for norm in norms[:MOST])]
    widths = [max(len(row[at]) for row in rows) for at in range(len(HEAD))]
    lines += [""]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join(cells).rstrip())
    if len(norms) > MOST:
        lines.append(f"and {len(norms) - MOST} more norms")
    return "\n".join(lines)


def marked_up(model: str, seen: Mapping[str, Seen], findings: tuple[Finding, ...]) -> str:
    """Return the same as HTML."""
    norms = list(seen.values())
    found = "".join(f"<li>{escape(str(finding))}</li>" for finding in findings)
    title = f"{escape(model)}: norms: {len(norms)}"
    listed = f"<ul>{found}</ul>" if found else "<p>Nothing was found.</p>"
    return f"<p>{title}</p>{listed}{html_table(HEAD, map(_row, norms[:MOST]))}"


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts as HTML."""
    heads = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><tr>{heads}</tr>{body}</table>"


def _row(norm: Seen) -> tuple[str, ...]:
    facts = norm.facts
    return (
        norm.name,
        CATALOGUE[facts.kind].label,
        facts.shares,
        number(facts.eps, "g2"),
        facts.gain,
        str(len(norm.calls["call"])),
        number(norm.median("x_median"), "g3"),
        number(norm.median("y_rms"), "g3"),
        number(norm.most("x_largest"), "g3"),
    )
