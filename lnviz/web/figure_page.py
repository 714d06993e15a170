"""The standalone page of an explorable: the same figure for an `<iframe>` or a slide."""

from __future__ import annotations

from html import escape

from lnviz.web.standalone_page import standalone_page


def figure_page(
    title: str, source: str, parameters: tuple[str, ...], assets: str, lesson: str
) -> str:
    """Return a complete HTML document that mounts one explorable.

    Args:
        title: The figure's title.
        source: Address of the payload, relative to the page.
        parameters: Names of the parameters that the page's address may carry.
        assets: Address of the assets' folder, relative to the page, with a slash at its end.
        lesson: Address of the lesson that explains the figure, relative to the page.
    """
    source, names = escape(source), escape(" ".join(parameters))
    content = f"""<div id="explorable" data-source="{source}" data-parameters="{names}"></div>
<p><a href="{escape(lesson)}" target="_top">The lesson that explains this figure</a></p>"""
    end = f"""
<noscript>This figure needs JavaScript.</noscript>
<script type="module" src="{escape(assets)}page/standalone.js"></script>"""
    return standalone_page(title, title, content, assets, end=end)
