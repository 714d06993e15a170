"""Prose as HTML: what a line does not break."""

import json
from pathlib import Path

import pytest

from lnviz.lessons.prose import inline

CASES = json.loads(
    (Path(__file__).parents[1] / "frontend" / "engine" / "joined.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(("text", "parts"), CASES)
def test_no_line_of_prose_breaks_before_a_number(text: str, parts: list[str]) -> None:
    html = [
        f'<span class="joined">{part}</span>' if i % 2 else part for i, part in enumerate(parts)
    ]
    assert inline(text, str) == "".join(html)
