import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.lock").read_text()
PINNED = [Requirement(line.rstrip(" \\")) for line in LOCK.splitlines() if line[0].isalpha()]
ASKED = [
    Requirement(line)
    for line in (ROOT / "requirements.txt").read_text().splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.name)
def test_what_is_asked_for_is_locked_in_a_version_that_is_allowed(asked: Requirement) -> None:
    found = [each for each in PINNED if canonicalize_name(each.name) == asked.name]
    if asked.name == "torch":
        assert found == []  # its builds are many: requirements.txt names one version
        assert re.fullmatch(r"==[\d.]+", str(asked.specifier))
    else:
        assert found, "Run `make lock`."
    for each in found:
        (pin,) = each.specifier
        assert pin.operator == "=="
        assert asked.specifier.contains(pin.version), "Run `make lock`."


def test_everything_locked_has_hashes() -> None:
    for block in re.split(r"\n(?=\S)", LOCK.strip()):
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), block


def test_the_lock_names_no_host() -> None:
    assert "//" not in LOCK
    assert "--index" not in LOCK
