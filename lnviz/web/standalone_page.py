"""Template of simple HTML pages that the app serves without Streamlit."""

from __future__ import annotations

from html import escape

from lnviz.frontend.html_shell import asset_links, html_document


def standalone_page(
    title: str, heading: str, content: str, assets: str, *, head: str = "", end: str = ""
) -> str:
    """Return a simple page as a complete HTML document.

    Args:
        title: The title of the browser's tab.
        heading: The heading of the page.
        content: HTML below the heading.
        assets: The URL of the assets folder, ending with a slash.
        head: Further lines of HTML for the head.
        end: HTML after the visible content.
    """
    shown = f"<main>\n<h1>{escape(heading)}</h1>\n{content}\n</main>{end}"
    return html_document(title, shown, head + asset_links(assets, "page/standalone.css"))
