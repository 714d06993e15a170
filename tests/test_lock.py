import re

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.dependencies import EXTRAS, ROOT, needed

LOCK = (ROOT / "requirements.lock").read_text()


def _parsed(text: str) -> list[Requirement]:
    return [Requirement(line.rstrip(" \\")) for line in text.splitlines() if line[:1].isalpha()]


PINNED = _parsed(LOCK)
ASKED = _parsed((ROOT / "requirements.txt").read_text())
NEEDED = needed("app", "postgres")


def test_hosts_are_asked_for_all_that_the_app_needs_and_for_nothing_else() -> None:
    assert {each.name for each in ASKED} == set(NEEDED), "Run `make lock`."


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_what_is_asked_for_is_one_version_that_is_allowed_and_locked(asked: Requirement) -> None:
    (pin,) = asked.specifier
    assert pin.operator == "=="
    assert NEEDED[asked.name].specifier.contains(pin.version), "Run `make lock`."
    assert asked.extras == NEEDED[asked.name].extras
    locked = [(each.specifier, each.marker) for each in PINNED if each.name == asked.name]
    if asked.name == "torch":
        assert locked == []  # its builds are many: requirements.txt names one version
        assert Version(pin.version).local is None
    else:
        assert (asked.specifier, asked.marker) in locked, "Run `make lock`."


def test_every_extra_is_in_the_one_that_brings_all() -> None:
    apart = [needed(extra) for extra in EXTRAS if extra != "all"]
    assert needed("all").keys() == {name for each in apart for name in each}


def test_everything_locked_has_hashes() -> None:
    for block in re.split(r"\n(?=\S)", LOCK.strip()):
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), block


def test_the_lock_names_no_host() -> None:
    assert "//" not in LOCK
    assert "--index" not in LOCK
