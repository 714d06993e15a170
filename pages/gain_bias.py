from lnviz.lessons import gain_bias
from lnviz.web import check
from lnviz.web.page import show

show(gain_bias.LESSON, after={"line": check.panel})
