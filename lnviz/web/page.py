"""A lesson as a Streamlit page."""

from __future__ import annotations

import streamlit as st

from lnviz import book
from lnviz.lessons import LESSONS, Asked, Figure, Fold, Panel, Table
from lnviz.web.component import explorable
from lnviz.web.panels import PANELS
from lnviz.web.plain import write


def show(slug: str) -> None:
    """Show a lesson: its title, then its prose, questions and figures in reading order."""
    lesson = book.find(slug)
    if lesson is None:
        raise ValueError(f"no lesson is called {slug!r}")
    st.title(lesson.title, anchor=False)
    for number, part in enumerate(lesson.parts):
        if isinstance(part, Figure):
            explorable(lesson, part)
        elif isinstance(part, Table | Asked):
            write(lesson, part)
        elif isinstance(part, Panel):
            PANELS[part.name](lesson)
        elif isinstance(part, Fold):
            st.expander(part.title).markdown(part.text)
        elif number == 0:
            lead, _, rest = part.partition("\n\n")
            st.container(key="lead").markdown(lead)
            st.markdown(rest)
        else:
            st.markdown(part)
    if lesson in LESSONS:
        st.markdown(f"[Present this lesson](present/{lesson.slug}), one screen at a time.")
