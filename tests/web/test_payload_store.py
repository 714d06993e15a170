import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import TestCase

import pytest

from lnviz.cache import folder
from lnviz.web import payload_store
from lnviz.web.answers import Body
from lnviz.web.payload_store import PayloadStore, code

A, B = Body.of(b"a" * 500), Body.of(b"b" * 500)


def noise(number: int) -> Body:
    """Bodies of a thousand bytes."""
    return Body(bytes([number]) * 1000)


def test_what_is_kept_is_found_by_its_name(tmp_path: Path) -> None:
    kept = PayloadStore(tmp_path, "v1")
    kept.put("a", A)
    kept.put("b", B)
    again = PayloadStore(tmp_path, "v1")
    assert (again.get("a"), again.get("b"), again.get("c")) == (A, B, None)


def test_what_other_code_has_made_is_not_found(tmp_path: Path) -> None:
    PayloadStore(tmp_path, "v1").put("a", A)
    assert PayloadStore(tmp_path, "v2").get("a") is None


def test_the_name_of_the_code_follows_the_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "__init__.py").write_text("1")
    monkeypatch.setattr(payload_store.lnviz, "__file__", str(tmp_path / "__init__.py"))
    before, again = (code.__wrapped__() for _ in range(2))
    (tmp_path / "text.md").write_text("2")
    assert before == again != code.__wrapped__()


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
    kept = PayloadStore(tmp_path, "v1")
    kept.put("a", A)
    only(tmp_path).write_bytes(spoil(only(tmp_path).read_bytes()))
    assert kept.get("a") is None
    kept.put("a", A)
    assert kept.get("a") == A


def test_the_file_of_another_name_is_not_taken_for_this(tmp_path: Path) -> None:
    kept = PayloadStore(tmp_path, "v1")
    kept.put("a", A)
    taken = only(tmp_path)
    kept.put("b", B)
    (other,) = set(tmp_path.glob("*.payload")) - {taken}
    other.write_bytes(taken.read_bytes())
    assert kept.get("b") is None


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    kept = PayloadStore(tmp_path, "v1", limit=3500)
    for number in range(3):
        kept.put(str(number), noise(number))
        os.utime(kept._file(str(number)), (number, number))
    kept.get("0")
    kept.put("3", noise(3))
    assert [kept.get(str(number)) is None for number in range(4)] == [False, True, False, False]


def test_what_is_to_stay_is_never_pushed_out(tmp_path: Path) -> None:
    kept = PayloadStore(tmp_path, "v1", limit=2500, stay=["stays"])
    kept.put("stays", noise(0))
    os.utime(kept._file("stays"), (0, 0))
    for number in range(1, 9):
        kept.put(str(number), noise(number))
    assert kept.get("stays") == noise(0)
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 2500 + 1100


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    kept = PayloadStore(tmp_path, "v1", limit=0)
    kept.put("a", A)
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]


def test_a_folder_that_cannot_be_used_keeps_nothing_and_says_so_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = PayloadStore(tmp_path / "file" / "folder", "v1")
    with TestCase().assertLogs() as log:
        kept.put("a", A)
        kept.put("b", B)
    assert kept.get("a") is None
    (said,) = log.output
    assert "LNVIZ_CACHE" in said


def test_who_reads_while_others_write_reads_the_whole_or_nothing(tmp_path: Path) -> None:
    bodies = [noise(1), noise(2)]

    def write(body: Body) -> None:
        for _ in range(50):
            PayloadStore(tmp_path, "v1", limit=1500).put("a", body)

    def read(_: int) -> set[Body | None]:
        return {PayloadStore(tmp_path, "v1").get("a") for _ in range(200)}

    with ThreadPoolExecutor(4) as pool:
        reading = [pool.submit(read, n) for n in range(2)]
        for written in [pool.submit(write, body) for body in bodies]:
            written.result()
    assert set().union(*(found.result() for found in reading)) <= {*bodies, None}
    assert PayloadStore(tmp_path, "v1").get("a") in bodies


PUT = """
import sys
from pathlib import Path
from lnviz.web.answers import Body
from lnviz.web.payload_store import PayloadStore
PayloadStore(Path(sys.argv[1]), "v1").put("a", Body.of(b"a" * 500))
"""


def test_another_process_finds_what_one_has_kept(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", PUT, str(tmp_path)], cwd=root, check=True)
    assert PayloadStore(tmp_path, "v1").get("a") == A


def test_a_variable_moves_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LNVIZ_CACHE", str(tmp_path))
    assert folder() == tmp_path
    monkeypatch.delenv("LNVIZ_CACHE")
    assert folder().name == "lnviz"
