"""The panel that checks a figure of a lesson when the reader asks for it."""

from __future__ import annotations

import streamlit as st

from lnviz.lessons import Lesson


def show_check(lesson: Lesson) -> None:
    """Show what is checked, a button, and below it the answer for the address's present state.

    Raises:
        ValueError: The lesson has a place for a check, and none to put there.
    """
    if lesson.check is None:
        raise ValueError(f"lesson {lesson.slug!r} has a panel 'check' and declares no check")
    with st.expander(lesson.check.title):
        st.markdown(lesson.check.explanation)
        if st.button(lesson.check.button):
            st.markdown(lesson.check.answer(st.query_params.to_dict()))
