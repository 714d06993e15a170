"""For teachers: lesson plans, the present view, all answers, and figures in other pages."""

from pathlib import Path

from lnviz.book.teach import answers, misconceptions, plans
from lnviz.lessons import Lesson

PAGE = Lesson(
    slug="teach",
    title="For teachers",
    section="Reference",
    moves=(
        "lesson plans whose links open figures at a state, every question with its answer, and "
        "lessons one screen at a time"
    ),
    figures=(),
    room=Path(__file__).parents[1],
    lists=lambda: {
        "plans": plans.listed(),
        "presented": answers.presented(),
        "misconceptions": misconceptions.listed(),
        "answers": answers.folded(),
    },
)
