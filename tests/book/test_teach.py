"""The page for teachers: plans that add up, links that lead somewhere, answers to everything."""

import re
from collections import Counter
from urllib.parse import urlsplit

import pytest

from lnviz.book import find_page
from lnviz.book.present.deck import deck
from lnviz.book.present.slides import slide_title
from lnviz.book.record.myths import myths
from lnviz.book.teach import answers, misconceptions, plan_slides
from lnviz.book.teach.plans import PLANS, AskQuestion, Plan, ShowFigure
from lnviz.lessons import LESSONS, ChoiceExercise, Details, Exercise, Lesson, prose
from lnviz.rooms.schema import parse_task
from tests.book.links import Link, broken, links

PAGE = find_page("teach")
assert PAGE is not None
TEXT = "\n\n".join(
    part.text if isinstance(part, Details) else part
    for part in PAGE.parts
    if isinstance(part, str | Details)
)
# Those to the goals of exercises are the exercises' own.
PROSE = [part for part in PAGE.parts if isinstance(part, str)]
LINKS = sorted({link for part in PROSE for link in links(part)}, key=str)


def test_plans_take_20_50_and_90_minutes() -> None:
    assert sorted(plan.minutes for plan in PLANS) == [20, 50, 50, 50, 50, 90, 90]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.title)
def test_a_plan_shows_and_asks(plan: Plan) -> None:
    parts = [part for step in plan.steps for part in step.activities]
    assert any(isinstance(part, ShowFigure) for part in parts)
    assert any(isinstance(part, AskQuestion) for part in parts)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.slug)
def test_a_plan_is_presented_as_one_sequence_with_notes(plan: Plan) -> None:
    shown = plan_slides.plan_slides(plan)
    parts = [part for step in plan.steps for part in step.activities or (step,)]
    assert len(shown) == len(parts)
    names = [slide.name for slide in shown]
    assert len(set(names)) == len(names)
    for slide, part in zip(shown, parts, strict=True):
        if isinstance(part, AskQuestion):
            assert slide.screen.exercise is not None
            assert not slide.screen.section  # no turn passes over it
            assert slide.note
        elif not isinstance(part, ShowFigure):  # what the class reads is not said to the teacher
            assert slide.screen.caption == part.prompt != part.instruction
        else:
            assert slide.screen.figure is not None
            assert part.address.startswith(slide.lesson.slug)
            assert slide.state in part.address
            assert slide_title(slide).lower() == prose.plain_text(part.label).lower()
    notes = " ".join(slide.note for slide in shown)
    assert all(step.instruction in notes for step in plan.steps)
    screens = plan_slides.plan_document(plan)["screens"]
    assert [screen["lesson"] for screen in screens] == [slide.lesson.slug for slide in shown]
    # What a room is told of a screen is a screen of its lesson.
    assert all(deck(screen["lesson"]).screen(screen["screen"]) for screen in screens)
    # A step of words alone is no screen of a lesson, but a task that a room has to take.
    tasks = [
        "" if isinstance(part, ShowFigure | AskQuestion) else parse_task(part.prompt)
        for part in parts
    ]
    assert [screen["task"] for screen in screens] == tasks


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.slug)
def test_a_plan_s_question_stands_alone(plan: Plan) -> None:
    """It is asked on a screen of its own, where no figure can be set."""
    for slide in plan_slides.plan_slides(plan):
        if slide.screen.exercise and not slide.screen.figure:
            text = prose.plain_text(slide.screen.exercise.text)
            assert not re.search(r"\b(Choose|Select|Drag|Click|Tap|Move the)\b", text), text


def _controls(part: ShowFigure) -> set[str]:
    there = urlsplit(part.address)
    figure = deck(there.path).lesson.figure(there.fragment.removeprefix("figure-"))
    assert figure is not None
    return {control["slug"] for control in figure.payload(figure.parse({}))["controls"]}


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.slug)
def test_a_plan_says_which_control_the_class_is_to_drag(plan: Plan) -> None:
    for step in plan.steps:
        figures = [part for part in step.activities if isinstance(part, ShowFigure)]
        moved = [part for part in figures if part.control]
        assert moved or "drag" not in step.instruction.lower(), step.instruction
        for part in moved:
            assert part.control in _controls(part), part


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.slug)
def test_a_plan_as_markdown_has_every_address_in_full_and_every_answer(plan: Plan) -> None:
    text = plan_slides.plan_markdown(plan, lambda there: f"https://norms.example/{there}")
    for step in plan.steps:
        assert step.instruction in text
        for part in step.activities:
            if isinstance(part, ShowFigure):
                assert f"<https://norms.example/{part.address}>" in text
            else:
                assert f"screen={deck(part.lesson).screen_of_exercise(part.name).name}>" in text
    assert text.count("**Answer: ") == sum(
        isinstance(part, AskQuestion) for step in plan.steps for part in step.activities
    )


@pytest.mark.slow
@pytest.mark.parametrize("link", LINKS, ids=lambda link: f"{link.slug}-{link.figure}-{link.query}")
def test_every_link_leads_to_a_figure_with_these_controls(link: Link) -> None:
    assert broken(link) == []


def test_a_link_that_hides_what_is_not_there_is_found_out() -> None:
    hidden = Link("axes", (("hide", "norm,nrom"),), "grid")
    assert broken(hidden) == ["axes#grid has no nrom to hide"]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_everything_that_a_lesson_asks_is_answered_and_can_be_shown(lesson: Lesson) -> None:
    for part in lesson.parts:
        if not isinstance(part, Exercise):
            continue
        assert part.text in TEXT
        assert part.explanation in TEXT
        if isinstance(part, ChoiceExercise):
            right = next(answer.text for answer in part.answers if answer.is_right)
            assert f"- **{right}** (right)" in TEXT
        name = answers.present_address(lesson, part.name).partition("=")[2]
        assert deck(lesson.slug).screen(name).exercise is part


def test_the_name_of_a_link_says_which_one_it_is() -> None:
    named = {(label, address) for label, address in re.findall(r"\[([^]]+)\]\(([^)]+)\)", TEXT)}
    counted = Counter(label for label, _ in named)
    assert [label for label, times in counted.items() if times > 1] == []


def test_a_question_that_is_not_there_has_no_address() -> None:
    with pytest.raises(KeyError, match="no screen for 'gone'"):
        answers.present_address(LESSONS[0], "gone")


def test_every_misconception_has_a_figure() -> None:
    for each in misconceptions.misconceptions_markdown().split("\n\n"):
        assert links(each.partition("*See it:*")[2])


def test_all_entries_of_the_record_are_read() -> None:
    record = find_page("record")
    assert record is not None
    written = "\n\n".join(part for part in record.parts if isinstance(part, str))
    assert list(myths()) == re.findall(r"^### “(.+)”$", written, flags=re.MULTILINE)
