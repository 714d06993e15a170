"""A page without Streamlit: a heading, and what stands below it."""

from __future__ import annotations

from html import escape

from lnviz.book.html_shell import html_document


def standalone_page(
    title: str, heading: str, content: str, assets: str, *, head: str = "", end: str = ""
) -> str:
    """Return a complete HTML document.

    Args:
        title: the title in the browser's tab.
        heading: the heading on the page.
        content: HTML below the heading.
        assets: the address of the assets' folder, with a slash at its end.
        head: more HTML for the head, in lines.
        end: HTML behind all that is shown.
    """
    shown = f"<main>\n<h1>{escape(heading)}</h1>\n{content}\n</main>{end}"
    return html_document(title, shown, assets, "page/standalone.css", head=head)
