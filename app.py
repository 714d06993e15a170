"""Start with `streamlit run app.py`."""

import streamlit as st
import torch

from lnviz.web.routes import routes

# A figure is many small tensors: on a busy machine a second thread made one take 40 times as long.
torch.set_num_threads(1)

app = st.App("lnviz/web/main.py", routes=routes())
