"""Verification of an exported book: finds missing or changed files and broken links."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from lnviz.book.export import page
from lnviz.lessons import Lesson

MANIFEST = "manifest.json"


def digest(content: bytes) -> str:
    """Return the SHA-256 digest of a file's content."""
    return hashlib.sha256(content).hexdigest()


def problems(folder: Path, pages: Iterable[Lesson]) -> list[str]:
    """Return a message for each missing or changed file and each broken link of an exported book.

    Args:
        folder: The folder of the exported book.
        pages: The pages that it should contain.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files = {str(name): str(expected) for name, expected in manifest["files"].items()}
    except FileNotFoundError:
        return [
            f"{MANIFEST} is missing, so this is not a complete exported book. Export the book "
            "again."
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return [f"{MANIFEST} cannot be read. Export the book again."]
    since = (file for file in map(page.file_name, pages) if file not in files)
    missing = [f"{file} is missing: this page is new. Export the book again." for file in since]
    texts = {}
    for name, expected in files.items():
        try:
            content = (folder / name).read_bytes()
        except OSError:
            missing.append(f"{name} is missing.")
            continue
        if digest(content) != expected:
            missing.append(f"{name} has changed since the export.")
        elif name.endswith(".html"):
            texts[name] = content.decode()
    return [*missing, *broken_links(texts, files)]


def broken_links(pages: Mapping[str, str], files: Collection[str]) -> list[str]:
    """Return a message for each broken link in an exported book.

    Args:
        pages: The HTML of each page, by file name.
        files: The names of all files.
    """
    texts = {name: _PageParser(text) for name, text in pages.items()}
    missing = []
    for name, parsed in texts.items():
        for address in parsed.links:
            url = urlsplit(urljoin(name, address))
            path = unquote(url.path).lstrip("/")
            if path not in files:
                missing.append(f"{name} links to {path}, which is not part of the book.")
            elif url.fragment and path in texts and url.fragment not in texts[path].anchors:
                missing.append(f"{name} links to {path}#{url.fragment}, which does not exist.")
    return missing


class _PageParser(HTMLParser):
    """HTML parser that collects a page's anchors, and its links to pages, scripts and payloads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = {name: value or "" for name, value in attrs}
        if "id" in of:
            self.anchors.add(of["id"])
        if "data-figure" in of:
            self.anchors.add(f"figure-{of['data-figure']}")
            paths = json.loads(of["data-stock"])["files"].values()
            # Relative to the root of the export.
            self.links.extend(f"/{path}" for path in paths if isinstance(path, str))
            self.links.append(f"/{of['data-page']}")
        address = of.get("href") or of.get("src") or ""
        if address and not urlsplit(address).scheme:
            self.links.append(address)
