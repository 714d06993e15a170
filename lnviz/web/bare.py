"""A page without Streamlit: a heading, and what stands below it."""

from __future__ import annotations

from html import escape


def bare(
    title: str, heading: str, content: str, assets: str, *, head: str = "", end: str = ""
) -> str:
    """Return a complete HTML document.

    Args:
        title: the title in the browser's tab.
        heading: the heading on the page.
        content: HTML below the heading.
        assets: the address of the assets' folder, with a slash at its end.
        head: more HTML for the head, in lines.
        end: HTML behind all that is shown, in lines.
    """
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{head}<title>{escape(title)} - lnviz</title>
<link rel="icon" href="{escape(assets)}page/icon.svg">
<link rel="stylesheet" href="{escape(assets)}page/standalone.css">
</head>
<body>
<main>
<h1>{escape(heading)}</h1>
{content}
</main>
{end}</body>
</html>
"""
