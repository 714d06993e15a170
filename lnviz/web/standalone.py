"""The standalone page of an explorable: the same figure for an `<iframe>` or a slide."""

from __future__ import annotations

from html import escape


def page(title: str, source: str, parameters: tuple[str, ...], assets: str, lesson: str) -> str:
    """Return a complete HTML document that mounts one explorable.

    Args:
        title: The figure's title.
        source: Address of the payload, relative to the page.
        parameters: Names of the parameters that the page's address may carry.
        assets: Address of the assets' folder, relative to the page, with a slash at its end.
        lesson: Address of the lesson that explains the figure, relative to the page.
    """
    names = " ".join(parameters)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} - lnviz</title>
<link rel="icon" href="{escape(assets)}page/icon.svg">
<link rel="stylesheet" href="{escape(assets)}page/standalone.css">
</head>
<body>
<main>
<h1>{escape(title)}</h1>
<div id="explorable" data-source="{escape(source)}" data-parameters="{escape(names)}"></div>
<p><a href="{escape(lesson)}" target="_top">The lesson that explains this figure</a></p>
</main>
<noscript>This figure needs JavaScript.</noscript>
<script type="module" src="{escape(assets)}page/standalone.js"></script>
</body>
</html>
"""
