"""The app for `streamlit run app.py`, `lnviz run`, `lnviz serve` and any ASGI server."""

from functools import partial

import streamlit as st

from lnviz.web.app_root import MAIN_SCRIPT
from lnviz.web.lifespan import create_payloads, create_room_hub, lifespan
from lnviz.web.routes import middleware, routes
from lnviz.web.security_headers import server_error
from lnviz.web.session_registry import SessionRegistry
from lnviz.web.shutdown import Shutdown

payloads = create_payloads()
sessions = SessionRegistry()
shutdown = Shutdown()
live = create_room_hub()
app = st.App(
    MAIN_SCRIPT,
    routes=routes(payloads, sessions, live),
    middleware=middleware(sessions, shutdown),
    exception_handlers={Exception: server_error},
    lifespan=partial(lifespan, payloads=payloads, sessions=sessions, shutdown=shutdown, live=live),
)
