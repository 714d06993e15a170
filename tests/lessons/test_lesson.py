import re
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnviz.book import PAGES, find_page
from lnviz.book.search import sections
from lnviz.explorable import Explorable, IntParameter, ParameterError, Readout
from lnviz.lessons import LESSONS, PANEL_NAMES, ChoiceExercise, ComparisonTable, FigureSpec, Lesson
from lnviz.lessons.text import Details, OptionalSection, Takeaways
from lnviz.web import panels
from tests.lessons.test_text import GOAL, QUESTION, read

ROOT = Path(__file__).parents[2]
# Programs beside figures; those of the reference are functions, which its own tests call.
CODE = sorted(
    set((ROOT / "lnviz").glob("*/*/*_code.py")) - set(ROOT.glob("lnviz/book/reference/*"))
)


def written(folder: Path, text: str, *figures: str, **given: Any) -> Lesson:
    """A lesson whose text is this."""
    (folder / "a_lesson").mkdir(exist_ok=True)
    (folder / "a_lesson" / "text.md").write_text(text, encoding="utf-8")
    named = tuple(FigureSpec(name, empty) for name in figures)
    lesson = Lesson("a-lesson", "A lesson", "Section", "what moves", named, folder, **given)
    assert lesson.parts  # they are read when they are asked for
    return lesson


def empty() -> Explorable:
    return Explorable("empty", (), {}, ((Readout("nothing"),),))


def test_a_text_is_cut_into_prose_questions_and_figures_in_reading_order(tmp_path: Path) -> None:
    text = (
        f"Lead.\n\nMore.\n\n::: figure one\n:::\n\nBetween.\n\n{QUESTION}\n\n::: figure two\n:::\n"
    )
    found = written(tmp_path, text, "two", "one")
    assert found.parts == (
        "Lead.\n\nMore.",
        found.figures[1],
        "Between.",
        read(QUESTION),
        found.figures[0],
    )


def test_exercises_stand_at_the_end_with_numbers_under_a_heading(tmp_path: Path) -> None:
    (tmp_path / "a_lesson").mkdir()
    (tmp_path / "a_lesson" / "exercises.md").write_text(f"{QUESTION}\n\n{GOAL}\n")
    found = written(tmp_path, "Lead.\n\n::: figure grid\n:::\n", "grid")
    assert found.parts == ("Lead.", found.figures[0], "## Exercises", *found.exercises)
    assert [(each.name, each.number) for each in found.exercises] == [("which", 1), ("far", 2)]


@pytest.mark.parametrize(
    ("exercises", "message"),
    [
        ("Try this.", r"^lesson 'a-lesson': exercises.md holds exercises alone, got 'Try this.'$"),
        (f"{QUESTION}\n\n{QUESTION}", r"^lesson 'a-lesson': what is asked has names of its own, "),
        (GOAL, r"^lesson 'a-lesson' has no figure 'grid' for goal 'far'$"),
    ],
)
def test_exercises_that_cannot_be_done_are_refused(
    tmp_path: Path, exercises: str, message: str
) -> None:
    (tmp_path / "a_lesson").mkdir()
    (tmp_path / "a_lesson" / "exercises.md").write_text(exercises)
    with pytest.raises(ValueError, match=message):
        written(tmp_path, "Lead.")


def test_a_fold_holds_prose_under_its_title(tmp_path: Path) -> None:
    found = written(tmp_path, "Lead.\n\n::: fold For some\nOne.\n\n$$a$$\n:::\n\nAfter.")
    assert found.parts == ("Lead.", Details("For some", "One.\n\n$$a$$"), "After.")


def test_a_list_stands_where_the_text_places_it(tmp_path: Path) -> None:
    text = "Lead.\n\n::: list ways\n:::\n\nAfter."
    found = written(tmp_path, text, lists=lambda: {"ways": "- one\n- two"})
    assert found.parts == ("Lead.", "- one\n- two", "After.")


def test_a_list_may_be_made_of_folds(tmp_path: Path) -> None:
    text = "Lead.\n\n::: list ways\n:::\n\nAfter."
    folds = "::: fold One\n- one\n:::\n\n::: fold Two\n- two\n:::"
    lesson = written(tmp_path, text, lists=lambda: {"ways": folds})
    assert lesson.parts == ("Lead.", Details("One", "- one"), Details("Two", "- two"), "After.")


def test_a_list_with_a_figure_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a list is prose and folds, got '::: figure a\\n:::'"):
        written(tmp_path, "::: list a\n:::", lists=lambda: {"a": "::: figure a\n:::"})


