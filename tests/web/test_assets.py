import re
from pathlib import Path
from posixpath import join, normpath
from urllib.parse import urljoin

import plotly
import pytest

from lnviz.book import PAGES
from lnviz.explorable.explorable import PUBLIC_URL
from lnviz.frontend import static_files, theme
from lnviz.lessons import LESSONS, Lesson
from lnviz.web import assets
from tests.web.addresses import asset, clean
from tests.web.serving import Links, Site

BUILT = [static_files.APP, "theme.css", "plotly.min.js", "source-sans.woff2"]
FILES = sorted(static_files.file_names().difference(BUILT))


def test_assets_of_this_version_are_kept_for_good(site: Site) -> None:
    assert "immutable" in site.get(asset("engine/figure.js")).headers["cache-control"]


def test_assets_under_another_version_are_asked_for_again(site: Site) -> None:
    answer = site.get("/assets/0123456789ab/engine/figure.js")
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-cache")


def test_the_version_follows_the_assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.js", "b.css"):
        (tmp_path / name).write_text("1")
    monkeypatch.setattr(static_files, "FOLDER", tmp_path)
    before, again = (static_files.content_hash.__wrapped__() for _ in range(2))
    (tmp_path / "a.js").write_text("2")
    assert before == again != static_files.content_hash.__wrapped__()


@pytest.mark.parametrize(
    "name",
    [
        "gone.js",
        "../figure.js",
        "../static_files.py",
        "static_files.py",
        "engine/payload.d.ts",
        "..%2fstatic_files.py",
        "..%2f..%2f..%2fpyproject.toml",
        "%2e%2e/%2e%2e/app.py",
        "..%5cstatic_files.py",
        "%2fetc%2fpasswd",
        "engine/figure.js%00",
        "figure",
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


@pytest.mark.parametrize("name", [*FILES, *BUILT])
def test_every_asset_is_served_as_what_it_is(site: Site, name: str) -> None:
    answer = site.get(asset(name))
    kinds = {"js": "javascript", "css": "css", "svg": "svg", "woff2": "woff2"}
    assert answer.status == 200
    assert kinds[name.rpartition(".")[2]] in answer.headers["content-type"]
    if name in FILES and name not in static_files.BUNDLED and not name.endswith(".css"):
        assert answer.body == (static_files.FOLDER / name).read_bytes()


def test_the_theme_is_built_from_the_theme_file(site: Site) -> None:
    assert site.get(asset("theme.css")).text == theme.style_sheet()


def test_plotly_is_the_version_that_python_draws_for() -> None:
    whole = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    shipped, drawn_for = (
        re.findall(rb"^\* plotly\.js .*?v([\d.]+)$", file.read_bytes()[:200], re.MULTILINE)
        for file in (static_files.FOLDER / "plotly.min.js", whole)
    )
    assert shipped == drawn_for != []


def mentioned(name: str, text: str) -> list[str]:
    """The addresses that a script or a style sheet loads."""
    if name.endswith(".js"):
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)  # types are nothing to load
        return re.findall(r"""(?:from|import)\s*\(?\s*["']([^"']+)["']""", text)
    return re.findall(r"""(?:@import\s+|url\(\s*)["']?([^"')]+)""", text)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith((".js", ".css"))])
def test_whatever_an_asset_loads_is_served(site: Site, name: str) -> None:
    for address in mentioned(name, (static_files.FOLDER / name).read_text(encoding="utf-8")):
        if not address.startswith("data:"):
            answer = site.get(urljoin(asset(name), address))
            assert answer.status == 200, address


def test_a_style_sheet_is_served_with_those_that_it_imports() -> None:
    """One request for all of them; what an address in one counts from is no longer its folder."""
    page = static_files.read_file("page/page.css").decode()
    for address in mentioned("page.css", (static_files.FOLDER / "page/page.css").read_text()):
        sheet = static_files.read_file(normpath(join("page", address))).decode()
        assert sheet in page
        assert "url(" not in sheet
    assert "@import" not in page


