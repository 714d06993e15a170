import gc
import os
from importlib import import_module
from pathlib import Path
from typing import Any

import jaxtyping
import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

from tests import sharing

ROOT = Path(__file__).resolve().parents[1]
ARGUMENTS = ROOT / "lnviz/norms/arguments.py"

# How long an example takes says more about the machine than about the code.
settings.register_profile(
    "lnviz",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
    print_blob=True,
)
settings.register_profile("quick", settings.get_profile("lnviz"), max_examples=10)
settings.load_profile("lnviz")


def pytest_configure(config: pytest.Config) -> None:
    if not _is_worker(config):
        sharing.begin()
        if config.getoption("numprocesses", None):
            return  # this process hands the tests to others
    gc.disable()  # ten thousand tests, and all that is imported for them, are no garbage
    if not jaxtyping.config.jaxtyping_disable:
        _check_shapes()
    # The suite runs in as many processes as there are cores; more threads wait for each other.
    torch = import_module("torch")
    torch.set_num_threads(1)
    # This process keeps what thousands of tests have made: more than a server may have before it
    # turns visitors away. Those that tests start have their ceiling.
    import_module("lnviz.memory").MEMORY.used = lambda: 2**29


def pytest_runtest_setup() -> None:
    """Has every test draw the same random numbers, whatever has run before it."""
    import_module("torch").manual_seed(0)


def _check_shapes() -> None:
    """Has every shape in the signatures of lnviz checked, from its first import on."""
    # Before the hook: what a module that it has changed imports finds nothing compiled on the disk.
    for library in ("plotly.graph_objects", "streamlit.testing.v1"):
        import_module(library)
    # A check takes ten microseconds and more: what has no shapes mypy has checked already, and the
    # arguments of norms are checked by themselves. As for mypy, a whole number is a float.
    jaxtyping.install_import_hook(
        [
            ".".join(file.relative_to(ROOT).with_suffix("").parts)
            for file in ROOT.glob("lnviz/**/*.py")
            if "from jaxtyping import" in file.read_text("utf-8") and file != ARGUMENTS
        ],
        "beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))",
    )


MODELS = "tests/pretrained/"
"""Whose tests share published models, which take seconds to load."""
LONGEST = (
    "tests/new/test_lesson.py",
    MODELS,
    "tests/web/test_rooms.py",
    "tests/browser/test_pages.py",
    "tests/browser/test_several.py",
    "tests/browser/test_lost_server.py",
    "tests/browser/test_lessons.py",
    "tests/browser/test_classroom.py",
    "tests/browser/test_marks.py",
)
"""Files, and a folder, that take twenty seconds or so."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the browser's tests last: Playwright's event loop lets no other run in its process.

    Before and in these the longest files come first, for else one process would work on them when
    all is done.
    """

    def turn(item: pytest.Item) -> tuple[bool, int]:
        longest = (at for at, name in enumerate(LONGEST) if item.nodeid.startswith(name))
        return "/browser/" in item.nodeid, next(longest, len(LONGEST))

    items.sort(key=turn)


class _Scheduling(LoadFileScheduling):
    """Gives each file to one process, and the files that share models to the same."""

    def _split_scope(self, nodeid: str) -> str:
        return MODELS if nodeid.startswith(MODELS) else super()._split_scope(nodeid)


def pytest_collection_finish() -> None:
    """From here on only what tests make may be garbage."""
    gc.freeze()
    gc.enable()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    return _Scheduling(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_unconfigure(config: pytest.Config) -> None:
    if not _is_worker(config):
        sharing.end()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says at the very end, by name, what did not run and why: a service that cannot be had."""
    for report in terminalreporter.stats.get("skipped", []):
        _, _, why = report.longrepr
        terminalreporter.write_line(f"Did not run: {report.nodeid}. {why}")


def _is_worker(config: pytest.Config) -> bool:
    """Whether another process hands this one its tests."""
    return hasattr(config, "workerinput")
