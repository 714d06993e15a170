"""Three processes behind nginx as `deploy/` has them, of which one dies."""

import http.client
import json
import os
import re
import secrets
import select
import shlex
import signal
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import BrowserContext

from lnviz.data.uploads import MAX_BYTES
from lnviz.frontend import static_files
from lnviz.lessons.data_parameters import INLINE_PREFIX, STORED_PREFIX
from lnviz.web.security_headers import NON_HTML_POLICY
from tests.browser import conftest
from tests.browser.drawn import assert_draws
from tests.browser.figures import GRID
from tests.browser.test_lost_server import SILENCE
from tests.service import cluster as clusters
from tests.service.client import Answer, cookie
from tests.service.cluster import Cluster
from tests.service.server import ROOT
from tests.web.serving import Site

pytestmark = pytest.mark.slow
SECRET = "upload.nobody-else-knows"
STATE = "?norm=batch&batch-size=2&cell=2.4"
FIGURE = "/explorables/axes/grid.json"
# About as long as nginx takes, of what is longest when it is written into an address.
QUOTES = 7000 * '"'
TABLE = "\n".join(",".join(map(str, row)) for row in np.arange(6000).reshape(200, 30)).encode()
JSON = {"content_type": "application/json"}
RUNS = {
    "experiment": "digits",
    "norms": ["layer"],
    "batch_sizes": [32],
    "rates": [0.001],
    "seeds": [0],
    "steps": 300,
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if clusters.NGINX is None:
        pytest.skip("nginx is not installed; on Debian and Ubuntu: apt-get install nginx-light")
    with clusters.cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


class Visitor:
    """Somebody who asks through nginx, without a browser."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster, self.name, self.site = cluster, name, Site(cluster.port)

    def get(self, path: str, **given: object) -> Answer:
        return self.site.get(path, cookie=cookie(self.name), **given)

    def post(self, path: str, body: bytes, **headers: str) -> Answer:
        return self.get(path, method="POST", body=body, **headers)

    def process(self) -> int:
        """The number of the process that this visitor has."""
        path = f"/search.json?{secrets.token_hex(4)}"
        assert self.get(path).status == 200
        return self.cluster.who_answered(path)


def waiting(port: int) -> int:
    """How many connections to a process hold what it has not read."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    rows = [line.split() for line in lines]
    here = [row for row in rows if row[1].endswith(f":{port:04X}") and row[3] == "01"]
    return sum(int(row[4].partition(":")[2], 16) > 0 for row in here)


def test_figures_and_files_come_from_nginx_and_nothing_that_visitors_bring(
    cluster: Cluster,
) -> None:
    ada, grace = Visitor(cluster, "ada"), Visitor(cluster, "grace")
    own = f"{FIGURE}?data={ada.post('/uploads?name=a.csv', TABLE).json['data']}"
    figure = f"{FIGURE}?data=digits"
    written = f"{FIGURE}?data={INLINE_PREFIX}a_b*1_2*3_5"
    for path in (figure, own, written):
        assert ada.get(path).status == grace.get(path).status == 200
    kept = [file for file in (cluster.folder / "kept").rglob("*") if file.is_file()]
    keys = [
        found[0].decode()
        for file in kept
        if (found := re.findall(rb"KEY: (.*)", file.read_bytes()))
    ]
    assert [key for key in keys if key.endswith(figure)] != []
    assert [key for key in keys if STORED_PREFIX in key or INLINE_PREFIX in key] == []
    packed = grace.get(figure, Accept_Encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert grace.get(figure, If_None_Match=packed.headers["etag"]).status == 304


def test_nginx_refuses_in_words_and_one_visitor_alone(cluster: Cluster) -> None:
    many, other = Visitor(cluster, "many"), Visitor(cluster, "other")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: many.get(f"/_stcore/health?{SECRET}"), range(400)))
    refused = [answer for answer in answers if answer.status != 200]
    assert {answer.status for answer in refused} == {429}
    assert refused[0].json["detail"].startswith("More was asked for")
    assert refused[0].headers["retry-after"] == "5"
    assert SECRET not in (cluster.folder / "nginx.log").read_text("utf-8")
    assert other.get("/_stcore/health").status == 200
    large = other.get("/uploads?name=a.csv", method="POST", Content_Length=str(MAX_BYTES + 1))
    assert (large.status, large.json["detail"][:28]) == (413, "What was sent is larger than")
    for path in ("/_stcore/metrics", "/metrics", "/status"):
        assert other.get(path).status == 404


