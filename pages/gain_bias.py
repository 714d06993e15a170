from lnviz.web.page import show

show("gain-bias")
