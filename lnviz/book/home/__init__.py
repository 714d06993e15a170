"""The home page: an introduction to layer normalization, and the learning paths."""

from pathlib import Path

from lnviz.book.home import final_norm, shift
from lnviz.lessons.lesson import Lesson

PAGE = Lesson(
    slug="home",
    title="Layer normalization",
    section="",
    summary=(
        "a language model’s next word with and without its final norm; one example, step by step "
        "through LayerNorm"
    ),
    figures=(final_norm.FIGURE, shift.FIGURE),
    parent_dir=Path(__file__).parents[1],
)
