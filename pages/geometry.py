from lnviz.lessons import geometry
from lnviz.web.page import show

show(geometry.LESSON)
