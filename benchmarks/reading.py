"""How soon a reader of the exported book sees a figure, and how many readers one core serves.

- The first figure: from the start of the navigation to the frame that shows it, from a disk, from
  a file server and from the app, which has computed the figure before. A first visit has a browser
  profile that has seen nothing; again is the visit after it. The three take turns.
- Readers a second: nginx on one core sends the files that a first visit takes, compressed ahead,
  to wrk on another. Both are Debian packages: `apt-get install nginx-light wrk`.

    python -m benchmarks.reading
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from playwright.sync_api import Browser, sync_playwright

from benchmarks.pages import CHROMIUM
from benchmarks.startup import TARGETS, Target, visit
from benchmarks.tables import table
from lnviz.book import find
from lnviz.book.export import export
from lnviz.web.font import source_sans
from tests.service import cluster
from tests.service.server import free_port, running, serve

PAGES = [target for target in TARGETS if target.path]
COMPRESSED = (".html", ".css", ".js", ".svg")
CONNECTIONS = 32

# Everything inside the folder that nginx is given; nothing that other hosts could reach.
NGINX = """
daemon off;
worker_processes 1;
worker_cpu_affinity 1;
pid nginx.pid;
error_log stderr;
events {{ worker_connections 1024; }}
http {{
  types {{
    text/html html; text/css css; text/javascript js; image/svg+xml svg; font/woff2 woff2;
  }}
  access_log off;
  sendfile on;
  gzip_static on;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {{ listen 127.0.0.1:{port}; root {site}; }}
}}
"""
# One request after the other, as a reader's browser asks for them.
WRK = """
local paths = {{{paths}}}
local at = 0
wrk.headers["Accept-Encoding"] = "gzip"
request = function()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def files(folder: Path) -> Iterator[str]:
    """A file server of Python's own; gives its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def first_figure(browser: Browser, address: str, drawn: str) -> tuple[float, float]:
    """Seconds until the figure is drawn, at the first visit and at the second."""
    context = browser.new_context()
    visits = [visit(context, address, drawn) for _ in range(2)]
    context.close()
    first, again = (one.drawn - one.began for one in visits)
    return first, again


def taken(browser: Browser, address: str) -> list[str]:
    """The paths of all that a first visit takes from a server, in order."""
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.wait_for_load_state("networkidle")
    page.close()
    return [urlsplit(url).path for url in asked if url.startswith("http")]


def readers(
    wrk: str, address: str, paths: Sequence[str], folder: Path, seconds: int
) -> tuple[float, float]:
    """Readers a second, and megabytes a second.

    Raises:
        RuntimeError: wrk reports answers that are errors, or nothing.
    """
    script = folder / "reader.lua"
    script.write_text(WRK.format(paths=", ".join(map(json.dumps, paths))), encoding="utf-8")
    options = ["-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", str(script), address]
    # nginx has the first core.
    command = ["taskset", "-c", f"1-{(os.cpu_count() or 2) - 1}", wrk, *options]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rate = re.search(r"Requests/sec:\s+([\d.]+)", said)
    size = re.search(r"([\d.]+)([KMG]?)B read", said)
    if rate is None or size is None or "Non-2xx" in said or "Socket errors" in said:
        raise RuntimeError(f"wrk counted no readers:\n{said}")
    read = float(size[1]) * {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}[size[2]]
    return float(rate[1]) / len(paths), read / seconds / 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=10, help="that wrk reads, for each page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        folder.chmod(0o755)  # nginx's worker may be another user
        site = folder / "site"
        export(site, [page for target in PAGES if (page := find(target.path))], font=source_sans())
        browser = playwright.chromium.launch(**CHROMIUM)
        print(f"Chromium {browser.version}; medians of {options.rounds} rounds.\n")
        print(table(("page", "from", "first, s", "again, s"), _figures(browser, site, options)))
        print()
        print(_readers(browser, folder, site, options))
        browser.close()


def _figures(browser: Browser, site: Path, options: argparse.Namespace) -> list[list[str]]:
    with files(site) as files_at, serve() as app:
        ways: dict[str, Callable[[Target], str]] = {
            "disk": lambda target: f"file://{site}/{target.path}.html",
            "file server": lambda target: f"{files_at}/{target.path}.html",
            "app": lambda target: f"{app.url}/{target.path}",
        }
        for target in PAGES:
            first_figure(browser, ways["app"](target), target.drawn)  # computed from now on
        times: dict[tuple[Target, str], list[tuple[float, float]]] = {}
        for _ in range(options.rounds):
            for target in PAGES:
                for way, address in ways.items():
                    seen = first_figure(browser, address(target), target.drawn)
                    times.setdefault((target, way), []).append(seen)
    return [
        [target.name, way, *(f"{median(each):.2f}" for each in zip(*seen, strict=True))]
        for (target, way), seen in times.items()
    ]


def _readers(browser: Browser, folder: Path, site: Path, options: argparse.Namespace) -> str:
    programs = {"nginx": "nginx-light", "wrk": "wrk", "taskset": "util-linux"}
    there = {program: cluster.program(program) for program in programs}
    missing = [program for program, at in there.items() if at is None]
    if missing:
        packages = " ".join(programs[program] for program in missing)
        return (
            f"Readers a second are not counted, since there is no {' and no '.join(missing)}. "
            f"On Debian: apt-get install {packages}"
        )
    if (os.cpu_count() or 1) < 2:
        return "Readers a second are not counted: nginx and wrk need a core each."
    for file in site.rglob("*"):
        if file.suffix in COMPRESSED:
            file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
    rows = []
    port = free_port()
    conf = NGINX.format(port=port, site=site)
    with running(cluster.nginx(folder, conf, port, f"/{PAGES[0].path}.html")) as server:
        for target in PAGES:
            paths = taken(browser, f"{server.url}/{target.path}.html")
            rate, size = readers(str(there["wrk"]), server.url, paths, folder, options.seconds)
            rows.append([target.name, len(paths), f"{size / rate:.2f}", f"{rate:.0f}"])
    return table(("page", "files", "MB a reader", "readers a second, one core"), rows)


if __name__ == "__main__":
    main()
