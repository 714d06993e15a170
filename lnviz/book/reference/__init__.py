"""The page /reference: tables of norms, their placements and models; formulas, code, glossary."""

from pathlib import Path

from lnviz.book.reference import models, norms, placements
from lnviz.lessons import Lesson

PAGE = Lesson(
    slug="reference",
    title="Reference",
    section="Reference",
    summary=(
        "sortable tables of norms, placements and published models; formulas, code, common "
        "questions, and a glossary"
    ),
    figures=(),
    parent_dir=Path(__file__).parents[1],
    tables=(norms.TABLE, placements.TABLE, models.TABLE),
    lists=lambda: {
        "formulas": norms.formulas(successors=False),
        "successors": norms.formulas(successors=True),
    },
)
