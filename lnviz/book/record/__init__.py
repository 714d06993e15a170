"""The page /record: common statements about layer normalization, tested by experiments."""

from pathlib import Path

from lnviz.book.record import text_values
from lnviz.lessons import Lesson

PAGE = Lesson(
    slug="record",
    title="Myths and facts",
    section="Reference",
    summary="what is often said of layer normalization, what is true, and the figures that show it",
    figures=(),
    parent_dir=Path(__file__).parents[1],
    text_values=text_values.values,
)
