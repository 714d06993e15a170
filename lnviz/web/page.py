"""A lesson as a Streamlit page."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from lnviz.lessons import Figure, Lesson, Question
from lnviz.web.component import explorable


def show(
    lesson: Lesson,
    parameters: dict[str, str] | None = None,
    after: dict[str, Callable[[], None]] | None = None,
) -> None:
    """Shows a lesson: its title, then its prose, questions and figures in reading order.

    Args:
        lesson: The lesson.
        parameters: What the page sets on its figures, once.
        after: By figure name, what the page puts below a figure.
    """
    st.title(lesson.title, anchor=False)
    for number, part in enumerate(lesson.parts):
        if isinstance(part, Figure):
            explorable(lesson, part, parameters)
            if after and part.name in after:
                after[part.name]()
        elif isinstance(part, Question):
            _ask(lesson, part)
        elif number == 0:
            lead, _, rest = part.partition("\n\n")
            st.container(key="lead").markdown(lead)
            st.markdown(rest)
        else:
            st.markdown(part)


def _ask(lesson: Lesson, question: Question) -> None:
    """A question; the answer and the reason come when the reader has committed to one."""
    box = st.container(key=f"question-{question.name}")
    box.markdown(question.text)
    chosen = box.radio(
        question.text,
        question.options,
        index=None,
        horizontal=True,
        key=f"answer-{lesson.slug}-{question.name}",
        label_visibility="collapsed",
    )
    if chosen is not None:
        verdict = "Yes" if chosen == question.options[question.right] else "Not quite"
        box.markdown(f"**{verdict}: {question.options[question.right]}.** {question.why}")
