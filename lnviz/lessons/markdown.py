"""Markdown as blocks, and the Markdown that blocks were read from."""

from __future__ import annotations

from textwrap import dedent

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.container import container_plugin

_MARKDOWN = MarkdownIt("commonmark").use(
    container_plugin, "directive", validate=lambda head, _: bool(head.strip())
)


def blocks(text: str) -> list[SyntaxTreeNode]:
    """Return the blocks of a text; a directive is one of type `container_directive`."""
    return SyntaxTreeNode(_MARKDOWN.parse(text)).children


def source(nodes: list[SyntaxTreeNode], lines: list[str]) -> str:
    """Return the Markdown that these blocks were read from."""
    if not nodes:
        return ""
    return dedent("\n".join(lines[span(nodes[0])[0] : span(nodes[-1])[1]])).strip()


def span(node: SyntaxTreeNode) -> tuple[int, int]:
    """Return a block's first line, and the first one after it."""
    assert node.map is not None
    return node.map
