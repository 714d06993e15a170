"""The home page: what layer normalization is, and the ways through the lessons."""

from pathlib import Path

from lnviz.book import paths
from lnviz.book.home import shift
from lnviz.lessons.lesson import Lesson

PAGE = Lesson(
    slug="home",
    title="Layer normalization",
    section="",
    moves="one case, shifted and scaled, and what LayerNorm leaves of it",
    figures=(shift.FIGURE,),
    room=Path(__file__).parents[1],
    lists=lambda: {"ways": paths.ways(), "paths": paths.listed(), "lessons": paths.contents()},
)