def test_made_up_names_leave_uploads_to_those_with_true_ones(cluster: Cluster) -> None:
    head = f"POST /uploads?name=a.csv HTTP/1.1\r\nHost: a\r\nContent-Length: {len(TABLE)}\r\n"
    made_up = [f"lnviz-visitor={n:_<22}.{n:_<22}.a.b" for n in range(30)]
    with ExitStack() as held:
        sockets = []
        for name in made_up:
            made = held.enter_context(socket.create_connection(("127.0.0.1", cluster.port)))
            made.sendall(f"{head}Cookie: {name}\r\n\r\n1".encode())
            sockets.append(made)
        refused, _, _ = select.select(sockets, [], [])
        assert refused[0].recv(99).startswith(b"HTTP/1.1 429 ")
        assert Visitor(cluster, "true").post("/uploads?name=a.csv", TABLE).status == 200


def test_a_path_that_names_files_escapes_no_limit_and_a_query_no_cache(cluster: Cluster) -> None:
    many, other = Visitor(cluster, "paths"), Visitor(cluster, "files")
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda _: many.post("/jobs/static/pause", b"").status, range(300))
        assert 429 in set(answers)
    icon = f"/assets/{static_files.content_hash()}/page/icon.svg"
    assert {other.get(f"{icon}?{n}").status for n in range(3)} == {200}
    cluster.who_answered(f"{icon}?0")
    assert [kept for _, kept, _, path in cluster.answered() if path.startswith(icon)][1:] == [
        "HIT",
        "HIT",
    ]


def test_a_class_that_comes_for_the_first_time_is_let_in(cluster: Cluster) -> None:
    connections = [http.client.HTTPConnection("127.0.0.1", cluster.port) for _ in range(200)]
    try:
        for connection in connections:
            connection.request("GET", "/_stcore/health")
        assert {connection.getresponse().status for connection in connections} == {200}
    finally:
        for connection in connections:
            connection.close()


def test_what_nginx_answers_itself_has_the_apps_headers(cluster: Cluster) -> None:
    visitor = Visitor(cluster, "headers")
    large = visitor.get("/uploads?name=a.csv", method="POST", Content_Length=str(MAX_BYTES + 1))
    assert large.status == 413
    for answer in (large, visitor.get("/metrics")):
        assert answer.headers["content-security-policy"] == NON_HTML_POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize("path", ["/home", "/axes/"])  # both of which lead elsewhere
def test_a_long_address_costs_nobody_a_process(cluster: Cluster, path: str) -> None:
    visitor = Visitor(cluster, "long")
    number = visitor.process()
    assert visitor.get(f"{path}?{QUOTES}").status in (301, 307)
    assert visitor.process() == number


def test_a_process_that_dies_takes_nothing_along(cluster: Cluster, desktop: BrowserContext) -> None:
    with conftest.tab(desktop, cluster.url) as tab:
        tab.open(GRID.page + STATE)
        (name,) = (c["value"] for c in desktop.cookies(cluster.url) if c["name"] == "lnviz-visitor")
        visitor = Visitor(cluster, name.partition(".")[0])
        data = visitor.post("/uploads?name=own.csv", TABLE).json["data"]
        job = visitor.post("/jobs", json.dumps(RUNS).encode(), **JSON).json["id"]
        number = visitor.process()
        server = cluster.servers[number]
        # It stands still, so that what is asked for now is under way when it dies.
        os.kill(server.process.pid, signal.SIGSTOP)
        with ThreadPoolExecutor(2) as pool, tab.page.expect_websocket():
            figure = pool.submit(visitor.get, f"{FIGURE}?data=digits&seed=77")
            upload = pool.submit(visitor.post, "/uploads?name=next.csv", TABLE)
            while waiting(server.port) < 2:
                assert not figure.done()
                assert not upload.done()
            server.kill()
            assert (figure.result().status, upload.result().status) == (200, 200)
        assert visitor.process() != number
        for table in (data, upload.result().json["data"]):
            assert visitor.get(f"{FIGURE}?data={table}").status == 200
        explorable = GRID.explorable()
        assert_draws(
            tab.ready().drawn(), explorable, explorable.state_at(norm="batch", batch_size=2, cell=9)
        )
        tab.address_says(norm="batch", batch_size="2", cell="2.4")
        question = tab.page.locator(".ln-ask").first
        question.locator(".options button").first.click()
        tab.forgive(*SILENCE)
        server.launch()
        other = Site(
            cluster.servers[visitor.process()].port
        )  # which may be asked as often as one likes
        while (state := other.get(f"/jobs/{job}").json["state"]) != "done":
            assert state in ("queued", "running")
        server.wait()


