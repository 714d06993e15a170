"""The home page: an introduction to layer normalization, and the learning paths."""

from pathlib import Path

from lnviz.book.home import final_norm, shift
from lnviz.lessons.lesson import Lesson

PAGE = Lesson(
    slug="home",
    title="Layer normalization",
    section="",
    summary=(
        "the next word of a language model with its final norm and without it; one example, "
        "shifted and scaled, and what LayerNorm leaves of it"
    ),
    figures=(final_norm.FIGURE, shift.FIGURE),
    parent_dir=Path(__file__).parents[1],
)
