"""The Streamlit panel with a button that checks a figure's values on the server."""

from __future__ import annotations

import streamlit as st

from lnviz.lessons import Lesson


def show_check(lesson: Lesson) -> None:
    """Show a button that recomputes the figure at the state in the page's URL, and the result.

    Raises:
        ValueError: The lesson's text has the panel `check`, but the lesson declares no check.
    """
    if lesson.check is None:
        raise ValueError(f"lesson {lesson.slug!r} has a panel 'check' and declares no check")
    with st.expander(lesson.check.title):
        st.markdown(lesson.check.explanation)
        if st.button(lesson.check.button):
            st.markdown(lesson.check.answer(st.query_params.to_dict()))
