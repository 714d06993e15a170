from lnviz.lessons import invariance
from lnviz.web.page import show

show(invariance.LESSON)
