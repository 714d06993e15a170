import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import TestCase

import pytest

from lnviz import fingerprint
from lnviz.book import PAGES
from lnviz.cache import cache_directory
from lnviz.web import payload_store
from lnviz.web.payload_store import PayloadStore, code_version
from lnviz.web.responses import CompressedBody

MAKER = "v1"
A, B = CompressedBody.compress(b"a" * 500), CompressedBody.compress(b"b" * 500)


def noise(number: int) -> CompressedBody:
    """Bodies of a thousand bytes."""
    return CompressedBody(bytes([number]) * 1000)


def test_what_is_kept_is_found_by_its_name(tmp_path: Path) -> None:
    kept = PayloadStore(tmp_path)
    kept.put("a", MAKER, A)
    kept.put("b", MAKER, B)
    again = PayloadStore(tmp_path)
    assert (again.get("a", MAKER), again.get("b", MAKER), again.get("c", MAKER)) == (A, B, None)


def test_what_other_code_has_made_is_not_found(tmp_path: Path) -> None:
    PayloadStore(tmp_path).put("a", MAKER, A)
    assert PayloadStore(tmp_path).get("a", "v2") is None


def test_each_figure_has_its_maker_and_keeps_it() -> None:
    modules = {figure.build.__module__ for page in PAGES for figure in page.figures}
    makers = {module: code_version(module) for module in modules}
    assert len(set(makers.values())) == len(modules)
    assert makers == {module: payload_store._code_version.__wrapped__(module) for module in modules}


@pytest.mark.parametrize("file", ["line_code.py", "line.md"])
def test_what_a_reader_is_shown_with_a_figure_belongs_to_its_maker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    monkeypatch.setattr(fingerprint, "ROOT", tmp_path)
    (tmp_path / "line.py").write_text("AMPLITUDE = 1")
    before, again = (payload_store._code_version.__wrapped__("line") for _ in range(2))
    (tmp_path / file).write_text("print(1)")
    (tmp_path / "text.md").write_text("A lesson.")
    assert before == again != payload_store._code_version.__wrapped__("line")


def only(folder: Path) -> Path:
    (file,) = folder.glob("*.payload")
    return file


@pytest.mark.parametrize(
    "spoil",
    [
        lambda kept: b"",
        lambda kept: kept[:-1],
        lambda kept: kept[:40] + b"?" + kept[41:],
        lambda kept: b"something else",
    ],
)
def test_a_spoiled_file_is_as_good_as_none_and_is_replaced(tmp_path: Path, spoil: object) -> None:
    kept = PayloadStore(tmp_path)
    kept.put("a", MAKER, A)
    only(tmp_path).write_bytes(spoil(only(tmp_path).read_bytes()))
    assert kept.get("a", MAKER) is None
    kept.put("a", MAKER, A)
    assert kept.get("a", MAKER) == A


def test_the_file_of_another_name_is_not_taken_for_this(tmp_path: Path) -> None:
    kept = PayloadStore(tmp_path)
    kept.put("a", MAKER, A)
    taken = only(tmp_path)
    kept.put("b", MAKER, B)
    (other,) = set(tmp_path.glob("*.payload")) - {taken}
    other.write_bytes(taken.read_bytes())
    assert kept.get("b", MAKER) is None


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    kept = PayloadStore(tmp_path, limit_bytes=3500)
    for number in range(3):
        kept.put(str(number), MAKER, noise(number))
        os.utime(kept._file(str(number), MAKER), (number, number))
    kept.get("0", MAKER)
    kept.put("3", MAKER, noise(3))
    assert [kept.get(str(number), MAKER) is None for number in range(4)] == [
        False,
        True,
        False,
        False,
    ]


def test_what_is_to_stay_is_never_pushed_out_but_by_a_newer_one(tmp_path: Path) -> None:
    kept = PayloadStore(tmp_path, limit_bytes=2500, pinned=["stays"])
    kept.put("stays", "v0", noise(9))
    kept.put("stays", MAKER, noise(0))
    os.utime(kept._file("stays", "v0"), (-1, -1))
    os.utime(kept._file("stays", MAKER), (0, 0))
    for number in range(1, 9):
        kept.put(str(number), MAKER, noise(number))
    assert kept.get("stays", MAKER) == noise(0)
    assert kept.get("stays", "v0") is None
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 2500 + 1100


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    kept = PayloadStore(tmp_path, limit_bytes=0)
    kept.put("a", MAKER, A)
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]


def test_a_folder_that_cannot_be_used_keeps_nothing_and_says_so_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = PayloadStore(tmp_path / "file" / "folder")
    with TestCase().assertLogs() as log:
        kept.put("a", MAKER, A)
        kept.put("b", MAKER, B)
    assert kept.get("a", MAKER) is None
    (said,) = log.output
    assert "LNVIZ_CACHE" in said


def test_who_reads_while_others_write_reads_the_whole_or_nothing(tmp_path: Path) -> None:
    bodies = [noise(1), noise(2)]

    def write(body: CompressedBody) -> None:
        for _ in range(50):
            PayloadStore(tmp_path, limit_bytes=1500).put("a", MAKER, body)

    def read(_: int) -> set[CompressedBody | None]:
        return {PayloadStore(tmp_path).get("a", MAKER) for _ in range(200)}

    with ThreadPoolExecutor(4) as pool:
        reading = [pool.submit(read, n) for n in range(2)]
        for written in [pool.submit(write, body) for body in bodies]:
            written.result()
    assert set().union(*(found.result() for found in reading)) <= {*bodies, None}
    assert PayloadStore(tmp_path).get("a", MAKER) in bodies


PUT = """
import sys
from pathlib import Path
from lnviz.web.responses import CompressedBody
from lnviz.web.payload_store import PayloadStore
PayloadStore(Path(sys.argv[1])).put("a", "v1", CompressedBody.compress(b"a" * 500))
"""


@pytest.mark.slow
def test_another_process_finds_what_one_has_kept(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", PUT, str(tmp_path)], cwd=root, check=True)
    assert PayloadStore(tmp_path).get("a", MAKER) == A


def test_a_variable_moves_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LNVIZ_CACHE", str(tmp_path))
    assert cache_directory() == tmp_path
    monkeypatch.delenv("LNVIZ_CACHE")
    assert cache_directory().name == "lnviz"
