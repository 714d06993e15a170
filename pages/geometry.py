from lnviz.web.page import show_page

show_page("geometry")
