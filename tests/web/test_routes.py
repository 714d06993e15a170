import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode, urljoin

import plotly
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit import config

from lnviz.data.uploads import Table
from lnviz.explorable import theme
from lnviz.lessons import LESSONS
from lnviz.lessons.inputs import KEPT, UPLOADS
from lnviz.web import assets
from tests.web.serving import Links, Site, served

PAYLOAD = "/explorables/axes/grid.json"
FIGURES = [f"{lesson.slug}/{lesson.figures[0].name}" for lesson in LESSONS]
FILES = sorted(
    file.name for file in assets.ASSETS.iterdir() if Path(file.name).suffix in assets.TYPES
)
BUILT = ["theme.css", "plotly.min.js", "source-sans.woff2"]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with served() as site:
        yield site


def asset(name: str) -> str:
    return f"/assets/{assets.version()}/{name}"


@pytest.fixture(scope="module")
def upload() -> str:
    """The query that names an uploaded array."""
    return f"data={KEPT}{UPLOADS.put(Table(torch.tensor([[1.0, 2.0], [3.0, 5.0]])))}"


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_is_a_document(site: Site, figure: str) -> None:
    answer = site.get(f"/explorables/{figure}.json")
    slug, name = figure.split("/")
    built = next(lesson for lesson in LESSONS if lesson.slug == slug).figure(name)
    assert built is not None
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json == json.loads(json.dumps(built.payload(built.parse({}))))


def test_parameters_in_the_address_change_the_document(site: Site) -> None:
    plain, digits = (site.get(PAYLOAD + query).json for query in ("", "?data=digits&seed=3"))
    assert plain["tensors"]["x"] != digits["tensors"]["x"]
    assert [p["value"] for p in digits["parameters"][:2]] == ["digits", 3]


def test_gzip_that_is_refused_is_not_sent(site: Site) -> None:
    for refused in ("gzip;q=0", "br, gzip; q=0.000", "*;q=0", "gzip;q=0, *"):
        answer = site.get(PAYLOAD, Accept_Encoding=refused)
        assert answer.headers.get("content-encoding", "identity") == "identity"
        assert answer.json["title"]


def test_whoever_takes_anything_takes_gzip(site: Site) -> None:
    assert site.get(PAYLOAD, Accept_Encoding="*").headers["content-encoding"] == "gzip"


ADDRESSES = [
    PAYLOAD,
    "/explorables/axes/grid.html",
    "/axes",
    f"/assets/{assets.version()}/explorable.js",
    f"/assets/{assets.version()}/plotly.min.js",
]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("accepted", ["gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8"])
def test_an_answer_is_compressed_where_the_client_takes_that(
    site: Site, address: str, accepted: str
) -> None:
    plain, packed = site.get(address), site.get(address, Accept_Encoding=accepted)
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.body == plain.body
    assert len(packed.raw) < len(plain.raw)
    assert {plain.headers["vary"], packed.headers["vary"]} == {"Accept-Encoding"}


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_the_client_has_is_not_sent_again(site: Site, address: str) -> None:
    first = site.get(address)
    for known in (first.headers["etag"], f'W/"other", {first.headers["etag"]}', "*"):
        second = site.get(address, If_None_Match=known)
        assert (second.status, second.raw) == (304, b"")
        for header in ("etag", "cache-control", "vary"):
            assert second.headers[header] == first.headers[header]


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_has_changed_is_sent(site: Site, address: str) -> None:
    assert site.get(address, If_None_Match='W/"other"').status == 200


def test_other_parameters_have_another_tag(site: Site) -> None:
    queries = ["", "?data=worked", "?data=digits", "?data=digits&seed=1"]
    tags = [site.get(PAYLOAD + query).headers["etag"] for query in queries]
    assert tags[0] == tags[1]
    assert len(set(tags)) == 3


def test_examples_may_be_kept_by_anybody(site: Site) -> None:
    assert site.get(PAYLOAD).headers["cache-control"].startswith("public, max-age=")


def test_uploads_are_kept_by_nobody(site: Site, upload: str) -> None:
    answer = site.get(f"{PAYLOAD}?{upload}")
    assert answer.status == 200
    assert answer.headers["cache-control"] == "private, no-store"
    assert site.get(f"{PAYLOAD}?{upload}", If_None_Match=answer.headers["etag"]).headers[
        "cache-control"
    ] == ("private, no-store")


def test_assets_of_this_version_are_kept_for_good(site: Site) -> None:
    assert "immutable" in site.get(asset("explorable.js")).headers["cache-control"]


def test_assets_under_another_version_are_asked_for_again(site: Site) -> None:
    answer = site.get("/assets/0123456789ab/explorable.js")
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-cache")


