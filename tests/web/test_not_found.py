"""What is answered where there is no page."""

from html import escape
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnviz.book import PAGES
from lnviz.lessons import Lesson
from lnviz.web.not_found import MAX_LENGTH, MAX_SUGGESTIONS, similar_pages
from tests.web.serving import Links, Site


@pytest.mark.parametrize("address", ["nonsense", "axes/nonsense", "humans.txt", "lab.html"])
def test_an_address_that_is_no_page_is_said_to_be_none(site: Site, address: str) -> None:
    answer = site.get(f"/{address}")
    assert (answer.status, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert f"<code>/{address}</code>" in answer.text
    assert '<a href="/">' in answer.text


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("axis", "axes"),
        ("axes/nonsense", "axes"),
        ("RMSNorm", "rmsnorm"),
        ("lesson/gain_bias", "gain-bias"),
        ("the lab", "lab"),
        ("placment", "placement"),
    ],
)
def test_a_page_that_may_be_meant_is_named_first(path: str, slug: str) -> None:
    assert similar_pages(path)[0].slug == slug


@pytest.mark.parametrize("name", ["axes.html", "axis"])
def test_a_screen_view_that_may_be_meant_is_named(site: Site, name: str) -> None:
    answer = site.get(f"/present/{name}")
    assert answer.status == 404
    assert '<a href="/present/axes">' in answer.text
    assert '<a href="/teach">' in answer.text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.slug)
def test_the_name_of_a_page_is_near_to_it(page: Lesson) -> None:
    assert similar_pages(page.slug)[0] is page
    assert similar_pages(page.title)[0] is page


@given(st.text())
def test_at_most_a_few_pages_are_named_each_once(path: str) -> None:
    found = similar_pages(path)
    assert len({page.slug for page in found}) == len(found) <= MAX_SUGGESTIONS


@pytest.mark.parametrize(
    "path", ["<script>harm()</script>", '"><img src=x>', "&lt;b", "a'b", "\u202egpj", "\0", "é"]
)
def test_a_hostile_path_is_shown_as_text(site: Site, path: str) -> None:
    answer = site.get("/" + quote(path, safe=""))
    assert answer.status == 404
    assert path not in answer.text or path == escape(path)
    assert all(link != "x" for link in Links(answer.text).found)
    assert "\u202e" not in answer.text


def test_a_long_path_is_cut(site: Site) -> None:
    answer = site.get("/" + "y" * 5000)
    assert answer.status == 404
    assert f"<code>/{'y' * MAX_LENGTH}...</code>" in answer.text


@pytest.mark.parametrize("path", ["_stcore/nothing", "static/js/gone.js", "favicon.png"])
def test_what_streamlit_answers_is_left_to_it(site: Site, path: str) -> None:
    answer = site.get(f"/{path}")  # of our routes alone
    assert answer.text == "Not Found"
