"""Start with `streamlit run app.py`."""

from functools import partial

import streamlit as st

from lnviz.web.routes import routes
from lnviz.web.site import MAIN
from lnviz.web.startup import lifespan, payloads

figures = payloads()
app = st.App(MAIN, routes=routes(figures), lifespan=partial(lifespan, payloads=figures))