def test_a_fold_with_a_figure_is_refused(tmp_path: Path) -> None:
    text = "Lead.\n\n:::: fold All\n::: figure a\n:::\n::::"
    with pytest.raises(ValueError, match=r"^fold 'All': holds prose alone, got "):
        written(tmp_path, text, "a")


DEEPER = """:::: deeper 3
## How it goes on

It goes on.

::: figure a
:::

::: fold For some
One.
:::
::::"""
REMEMBER = """::: remember
1. One.
2. Two.
3. Three.
:::"""


def test_what_is_deeper_shows_its_heading_and_its_finding_and_holds_the_rest(
    tmp_path: Path,
) -> None:
    found = written(tmp_path, f"Lead.\n\n{REMEMBER}\n\n{DEEPER}", "a")
    inside = (found.figures[0], Details("For some", "One."))
    assert found.core == ("Lead.", Takeaways(("One.", "Two.", "Three.")))
    assert found.optional_sections == (
        OptionalSection("How it goes on", "how-it-goes-on", "It goes on.", 3, "a", inside),
    )


def test_what_is_deeper_and_what_to_remember_are_prose_where_nothing_is_closed(
    tmp_path: Path,
) -> None:
    found = written(tmp_path, f"Lead.\n\n{REMEMBER}\n\n{DEEPER}", "a")
    assert found.parts == (
        "Lead.",
        "## Remember\n\n1. One.\n2. Two.\n3. Three.",
        "## How it goes on\n\nIt goes on.",
        *found.optional_sections[0].parts,
    )


def test_a_rewritten_heading_keeps_the_address_that_it_gives(tmp_path: Path) -> None:
    text = DEEPER.replace("How it goes on", "What follows? {#how-it-goes-on}")
    page = written(tmp_path, f"Lead.\n\n{text}", "a")
    (found,) = page.optional_sections
    assert (found.title, found.name) == ("What follows?", "how-it-goes-on")
    searched = [(each.heading, each.address) for each in sections(page)]
    assert searched[1] == ("What follows?", f"{page.url_path}#how-it-goes-on")


