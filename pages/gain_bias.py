from lnviz.lessons import gain_bias
from lnviz.web.page import show

show(gain_bias.LESSON)
