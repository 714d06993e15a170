"""Lesson plans as slides with speaker notes, as JSON data, and as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from lnviz.book.present.deck import START, Screen, deck
from lnviz.book.present.slides import Slide, slide_title, speaker_note
from lnviz.book.teach.plans import PLANS, AskQuestion, Plan, PlanStep, ShowFigure
from lnviz.lessons import Lesson


def find_plan(name: str) -> Plan | None:
    """Return the lesson plan with this slug, or None."""
    return next((plan for plan in PLANS if plan.slug == name), None)


def plan_slides(plan: Plan) -> tuple[Slide, ...]:
    """Return the slides of a lesson plan, with speaker notes."""
    made: list[Slide] = []
    seen: Counter[str] = Counter()
    lesson = _first_lesson(plan)
    for when, step in plan.schedule:
        said = f"**{when}.** {step.instruction}"
        for slide in _slides(step, lesson):
            lesson = slide.lesson
            name = _slide_name(slide, seen)
            notes = "\n\n".join(filter(None, (said, slide.note)))
            made.append(replace(slide, name=name, note=notes))
            said = ""
    return tuple(made)


def plan_document(plan: Plan) -> dict[str, Any]:
    """Return the slides of a lesson plan as JSON data, for the remote control and for phones."""
    screens = [
        {
            "name": slide.name,
            "lesson": slide.lesson.slug,
            "screen": slide.screen.name,
            "pose": dict(parse_qsl(slide.state)),
            "task": slide.task,
            "title": slide_title(slide),
            "control": slide.control,
        }
        for slide in plan_slides(plan)
    ]
    return {"name": plan.slug, "title": plan.title, "minutes": plan.minutes, "screens": screens}


def plan_markdown(plan: Plan, absolute: Callable[[str], str]) -> str:
    """Return a lesson plan as Markdown, with its steps, the right answers, and absolute URLs.

    Args:
        plan: The plan.
        absolute: Converts a relative URL of the book to an absolute URL.
    """
    lines = [f"# {plan.title}", "", f"{plan.minutes} minutes. {plan.prerequisites}", ""]
    lines += [f"Present it: <{absolute(f'present/plans/{plan.slug}')}>", ""]
    for when, step in plan.schedule:
        lines += [f"## {when}", "", step.instruction, ""]
        for part in step.activities:
            if isinstance(part, ShowFigure):
                lines += [f"- Show {part.label}: <{absolute(part.address)}>"]
            else:
                screen = deck(part.lesson).screen_of_exercise(part.name)
                there = absolute(f"present/{part.lesson}?screen={screen.name}")
                lines += [f"- Ask: {screen.exercise.text if screen.exercise else ''} <{there}>", ""]
                lines += [f"  {line}".rstrip() for line in speaker_note(screen).splitlines()] + [""]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _first_lesson(plan: Plan) -> Lesson:
    part = next(part for step in plan.steps for part in step.activities)
    return deck(
        part.lesson if isinstance(part, AskQuestion) else urlsplit(part.address).path
    ).lesson


def _slide_name(slide: Slide, seen: Counter[str]) -> str:
    """Return a name such as `axes.grid`, `axes.grid.2` where it comes again, or `task-2`."""
    name, joint = ("task", "-") if slide.task else (f"{slide.lesson.slug}.{slide.screen.name}", ".")
    seen[name] += 1
    return f"{name}{joint}{seen[name]}" if seen[name] > 1 else name


def _slides(step: PlanStep, before: Lesson) -> Iterator[Slide]:
    """Yield a slide for each activity of a step, or a slide with its instruction if it has none."""
    for part in step.activities:
        if isinstance(part, AskQuestion):
            shown = deck(part.lesson)
            found = shown.screen_of_exercise(part.name)
            assert found.exercise is not None
            # In a plan, the lesson's sections and its exercises' numbers mean nothing.
            screen = replace(found, section="", exercise=replace(found.exercise, number=0))
            yield Slide(shown.lesson, screen, "", note=speaker_note(screen))
        else:
            there = urlsplit(part.address)
            lesson = deck(there.path).lesson
            figure = lesson.figure(there.fragment.removeprefix("figure-"))
            assert figure is not None
            words = part.label[0].upper() + part.label[1:]
            shown_there = Screen(figure.name, caption=words, figure=figure)
            yield Slide(
                lesson, shown_there, "", there.query, has_own_figure=True, control=part.control
            )
    if not step.activities:
        yield Slide(before, Screen(START, caption=step.prompt), "", task=step.prompt)
