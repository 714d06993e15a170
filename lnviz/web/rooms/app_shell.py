"""The pages of phones and of the remote: nearly empty, so that they are there at once."""

from __future__ import annotations

from html import escape

from lnviz.book.html_shell import html_document
from lnviz.web.assets import assets_url, base_path
from lnviz.web.responses import CompressedBody


def app_shell(name: str, title: str, code: str) -> CompressedBody:
    """Return a page that a script of `room/` builds.

    Args:
        name: of the script and its style.
        title: of the page, in the browser's tab.
        code: of the room; empty where it is not known yet.
    """
    assets = assets_url()
    head = f"""<meta name="robots" content="noindex">
<script type="module" src="{assets}room/{name}.js"></script>
"""
    about = f'data-code="{escape(code)}" data-base="{base_path()}" data-assets="{assets}"'
    page = html_document(title, "", assets, f"room/{name}.css", head=head, attributes=about)
    return CompressedBody.compress(page.encode())