@pytest.mark.parametrize("address", ["/axes", "/explorables/axes/grid.html"])
def test_pages_are_asked_for_again(site: Site, address: str) -> None:
    assert site.get(address).headers["cache-control"] == "private, no-cache"


def test_the_version_follows_the_assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.js", "b.css"):
        (tmp_path / name).write_text("1")
    monkeypatch.setattr(assets, "ASSETS", tmp_path)
    before, again = (assets.version.__wrapped__() for _ in range(2))
    (tmp_path / "a.js").write_text("2")
    assert before == again != assets.version.__wrapped__()


def clean(text: str) -> bool:
    """Whether an answer keeps to itself what the server is made of."""
    return not re.search(r"Traceback|\.py\b|site-packages|/(work|home|root|usr|tmp)/", text)


@pytest.mark.parametrize("ending", ["json", "html"])
@pytest.mark.parametrize(
    "figure",
    ["axes/gone", "gone/grid", "axes/", "axes/grid.json", "axes/GRID", "%00/grid", "axes/%00"],
)
def test_an_unknown_figure_is_not_found(site: Site, figure: str, ending: str) -> None:
    answer = site.get(f"/explorables/{figure}.{ending}")
    assert answer.status == 404
    assert clean(answer.text)


@pytest.mark.parametrize("path", ["explorables", "explorables/axes", "assets", "assets/x/y/z"])
def test_below_figures_and_assets_nothing_else_is_found(site: Site, path: str) -> None:
    for address in (f"/{path}", f"/{path}/"):
        answer = site.get(address)
        assert (answer.status, answer.headers["content-type"]) == (404, "application/json")


def test_each_problem_of_a_query_has_a_line_of_its_own(site: Site) -> None:
    lines = site.get(f"{PAYLOAD}?data=gone&seed=-1&other=1").json["detail"].splitlines()
    assert [line.split()[0] for line in lines] == ["This", "data", "seed"]


def test_not_found_says_so_in_a_sentence(site: Site) -> None:
    sentence = "There is no figure of that name."
    assert site.get("/explorables/axes/gone.json").json == {"detail": sentence}
    assert site.get("/explorables/axes/gone.html").text == sentence
    assert site.get(asset("gone.js")).text == "There is no such asset."


@pytest.mark.parametrize(
    "name",
    [
        "gone.js",
        "../explorable.py",
        "..%2fexplorable.py",
        "..%2f..%2f..%2fpyproject.toml",
        "%2e%2e/%2e%2e/app.py",
        "..%5cexplorable.py",
        "%2fetc%2fpasswd",
        "explorable.js%00",
        "explorable",
        ".",
        "..",
        "",
        "x" * 5000,
    ],
)
def test_nothing_but_the_assets_is_served(site: Site, name: str) -> None:
    answer = site.get(asset(name))
    assert answer.status == 404
    assert clean(answer.text)


@pytest.mark.parametrize(
    "path", ["/explorables/..%2f..%2fapp.py", "/explorables/axes/../../app.py"]
)
def test_no_path_leads_out_of_the_figures(site: Site, path: str) -> None:
    answer = site.get(path)
    assert answer.status == 404
    assert clean(answer.text)


@pytest.mark.parametrize(
    ("query", "names", "nearest"),
    [
        ("data=gone", "data", {"data": "worked"}),
        ("data=digits&seed=-1", "seed", {"data": "digits", "seed": "0"}),
        ("data=digits&seed=99999999999999999999", "seed", {"data": "digits", "seed": "9999"}),
        ("seed=%D9%A3", "seed", {"seed": "0"}),
        ("other=1&seed=2", 'no parameter "other"', {"seed": "2"}),
        (f"data={KEPT}gone", "Upload it again", {"data": "worked"}),
        (f"data={KEPT}", "Upload it again", {"data": "worked"}),
    ],
)
def test_bad_parameters_are_refused_with_a_sentence_and_the_nearest(
    site: Site, query: str, names: str, nearest: dict[str, str]
) -> None:
    answer = site.get(f"{PAYLOAD}?{query}")
    # What is no longer there is told apart from what never could be.
    status = 410 if KEPT in query else 422
    assert (answer.status, answer.headers["content-type"]) == (status, "application/json")
    assert names in answer.json["detail"]
    assert answer.json["detail"].endswith(".")
    assert answer.json["nearest"] == nearest
    assert site.get(f"{PAYLOAD}?{urlencode(nearest)}").status == 200


NAMES = st.sampled_from(["data", "seed", "case", "feature"]) | st.text(max_size=5)
VALUES = st.text(max_size=8) | st.integers().map(str) | st.sampled_from(["worked", KEPT, "9" * 99])


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


