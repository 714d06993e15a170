"""The page /teach for teachers: lesson plans, slides, misconceptions, and all answers."""

from pathlib import Path

from lnviz.book.teach import answers, misconceptions, plans
from lnviz.lessons import Lesson

PAGE = Lesson(
    slug="teach",
    title="For teachers",
    section="Reference",
    summary=(
        "lesson plans with links to figures, every question with its answer, and lessons one "
        "screen at a time"
    ),
    figures=(),
    parent_dir=Path(__file__).parents[1],
    lists=lambda: {
        "plans": plans.plans_markdown(),
        "presented": answers.present_links(),
        "misconceptions": misconceptions.misconceptions_markdown(),
        "answers": answers.all_answers(),
    },
)
