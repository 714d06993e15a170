"""HTML documents for pages that the app serves without Streamlit."""

from __future__ import annotations

from html import escape


def html_document(
    title: str, body: str, assets: str, *styles: str, head: str = "", attributes: str = ""
) -> str:
    """Return a complete HTML document.

    Args:
        title: The title of the browser's tab.
        body: The HTML of the body.
        assets: The URL of the assets folder, ending with a slash.
        styles: Paths of the style sheets in that folder.
        head: Further lines of HTML for the head.
        attributes: Attributes of the body element.
    """
    folder = escape(assets)
    linked = "\n".join(f'<link rel="stylesheet" href="{folder}{style}">' for style in styles)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} - lnviz</title>
{head}<link rel="icon" href="{folder}page/icon.svg">
{linked}
</head>
<body{" " * bool(attributes)}{attributes}>
{body}
</body>
</html>
"""
