import json
import re
import struct
from collections.abc import Iterator
from html import escape
from urllib.parse import quote, urlencode, urljoin, urlsplit

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit import config

from lnviz.book import HOME, PAGES, previews
from lnviz.book.previews import HEIGHT, WIDTH, description, thumbnails
from lnviz.book.sources import THIRD_PARTY
from lnviz.book.teach.plans import PLANS
from lnviz.data.uploads import DataTable
from lnviz.lessons import LESSONS, Lesson
from lnviz.lessons.data_parameters import INLINE_PREFIX, STORED_PREFIX
from lnviz.web import assets
from tests.lessons.kept import kept
from tests.lessons.running import document
from tests.web.addresses import PAYLOAD, asset, clean
from tests.web.serving import Links, Site, served

FIGURES = [f"{lesson.slug}/{lesson.figures[0].name}" for lesson in PAGES if lesson.figures]


@pytest.fixture(scope="module")
def upload() -> str:
    """The query that names an uploaded array."""
    return f"data={kept(DataTable(torch.tensor([[1.0, 2.0], [3.0, 5.0]])))}"


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_is_a_document(site: Site, figure: str) -> None:
    answer = site.get(f"/explorables/{figure}.json")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json == json.loads(json.dumps(document(*figure.split("/"))))


def test_the_licenses_of_what_others_have_made_are_text(site: Site) -> None:
    answer = site.get(f"/{THIRD_PARTY.name}")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.raw == THIRD_PARTY.read_bytes()


def test_parameters_in_the_address_change_the_document(site: Site) -> None:
    plain, digits = (site.get(PAYLOAD + query).json for query in ("", "?data=digits&seed=3"))
    assert plain["tensors"]["x"] != digits["tensors"]["x"]
    assert [p["value"] for p in digits["parameters"][:2]] == ["digits", 3]


def test_examples_may_be_kept_by_anybody(site: Site) -> None:
    assert site.get(PAYLOAD).headers["cache-control"].startswith("public, max-age=")


def test_a_table_in_an_address_is_kept_by_browsers_alone(site: Site) -> None:
    answer = site.get(f"{PAYLOAD}?data={INLINE_PREFIX}a_b*1_2*3_5")
    assert (answer.status, answer.headers["cache-control"]) == (200, "private, max-age=600")


def test_uploads_are_kept_by_nobody(site: Site, upload: str) -> None:
    answer = site.get(f"{PAYLOAD}?{upload}")
    assert answer.status == 200
    assert answer.headers["cache-control"] == "private, no-store"
    assert site.get(f"{PAYLOAD}?{upload}", If_None_Match=answer.headers["etag"]).headers[
        "cache-control"
    ] == ("private, no-store")


@pytest.mark.parametrize("address", ["/axes", "/explorables/axes/grid.html"])
def test_pages_are_asked_for_again(site: Site, address: str) -> None:
    assert site.get(address).headers["cache-control"] == "private, no-cache"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_a_lesson_can_be_presented(site: Site, lesson: Lesson) -> None:
    answer = site.get(f"/present/{lesson.slug}?screen=3")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert sorted(re.findall('data-source="../(.+?).json"', answer.text)) == sorted(
        f"explorables/{lesson.slug}/{figure.name}" for figure in lesson.figures
    )


@pytest.mark.parametrize(
    "path", ["", "/gone", "/home", "/record", "/axes/3", "/%00", "/%3Cscript%3E", "/AXES"]
)
def test_what_is_no_lesson_cannot_be_presented(site: Site, path: str) -> None:
    answer = site.get(f"/present{path}")
    assert answer.status == 404
    assert clean(answer.text)


def test_a_screen_is_a_document_of_its_own(site: Site) -> None:
    answer = site.get("/present/axes/screens/shared.json")
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.text) == json.loads(site.get("/present/axes/screens/3.json").text)
    again = site.get("/present/axes/screens/shared.json", If_None_Match=answer.headers["etag"])
    assert again.status == 304


def test_a_plan_can_be_presented_followed_and_kept(site: Site) -> None:
    name = PLANS[0].slug
    page = site.get(f"/present/plans/{name}")
    assert page.status == 200
    assert f'data-plan="{name}"' in page.text
    screens = site.get(f"/present/plans/{name}.json").json["screens"]
    assert re.findall(r'data-name="(.*?)"', page.text) == [each["name"] for each in screens]
    text = site.get(f"/present/plans/{name}.md")
    assert text.headers["content-type"].startswith("text/markdown")
    assert "/axes?norm=batch&cell=3.2#figure-grid>" in text.text
    for ending in ("", ".json", ".md"):
        assert site.get(f"/present/plans/gone{ending}").status == 404


