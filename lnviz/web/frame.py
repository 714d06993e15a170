"""The frame around every lesson: widths, type and the name in the corner."""

from __future__ import annotations

import streamlit as st

# One column of prose of about 70 characters; figures may be wider.
_STYLE = """
<style>
.stMainBlockContainer { max-width: 66rem; padding-top: 3.5rem; }
.stMain .stMarkdown, .stMain [class*="st-key-question"] { max-width: 44rem; }
.stMain .stMarkdown { font-size: 1.0625rem; line-height: 1.6; }
.st-key-lead .stMarkdown { max-width: 52rem; font-size: 1.25rem; opacity: 0.8; }
@media (max-width: 640px) { .stMainBlockContainer { padding-inline: 1rem; } }
</style>
"""


def begin() -> None:
    """Sets up the page; called once at the start of every run."""
    st.set_page_config(page_title="lnviz", layout="wide")
    st.html(_STYLE)
