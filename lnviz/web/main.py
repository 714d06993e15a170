"""The Streamlit script that runs in each browser session: layout, navigation and current page."""

from collections import defaultdict
from functools import partial

import streamlit as st

from lnviz.book import HOME, PAGES
from lnviz.web import layout
from lnviz.web.app_root import APP_ROOT
from lnviz.web.page import show_page

pages: dict[str, list[st.Page]] = defaultdict(list)
order = []
for lesson in PAGES:
    # A script in pages/ overrides the default page of a lesson.
    file = APP_ROOT / "pages" / f"{lesson.module}.py"
    page = st.Page(
        file if file.exists() else partial(show_page, lesson.slug),
        title=lesson.title,
        url_path=lesson.url_path,
        default=lesson is HOME,
    )
    pages[lesson.section].append(page)
    order.append(page)

page = st.navigation(dict(pages), position="hidden")
layout.configure_page(page.title)
layout.sidebar(page)
page.run()
layout.footer(order, page)
