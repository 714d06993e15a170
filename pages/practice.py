from lnviz.web.page import show

show("practice")
