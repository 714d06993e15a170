"""The file `sitemap.xml`, which lists the pages for search engines."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def sitemap(urls: Iterable[str]) -> str:
    """Return the content of `sitemap.xml` for the URLs of all pages."""
    addresses = "\n".join(f"<url><loc>{escape(url)}</loc></url>" for url in urls)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{addresses}\n</urlset>\n'
    )
