from lnviz.lessons import axes
from lnviz.web.page import show

show(axes.LESSON)
