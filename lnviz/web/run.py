"""The command `lnviz run`, which runs the app in one process with `streamlit run`."""

from __future__ import annotations

import argparse
import os
import sys
import time
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread
from urllib.request import urlopen

import click
from streamlit.web import cli

from lnviz.rooms.join_urls import lan_urls
from lnviz.web.app_root import APP_ROOT
from lnviz.web.ports import DEFAULT_PORT, LOCAL_ADDRESS, parse_port, port_problem

ADDRESS_ENV, PORT_ENV = "STREAMLIT_SERVER_ADDRESS", "STREAMLIT_SERVER_PORT"
"""Environment variables with what is listened at if no option says it, as for Streamlit itself."""

PORTS_TRIED = 20
"""Ports from the default on that are tried if none is named."""

START_S = 300.0
"""Time after which no browser is opened for a server that does not answer."""

ALL_ADDRESSES = ("0.0.0.0", "::")


def main(argv: Sequence[str]) -> None:
    """Run the app in one process until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(
        prog="lnviz run",
        usage="%(prog)s [-h] [--address ADDRESS] [--port PORT] [--no-browser] "
        "[OPTIONS OF STREAMLIT]",
        description="Start the app for this machine, print its address, and open it in a browser. "
        "Every option of `streamlit run` works here, such as --server.baseUrlPath lnviz; "
        "`streamlit run --help` lists them.",
        allow_abbrev=False,
    )
    parser.add_argument(
        *("--address", "--server.address"),
        dest="address",
        help="the address to listen at; 0.0.0.0 lets the phones of a class in (default: "
        f"{LOCAL_ADDRESS}, for this machine only)",
    )
    parser.add_argument(
        *("--port", "--server.port"),
        dest="port",
        type=parse_port,
        help=f"(default: {DEFAULT_PORT}, or the next one that is free)",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    given, options = parser.parse_known_args(argv)
    for before, word in zip(["", *options], options, strict=False):
        if not word.startswith("-") and (not before.startswith("--") or "=" in before):
            parser.error(f"Unknown argument: {word[:40]!r}. This command takes options only.")
    address = given.address or os.environ.get(ADDRESS_ENV) or LOCAL_ADDRESS
    port = given.port
    if port is None and (value := os.environ.get(PORT_ENV)):
        try:
            port = parse_port(value)
        except argparse.ArgumentTypeError as error:
            parser.error(f"{PORT_ENV}: {error}")
    if port is None:
        port = _free_port(address)
    if problem := port_problem(address, port):
        parser.error(problem)

    # Imported before the port is taken: a proxy sends requests to any process that listens.
    import lnviz.web.lifespan  # noqa: F401

    # Without an address to show, Streamlit would ask a host on the internet for this machine's.
    shown = _shown_address(address, port)
    if has_display() and not given.no_browser and port:
        Thread(target=_open_browser, args=(f"http://{shown}:{port}",), daemon=True).start()
    server = ("--server.address", address, "--server.port", str(port))
    browser = ("--browser.serverAddress", shown)
    words = ["run", str(APP_ROOT / "app.py"), *server, *browser, *options]
    try:
        cli.main(words, prog_name="lnviz", standalone_mode=False)
    except click.Abort:  # Control-C is how a reader ends the app, not a failure
        print("The app has ended.")
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)


def has_display() -> bool:
    """Return whether a browser can be opened here: not on a server, or in a container."""
    is_unix = sys.platform not in ("win32", "darwin")
    return not is_unix or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def _free_port(address: str) -> int:
    """Return the default port, or the next one that is free; say so if it is another one."""
    for port in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
        if not port_problem(address, port):
            if port != DEFAULT_PORT:
                print(f"Port {DEFAULT_PORT} is in use, so the app takes port {port}.", flush=True)
            return port
    return DEFAULT_PORT


def _shown_address(address: str, port: int) -> str:
    """Return the address to print: for a server at all addresses, that in the local network."""
    if address in ALL_ADDRESSES:
        urls = lan_urls(f"http://localhost:{port}")
        return urls[0].removeprefix("http://").rpartition(":")[0] if urls else "localhost"
    return "localhost" if address == LOCAL_ADDRESS else address


def _open_browser(url: str) -> None:
    """Open a browser once the server answers."""
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        with suppress(OSError), urlopen(url, timeout=10):
            webbrowser.open(url)
            return
        time.sleep(0.2)
