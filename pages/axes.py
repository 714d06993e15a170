from lnviz.lessons import axes
from lnviz.web import upload
from lnviz.web.page import show

show(axes.LESSON, upload.pending(axes.LESSON), after={"grid": upload.panel})
