from lnviz.lessons.lesson import Lesson

LESSON = Lesson("recurrence", "recurrence", "The idea", ())
