"""The script Streamlit runs for every session: the frame and the navigation."""

from collections import defaultdict
from pathlib import Path

import streamlit as st

from lnviz.lessons import LESSONS
from lnviz.web import frame

ROOT = Path(__file__).resolve().parents[2]


def _home() -> None:
    st.switch_page(first)


pages: dict[str, list[st.Page]] = defaultdict(list)
for lesson in LESSONS:
    file = ROOT / "pages" / f"{lesson.module}.py"
    pages[lesson.section].append(st.Page(file, title=lesson.title, url_path=lesson.slug))
first = pages[LESSONS[0].section][0]
# A default page lives at the bare address; every lesson shall have one of its own.
pages[""] = [st.Page(_home, title="Layer normalization", default=True, visibility="hidden")]

page = st.navigation(dict(pages), position="hidden")
frame.begin(page.title)
frame.contents(pages)
page.run()
