"""The page /practice: symptoms of misbehaving norms, with causes, fixes and costs."""

from pathlib import Path

from lnviz.book.practice import decay, squares
from lnviz.lessons.lesson import Lesson

PAGE = Lesson(
    slug="practice",
    title="Norms that misbehave",
    section="In practice",
    summary=(
        "nineteen symptoms, each with a few lines of code that find it in your own model; squares "
        "in float16, bfloat16 and float32; a gain under weight decay"
    ),
    figures=(squares.FIGURE, decay.FIGURE),
    parent_dir=Path(__file__).parents[1],
    optional_heading="## Symptoms",
)
