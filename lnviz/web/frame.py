"""The frame around every lesson: widths, type and the name in the corner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from lnviz.book.search import HTML
from lnviz.front import served
from lnviz.web import assets

# One column of prose of about 70 characters; figures may be wider.
_STYLE = """
<style>
.stMainBlockContainer { max-width: 64rem; padding: 2.25rem 2.5rem 6rem; }
.stMain .stMarkdown, .stMain .stExpander { max-width: 44rem; }
.stMain .stMarkdown :is(p, li) { font-size: 1.0625rem; line-height: 1.6; }
.stMain .stMarkdown :is(p, li) code { white-space: nowrap; }
.stMain :is(.stMarkdown, .stExpander) :is(pre, pre *) {
  max-height: none;
  overflow: visible !important; /* what scrolls by itself the keyboard could not reach */
  overflow-wrap: anywhere;
  white-space: pre-wrap !important;
}
.stMain .stMarkdown h2 { font-size: 1.6rem; padding-top: 1.5rem; }
.stMain .stMarkdown h3 { font-size: 1.2rem; } /* Streamlit has it larger than that h2 */
.stMain .st-key-duration { margin-top: -1rem; }
.stMain .st-key-remember h2 { padding: 0 0 0.25rem; font-size: 1.25rem; }
.stMain .st-key-remember :is(ol, li) { margin-left: 0; }
.stMain .st-key-remember ol { padding-left: 1.4rem; }
.stMain .st-key-lead .stMarkdown { max-width: 52rem; }
.stMain .st-key-lead p { font-size: 1.25rem; opacity: 0.8; }
.stMain .katex-display { max-width: 100%; overflow: auto hidden; padding-block: 0.25rem; }
[data-testid="stSidebar"] h2 {
  padding: 0.75rem 0 1.2rem; /* Streamlit pulls what follows a heading up by 1rem */
  font-size: 0.8rem;
  letter-spacing: 0.06em;
  text-transform: uppercase;
}
[data-testid="stSidebarUserContent"] { padding-top: 0; }
[data-testid="stSidebar"] .stVerticalBlock { gap: 0.25rem; }
.st-key-foot {
  max-width: 44rem;
  margin-top: 3rem;
  padding-top: 0.75rem;
  border-top: 1px solid var(--ln-line);
}
.st-key-foot a { padding-inline: 0; }
.st-key-foot a p { color: var(--ln-accent); font-size: 1.0625rem; }
@media (min-width: 1600px) { .stMainBlockContainer { max-width: 88rem; } }
@media (max-width: 640px) {
  .stMainBlockContainer { padding-inline: 1rem; }
  :is([data-testid="stSidebar"], .st-key-foot) a { min-height: 44px; }
  .stMain ol > li > a:first-child { display: inline-block; line-height: 44px; }
}
@page { margin: 15mm; }
@media print {
  .stApp { color-scheme: light; }
  html, body, .stApp, .stApp :is(.stMain, [data-testid="stAppViewContainer"], code) {
    background: white !important;
  }
  .stMain :is(h1, h2, h3, .stMarkdown, .stMarkdown :not(a, a *)) {
    color: var(--ln-ink) !important;
  }
  .stMain .stMarkdown a { color: var(--ln-accent) !important; }
  .stMainBlockContainer { padding: 0; }
  .stMain :is(h2, h3) { break-after: avoid; }
  :is([data-testid="stSidebar"], [data-testid="stHeader"], .st-key-foot) {
    display: none !important;
  }
}
</style>
"""


# Pages without a figure have links, too.
_links = st.components.v2.component(
    "lnviz.links",
    js="""
export default function ({ data }) {
  import(new URL(data.links, location.origin)).then(({ watch }) => watch(), () => {});
}
""",
)


_search = st.components.v2.component(
    "lnviz.search",
    html=HTML,
    js="""
export default function ({ data, parentElement }) {
  const load = async () => {
    const answer = await fetch(new URL(data.sections, location.origin));
    if (!answer.ok) throw new Error(`search.json: ${answer.status}`);
    return answer.json();
  };
  const module = import(new URL(data.search, location.origin));
  // On a phone the sidebar lies over the page. Streamlit closes it only for another page.
  const leave = () => {
    const close = document.querySelector('[data-testid="stSidebarCollapseButton"] button');
    if (matchMedia("(max-width: 768px)").matches) close?.click();
  };
  module.then(({ searchable }) => searchable(parentElement, load, leave), () => {});
}
""",
    isolate_styles=False,
)


def contents(pages: Mapping[str, Sequence[StreamlitPage]]) -> None:
    """Show the search, and the contents by section: Streamlit nests its own list wrongly."""
    with st.sidebar:
        sections = f"{assets.base()}/search.json"
        script = f"{assets.versioned()}book/search.js"
        _search(key="search", data={"search": script, "sections": sections})
        for section, members in pages.items():
            if section:
                st.header(section, anchor=False)
            for page in members:
                st.page_link(page)


def foot(order: Sequence[StreamlitPage], here: StreamlitPage) -> None:
    """Show the way on from a page, and back: links to its neighbors in reading order."""
    _links(key="links", data={"links": assets.versioned() + "page/links.js"})
    at = order.index(here)
    with st.container(key="foot", horizontal=True, horizontal_alignment="distribute"):
        if at > 0:
            st.page_link(order[at - 1], label=f"Previous: {order[at - 1].title}", width="content")
        if at + 1 < len(order):
            st.page_link(order[at + 1], label=f"Next: {order[at + 1].title}", width="content")


def begin(title: str) -> None:
    """Set up the page; called once at the start of every run."""
    st.set_page_config(page_title=f"{title} - lnviz", layout="wide", initial_sidebar_state=250)
    st.logo((served.FOLDER / "page" / "logo.svg").read_text(encoding="utf-8"), size="large")
    st.html(_STYLE)
