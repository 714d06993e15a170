"""Start with `streamlit run app.py`."""

from functools import partial

import streamlit as st

from lnviz.web.app_root import MAIN
from lnviz.web.lifespan import lifespan, payloads, rooms
from lnviz.web.routes import middleware, routes
from lnviz.web.security_headers import failed
from lnviz.web.session_limits import Visits

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
