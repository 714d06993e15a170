"""Start with `streamlit run app.py`."""

from functools import partial

import streamlit as st

from lnviz.web.guard import Visits
from lnviz.web.headers import failed
from lnviz.web.routes import middleware, routes
from lnviz.web.site import MAIN
from lnviz.web.startup import lifespan, payloads, rooms

figures = payloads()
visits = Visits()
live = rooms()
app = st.App(
    MAIN,
    routes=routes(figures, visits, live),
    middleware=middleware(visits),
    exception_handlers={Exception: failed},
    lifespan=partial(lifespan, payloads=figures, visits=visits, live=live),
)
