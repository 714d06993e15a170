"""A page of the server's own, without Streamlit: a heading, and what stands below it."""

from __future__ import annotations

from html import escape

from lnviz.web.assets import versioned


def bare(title: str, heading: str, content: str) -> str:
    """Return a page that no search engine keeps.

    Args:
        title: the title in the browser's tab.
        heading: the heading on the page.
        content: HTML below it.
    """
    assets = versioned()
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{escape(title)} - lnviz</title>
<link rel="icon" href="{assets}page/icon.svg">
<link rel="stylesheet" href="{assets}page/standalone.css">
</head>
<body>
<main>
<h1>{escape(heading)}</h1>
{content}
</main>
</body>
</html>
"""
