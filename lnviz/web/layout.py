"""The layout around every page: sidebar, footer and logo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from lnviz.book import PAGES, find_page
from lnviz.book.contents import contents_html
from lnviz.book.learning_paths import QUERY, find_path
from lnviz.book.search import SEARCH_BOX
from lnviz.frontend import static_files
from lnviz.web import assets

# The last component of every page: when it arrives, the page is complete.
_page_transition = st.components.v2.component(
    "lnviz.arrival",
    js="""
export default function ({ data }) {
  const words = async () => {
    const answer = await fetch(new URL(data.glossary, location.origin));
    if (!answer.ok) throw new Error(`glossary: ${answer.status}`);
    return answer.json();
  };
  import(new URL(data.app, location.origin)).then(({ modules }) => {
    // Registered first, so that a click on a glossary link explains the word and goes nowhere.
    modules["book/glossary.js"].attachGlossary(words);
    modules["page/links.js"].interceptLinks();
    modules["page/page_transition.js"].finishTransition(data.page);
  }, () => {});
}
""",
)


_SIDEBAR = """
export default function ({ data, parentElement }) {
  const load = async () => {
    const answer = await fetch(new URL(data.sections, location.origin));
    if (!answer.ok) throw new Error(`search.json: ${answer.status}`);
    return answer.json();
  };
  import(new URL(data.app, location.origin)).then(({ modules }) => {
    const { closeContents: leave, openContents: enter, markCurrent } = modules["page/contents.js"];
    markCurrent(parentElement, data.page);
    modules["book/search.js"].attachSearch(parentElement, load, { enter, leave });
  }, () => {});
}
"""


def sidebar(current: StreamlitPage) -> None:
    """Show the sidebar, with the search box and the list of pages by section.

    This is one component, since each of Streamlit's links costs a message in every script run; its
    own navigation nests the list wrongly.
    """
    with st.sidebar:
        data = {
            "app": assets.bundle_url(),
            "sections": f"{assets.base_path()}/search.json",
            "page": _address(current.url_path),
        }
        _sidebar()(key="contents", data=data)


@cache
def _sidebar() -> Callable[..., object]:
    """Declare the component at the first session, when the server's base path is known."""
    nav = contents_html(PAGES, lambda page: _address(page.url_path))
    return st.components.v2.component(
        "lnviz.contents", html=SEARCH_BOX + nav, js=_SIDEBAR, isolate_styles=False
    )


def _address(url_path: str) -> str:
    return f"{assets.base_path()}/{url_path}"


def footer(order: Sequence[StreamlitPage], current: StreamlitPage) -> None:
    """Show the footer, with links to the previous page and the next page.

    Pages are in the order of the learning path in the URL, or of the book if the URL names none.

    Args:
        order: All pages, in the book's order.
        current: The current page.
    """
    lesson = find_page(current.url_path)
    path = lesson and find_path(st.query_params.get(QUERY, ""), lesson)
    query = {QUERY: path.name} if path else None
    if path:
        pages = {page.url_path: page for page in order}
        order = [pages[each.slug] for each in path.lessons]
    at = order.index(current)
    with st.container(key="foot", horizontal=True, horizontal_alignment="distribute"):
        if at > 0:
            before = order[at - 1]
            st.page_link(before, label=f"Previous: {before.title}", query_params=query)
        if path and lesson:
            st.markdown(f"{path.time}: {path.position(lesson)}", width="content")
        if at + 1 < len(order):
            after = order[at + 1]
            st.page_link(after, label=f"Next: {after.title}", query_params=query)
    data = {
        "app": assets.bundle_url(),
        "page": _address(current.url_path),
        "glossary": f"{assets.base_path()}/glossary.json",
    }
    _page_transition(key="arrival", data=data)


def configure_page(title: str) -> None:
    """Set the browser's title, the layout and the logo; called once in every script run."""
    st.set_page_config(page_title=f"{title} - lnviz", layout="wide", initial_sidebar_state=276)
    st.logo((static_files.FOLDER / "page" / "logo.svg").read_text(encoding="utf-8"), size="large")
