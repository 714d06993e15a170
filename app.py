"""Start with `streamlit run app.py`."""

from functools import partial

import streamlit as st

from lnviz.web.app_root import MAIN_SCRIPT
from lnviz.web.lifespan import create_payloads, create_room_hub, lifespan
from lnviz.web.routes import middleware, routes
from lnviz.web.security_headers import server_error
from lnviz.web.session_limits import SessionRegistry

figures = create_payloads()
visits = SessionRegistry()
live = create_room_hub()
app = st.App(
    MAIN_SCRIPT,
    routes=routes(figures, visits, live),
    middleware=middleware(visits),
    exception_handlers={Exception: server_error},
    lifespan=partial(lifespan, payloads=figures, visits=visits, live=live),
)