def test_the_units_are_those_that_nginx_asks() -> None:
    site, unit, text = (
        (ROOT / "deploy" / name).read_text("utf-8")
        for name in ("nginx.conf", "lnviz@.service", "README.md")
    )
    ports = re.findall(r"server 127\.0\.0\.1:(\d+) ", site)
    assert ports == re.findall(r"lnviz@(\d+)", text.partition("--now")[2])[: len(ports)]
    assert f"LNVIZ_PROCESSES={len(ports)}\n" in unit
    compose = (ROOT / "deploy" / "compose.yaml").read_text("utf-8")
    assert re.findall(r"STREAMLIT_SERVER_PORT: (\d+)", compose) == ports
    assert f"LNVIZ_PROCESSES: {len(ports)}\n" in compose
    assert f"client_max_body_size {MAX_BYTES // 2**20}m;" in site


def test_every_place_counts_what_is_open_at_an_address_and_leaves_room_for_others() -> None:
    site = (ROOT / "deploy/nginx.conf").read_text("utf-8")
    before, *locations = re.split(r"^    location ", site, flags=re.MULTILINE)
    (most,) = set(re.findall(r"limit_conn lnviz_network_connections (\d+);", site))
    readme = (ROOT / "deploy/README.md").read_text("utf-8")
    (each,) = re.findall(r"worker_connections (\d+);", readme)
    # A visitor of a class has several; what is passed on takes two.
    assert 200 * 7 < int(most) < int(each) / 2 / 2
    # Who keeps all that those without a name may have, and all of fifty names, leaves some.
    client, anonymous = (
        int(re.findall(rf"limit_conn lnviz_{who}_connections (\d+);", before)[0])
        for who in ("client", "anonymous")
    )
    assert anonymous + 50 * client < int(most)
    assert "limit_conn lnviz_network_connections" in before
    # A location that names a limit has only those that it names.
    own = [place for place in locations if "limit_conn " in place]
    assert [place for place in own if "limit_conn lnviz_network_connections" not in place] == []
    (sending,) = (place for place in own if "/(uploads|jobs/files)$" in place)
    limited = re.findall(r"limit_conn lnviz_(\w+)_sending \d+;", sending)
    assert limited == ["client", "anonymous", "network"]
    (short,) = (place for place in locations if place.startswith("~ /jobs(/|$)"))
    assert "proxy_request_buffering off;" in short


@pytest.mark.parametrize(
    ("path", "is_file"),
    [
        ("/assets/1/page/icon.svg", True),
        ("/static/js/index.js", True),
        ("/previews/axes/grid.png", True),
        ("/jobs/static/pause", False),
        ("/jobs/assets/", False),
        ("/explorables/static/", False),
    ],
)
def test_only_files_have_the_limits_of_files(path: str, is_file: bool) -> None:
    site = (ROOT / "deploy/nginx.conf").read_text("utf-8")
    (pattern,) = re.findall(r"map \$uri \$lnviz_is_file \{\s*\"~(.*?)\" 1;", site)
    assert (re.search(pattern, path) is not None) == is_file
    assert f"location ~ {pattern} {{" in site  # where they are kept, whatever is asked of them
    assert "limit_req_zone $lnviz_files_key " in site


def test_nginx_may_open_what_its_connections_need(tmp_path: Path) -> None:
    text = (ROOT / "deploy/README.md").read_text("utf-8")
    commands = re.findall(r"^sed .*?[^\\]$", text, re.MULTILINE | re.DOTALL)
    (command,) = [command for command in commands if "worker_connections" in command]
    compose = (ROOT / "deploy" / "compose.yaml").read_text("utf-8")
    assert command.replace(" \\\n ", "") in compose  # in containers, too
    conf = tmp_path / "nginx.conf"
    conf.write_text("worker_processes auto;\nevents {\n\tworker_connections 768;\n}\n", "utf-8")
    *sed, file = shlex.split(command.replace("\\\n", ""))
    assert file == "/etc/nginx/nginx.conf"
    for _ in range(2):
        subprocess.run([*sed, conf], check=True)
        found = re.findall(r"worker_(?:rlimit_nofile|connections) (\d+);", conf.read_text("utf-8"))
        assert found == ["32768", "16384"]
