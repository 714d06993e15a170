"""A lesson as a Streamlit page."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from lnviz import book
from lnviz.book import duration
from lnviz.lessons import LESSONS, Asked, Deeper, Figure, Fold, Lesson, Panel, Remember, Table
from lnviz.lessons.lesson import EXERCISES, Part
from lnviz.lessons.text import anchor
from lnviz.web.component import show_figure
from lnviz.web.html_component import show_part
from lnviz.web.panels import PANELS, html_panels


def show(slug: str) -> None:
    """Show a lesson: its title, its core, what is deeper, and its exercises."""
    lesson = book.find_page(slug)
    if lesson is None:
        raise ValueError(f"no lesson is called {slug!r}")
    if lesson is book.HOME:
        with st.container(key="hero"):
            _begin(lesson, lesson.core[: book.HERO_PARTS])
        _rest(lesson, lesson.core[book.HERO_PARTS :])
    else:
        _begin(lesson, lesson.core[:1])
        _rest(lesson, lesson.core[1:])
        if lesson in LESSONS:
            html_panels.completion_marker(lesson)
    if lesson.deeper:
        st.markdown(lesson.opening)
        with st.container(key="deeper", gap=None):
            for fold in lesson.deeper:
                _fold(lesson, fold)
    if lesson.exercises:
        st.markdown(f"## {EXERCISES}")
        for exercise in lesson.exercises:
            _show(lesson, exercise)
    if lesson in LESSONS:
        present = f"[Present this lesson](present/{lesson.slug}), one screen at a time."
        st.container(key="elsewhere").markdown(present)


def _begin(lesson: Lesson, parts: Iterable[Part | Remember]) -> None:
    """Show the title, and the first parts of a page."""
    st.title(lesson.title, anchor=False)
    if lesson in LESSONS:
        html_panels.network_map(lesson)
        minutes = duration.duration_text(lesson)
        st.container(key="duration").markdown(f"{lesson.section} · {minutes}")
    for part in parts:
        if isinstance(part, str):
            lead, _, rest = part.partition("\n\n")
            st.container(key="lead").markdown(lead)
            if rest:
                st.markdown(rest)
        else:
            _rest(lesson, [part])


def _rest(lesson: Lesson, parts: Iterable[Part | Remember]) -> None:
    for part in parts:
        if isinstance(part, Remember):
            st.container(key="remember").markdown(part.prose)
        else:
            _show(lesson, part)


def _fold(lesson: Lesson, deeper: Deeper[Part]) -> None:
    """A row, and below it what the style sheet shows while the row is open."""
    name = anchor(deeper.title)
    with st.container(key=f"fold-{name}", gap=None):
        show_part(lesson, deeper)
        with st.container(key=f"inside-{name}"):
            for part in deeper.parts:
                _show(lesson, part)


def _show(lesson: Lesson, part: Part) -> None:
    if isinstance(part, Figure):
        show_figure(lesson, part)
    elif isinstance(part, Table | Asked):
        show_part(lesson, part)
    elif isinstance(part, Panel):
        PANELS[part.name](lesson)
    elif isinstance(part, Fold):
        st.expander(part.title).markdown(part.text)
    else:
        st.markdown(part)
