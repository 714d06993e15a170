"""App shell: the nearly empty HTML page of a phone or remote control, filled by a script."""

from __future__ import annotations

from html import escape

from lnviz.book.html_shell import html_document
from lnviz.web.assets import assets_url, base_path
from lnviz.web.responses import CompressedBody


def app_shell(name: str, title: str, code: str) -> CompressedBody:
    """Return an HTML page that runs one of the scripts in `room/`.

    Args:
        name: Name of the script and of its style sheet.
        title: Title of the page.
        code: Code of the room; "" if it is not known yet.
    """
    assets = assets_url()
    head = f"""<meta name="robots" content="noindex">
<script type="module" src="{assets}room/{name}.js"></script>
"""
    attributes = f'data-code="{escape(code)}" data-base="{base_path()}" data-assets="{assets}"'
    page = html_document(title, "", assets, f"room/{name}.css", head=head, attributes=attributes)
    return CompressedBody.compress(page.encode())
