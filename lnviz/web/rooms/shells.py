"""The pages of phones and of the remote: nearly empty, so that they are there at once."""

from __future__ import annotations

from functools import cache
from html import escape

from lnviz.web.answers import Body
from lnviz.web.assets import base, versioned


@cache
def _parts(name: str) -> str:
    """What the head of a page loads: its style and its script."""
    assets = versioned()
    return f"""<link rel="icon" href="{assets}page/icon.svg">
<link rel="stylesheet" href="{assets}room/{name}.css">
<script type="module" src="{assets}room/{name}.js"></script>"""


def shell(name: str, title: str, code: str) -> Body:
    """Return a page that a script of `room/` builds.

    Args:
        name: of the script and its style.
        title: of the page, in the browser's tab.
        code: of the room; empty where it is not known yet.
    """
    page = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{escape(title)} - lnviz</title>
{_parts(name)}
</head>
<body data-code="{escape(code)}" data-base="{base()}" data-assets="{versioned()}"></body>
</html>
"""
    return Body.of(page.encode())
