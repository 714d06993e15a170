"""The set-up of the suite: all that a fresh clone needs is installed by what the Makefile says."""

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.dependencies import needed

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
CHECKED = [ROOT / path for path in SETTINGS["files"]]
UNTYPED = [name for each in SETTINGS["overrides"] for name in each["module"]]


def requirements(file: Path) -> Iterator[Requirement]:
    """The requirements in a file, and in those that it includes."""
    for line in file.read_text().splitlines():
        if line.startswith("-r "):
            yield from requirements(file.with_name(line.removeprefix("-r ")))
        elif line.startswith("-e ."):
            yield from needed(*Requirement(line.replace("-e .", "lnviz")).extras).values()
        elif line and not line.startswith("#"):
            yield Requirement(line)


def installed_by(target: str, folder: Path) -> set[str]:
    """The distributions that make installs for a target, with all that they require.

    The folder is that of the environment, which make would create: nothing has run there before.
    """
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    command = ["make", "--dry-run", f"VENV={folder / 'venv'}", target]
    printed = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout
    words = [line.split() for line in printed.splitlines() if " install " in line]
    files = {line[line.index("-r") + 1] for line in words if "-r" in line}
    files.discard("requirements.lock")  # versions of what requirements.txt asks for
    ahead = [each for file in files for each in requirements(ROOT / file)]
    names: set[str] = set()
    while ahead:
        requirement = ahead.pop()
        name = canonicalize_name(requirement.name)
        extras = requirement.extras or {""}
        if name not in names and _applies(requirement, {""}):
            names.add(name)
            each = map(Requirement, requires(name) or ())
            ahead += [inner for inner in each if _applies(inner, extras | {""})]
    return names


def _applies(requirement: Requirement, extras: set[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras)


def imported() -> set[str]:
    """The modules of others that are imported, anywhere in what mypy reads."""
    files = [
        file for path in CHECKED for file in ([path] if path.is_file() else path.rglob("*.py"))
    ]
    names = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module)
    own = {"lnviz", "tests", "benchmarks", *sys.stdlib_module_names}
    return {
        name
        for name in names
        if name.partition(".")[0] not in own
        and not any(fnmatch(f"{name}.", pattern.replace("*", "") + "*") for pattern in UNTYPED)
    }


@pytest.mark.slow
def test_all_that_is_imported_for_type_checking_is_installed_before_it(tmp_path: Path) -> None:
    there = installed_by("checks", tmp_path)
    sources = packages_distributions()
    missing = {
        name
        for name in imported()
        if not {canonicalize_name(each) for each in sources.get(name.partition(".")[0], ())} & there
    }
    assert not missing


def test_ci_runs_the_command_of_the_readme_and_nothing_else() -> None:
    commands = [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line[0] != "#"]
    assert [line for line in commands if not line.startswith(("set ", "cd "))] == ["make test"]
    assert "`make test`" in (ROOT / "README.md").read_text("utf-8")
