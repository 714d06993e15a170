"""Start with `streamlit run app.py`."""

import streamlit as st

from lnviz.web.routes import routes

app = st.App("lnviz/web/main.py", routes=routes())
