from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lnviz import fingerprint as fingerprints
from lnviz.fingerprint import fingerprint, transitive_imports

FIGURE = '''
"""A figure."""
from box.topics import wave
from box.kit import Line  # a chart

AMPLITUDE = 2
"""How high."""


def build() -> Line:
    """Draw it."""
    return Line(wave.compute(AMPLITUDE))
'''
FILES = {
    "__init__.py": "from box.unused import nothing",
    "unused.py": "nothing = 0",
    "figure.py": FIGURE,
    "kit.py": "class Line:\n    ...",
    "topics/__init__.py": "from box.unused import nothing",
    "topics/wave.py": "from . import sine\nfrom ..norms import gain\ncompute = sine.of",
    "topics/sine.py": "def of(x):\n    import box.late\n    return x",
    "norms.py": "gain = 1",
    "late.py": "import math",
}

Change = Callable[..., str]


@pytest.fixture
def change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Change]:
    """Replaces words of a file of a small package; gives the fingerprint of its figure."""
    monkeypatch.setattr(fingerprints, "ROOT", tmp_path)
    for name, text in FILES.items():
        file = tmp_path / "box" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    def changed(name: str, old: str = "", new: str = "") -> str:
        file = tmp_path / "box" / name
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new, 1))
        fingerprints._module_code.cache_clear()
        return fingerprint("box.figure")

    yield changed
    fingerprints._module_code.cache_clear()


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("figure.py", "A figure", "One figure, of a wave"),
        ("figure.py", "How high.", "How high it is."),
        ("figure.py", '    """Draw it."""\n', ""),
        ("figure.py", "  # a chart", "\n\n# drawn as a line"),
        ("kit.py", "...", '"""Of a chart."""\n    ...'),
        ("unused.py", "0", "1"),
        ("topics/__init__.py", "nothing", "another"),
    ],
)
def test_words_and_what_is_not_imported_do_not_count(
    change: Change, name: str, old: str, new: str
) -> None:
    assert change("figure.py") == change(name, old, new)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("figure.py", "AMPLITUDE = 2", "AMPLITUDE = 3"),
        ("figure.py", "wave.compute", "-wave.compute"),
        ("kit.py", "...", "width = 1"),
        ("topics/sine.py", "return x", "return 2 * x"),
        ("norms.py", "1", "1.0"),
        ("late.py", "math", "cmath"),
    ],
)
def test_all_code_that_is_reached_counts(change: Change, name: str, old: str, new: str) -> None:
    assert change("figure.py") != change(name, old, new)


def test_modules_are_reached_through_others_and_out_of_functions(change: Change) -> None:
    change("figure.py")
    reached = {"figure", "kit", "topics.wave", "topics.sine", "norms", "late"}
    assert transitive_imports("box.figure") == {f"box.{name}" for name in reached}


def test_what_is_imported_from_a_package_is_its_own_init(change: Change) -> None:
    change("figure.py", "from box.topics import wave", "from box.topics import nothing as wave")
    assert {"box.topics", "box.unused"} <= transitive_imports("box.figure")


def test_a_module_that_is_not_there_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"no module 'lnviz\.waves'"):
        fingerprint("lnviz.waves")
