"""A question on a page: options, a Check button, and an answer for whoever has committed to one."""

from __future__ import annotations

import streamlit as st

from lnviz.lessons import Lesson, Question

# A screen reader hears of a change in a status that was there before. Streamlit draws what it has
# anew; a component keeps its element.
_status = st.components.v2.component(
    "lnviz.status",
    js="""
export default function ({ data, parentElement }) {
  parentElement.setAttribute("role", "status");
  parentElement.style.fontWeight = "600";
  if (parentElement.textContent !== data.text) parentElement.textContent = data.text;
}
""",
    isolate_styles=False,
)


def ask(lesson: Lesson, question: Question) -> None:
    """Shows a question; the answer and the reason come when the reader has checked an option."""
    box = st.container(key=f"question-{question.name}")
    box.markdown(question.text)
    key = f"answer-{lesson.slug}-{question.name}"
    with box.form(f"form-{key}", border=False):
        chosen = st.radio(
            question.text,
            question.answers,
            format_func=lambda answer: answer.text,
            index=None,
            horizontal=True,
            key=key,
            label_visibility="collapsed",
        )
        checked = st.form_submit_button("Check")
    with box:
        _status(
            key=f"status-{key}",
            data={"text": question.verdict(chosen) if checked or chosen else ""},
        )
        if chosen is not None:
            st.markdown(f"{chosen.reply}\n\n{question.why}")
