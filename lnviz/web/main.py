"""The script Streamlit runs for every session: the frame and the navigation."""

from collections import defaultdict

import streamlit as st

from lnviz.book import HOME, PAGES
from lnviz.web import frame
from lnviz.web.site import SITE

pages: dict[str, list[st.Page]] = defaultdict(list)
order = []
for lesson in PAGES:
    file = SITE / "pages" / f"{lesson.module}.py"
    page = st.Page(file, title=lesson.title, url_path=lesson.address, default=lesson is HOME)
    pages[lesson.section].append(page)
    order.append(page)

page = st.navigation(dict(pages), position="hidden")
frame.begin(page.title)
frame.contents(pages)
page.run()
frame.foot(order, page)