@pytest.mark.parametrize("there", ["axes/screens/gone", "axes/screens/999", "gone/screens/1"])
def test_a_screen_that_is_not_there_is_said_to_be_so(site: Site, there: str) -> None:
    answer = site.get(f"/present/{there}.json")
    assert answer.status == 404
    assert "no " in json.loads(answer.text)["detail"]


@pytest.mark.parametrize("ending", ["json", "html"])
@pytest.mark.parametrize(
    "figure",
    ["axes/gone", "gone/grid", "axes/", "axes/grid.json", "axes/GRID", "%00/grid", "axes/%00"],
)
def test_an_unknown_figure_is_not_found(site: Site, figure: str, ending: str) -> None:
    answer = site.get(f"/explorables/{figure}.{ending}")
    assert answer.status == 404
    assert clean(answer.text)


@pytest.mark.parametrize("path", ["explorables", "explorables/axes", "assets"])
def test_below_figures_and_assets_nothing_else_is_found(site: Site, path: str) -> None:
    for address in (f"/{path}", f"/{path}/"):
        answer = site.get(address)
        assert (answer.status, answer.headers["content-type"]) == (404, "application/json")


def test_each_problem_of_a_query_has_a_line_of_its_own(site: Site) -> None:
    lines = site.get(f"{PAYLOAD}?data=gone&seed=-1&other=1").json["detail"].splitlines()
    assert [line.split()[0] for line in lines] == ["This", "data", "seed"]


def test_not_found_says_so_in_a_sentence(site: Site) -> None:
    sentence = "There is no figure with that name."
    for suffix in ("json", "html", "progress"):
        answer = site.get(f"/explorables/axes/gone.{suffix}")
        assert (answer.status, answer.json) == (404, {"detail": sentence})
    for name in ("gone.js", "engine/gone.js", "engine", "y/z/w"):
        answer = site.get(asset(name))
        assert (answer.status, answer.json) == (404, {"detail": "There is no such file."})


@pytest.mark.parametrize(
    ("query", "names", "nearest"),
    [
        ("data=gone", "data", {"data": "worked"}),
        ("data=digits&seed=-1", "seed", {"data": "digits", "seed": "0"}),
        ("data=digits&seed=99999999999999999999", "seed", {"data": "digits", "seed": "9999"}),
        ("seed=%D9%A3", "seed", {"seed": "0"}),
        ("other=1&seed=2", 'no parameter "other"', {"seed": "2"}),
        (f"data={STORED_PREFIX}gone", "Upload it again", {"data": "worked"}),
        (f"data={STORED_PREFIX}", "Upload it again", {"data": "worked"}),
    ],
)
def test_bad_parameters_are_refused_with_a_sentence_and_the_nearest(
    site: Site, query: str, names: str, nearest: dict[str, str]
) -> None:
    answer = site.get(f"{PAYLOAD}?{query}")
    # What is no longer there is told apart from what never could be.
    status = 410 if STORED_PREFIX in query else 422
    assert (answer.status, answer.headers["content-type"]) == (status, "application/json")
    assert names in answer.json["detail"]
    assert answer.json["detail"].endswith(".")
    assert answer.json["nearest"] == nearest
    assert site.get(f"{PAYLOAD}?{urlencode(nearest)}").status == 200


# An answer quotes what it refuses, so what is asked for must not look like a trace of the server.
NAMES = st.sampled_from(["data", "seed", "case", "feature"]) | st.text(max_size=5).filter(clean)
VALUES = (
    st.text(max_size=8).filter(clean)
    | st.integers().map(str)
    | st.sampled_from(["worked", STORED_PREFIX, "9" * 99])
)


@given(st.lists(st.tuples(NAMES, VALUES), max_size=4))
@settings(max_examples=50)
def test_any_query_is_answered_or_refused_with_something_allowed(
    site: Site, query: list[tuple[str, str]]
) -> None:
    encoded = urlencode(
        [(a.encode("utf-8", "replace"), b.encode("utf-8", "replace")) for a, b in query]
    )
    answer = site.get(f"{PAYLOAD}?{encoded}")
    # A value that is not allowed hides that another one names what is no longer there.
    refusals = []
    while answer.status != 200:
        assert clean(answer.text)
        refusals.append(answer.status)
        answer = site.get(f"{PAYLOAD}?{urlencode(answer.json['nearest'])}")
    assert refusals in ([], [422], [410], [422, 410])


