"""The app as `streamlit run app.py` starts it, below a path."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urljoin, urlsplit

import pytest

from lnviz.book import PAGES
from lnviz.database.connection import Database
from lnviz.frontend import static_files
from lnviz.lessons import Lesson
from lnviz.training.job import JobState
from lnviz.training.run_repository import RunRepository
from tests.service.server import HEALTH, ROOT, Server, python, running, streamlit
from tests.web.serving import Links, Site

pytestmark = pytest.mark.slow
BASE = "/class/one"
SECRET = "31.4159"
"""Stands in what visitors bring; the log must not hold it when the server has ended."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("app")
    words = (*streamlit(), "--server.baseUrlPath", BASE.strip("/"))
    own = {"PYTHONUNBUFFERED": "1", "LNVIZ_DATABASE_URL": f"sqlite:///{folder}/lnviz.sqlite"}
    with running(python(words, folder / "log", BASE + HEALTH, **own)) as server:
        yield server
    log = server.log.read_text("utf-8")
    assert "Traceback" not in log
    assert SECRET not in log


@pytest.fixture
def site(app: Server) -> Site:
    return Site(app.port)


def taken(site: Site, address: str) -> list[str]:
    """The paths of all that a page takes from its server."""
    page = site.get(address)
    assert page.status == 200
    return taken_by(address, page.text)


def taken_by(address: str, text: str) -> list[str]:
    return [urlsplit(urljoin(address, link)).path for link in Links(text).found]


@pytest.mark.parametrize("lesson", PAGES, ids=lambda lesson: lesson.slug)
def test_a_first_visit_may_go_to_any_lesson(site: Site, lesson: Lesson) -> None:
    page = site.get(f"{BASE}/{lesson.url_path}")
    assert page.status == 200
    assert f"<title>{lesson.title} - lnviz</title>" in page.text
    assert f'BACKEND_BASE_URL: new URL("{BASE}/", location.origin).href' in page.text


@pytest.mark.parametrize(
    "address", [f"{BASE}/{PAGES[-1].slug}", f"{BASE}/explorables/axes/grid.html"]
)
def test_whatever_a_page_takes_is_below_the_path_and_there(site: Site, address: str) -> None:
    paths = taken(site, address)
    assert paths
    for path in paths:
        assert path.startswith(BASE + "/"), path
        answer = site.get(path)
        assert answer.status == 200, path
        # Streamlit answers what it does not know with its page.
        assert "text/html" not in answer.headers["content-type"] or path.endswith(".html"), path


def test_the_figures_are_served_beside_the_pages(site: Site) -> None:
    answer = site.get(f"{BASE}/explorables/axes/grid.json", Accept_Encoding="gzip")
    assert (answer.status, answer.headers["content-encoding"]) == (200, "gzip")
    assert answer.json["title"]
    again = site.get(f"{BASE}/explorables/axes/grid.json", If_None_Match=answer.headers["etag"])
    assert again.status == 304


def test_what_visitors_bring_is_read_and_not_logged(site: Site) -> None:
    address = f"{BASE}/uploads?name={SECRET}.csv"
    kept = site.get(address, method="POST", body=f"1,{SECRET}\n2,3\n".encode())
    assert site.get(f"{BASE}/explorables/axes/grid.json?data={kept.json['data']}").status == 200
    refused = site.get(address, method="POST", body=f"1,{SECRET}\n{SECRET}\n".encode())
    assert refused.status == 422


def test_an_address_that_is_no_page_is_answered_with_a_page_that_says_so(site: Site) -> None:
    answer = site.get(f"{BASE}/axis")
    assert answer.status == 404
    assert f'<a href="{BASE}/axes">Which numbers share a mean?</a>' in answer.text
    for path in taken_by(f"{BASE}/axis", answer.text):
        assert site.get(path).status == 200, path


@pytest.mark.parametrize(
    "path",
    [
        f"{BASE}/assets/{static_files.content_hash()}/..%2fstatic_files.py",
        f"{BASE}/assets/{static_files.content_hash()}/../static_files.py",
        f"{BASE}/explorables/..%2f..%2fapp.py",
        f"{BASE}/..%2fpyproject.toml",
        f"{BASE}/../pyproject.toml",
        f"{BASE}/app.py",
    ],
)
def test_no_path_leads_to_a_file_of_the_app(site: Site, path: str) -> None:
    answer = site.get(path)
    assert "streamlit run app.py" not in answer.text
    assert "dataclass" not in answer.text
    assert "[project]" not in answer.text
    assert str(ROOT) not in answer.text


@pytest.mark.parametrize("path", ["explorables/axes", "assets/x", "assets/0/gone.js/x"])
def test_what_is_not_there_is_not_the_apps_page(site: Site, path: str) -> None:
    answer = site.get(f"{BASE}/{path}")
    assert answer.status == 404
    assert "html" not in answer.headers["content-type"]


def test_streamlit_packs_nothing_for_who_refuses_it(site: Site) -> None:
    answer = site.get(f"{BASE}/explorables/axes/grid.json", Accept_Encoding="gzip;q=0")
    assert json.loads(answer.raw)["title"]


LOADED = """
import sys
import app
from lnviz.web import payload_executor
early = ("pandas", "sympy", "torch._dynamo")
print("early:", *[name for name in early if name in sys.modules])
payload_executor.import_libraries()
needed = ("pandas", "plotly.graph_objects", "torch._dynamo", "sympy", "lnviz.web.page")
print("missing:", *[name for name in needed if name not in sys.modules])
"""


def test_all_that_figures_import_is_imported_before_the_first_figure_and_not_at_the_start() -> None:
    command = [sys.executable, "-c", LOADED]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:2] == ["early:", "missing:"]


LONG = f"{BASE}/explorables/recurrence/flow.json?hidden=40&steps=500&nonlinearity=tanh&input=large"
JSON = {"content_type": "application/json"}
RUNS = {
    "experiment": "digits",
    "norms": ["layer"],
    "batch_sizes": [1],
    "rates": [0.001],
    "seeds": list(range(10)),
    "steps": 5000,
}


# The last one, for it ends the server of the others.
def test_the_end_of_the_server_waits_for_no_figure_and_keeps_what_a_training_has_learned(
    app: Server, site: Site
) -> None:
    body = json.dumps(RUNS).encode()
    job = site.get(f"{BASE}/jobs", method="POST", body=body, **JSON).json["id"]
    while not (seen := site.get(f"{BASE}/jobs/{job}").json)["done"]:
        assert seen["state"] in ("queued", "running")
        time.sleep(0.1)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(site.get, LONG)
        while site.get(LONG.replace(".json", ".progress")).status != 200:
            assert not waiting.done()
            time.sleep(0.1)  # or nobody else gets on
        app.stop()
        answer = waiting.result()
    assert (answer.status, answer.json["detail"][:27]) == (503, "The server is shutting down")
    store = RunRepository(Database(app.environment["LNVIZ_DATABASE_URL"]))
    kept = store.jobs.find(job)
    assert kept is not None
    assert (kept.state, kept.worker) == (JobState.QUEUED, "")
    assert seen["done"] <= kept.done < kept.steps
    assert store.checkpoint(job, 0)
    store.database.close()
