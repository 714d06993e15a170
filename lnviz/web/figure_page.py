"""The standalone HTML page of one figure, to embed in other pages or in slides."""

from __future__ import annotations

from html import escape

from lnviz.web.standalone_page import standalone_page


def figure_page(
    title: str, source: str, parameters: tuple[str, ...], assets: str, lesson: str
) -> str:
    """Return a complete HTML document that shows one figure.

    Args:
        title: The figure's title.
        source: The URL of the payload, relative to the page.
        parameters: Names of the parameters that the page's query may set.
        assets: The URL of the assets folder, relative to the page, ending with a slash.
        lesson: The URL of the figure's lesson, relative to the page.
    """
    source, names = escape(source), escape(" ".join(parameters))
    content = f"""<div id="explorable" data-source="{source}" data-parameters="{names}"></div>
<p><a href="{escape(lesson)}" target="_top">The lesson that explains this figure</a></p>"""
    end = f"""
<noscript>This figure needs JavaScript.</noscript>
<script type="module" src="{escape(assets)}page/standalone.js"></script>"""
    return standalone_page(title, title, content, assets, end=end)
