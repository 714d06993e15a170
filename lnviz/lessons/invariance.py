from lnviz.lessons.lesson import Lesson

LESSON = Lesson("invariance", "invariance", "The idea", ())
