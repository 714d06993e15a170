"""What `deploy/nginx.conf` makes of who asks and of what for, without the app behind it."""

import os
import re
from collections.abc import Iterator

import pytest

from tests.service.cluster import NGINX, nginx
from tests.service.server import ROOT, free_port, running
from tests.web.serving import Site

MAPS = "lnviz_network", "lnviz_upgrade", "lnviz_connection"
TEXT = """
daemon off;
{user}
pid {folder}/pid;
events {{ }}
http {{
    access_log off;
    {temporary}
    {maps}
    server {{
        listen 127.0.0.1:{port};
        set_real_ip_from 127.0.0.1;
        real_ip_header X-Real-IP;
        location / {{ return 200 "$lnviz_network|$lnviz_upgrade|$lnviz_connection"; }}
    }}
}}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    if NGINX is None:
        pytest.skip("nginx is not installed; on Debian and Ubuntu: apt-get install nginx-light")
    folder, port = tmp_path_factory.mktemp("nginx"), free_port()
    text = (ROOT / "deploy/nginx.conf").read_text("utf-8")
    maps = [re.search(rf"^map [^\n]* \${name} {{.*?^}}", text, re.M | re.S) for name in MAPS]
    settings = TEXT.format(
        folder=folder,
        port=port,
        user="user root;" if os.geteuid() == 0 else "",
        temporary="".join(
            f"{kind}_temp_path {folder}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        ),
        maps="\n".join(found[0] for found in maps if found),
    )
    with running(nginx(folder, settings, port, "/")):
        yield Site(port)


def near(site: Site, address: str) -> bytes:
    return site.get("/", X_Real_IP=address).raw.partition(b"|")[0]


def test_addresses_of_one_household_count_as_one(site: Site) -> None:
    here = "2001:db8:0:a::1"
    assert near(site, here) == near(site, "2001:db8:0:a:ffff:ffff:ffff:ffff") == near(site, here)
    others = ["2001:db8:0:b::1", "2001:db8:a0a::1", "192.0.2.1", "192.0.2.2"]
    assert len({near(site, address) for address in [here, *others]}) == 1 + len(others)


@pytest.mark.parametrize(
    ("path", "upgrade", "passed"),
    [
        ("/_stcore/stream", "websocket", b"websocket|upgrade"),
        ("/below/_stcore/stream?again", "WebSocket", b"websocket|upgrade"),
        ("/_stcore/stream", "h2c", b"|"),
        ("/_stcore/stream", "", b"|"),
        ("/jobs", "websocket", b"|"),
        ("/axes?/_stcore/stream", "websocket", b"|"),
    ],
)
def test_the_session_of_a_page_alone_becomes_something_else_than_http(
    site: Site, path: str, upgrade: str, passed: bytes
) -> None:
    assert site.get(path, Upgrade=upgrade).raw.partition(b"|")[2] == passed
