from lnviz.lessons import invariance
from lnviz.web import upload
from lnviz.web.page import show

show(invariance.LESSON, upload.pending(invariance.LESSON), after={"table": upload.panel})
