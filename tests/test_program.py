"""The program `lnviz`."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import uvicorn
from streamlit.web import cli

from lnviz.__main__ import READER_LEFT, main
from lnviz.cores import available_cores
from lnviz.web import resource_limits
from lnviz.web.app_root import APP_ROOT
from tests.service.server import free_port

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


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_the_output_may_go_to_a_program_that_ends_before_it(unbuffered: str) -> None:
    command = [sys.executable, "-m", "lnviz", "results", "list"]
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    run = subprocess.Popen(command, env=environment, **pipes)
    assert run.stdout is not None
    run.stdout.close()
    assert run.communicate()[1] == b""
    assert run.returncode == READER_LEFT


@pytest.fixture
def streamlit_options(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What Streamlit is started with, which here it is not."""
    given: list[str] = []
    monkeypatch.setattr(cli, "main", lambda words, **_: given.extend(words))
    for display in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(display, raising=False)
    return given


def test_run_listens_to_this_machine_alone_and_hands_its_options_to_streamlit(
    streamlit_options: list[str],
) -> None:
    port = str(free_port())
    assert main(["run", "--server.baseUrlPath", "x", "--port", port]) == 0
    server = ["--server.address", "127.0.0.1", "--server.port", port]
    own = [*server, "--browser.serverAddress", "localhost"]
    assert streamlit_options == ["run", str(APP_ROOT / "app.py"), *own, "--server.baseUrlPath", "x"]


def test_run_may_listen_to_others_and_then_still_names_an_address_without_asking_for_it(
    streamlit_options: list[str],
) -> None:
    main(["run", "--address", "0.0.0.0", "--port", str(free_port())])
    options = dict(zip(streamlit_options[2::2], streamlit_options[3::2], strict=True))
    assert options["--server.address"] == "0.0.0.0"
    assert options["--browser.serverAddress"] not in ("", "0.0.0.0")


@pytest.mark.parametrize("words", [["nonsense"], ["--server.enableCORS=false", "nonsense"]])
def test_run_refuses_what_is_no_option(
    words: list[str], streamlit_options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["run", *words])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "usage: lnviz run" in said
    assert "'nonsense'" in said
    assert not streamlit_options


@pytest.mark.parametrize("command", ["run", "serve"])
def test_a_port_that_is_taken_is_named_with_what_to_do(
    command: str, streamlit_options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(SystemExit):
            main([command, "--port", str(port)])
    said = capsys.readouterr().err
    assert f"Port {port} is in use. Stop the program" in said
    assert "--port 8502" in said
    assert not streamlit_options


@pytest.mark.parametrize(
    ("content", "said"), [(None, "There is no file"), ("text", "is not a run that `watched.save`")]
)
def test_a_file_that_is_no_run_is_refused_in_words(
    content: str | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.lnviz"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["show", str(file)])
    error = capsys.readouterr().err
    assert said in error
    assert "pickle" not in error
    assert "Errno" not in error


def test_serve_starts_as_many_processes_as_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[dict[str, object]] = []
    monkeypatch.setattr(uvicorn, "run", lambda app, **options: given.append(options))
    monkeypatch.setenv("LNVIZ_PROCESSES", "")
    monkeypatch.chdir(APP_ROOT)
    port = free_port()
    assert main(["serve", "--processes", "3", "--port", str(port)]) == 0
    (options,) = given
    assert (options["workers"], options["port"], options["host"]) == (3, port, "127.0.0.1")
    assert capsys.readouterr().out == "3 processes, as requested.\n"
    assert resource_limits.process_cores() == max(1, available_cores() // 3)
    with pytest.raises(SystemExit):
        main(["serve", "--processes", "0"])
