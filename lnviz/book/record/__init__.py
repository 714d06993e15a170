"""The page /record: common statements about layer normalization, tested by experiments."""

from pathlib import Path

from lnviz.book.record import text_values, verdicts
from lnviz.lessons import Lesson

PAGE = Lesson(
    slug="record",
    title="Myths and facts",
    section="Reference",
    summary="common statements about normalization, with verdicts, evidence and figures",
    figures=(),
    parent_dir=Path(__file__).parents[1],
    text_values=text_values.values,
    lists=lambda: {"verdicts": verdicts.verdicts()},
)