def test_the_head_of_an_answer_can_be_asked_for(site: Site) -> None:
    head, whole = site.get(PAYLOAD, method="HEAD"), site.get(PAYLOAD)
    assert (head.status, head.raw) == (200, b"")
    for header in ("etag", "content-length", "content-type"):
        assert head.headers[header] == whole.headers[header]


@pytest.mark.parametrize("name", [*FILES, *BUILT])
def test_every_asset_is_served_as_what_it_is(site: Site, name: str) -> None:
    answer = site.get(asset(name))
    kinds = {"js": "javascript", "css": "css", "svg": "svg", "woff2": "woff2"}
    assert answer.status == 200
    assert kinds[name.rpartition(".")[2]] in answer.headers["content-type"]
    if name in FILES:
        assert answer.body == (assets.ASSETS / name).read_bytes()


def test_the_theme_is_built_from_the_theme_file(site: Site) -> None:
    assert site.get(asset("theme.css")).text == theme.css()


def test_plotly_is_the_file_of_the_package(site: Site) -> None:
    shipped = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    sent = site.get(asset("plotly.min.js"), Accept_Encoding="gzip").body
    assert hashlib.sha256(sent).digest() == hashlib.sha256(shipped.read_bytes()).digest()


def mentioned(name: str, text: str) -> list[str]:
    """The addresses that a script or a style sheet loads."""
    if name.endswith(".js"):
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)  # types are nothing to load
        return re.findall(r"""(?:from|import)\s*\(?\s*["']([^"']+)["']""", text)
    return re.findall(r"""(?:@import\s+|url\(\s*)["']?([^"')]+)""", text)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith((".js", ".css"))])
def test_whatever_an_asset_loads_is_served(site: Site, name: str) -> None:
    for address in mentioned(name, (assets.ASSETS / name).read_text(encoding="utf-8")):
        if not address.startswith("data:"):
            answer = site.get(urljoin(asset(name), address))
            assert answer.status == 200, address


@pytest.mark.parametrize("figure", FIGURES)
def test_everything_a_standalone_page_takes_is_there(site: Site, figure: str) -> None:
    address = f"/explorables/{figure}.html"
    answer = site.get(address)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    links = Links(answer.text).found
    assert f"{figure.split('/')[1]}.json" in links
    for link in links:
        assert site.get(urljoin(address, link)).status == 200, link


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_the_page_of_a_lesson_carries_its_title(site: Site, lesson: object) -> None:
    answer = site.get(f"/{lesson.slug}")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert re.findall("<title>(.*)</title>", answer.text) == [f"{lesson.title} - lnviz"]


def test_the_page_of_a_lesson_says_where_the_server_is(site: Site) -> None:
    assert 'BACKEND_BASE_URL: new URL("/", location.origin).href' in site.get("/axes").text


def test_the_page_of_a_lesson_loads_ahead_exactly_the_scripts_of_a_figure(site: Site) -> None:
    wanted, seen = ["lesson.js"], set()
    while wanted:
        name = wanted.pop()
        if name not in seen:
            seen.add(name)
            text = (assets.ASSETS / name).read_text(encoding="utf-8")
            wanted += [address.removeprefix("./") for address in mentioned(name, text)]
    links = [link for link in Links(site.get("/axes").text).found if link.startswith("./assets/")]
    assert {link.rpartition("/")[2] for link in links if link.endswith(".js")} == seen
    for link in links:
        assert site.get(urljoin("/axes", link)).status == 200, link


def test_the_bare_address_leads_to_the_first_lesson(site: Site) -> None:
    answer = site.get("/")
    assert answer.status == 307
    assert answer.headers["location"] == f"/{LESSONS[0].slug}"


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
    assert assets.base() == "/class/one"
    with served() as site:
        assert site.get("/class/one" + PAYLOAD).status == 200
        assert site.get("/class/one" + asset("explorable.js")).status == 200
        assert site.get("/class/one/").headers["location"] == "/class/one/axes"
        assert site.get(PAYLOAD).status == 404


@pytest.mark.parametrize("base_path", ["", "/"], indirect=True)
def test_without_a_base_path_the_app_is_at_the_root(base_path: str) -> None:
    assert assets.base() == ""


@pytest.mark.parametrize(("asked", "to"), [("/", "/axes"), ("/?a=1&b=2", "/axes?a=1&b=2")])
def test_the_bare_address_passes_on_what_it_was_asked(site: Site, asked: str, to: str) -> None:
    assert site.get(asked).headers["location"] == to


@pytest.mark.parametrize("page", ["", "<title>Streamlit</title></head></head>./favicon.png"])
def test_a_streamlit_with_another_page_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    (tmp_path / "index.html").write_text(page)
    monkeypatch.setattr(assets, "STREAMLIT_STATIC", tmp_path)
    with pytest.raises(RuntimeError, match=r"must hold .* once, found it [02] times"):
        assets.index.__wrapped__("title")