def test_a_heading_that_is_not_of_what_is_deeper_gives_no_address(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^only the heading of what is deeper can name its addr"):
        written(tmp_path, "Lead.\n\n## What follows? {#how-it-goes-on}\n\nThis.").parts  # noqa: B018


def test_what_is_deeper_has_the_picture_of_the_figure_that_it_names(tmp_path: Path) -> None:
    text = DEEPER.replace("deeper 3", "deeper 3 b").replace("::::\n", "::::") + "\n"
    text = text.replace("::: fold", "::: figure b\n:::\n\n::: fold")
    assert written(tmp_path, f"Lead.\n\n{text}", "a", "b").optional_sections[0].figure == "b"


@pytest.mark.parametrize(
    ("here", "instead", "message"),
    [
        ("deeper 3", "deeper", r"^deeper: its minutes stand behind it, and perhaps .*, got ''$"),
        ("deeper 3", "deeper b 3", r"^deeper: its minutes stand behind it, .*, got 'b 3'$"),
        ("deeper 3", "deeper 3 b", r"^deeper 'How .*': has no figure 'b', it has \['a'\]$"),
        ("## How", "How", r"^deeper: begins with a heading \(`## `\) and a paragraph .*, got 'How"),
        ("It goes on.\n\n", "", r"^deeper: begins with a heading .*, got '## How it goes on\\n"),
        ("::: fold For some\nOne.\n:::", REMEMBER, r"^deeper 'How it goes on': holds no other "),
        ("::: fold For some\nOne.\n:::", DEEPER[1:-1], r"^deeper 'How it goes on': holds no oth"),
        ("It goes on.", "[It](x).", r"^deeper 'How .*': is opened by its finding, which can hold "),
        (DEEPER[45:-5], "", r"^deeper 'How it goes on': has nothing below its finding that could"),
        ("::::", "::::\n\nAfter.", r"^lesson 'a-lesson': what is deeper comes last, behind the "),
        ("1. ", "", r"^remember: holds an ordered list of three sentences and nothing else, got '"),
        ("3. ", "", r"^remember: holds an ordered list of three sentences and nothing else, got '"),
    ],
)
def test_what_is_deeper_or_to_remember_and_not_whole_is_refused(
    tmp_path: Path, here: str, instead: str, message: str
) -> None:
    text = f"Lead.\n\n{REMEMBER}\n\n{DEEPER}"
    before, _, after = text.rpartition(here)
    assert before
    with pytest.raises(ValueError, match=message):
        written(tmp_path, before + instead + after, "a")


def test_a_list_that_the_text_does_not_place_is_missed(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"^lesson 'a-lesson': the text has no place for \['ways'\]$"
    ):
        written(tmp_path, "Lead.", lists=lambda: {"ways": "- one"})


def test_a_long_page_begins_with_links_to_its_headings(tmp_path: Path) -> None:
    heads = ["One", "And two?", "Why: the third", "Four"]
    text = "Lead.\n\nMore.\n\n" + "\n\n".join(f"## {head}" for head in heads)
    links = "[One](#one) · [And two?](#and-two) · [Why: the third](#why-the-third) · [Four](#four)"
    (shown,) = written(tmp_path, text).parts
    assert isinstance(shown, str)
    assert shown.startswith(f"Lead.\n\nOn this page: {links}\n\nMore.\n\n## One")


def test_a_page_with_something_deeper_begins_without_such_links(tmp_path: Path) -> None:
    text = "\n\n".join(("Lead.", *(f"## {head}" for head in ("One", "Two", "Three")), DEEPER))
    assert written(tmp_path, text, "a").core == ("Lead.\n\n## One\n\n## Two\n\n## Three",)


def test_a_heading_without_a_link_of_its_own_is_refused(tmp_path: Path) -> None:
    text = "Lead.\n\n" + "\n\n".join(f"## {head}" for head in ("One", "Two", "Three", "π"))
    with pytest.raises(ValueError, match=r"^a heading is written in the letters of ASCII, got 'π'"):
        written(tmp_path, text)


def test_texts_and_exercises_are_filled_with_the_values_of_their_lesson(tmp_path: Path) -> None:
    (tmp_path / "a_lesson").mkdir()
    (tmp_path / "a_lesson" / "exercises.md").write_text(QUESTION.replace("one?", "of {{all}}?"))
    text = "{{some:Words}} of {{all}}, {{part:2}}: $x^{n} = {{some}}$."
    numbers = {"some": 3, "all": 2000, "part": -0.126}
    found = written(tmp_path, text, text_values=lambda: numbers)
    assert found.parts[0] == "Three of 2,000, −0.13: $x^{n} = 3$."
    assert found.exercises[0].text == "Which of 2,000?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Of {{a}} and {{b}}.", r"^lesson 'a-lesson': \{\{b\}\}: there is no value of this name; "),
        ("Of them.", r"^lesson 'a-lesson': no text has a place for \['a'\]$"),
        ("Of {{a:d}}.", r"^lesson 'a-lesson': \{\{a:d\}\}: a number is written as"),
        ("Of {{a:words}}.", r"^lesson 'a-lesson': .*: a whole number from 0 to 99 can be .* 0.5$"),
    ],
)
def test_a_value_that_cannot_be_filled_in_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        written(tmp_path, text, text_values=lambda: {"a": 0.5})


def test_a_figure_that_the_text_does_not_place_is_missed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^lesson 'a-lesson': the text has no place for \['b'\]$"):
        written(tmp_path, "::: figure a\n:::\n", "a", "b")


def test_a_table_stands_where_the_text_places_it(tmp_path: Path) -> None:
    table = ComparisonTable("t", "What.", "which", (), ())
    assert written(tmp_path, "Lead.\n\n::: table t\n:::\n", tables=(table,)).parts[1] is table


def test_a_table_that_the_text_does_not_place_is_missed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^lesson 'a-lesson': the text has no place for \['t'\]$"):
        written(tmp_path, "Lead.", tables=(ComparisonTable("t", "What.", "which", (), ()),))


