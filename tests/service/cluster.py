"""Three processes of the app behind nginx, as `deploy/` has them, on this machine alone.

What differs from a server: ports that are free, folders of its own, and nginx writes down which
process has answered.
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
    """Where a program is, if it is installed."""
    # Debian has servers where not every user looks for programs.
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
    return shutil.which(name, path=path)


NGINX = program("nginx")
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


def nginx(folder: Path, text: str, port: int, health: str) -> Server:
    """An nginx with a configuration, not yet launched.

    Args:
        folder: Where it keeps all that it keeps.
        text: The configuration.
        port: On which it listens, as the configuration says.
        health: A path that is answered once it is ready.
    """
    assert NGINX is not None
    settings = folder / "nginx.conf"
    settings.write_text(text, "utf-8")
    return Server(
        [NGINX, "-p", str(folder), "-c", str(settings)], port, folder / "nginx.log", health
    )


class Cluster:
    """The processes, by number, and nginx.

    Args:
        folder: Where all of them keep what they keep.
        count: How many processes.
        root: The tree that they are of.
        environment: Words beside those that this process has.
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
        """Return what nginx has answered: by whom, from its cache or not, status and path."""
        lines = (self.folder / "access.log").read_text("utf-8").splitlines()
        words = (line.split("|", 3) for line in lines)
        return [(by, kept, int(status), path) for by, kept, status, path in words]

    def who_answered(self, path: str) -> int:
        """Return the number of the process that has answered a path, which was asked for."""
        ports = [server.port for server in self.servers]
        while True:  # nginx writes down what it has answered after it has
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
    """A cluster that runs until the block is left."""
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
