from pathlib import Path

import pytest

from lnviz.book import PAGES
from lnviz.new.contents import BEGIN, END, page_table, regenerate, render

ROOT = Path(__file__).parents[2]


def test_the_documents_list_the_pages_as_they_are() -> None:
    text = (ROOT / "docs" / "pages.md").read_text(encoding="utf-8")
    assert render(text) == text, "write it anew: python -m lnviz new contents"


def test_every_page_is_listed_with_what_moves_there() -> None:
    _, _, *rows = page_table().splitlines()
    assert rows == [f"| `/{page.url_path}` | {page.summary} |" for page in PAGES]


def test_what_stands_around_the_list_stays(tmp_path: Path) -> None:
    file = tmp_path / "pages.md"
    file.write_text(f"Before.\n\n{BEGIN}\nold\n{END}\n\nAfter.\n")
    regenerate(file)
    assert file.read_text() == f"Before.\n\n{BEGIN}\n{page_table()}\n{END}\n\nAfter.\n"


def test_a_text_without_a_place_for_the_list_is_refused() -> None:
    with pytest.raises(ValueError, match="found 0 times"):
        render("Nothing.")
