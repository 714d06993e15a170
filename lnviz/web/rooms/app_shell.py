"""App shell: the nearly empty HTML page of a phone or remote control, filled in by a script."""

from __future__ import annotations

from html import escape

from lnviz.frontend.html_shell import asset_links, html_document
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
{asset_links(assets, f"room/{name}.css")}"""
    attributes = f'data-code="{escape(code)}" data-base="{base_path()}" data-assets="{assets}"'
    return CompressedBody.compress(html_document(title, "", head, attributes).encode())