def test_programs_stand_in_a_fold_as_their_files_hold_them(tmp_path: Path) -> None:
    (tmp_path / "a_lesson").mkdir()
    for library in ("jax", "pytorch"):
        file = tmp_path / "a_lesson" / f"one_{library}_code.py"
        file.write_text(f"import {library}\n", encoding="utf-8")
    found = written(tmp_path, "::: programs one How it goes\n:::\n")
    assert found.parts == (
        Details(
            "How it goes",
            "PyTorch\n\n```python\nimport pytorch\n```\n\nJAX\n\n```python\nimport jax\n```",
        ),
    )


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("figure gone", r"^lesson 'a-lesson' has no figure, table or list, or no .* 'gone'; it "),
        ("figure a", r"^lesson 'a-lesson' has no figure, table or list, or no .* 'a'; it has "),
        ("table gone", r"^lesson 'a-lesson' has no figure, table or list, or no .* 'gone'; it "),
        ("programs gone Gone", r"^lesson 'a-lesson' has no programs 'gone'; a program is a file "),
        ("panel gone", r"^no panel is called 'gone'; there are check, ways, network, lessons$"),
        ("picture a", r"^a directive is a figure, a table, a list, a panel, .* got 'picture a'$"),
    ],
)
def test_a_directive_of_nothing_is_refused_at_import(
    tmp_path: Path, head: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        written(tmp_path, f"::: figure a\n:::\n\n::: {head}\n:::\n", "a")


def test_every_panel_that_a_text_can_name_is_there() -> None:
    assert set(PANEL_NAMES) == set(panels.PANELS)


def test_a_figure_is_found_by_its_name(tmp_path: Path) -> None:
    found = written(tmp_path, "::: figure a\n:::\n\n::: figure b\n:::\n", "a", "b")
    assert found.figure("b") is found.figures[1]
    assert found.figure("c") is None


def test_a_payload_says_the_parameters_it_was_built_from() -> None:
    size = IntParameter("size", "Size", 1, 99, 1)
    figure = FigureSpec("f", lambda size: empty(), (size,))
    assert figure.payload(figure.parse({"size": "12"}))["parameters"] == [size.payload(12)]


def test_parameters_that_a_figure_lacks_are_refused() -> None:
    with pytest.raises(ParameterError):
        FigureSpec("f", empty).parse({"seed": "12"})


@given(st.text() | st.sampled_from([lesson.slug for lesson in PAGES]))
def test_a_lesson_is_found_at_its_address_alone(address: str) -> None:
    expected = [lesson for lesson in PAGES if lesson.slug == address]
    assert find_page(address) is (expected[0] if expected else None)


@pytest.fixture(params=PAGES, ids=lambda lesson: lesson.slug)
def any_lesson(request: pytest.FixtureRequest) -> Lesson:
    found: Lesson = request.param
    return found


def test_every_lesson_has_an_address_of_its_own_and_every_page_a_lesson() -> None:
    folders = {lesson.module for lesson in PAGES}
    assert len(folders) == len(PAGES)
    assert {file.stem for file in (ROOT / "pages").glob("*.py")} <= folders
    texts = [
        file for room in {page.parent_dir for page in PAGES} for file in room.glob("*/text.md")
    ]
    assert {file.parent.name for file in texts} == folders


def test_every_figure_is_in_the_module_of_its_name(any_lesson: Lesson) -> None:
    for figure in any_lesson.figures:
        module = figure.name.replace("-", "_")
        room = any_lesson.parent_dir.name
        assert figure.build.__module__ == f"lnviz.{room}.{any_lesson.module}.{module}"


@pytest.mark.slow
@pytest.mark.parametrize("file", CODE, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_code_runs_as_it_stands_and_prints(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(file))
    assert capsys.readouterr().out


def questions(lesson: Lesson) -> list[ChoiceExercise]:
    return [part for part in lesson.parts if isinstance(part, ChoiceExercise)]


def test_every_text_places_every_figure_once(any_lesson: Lesson) -> None:
    placed = Counter(part.name for part in any_lesson.parts if isinstance(part, FigureSpec))
    assert placed == Counter(figure.name for figure in any_lesson.figures)
    assert placed or any_lesson not in LESSONS


def test_every_lesson_begins_with_prose(any_lesson: Lesson) -> None:
    assert isinstance(any_lesson.parts[0], str)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_every_lesson_asks_with_options_that_differ(lesson: Lesson) -> None:
    asked = questions(lesson)
    assert asked
    for question in asked:
        assert len({answer.text for answer in question.answers}) == len(question.answers)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_a_question_comes_before_any_figure_but_the_one_that_opens_the_lesson(
    lesson: Lesson,
) -> None:
    kinds = [type(part) for part in lesson.parts if isinstance(part, ChoiceExercise | FigureSpec)]
    assert ChoiceExercise in kinds[: 1 + (kinds[0] is FigureSpec)]


def test_no_marker_of_a_placeholder_is_left_in_the_prose(any_lesson: Lesson) -> None:
    prose = "\n".join(part for part in any_lesson.parts if isinstance(part, str))
    assert not re.search(":::|{{ ", prose)


def test_a_correction_keeps_the_other_parameters() -> None:
    def build(size: int, seed: int) -> Explorable:
        raise ParameterError("There are 4. Choose fewer.", {"size": "4"})

    figure = FigureSpec(
        "one", build, (IntParameter("size", "Size", 1, 9, 1), IntParameter("seed", "Seed", 0, 9, 0))
    )
    with pytest.raises(ParameterError) as error:
        figure.payload({"size": 7, "seed": 3})
    assert error.value.nearest == {"size": "4", "seed": "3"}
