"""The frame around every lesson: widths, type and the name in the corner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from lnviz.web import assets

# One column of prose of about 70 characters; figures may be wider.
_STYLE = """
<style>
.stMainBlockContainer { max-width: 64rem; padding: 2.25rem 2.5rem 6rem; }
.stMain .stMarkdown, .stMain [class*="st-key-question"], .stMain .stExpander { max-width: 44rem; }
.stMain .stMarkdown :is(p, li) { font-size: 1.0625rem; line-height: 1.6; }
.stMain .stMarkdown :is(p, li) code { white-space: nowrap; }
.stMain .stMarkdown h2 { font-size: 1.6rem; padding-top: 1.5rem; }
.stMain .st-key-lead .stMarkdown { max-width: 52rem; }
.stMain .st-key-lead p { font-size: 1.25rem; opacity: 0.8; }
.stMain .katex-display { max-width: 100%; overflow: auto hidden; padding-block: 0.25rem; }
[class*="st-key-question"] {
  gap: 0.5rem;
  padding: 0.75rem 1.25rem;
  background: var(--ln-panel);
  border-radius: 0.5rem;
}
[data-testid="stRadioOption"] > div > div:first-child {
  border-radius: 50%;
  box-shadow: 0 0 0 1px var(--ln-soft);
}
[data-testid="stSidebar"] h2 {
  padding: 0.75rem 0 1.2rem; /* Streamlit pulls what follows a heading up by 1rem */
  font-size: 0.8rem;
  letter-spacing: 0.06em;
  text-transform: uppercase;
}
[data-testid="stSidebarUserContent"] { padding-top: 0; }
[data-testid="stSidebar"] .stVerticalBlock { gap: 0.25rem; }
@media (min-width: 1600px) { .stMainBlockContainer { max-width: 88rem; } }
@media (max-width: 640px) {
  .stMainBlockContainer { padding-inline: 1rem; }
  [data-testid="stSidebar"] a { min-height: 44px; }
  .stMain [role="radiogroup"] { flex-direction: column; align-items: flex-start; gap: 0; }
  .stMain [role="radiogroup"] label { align-items: center; min-height: 44px; }
}
</style>
"""


def contents(pages: Mapping[str, Sequence[StreamlitPage]]) -> None:
    """The table of contents, by section; Streamlit's own nests its list wrongly for readers."""
    with st.sidebar:
        for section, members in pages.items():
            if section:
                st.header(section, anchor=False)
                for page in members:
                    st.page_link(page)


def begin(title: str) -> None:
    """Sets up the page; called once at the start of every run."""
    st.set_page_config(page_title=f"{title} - lnviz", layout="wide", initial_sidebar_state=250)
    st.logo((assets.ASSETS / "logo.svg").read_text(encoding="utf-8"), size="large")
    st.html(_STYLE)