@given(st.text(max_size=30))
@settings(max_examples=50)
def test_any_path_below_the_figures_and_assets_is_answered(site: Site, text: str) -> None:
    encoded = quote(text.encode("utf-8", "replace"), safe="")
    for folder in ("/explorables/axes/", "/explorables/", asset("")):
        answer = site.get(folder + encoded)
        assert answer.status in (404, 307)
        assert clean(answer.text)


def test_only_reading_is_allowed(site: Site) -> None:
    for method in ("POST", "PUT", "DELETE"):
        assert site.get(PAYLOAD, method=method).status == 405


@pytest.mark.parametrize("figure", FIGURES)
def test_everything_a_standalone_page_takes_is_there(site: Site, figure: str) -> None:
    address = f"/explorables/{figure}.html"
    answer = site.get(address)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    links = Links(answer.text).found
    assert f"{figure.split('/')[1]}.json" in links
    for link in links:
        assert site.get(urljoin(address, link)).status == 200, link


@pytest.mark.parametrize("lesson", PAGES, ids=lambda lesson: lesson.slug)
def test_the_page_of_a_lesson_carries_its_title(site: Site, lesson: Lesson) -> None:
    answer = site.get(f"/{lesson.url_path}")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert re.findall("<title>(.*)</title>", answer.text) == [f"{lesson.title} - lnviz"]


def test_the_page_of_a_lesson_says_where_the_server_is(site: Site) -> None:
    assert 'BACKEND_BASE_URL: new URL("/", location.origin).href' in site.get("/axes").text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.slug)
def test_a_shared_link_has_a_title_and_a_description(site: Site, page: Lesson) -> None:
    text = site.get(f"/{page.url_path}").text
    found = dict(re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', text))
    said = escape(description(page))
    assert found["description"] == found["og:description"] == said
    assert found["og:title"] == page.title
    assert found["og:type"] == "website"
    answer = site.get(urlsplit(found["og:image"]).path)
    assert (answer.status, answer.headers["content-type"]) == (200, "image/png")
    assert answer.body[16:24] == struct.pack(">II", WIDTH, HEIGHT)


def test_a_host_that_asks_badly_is_written_as_text(site: Site) -> None:
    text = site.get("/axes", Host='"><script>alert(1)</script>').text
    assert "<script>alert" not in text


def test_what_is_closed_has_a_small_picture(site: Site) -> None:
    page = next(page for page in PAGES if thumbnails(page))
    for figure, file in thumbnails(page).items():
        answer = site.get(f"/{previews.thumbnail_url(page, figure)}")
        assert (answer.status, answer.headers["content-type"]) == (200, "image/png")
        assert answer.body == file.read_bytes()


@pytest.mark.parametrize("name", ["nonsense", "nonsense/depth", "placement/nonsense", "placement/"])
def test_what_is_no_page_or_figure_has_no_picture(site: Site, name: str) -> None:
    assert site.get(f"/previews/{name}.png").status == 404


@pytest.fixture
def base_path(request: pytest.FixtureRequest) -> Iterator[str]:
    before = config.get_option("server.baseUrlPath")
    config.set_option("server.baseUrlPath", request.param)
    yield request.param
    config.set_option("server.baseUrlPath", before)


@pytest.mark.parametrize(
    "base_path", ["class/one", "/class/one", "class/one/", "/class/one/"], indirect=True
)
def test_below_a_base_path_everything_moves_there(base_path: str) -> None:
    assert assets.base_path() == "/class/one"
    with served() as site:
        assert site.get("/class/one" + PAYLOAD).status == 200
        assert site.get("/class/one" + asset("engine/figure.js")).status == 200
        assert f"<title>{HOME.title} - lnviz" in site.get("/class/one/").text
        assert site.get(f"/class/one/{HOME.slug}").headers["location"] == "/class/one/"
        assert site.get(PAYLOAD).status == 404


@pytest.mark.parametrize("base_path", ["", "/"], indirect=True)
def test_without_a_base_path_the_app_is_at_the_root(base_path: str) -> None:
    assert assets.base_path() == ""


@pytest.mark.parametrize("query", ["", "?a=1&b=2"])
def test_the_home_pages_name_leads_to_the_bare_address(site: Site, query: str) -> None:
    answer = site.get(f"/{HOME.slug}{query}")
    assert (answer.status, answer.headers["location"]) == (307, f"/{query}")


def test_a_figure_names_its_visitor_as_a_page_of_its_own_and_not_in_a_frame(site: Site) -> None:
    alone = "/explorables/axes/grid.html"
    assert "set-cookie" in site.get(alone).headers
    assert "set-cookie" not in site.get(alone, **{"Sec-Fetch-Dest": "iframe"}).headers
