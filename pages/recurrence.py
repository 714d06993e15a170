from lnviz.lessons import recurrence
from lnviz.web.page import show

show(recurrence.LESSON)
