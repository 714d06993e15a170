"""The page /record: common statements about layer normalization, checked."""

from pathlib import Path

from lnviz.book.record import text_values
from lnviz.lessons import Lesson

PAGE = Lesson(
    slug="record",
    title="The record",
    section="Reference",
    moves="what is often said of layer normalization, what is true, and the figures that show it",
    figures=(),
    room=Path(__file__).parents[1],
    values=text_values.values,
)
