"""What `make docs` writes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import lnviz
from lnviz.frontend.theme import TOKENS

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("api")
    subprocess.run([sys.executable, "docs/api.py", folder], cwd=ROOT, check=True)
    return folder


def test_every_public_name_has_its_section(folder: Path) -> None:
    page = (folder / "lnviz.html").read_text("utf-8")
    assert {name for name in lnviz.__all__ if f'<section id="{name}">' not in page} == set()


def test_every_page_has_the_colors_of_the_book_and_its_formulas_drawn(folder: Path) -> None:
    pages = [file for file in folder.rglob("*.html") if file.name != "index.html"]
    assert len(pages) > 1
    for page in pages:
        text = page.read_text("utf-8")
        assert {TOKENS["accent"].light, TOKENS["accent"].dark} <= set(re.findall(r"#\w{6}", text))
        assert not re.search(r"\$[^<$]*\\[a-z]+[^<$]*\$", text.partition("<main")[2])
    assert "<math" in (folder / "lnviz" / "norms.html").read_text("utf-8")


def test_a_page_loads_files_of_its_own_folder_only(folder: Path) -> None:
    for page in folder.rglob("*.html"):
        text = page.read_text("utf-8")
        loaded = re.findall(r'(?:url\(|src=|<link [^>]*href=)"([^"]+)"', text)
        files = [name for name in loaded if not name.startswith("data:")]
        assert [name for name in files if not (page.parent / name).is_file()] == []
