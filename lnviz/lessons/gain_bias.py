from lnviz.lessons.lesson import Lesson

LESSON = Lesson("gain-bias", "gain_bias", "The idea", ())
