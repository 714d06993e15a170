"""A self-contained HTML page with interactive figures, which needs no server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from lnviz.explorable.explorable import Explorable
from lnviz.frontend import bundle, static_files
from lnviz.frontend.html_shell import html_document

SCRIPT, STYLE = static_files.FOLDER / "page" / "single_file.js", "page/single_file.css"


def render_page(title: str, report: str, figures: Mapping[str, Explorable]) -> str:
    """Return a self-contained HTML document with interactive figures.

    Args:
        title: the title, as text.
        report: the HTML above the figures.
        figures: the figures, by heading.
    """
    payloads = [figure.payload() | {"parameters": [], "edits": None} for figure in figures.values()]
    places = "\n".join(
        f'<h2>{escape(heading)}</h2>\n<div data-payload="payload-{at}"></div>'
        for at, heading in enumerate(figures)
    )
    held = "\n".join(
        _data_element(f"payload-{at}", _json(payload)) for at, payload in enumerate(payloads)
    )
    charts = any(view["kind"] == "chart" for p in payloads for row in p["views"] for view in row)
    library = static_files.read_file("plotly.min.js").decode() if charts else ""
    body = f"""<main>
<h1>{escape(title)}</h1>
<div class="report">{report}</div>
{places}
</main>
<noscript>The figures need JavaScript.</noscript>
{held}
{_data_element("plotly", library)}
<script>{bundle.bundle_script(SCRIPT)}</script>"""
    style = f"<style>{static_files.read_file(STYLE).decode()}</style>"
    return html_document(title, body, style)


def _data_element(name: str, text: str) -> str:
    return f'<script type="text/plain" id="{name}">{text}</script>'


def _json(payload: Mapping[str, Any]) -> str:
    """Return a payload as JSON text that is safe inside an HTML script element."""
    return json.dumps(payload, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
