"""The program `lnviz`."""

import subprocess
import sys

import pytest
import uvicorn
from streamlit.web import cli

from lnviz.__main__ import main
from lnviz.cores import available_cores
from lnviz.web import resource_limits
from lnviz.web.app_root import APP_ROOT

COMMANDS = ("run", "serve", "export", "train", "invariance")


def test_the_help_names_every_command_without_loading_pytorch() -> None:
    # Asked at the very end: after its help a program exits.
    asked = "import atexit, sys; from lnviz.__main__ import main; "
    asked += "atexit.register(lambda: print('torch' in sys.modules)); main(['--help'])"
    said = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert {line.strip().split()[0] for line in said if line.strip()} >= set(COMMANDS)
    assert said[-1] == "False"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"usage: lnviz {command}" in capsys.readouterr().out


def test_an_unknown_command_is_refused_with_the_known_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["go"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert all(name in said for name in ("'go'", *COMMANDS))


def test_run_hands_its_options_to_streamlit(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[str]] = []
    monkeypatch.setattr(cli, "main", lambda words, **_: given.append(words))
    assert main(["run", "--server.port", "8502"]) == 0
    assert given == [["run", str(APP_ROOT / "app.py"), "--server.port", "8502"]]


def test_serve_starts_as_many_processes_as_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[dict[str, object]] = []
    monkeypatch.setattr(uvicorn, "run", lambda app, **options: given.append(options))
    monkeypatch.setenv("LNVIZ_PROCESSES", "")
    monkeypatch.chdir(APP_ROOT)
    assert main(["serve", "--processes", "3", "--port", "8502"]) == 0
    (options,) = given
    assert (options["workers"], options["port"], options["host"]) == (3, 8502, "127.0.0.1")
    assert capsys.readouterr().out == "3 processes, as requested.\n"
    assert resource_limits.process_cores() == max(1, available_cores() // 3)
    with pytest.raises(SystemExit):
        main(["serve", "--processes", "0"])
