"""HTML documents for all pages that Streamlit does not serve."""

from __future__ import annotations

from html import escape


def html_document(title: str, body: str, head: str, attributes: str = "") -> str:
    """Return a complete HTML document.

    Args:
        title: The title of the browser's tab.
        body: The HTML of the body.
        head: Further lines of HTML for the head, such as `asset_links`.
        attributes: Attributes of the body element.
    """
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} - lnviz</title>
{head}
</head>
<body{" " * bool(attributes)}{attributes}>
{body}
</body>
</html>
"""


def asset_links(assets: str, *styles: str) -> str:
    """Return the HTML head's links to the app's icon and style sheets.

    Args:
        assets: The URL of the assets folder, ending with a slash.
        styles: Paths of the style sheets in that folder.
    """
    folder = escape(assets)
    icon = f'<link rel="icon" href="{folder}page/icon.svg">'
    sheets = (f'<link rel="stylesheet" href="{folder}{style}">' for style in styles)
    return "\n".join((icon, *sheets))
