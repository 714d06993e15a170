"""The app as `streamlit run app.py` starts it, below a path."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

from lnviz.lessons import LESSONS
from lnviz.web import routes
from tests.web.serving import Links, Site

ROOT = Path(__file__).parents[2]
BASE = "/class/one"


class App:
    """A server in a process of its own, and what it has said."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", "0"]
        self.process = subprocess.Popen(
            [*command, "--server.baseUrlPath", BASE.strip("/")],
            cwd=ROOT,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        self.said: list[str] = []
        for line in self.process.stdout:
            self.said.append(line)
            if found := re.search(r"URL: \S+:(\d+)", line):
                self.site = Site(int(found[1]))
                break
        else:
            raise RuntimeError("".join(self.said))
        # Read on, or the server waits for somebody to.
        self.reader = threading.Thread(target=self.said.extend, args=(self.process.stdout,))
        self.reader.start()

    def stop(self) -> str:
        with self.process:
            self.process.terminate()
            self.reader.join()
        return "".join(self.said)


@pytest.fixture(scope="module")
def app() -> Iterator[App]:
    app = App()
    yield app
    assert "Traceback" not in app.stop()


@pytest.fixture
def site(app: App) -> Site:
    return app.site


def taken(site: Site, address: str) -> list[str]:
    """The paths of all that a page takes from its server."""
    page = site.get(address)
    assert page.status == 200
    return [urlsplit(urljoin(address, link)).path for link in Links(page.text).found]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_a_first_visit_may_go_to_any_lesson(site: Site, lesson: object) -> None:
    page = site.get(f"{BASE}/{lesson.slug}")
    assert page.status == 200
    assert f"<title>{lesson.title} - lnviz</title>" in page.text
    assert f'BACKEND_BASE_URL: new URL("{BASE}/", location.origin).href' in page.text


@pytest.mark.parametrize(
    "address", [f"{BASE}/{LESSONS[-1].slug}", f"{BASE}/explorables/axes/grid.html"]
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


def test_refusals_reach_the_reader(site: Site) -> None:
    assert site.get(f"{BASE}/explorables/axes/grid.json?data=gone").status == 422
    assert site.get(f"{BASE}/explorables/axes/gone.json").status == 404


def test_the_bare_address_leads_to_the_first_lesson(site: Site) -> None:
    answer = site.get(f"{BASE}/")
    assert answer.status == 307
    assert answer.headers["location"] == f"{BASE}/{LESSONS[0].slug}"


def test_streamlit_answers_where_the_pages_look_for_it(site: Site) -> None:
    assert site.get(f"{BASE}/_stcore/health").text == "ok"


@pytest.mark.parametrize(
    "path",
    [
        f"{BASE}/assets/{routes.version()}/..%2fexplorable.py",
        f"{BASE}/assets/{routes.version()}/../explorable.py",
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
