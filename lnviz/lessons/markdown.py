"""Parsing of Markdown into blocks, and conversion of blocks back into source."""

from __future__ import annotations

from textwrap import dedent

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.container import container_plugin

_MARKDOWN = MarkdownIt("commonmark").use(
    container_plugin, "directive", validate=lambda head, _: bool(head.strip())
)


def parse_blocks(text: str) -> list[SyntaxTreeNode]:
    """Parse Markdown into top-level blocks; `:::` directives are `container_directive` blocks."""
    return SyntaxTreeNode(_MARKDOWN.parse(text)).children


def to_source(nodes: list[SyntaxTreeNode], lines: list[str]) -> str:
    """Return the Markdown source of consecutive blocks of a text."""
    if not nodes:
        return ""
    return dedent("\n".join(lines[line_range(nodes[0])[0] : line_range(nodes[-1])[1]])).strip()


def line_range(node: SyntaxTreeNode) -> tuple[int, int]:
    """Return a block's line numbers, as a half-open range."""
    assert node.map is not None
    return node.map
