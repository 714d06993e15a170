from lnviz.lessons import invariance
from lnviz.web import upload
from lnviz.web.page import show

show(invariance.LESSON, upload.pending(), after={"table": upload.panel})
