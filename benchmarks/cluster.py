"""Three processes of the app behind nginx, as `deploy/` has them, on this machine alone.

What differs from a server: ports that are free, folders of its own, and nginx writes down which
process has answered.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.serving import ROOT, answers, free_port

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
"""Where nginx is, if it is installed."""

_MAIN = """
daemon off;
{user}
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 4096; }}
http {{
    include /etc/nginx/mime.types;
    {temporary}
    log_format answered '$upstream_addr|$upstream_cache_status|$status|$request_uri';
    include {folder}/site.conf;
}}
"""
_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


class Cluster:
    """The processes, by number, and nginx.

    Args:
        folder: Where all of them keep what they keep.
        count: How many processes.
    """

    def __init__(self, folder: Path, count: int = 3) -> None:
        self.folder = folder
        self.port = free_port()
        self.ports = [free_port() for _ in range(count)]
        self.url = f"http://127.0.0.1:{self.port}"
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._nginx: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start everything, and wait until it answers."""
        for number in range(len(self.ports)):
            self.launch(number)
        for number in range(len(self.ports)):
            self.wait(number)
        self._configure()
        assert NGINX is not None
        self._nginx = subprocess.Popen(
            [NGINX, "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")],
            stderr=subprocess.DEVNULL,
        )
        while not answers(f"127.0.0.1:{self.port}"):
            if self._nginx.poll() is not None:
                raise RuntimeError((self.folder / "nginx.log").read_text("utf-8"))
            time.sleep(0.05)

    def launch(self, number: int) -> None:
        """Start a process, as the unit of `deploy/` does."""
        options = ("--server.address", "127.0.0.1", "--server.port", str(self.ports[number]))
        own = {
            "LNVIZ_PROCESSES": str(len(self.ports)),
            "LNVIZ_DATABASE_URL": f"sqlite:///{self.folder}/lnviz.sqlite",
        }
        with (self.folder / f"{number}.log").open("ab") as log:
            self._processes[number] = subprocess.Popen(
                [sys.executable, "-m", "lnviz", "run", *options],
                cwd=ROOT,
                env={"LNVIZ_CACHE": str(self.folder / "figures")} | os.environ | own,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def wait(self, number: int) -> None:
        """Wait until a process answers."""
        while not answers(f"127.0.0.1:{self.ports[number]}"):
            if self._processes[number].poll() is not None:
                raise RuntimeError((self.folder / f"{number}.log").read_text("utf-8"))
            time.sleep(0.05)

    def kill(self, number: int) -> None:
        """End a process on the spot, as a machine that runs out of memory would."""
        self._processes[number].kill()
        self._processes[number].wait()

    def pid(self, number: int) -> int:
        """Return by which number the system knows a process."""
        return self._processes[number].pid

    def memory(self) -> list[float]:
        """Return the resident megabytes of each process, without those of trainings."""
        return [_resident(process.pid) for process in self._processes.values()]

    def answered(self) -> list[tuple[str, str, int, str]]:
        """Return what nginx has answered: by whom, from its cache or not, status and path."""
        lines = (self.folder / "access.log").read_text("utf-8").splitlines()
        found = (line.split("|", 3) for line in lines)
        return [(by, kept, int(status), path) for by, kept, status, path in found]

    def stop(self) -> None:
        """End everything."""
        for process in (self._nginx, *self._processes.values()):
            if process is not None and process.poll() is None:
                process.terminate()
        for process in (self._nginx, *self._processes.values()):
            if process is not None:
                process.wait()

    def _configure(self) -> None:
        site = (ROOT / "deploy/nginx.conf").read_text("utf-8")
        for there, instead in (
            ("    listen 80;\n    listen [::]:80;\n", f"    listen 127.0.0.1:{self.port};\n"),
            ("/var/lib/nginx/lnviz ", f"{self.folder}/kept "),
            ("/var/log/nginx/error.log ", f"{self.folder}/nginx.log "),
            ("access_log off;", f"access_log {self.folder}/access.log answered;"),
            *(
                (f"127.0.0.1:{8501 + number} ", f"127.0.0.1:{port} ")
                for number, port in enumerate(self.ports)
            ),
        ):
            if site.count(there) != 1:
                raise RuntimeError(f"deploy/nginx.conf must hold {there!r} once.")
            site = site.replace(there, instead)
        (self.folder / "site.conf").write_text(site, "utf-8")
        temporary = "".join(f"{each}_temp_path {self.folder}/{each};\n    " for each in _TEMPORARY)
        user = "user root;" if hasattr(os, "geteuid") and os.geteuid() == 0 else ""
        text = _MAIN.format(folder=self.folder, temporary=temporary, user=user)
        (self.folder / "nginx.conf").write_text(text, "utf-8")


@contextmanager
def cluster(folder: Path, count: int = 3) -> Iterator[Cluster]:
    """A cluster that runs until the block is left."""
    made = Cluster(folder, count)
    try:
        made.start()
        yield made
    finally:
        made.stop()


def _resident(pid: int) -> float:
    """Return the megabytes of a process; none when it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8")
    except OSError:
        return 0.0
    lines = (line.split() for line in status.splitlines())
    return next((int(line[1]) / 1024 for line in lines if line[0] == "VmRSS:"), 0.0)
