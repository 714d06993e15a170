"""The layout around every page: sidebar, footer and logo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from lnviz.book import find_page
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


_search = st.components.v2.component(
    "lnviz.search",
    html=SEARCH_BOX,
    js="""
export default function ({ data, parentElement }) {
  const load = async () => {
    const answer = await fetch(new URL(data.sections, location.origin));
    if (!answer.ok) throw new Error(`search.json: ${answer.status}`);
    return answer.json();
  };
  import(new URL(data.app, location.origin)).then(({ modules }) => {
    const { closeContents: leave, openContents: enter } = modules["page/contents.js"];
    modules["book/search.js"].attachSearch(parentElement, load, { enter, leave });
  }, () => {});
}
""",
    isolate_styles=False,
)


def sidebar(pages: Mapping[str, Sequence[StreamlitPage]]) -> None:
    """Show the sidebar, with the search box and the list of pages by section.

    Streamlit's own navigation nests the list wrongly.
    """
    with st.sidebar:
        sections = f"{assets.base_path()}/search.json"
        _search(key="search", data={"app": assets.bundle_url(), "sections": sections})
        for section, members in pages.items():
            if section:
                st.header(section, anchor=False)
            for page in members:
                st.page_link(page)


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
    page = f"{assets.base_path()}/{current.url_path}"
    glossary = f"{assets.base_path()}/glossary.json"
    data = {"app": assets.bundle_url(), "page": page, "glossary": glossary}
    _page_transition(key="arrival", data=data)


def configure_page(title: str) -> None:
    """Set the browser's title, the layout and the logo; called once in every script run."""
    st.set_page_config(page_title=f"{title} - lnviz", layout="wide", initial_sidebar_state=276)
    st.logo((static_files.FOLDER / "page" / "logo.svg").read_text(encoding="utf-8"), size="large")