def test_the_page_of_a_lesson_runs_one_script(site: Site) -> None:
    links = [link for link in Links(site.get("/axes").text).found if link.startswith("./assets/")]
    scripts = {link.split("/", 3)[3] for link in links if link.endswith(".js")}
    assert scripts == {static_files.APP}
    for link in links:
        assert site.get(urljoin("/axes", link)).status == 200, link


@pytest.mark.parametrize("name", static_files.BUNDLED)
def test_what_arrives_whole_asks_for_nothing_that_does_not(name: str) -> None:
    loaded = mentioned(name, static_files.read_file(name).decode())
    assert {normpath(join(name, "..", address)) for address in loaded} <= set(static_files.BUNDLED)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".css")])
def test_no_selector_has_all_elements_styled_anew_when_a_word_changes(name: str) -> None:
    """With `:has()` and `::first-line` in one selector, nested or not, Chromium does so."""
    text = re.sub(r"/\*.*?\*/", "", static_files.read_file(name).decode(), flags=re.DOTALL)
    within: list[str] = []
    for said, mark in re.findall(r"([^{};]*)([{};])", text):
        if mark == "{":
            within.append(said)
            selector = " ".join(within)
            assert not (":has(" in selector and "::first-line" in selector), selector
        elif mark == "}":
            within.pop()


@pytest.mark.parametrize(
    "page",
    [
        "<noscript></noscript>",
        "<noscript></noscript><title>Streamlit</title></head></head>./favicon.png",
    ],
)
def test_a_streamlit_with_another_page_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    (tmp_path / "index.html").write_text(page)
    monkeypatch.setattr(assets, "STREAMLIT_STATIC", tmp_path)
    with pytest.raises(RuntimeError, match=r"must contain .* once, found it [02] times"):
        assets._page_html.__wrapped__("axes")


def test_a_page_is_put_together_once_whatever_its_server_is_called() -> None:
    pages = [assets.index_html("axes", f"https://made-up-{n}").content for n in range(9)]
    assert len(set(pages)) == 9
    assert assets._page_html.cache_info().misses <= len(PAGES)


@pytest.mark.parametrize(("slug", "has_code"), [("axes", False), ("practice", True)])
def test_what_colors_code_is_loaded_ahead_where_a_page_shows_code(
    slug: str, has_code: bool
) -> None:
    assert (assets.CODE_CHUNK in assets._page_html(slug)) == has_code


@pytest.mark.parametrize("lesson", PAGES, ids=lambda lesson: lesson.slug)
def test_a_page_leads_to_a_text_that_needs_no_scripts(site: Site, lesson: Lesson) -> None:
    page = site.get(f"/{lesson.url_path}").text
    (text,) = re.findall("<noscript>(.*?)</noscript>", page, re.DOTALL)
    links = re.findall(r'href="\./(present/[a-z-]+)"', text)
    assert links
    for link in links if lesson not in LESSONS else [f"present/{lesson.slug}"]:
        assert link in links
        assert "<noscript><style>.screen[hidden]" in site.get(f"/{link}").text


def test_search_engines_find_all_pages_at_the_public_address(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = f"http://127.0.0.1:{site.port}"
    assert f"Sitemap: {here}/sitemap.xml" in site.get("/robots.txt").text
    assert "canonical" not in site.get("/axes").text
    monkeypatch.setenv(PUBLIC_URL, "https://example.org/lnviz")
    assets.index_html.cache_clear()
    listed = re.findall("<loc>(.*?)</loc>", site.get("/sitemap.xml").text)
    assert len(listed) == len(PAGES)
    assert "https://example.org/lnviz/axes" in listed
    page = site.get("/axes").text
    assets.index_html.cache_clear()
    assert '<link rel="canonical" href="https://example.org/lnviz/axes">' in page
    assert 'content="https://example.org/lnviz/previews/axes.png"' in page


def test_an_icon_is_where_browsers_look_for_it(site: Site) -> None:
    answer = site.get("/favicon.ico")
    assert answer.status == 307
    assert "svg" in site.get(answer.headers["location"]).headers["content-type"]
