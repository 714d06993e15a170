"""What every page is that Streamlit does not make: a complete HTML document."""

from __future__ import annotations

from html import escape


def html_document(
    title: str, body: str, assets: str, *styles: str, head: str = "", attributes: str = ""
) -> str:
    """Return a complete HTML document.

    Args:
        title: the title in the browser's tab.
        body: HTML that is shown.
        assets: the address of the assets' folder, with a slash at its end.
        styles: the style sheets, by their paths there.
        head: more HTML for the head, in lines.
        attributes: attributes of the body.
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
