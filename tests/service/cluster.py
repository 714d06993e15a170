"""Three processes of the app behind nginx, as `deploy/` has them, on this machine alone.

It differs from a real server in its ports and folders, and in nginx's access log, which has the
process that answered.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.service.server import HEALTH, LOCAL, ROOT, Server, free_port, keeping, python, running
from tests.sharing import SECRET


def program(name: str) -> str | None:
    """Return the path of a program, if it is installed."""
    # Debian installs servers in a folder that is not on every user's path.
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
    return shutil.which(name, path=path)


NGINX = program("nginx")
"""Path of nginx, if it is installed."""

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


def nginx(folder: Path, text: str, port: int, health: str) -> Server:
    """Return an nginx with a configuration, not yet launched.

    Args:
        folder: Folder for all its files.
        text: The configuration.
        port: Port in the configuration.
        health: Path that is answered once nginx is ready.
    """
    assert NGINX is not None
    settings = folder / "nginx.conf"
    settings.write_text(text, "utf-8")
    return Server(
        [NGINX, "-p", str(folder), "-c", str(settings)], port, folder / "nginx.log", health
    )


class Cluster:
    """Processes of the app, by number, and the nginx in front of them.

    Args:
        folder: Folder for all their files.
        count: Number of processes.
        root: Tree that they run from.
        environment: Variables on top of those of this process.
    """

    def __init__(self, folder: Path, count: int = 3, root: Path = ROOT, **environment: str) -> None:
        self.folder, self.root = folder, root
        words = ("-m", "lnviz", "run", *LOCAL)  # as the unit of `deploy/` has it
        own = keeping(folder) | {"LNVIZ_PROCESSES": str(count)}
        if "LNVIZ_CACHE" in os.environ:
            own["LNVIZ_CACHE"] = os.environ["LNVIZ_CACHE"]
        own |= environment
        self.servers = [
            python(words, folder / f"{number}.log", HEALTH, root, **own) for number in range(count)
        ]
        self.port = free_port()
        self.nginx = nginx(folder, self._configuration(), self.port, HEALTH)
        self.url = self.nginx.url

    def answered(self) -> list[tuple[str, str, int, str]]:
        """Return nginx's access log: process, cache status, HTTP status and path."""
        lines = (self.folder / "access.log").read_text("utf-8").splitlines()
        words = (line.split("|", 3) for line in lines)
        return [(by, kept, int(status), path) for by, kept, status, path in words]

    def who_answered(self, path: str) -> int:
        """Return the number of the process that answered the last request for a path."""
        ports = [server.port for server in self.servers]
        while True:  # nginx writes its log after it has answered
            by = [by for by, _, _, asked in self.answered() if asked == path]
            if by:
                return ports.index(int(by[-1].rpartition(":")[2]))
            time.sleep(0.01)

    def _configuration(self) -> str:
        site = (self.root / "deploy/nginx.conf").read_text("utf-8")
        for there, instead in (
            ("    listen 80;\n    listen [::]:80;\n", f"    listen 127.0.0.1:{self.port};\n"),
            ("/var/lib/nginx/lnviz ", f"{self.folder}/kept "),
            ("/var/log/nginx/error.log ", f"{self.folder}/nginx.log "),
            ("access_log off;", f"access_log {self.folder}/access.log answered;"),
            *(
                (f"127.0.0.1:{8501 + number} ", f"127.0.0.1:{server.port} ")
                for number, server in enumerate(self.servers)
            ),
        ):
            if site.count(there) != 1:
                raise RuntimeError(f"deploy/nginx.conf must hold {there!r} once.")
            site = site.replace(there, instead)
        site = site.replace('"LNVIZ_SECRET ', f'"{SECRET} ')
        (self.folder / "site.conf").write_text(site, "utf-8")
        temporary = "".join(f"{name}_temp_path {self.folder}/{name};\n    " for name in _TEMPORARY)
        user = "user root;" if hasattr(os, "geteuid") and os.geteuid() == 0 else ""
        return _MAIN.format(folder=self.folder, temporary=temporary, user=user)


@contextmanager
def cluster(
    folder: Path, count: int = 3, root: Path = ROOT, **environment: str
) -> Iterator[Cluster]:
    """Run a cluster during the block."""
    several = Cluster(folder, count, root, **environment)
    for server in several.servers:
        server.launch()
    try:
        for server in several.servers:
            server.wait()
        with running(several.nginx):
            yield several
    finally:
        for server in several.servers:
            server.process.terminate()
        for server in several.servers:
            server.process.wait()
