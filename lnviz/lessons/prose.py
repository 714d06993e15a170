"""Rendering of Markdown to HTML, with formulas as MathML."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from math_core import LatexToMathML
from mdit_py_plugins.dollarmath import dollarmath_plugin

from lnviz.lessons.text import anchor

_FORMULAS = LatexToMathML()

# No line ends in these: a word or sign before a number, a power of ten, "Post-LN".
# `frontend/engine/dom.js` has the same rule; both are tested with `joined.json`.
_SIGNED = r"\S*(?:[^\W\d_]|[±≈=<>≤≥×−+]) [−+±]?\d\S*(?: × \d\S*)?"
_JOINED = re.compile(rf"({_SIGNED}|\d\S* × \d\S*|[^\W\d_]+-[A-Z]{{2,3}}(?!\w))")


@cache
def _markdown() -> MarkdownIt:
    """Return the Markdown parser, for CommonMark, tables, and formulas between dollar signs."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.use(dollarmath_plugin, allow_labels=False, renderer=_formula)
    markdown.core.ruler.push("anchors", _name_headings)
    markdown.add_render_rule("text", _text)
    return markdown


def markdown_to_html(text: str, link: Callable[[str], str]) -> str:
    """Render Markdown as HTML.

    Args:
        text: The Markdown.
        link: Maps the URLs of links to those in the HTML.
    """
    return str(_markdown().render(text, {"link": link}))


def inline(text: str, link: Callable[[str], str]) -> str:
    """Render one line of Markdown as HTML, without a paragraph element around it."""
    return str(_markdown().renderInline(text, {"link": link}))


def tokens(text: str) -> list[Token]:
    """Parse Markdown into markdown-it tokens."""
    return _markdown().parse(text)


def plain_text(text: str) -> str:
    """Return Markdown as plain text on one line.

    >>> plain_text("How *large* is $x$, the [stream](reference#stream)?")
    'How large is x, the stream?'
    """
    inline = (token for token in tokens(text) if token.type == "inline")
    return " ".join("".join(map(token_text, token.children or ())) for token in inline)


def token_text(token: Token) -> str:
    """Return an inline Markdown token as plain text."""
    if token.type == "math_inline":
        return re.sub(r"[\\{}]", "", token.content)
    return token.content if token.content else " " if token.type.endswith("break") else ""


def anchors(text: str) -> list[str]:
    """Return the HTML ids of the headings in a Markdown text, for links to them."""
    return [str(token.attrGet("id")) for token in tokens(text) if token.type == "heading_open"]


def _formula(latex: str, options: dict[str, bool]) -> str:
    return _FORMULAS.convert_with_local_state(latex.strip(), displaystyle=options["display_mode"])


def join_numbers(text: str) -> str:
    """Return plain text as HTML in which no line breaks before a number.

    >>> join_numbers("Is it > example 3?")
    'Is it &gt; <span class="joined">example 3?</span>'
    """
    parts = [escapeHtml(part) for part in _JOINED.split(text)]
    parts[1::2] = [f'<span class="joined">{part}</span>' for part in parts[1::2]]
    return "".join(parts)


def _text(_: object, tokens: Sequence[Token], index: int, *_more: Any) -> str:
    return join_numbers(tokens[index].content)


def _name_headings(state: StateCore) -> None:
    """Set the ids of headings and rewrite the URLs of links, as a rule of the Markdown parser."""
    link = state.env.get("link")
    for token, following in zip(state.tokens, state.tokens[1:], strict=False):
        if token.type == "heading_open":
            token.attrSet("id", anchor(following.content))
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "link_open" and link:
                child.attrSet("href", link(str(child.attrGet("href"))))
