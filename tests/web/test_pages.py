import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit import config
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from lnviz.book import HOME, PAGES
from lnviz.frontend import static_files
from lnviz.lessons import LESSONS, Exercise, FigureSpec, Lesson

MAIN = Path(__file__).parents[2] / "lnviz" / "web" / "main.py"
PATIENCE = 600  # seconds: not a limit that a test is about


def opened(lesson: Lesson) -> AppTest:
    app = AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
    app.run()
    app._page_hash = calc_hash(lesson.url_path)  # its `switch_page` knows files alone
    return app.run()


def components(app: AppTest) -> list[Any]:
    """What each figure on the page is given."""
    return [data for data in _given(app) if "source" in data]


def _given(app: AppTest) -> list[Any]:
    return [json.loads(element.proto.json) for element in app.get("bidi_component")]


def texts(app: AppTest) -> list[str]:
    return [element.value for element in app.markdown]


@pytest.fixture(scope="module", params=PAGES, ids=lambda lesson: lesson.slug)
def lesson(request: pytest.FixtureRequest) -> Lesson:
    found: Lesson = request.param
    return found


@pytest.fixture(scope="module")
def page(lesson: Lesson) -> AppTest:
    """A lesson as it opens; tests leave it so."""
    return opened(lesson)


@pytest.mark.slow
def test_a_page_is_called_what_its_lesson_is(page: AppTest, lesson: Lesson) -> None:
    assert not page.exception
    assert not page.error
    assert [title.value for title in page.title] == [lesson.title]


def test_a_page_shows_its_text_and_its_figures_in_reading_order(
    page: AppTest, lesson: Lesson
) -> None:
    shown = "\n\n".join(texts(page))
    for part in (*lesson.core, *(part for fold in lesson.optional_sections for part in fold.parts)):
        if isinstance(part, str):
            assert part in shown
    figures = [part.name for part in lesson.parts if isinstance(part, FigureSpec)]
    sources = [data["source"] for data in components(page)]
    assert sources == [f"/explorables/{lesson.slug}/{name}.json" for name in figures]


def test_the_bare_address_shows_the_home_page() -> None:
    app = AppTest.from_file(str(MAIN), default_timeout=PATIENCE).run()
    assert not app.exception
    assert [title.value for title in app.title] == [HOME.title]


def test_a_page_ends_with_links_to_its_neighbors(page: AppTest, lesson: Lesson) -> None:
    at = PAGES.index(lesson)
    before = [f"Previous: {PAGES[at - 1].title}"] if at else []
    after = [f"Next: {each.title}" for each in PAGES[at + 1 : at + 2]]
    labels = [link.proto.label for link in page.main.get("page_link")]
    assert labels == before + after


def test_only_the_pages_of_lessons_are_remembered(page: AppTest, lesson: Lesson) -> None:
    names = [element.proto.component_name for element in page.get("bidi_component")]
    remembered = [name for name in names if name.startswith("lnviz.end-")]
    assert remembered == ([f"lnviz.end-{lesson.slug}"] if lesson in LESSONS else [])


def test_a_figure_is_given_its_address_and_no_numbers(page: AppTest, lesson: Lesson) -> None:
    for data in components(page):
        name = data["source"].rpartition("/")[2].removesuffix(".json")
        figure = lesson.figure(name)
        assert figure is not None
        assert data["app"] == f"/assets/{static_files.content_hash()}/{static_files.APP}"
        assert data["parameters"] == [parameter.name for parameter in figure.parameters]
        assert len(json.dumps(data)) < 1000


@pytest.fixture
def class_one() -> Iterator[None]:
    """The app below a path."""
    before = config.get_option("server.baseUrlPath")
    config.set_option("server.baseUrlPath", "class/one")
    yield
    config.set_option("server.baseUrlPath", before)


@pytest.mark.usefixtures("class_one")
def test_below_a_base_path_figures_are_given_addresses_there() -> None:
    data, *_ = components(opened(LESSONS[0]))
    first = f"{LESSONS[0].slug}/{LESSONS[0].figures[0].name}"
    assert data["source"] == f"/class/one/explorables/{first}.json"
    assert data["app"] == f"/class/one/assets/{static_files.content_hash()}/{static_files.APP}"


def test_a_page_asks_in_forms_that_the_server_hears_nothing_of(
    page: AppTest, lesson: Lesson
) -> None:
    modules = [data["module"] for data in _given(page) if "module" in data]
    asked = [part for part in lesson.parts if isinstance(part, Exercise)]
    assert modules.count("questions/exercises.js") == len(asked)
    assert not page.radio
    assert not page.text_input
