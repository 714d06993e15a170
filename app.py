"""The app for `streamlit run app.py`, `lnviz run`, `lnviz serve` and any ASGI server."""

from functools import partial

import streamlit as st

from lnviz.web.app_root import MAIN_SCRIPT
from lnviz.web.errors import EXCEPTION_HANDLERS
from lnviz.web.lifespan import create_payloads, create_room_hub, lifespan
from lnviz.web.routes import middleware, routes
from lnviz.web.session_registry import SessionRegistry
from lnviz.web.shutdown import Shutdown

payloads = create_payloads()
sessions = SessionRegistry()
shutdown = Shutdown()
hub = create_room_hub()
app = st.App(
    MAIN_SCRIPT,
    routes=routes(payloads, sessions, hub),
    middleware=middleware(sessions, shutdown),
    exception_handlers=EXCEPTION_HANDLERS,
    lifespan=partial(lifespan, payloads=payloads, sessions=sessions, shutdown=shutdown, hub=hub),
)
