import re
from pathlib import Path as FilePath

import pytest

from lnviz.book.duration import (
    FIGURE_MINUTES,
    QUESTION_MINUTES,
    WORDS_A_MINUTE,
    minutes,
    spoken,
    taken,
)
from lnviz.book.paths import PATHS, Path, contents, listed, ways
from lnviz.lessons import LESSONS, Figure, Lesson, Question
from lnviz.lessons.text import anchor

DEEPER = ":::: deeper {}\n## More\n\nIt goes on.\n\nThere.\n::::\n\n"

each_path = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.title)
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)


@each_path
def test_a_path_begins_where_it_says_and_goes_on_in_reading_order(path: Path) -> None:
    first, *others = path.lessons
    assert not path.begins or first.slug == path.begins
    assert others == [lesson for lesson in LESSONS if lesson in others]


@each_lesson
def test_every_lesson_is_on_a_path_and_on_none_that_is_not_there(lesson: Lesson) -> None:
    assert lesson.paths
    assert set(lesson.paths) <= {path.key for path in PATHS}
    assert all((lesson in path.lessons) == (path.key in lesson.paths) for path in PATHS)


def test_the_hour_from_zero_begins_at_the_beginning_and_takes_an_hour() -> None:
    (hour,) = (path for path in PATHS if path.title == "An hour from zero")
    assert hour.lessons[0] is LESSONS[0]
    assert 55 <= hour.minutes <= 65


@each_lesson
def test_every_lesson_says_what_one_can_do_after_it(lesson: Lesson) -> None:
    assert lesson.able
    assert lesson.able[0].islower()
    assert not lesson.able.endswith(".")


@each_lesson
def test_a_lesson_takes_as_long_as_its_figures_questions_and_prose(lesson: Lesson) -> None:
    figures = sum(isinstance(part, Figure) for part in lesson.core)
    questions = sum(isinstance(part, Question) for part in lesson.core)
    prose = sum(len(part.split()) for part in lesson.core if isinstance(part, str))
    least = FIGURE_MINUTES * figures + QUESTION_MINUTES * questions + prose / WORDS_A_MINUTE
    assert least <= minutes(lesson)


@each_lesson
def test_what_is_deeper_takes_about_the_minutes_that_it_says(lesson: Lesson) -> None:
    for fold in lesson.deeper:
        assert abs(fold.minutes - taken(fold.flat)) <= 1, fold.title


@pytest.mark.parametrize(
    ("deeper", "said"),
    [
        ("", "1 minute"),
        (DEEPER.format(3) + DEEPER.format(4), "1 minute, and 7 more if you go deeper"),
    ],
)
def test_a_lesson_says_how_long_it_takes_and_how_long_what_is_deeper(
    deeper: str, said: str, tmp_path: FilePath
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "text.md").write_text(f"Lead.\n\n{deeper}", encoding="utf-8")
    assert spoken(Lesson("a", "A", "S", "what moves", (), tmp_path)) == said


def test_the_list_of_paths_has_every_lesson_with_its_minutes_and_its_use() -> None:
    text = listed()
    for path in PATHS:
        for number, lesson in enumerate(path.lessons, 1):
            able = lesson.able[0].upper() + lesson.able[1:]
            entry = f"{number}. [{lesson.title}]({lesson.slug}) · {minutes(lesson)} minutes"
            assert f"{entry}  \n   {able}.\n" in text + "\n"


def test_the_first_links_lead_to_the_headings_below() -> None:
    headings = re.findall(r"^## (.+)$", listed(), flags=re.MULTILINE)
    anchors = re.findall(r"\(#([^)]+)\)", ways())
    assert anchors == [*(anchor(heading) for heading in headings), anchor("All lessons")]


def test_the_contents_name_every_lesson_once_in_order() -> None:
    assert re.findall(r"\]\(([^)]+)\)", contents()) == [lesson.slug for lesson in LESSONS]
