"""A plan as a sequence of screens with notes, as data, and as Markdown to print or to keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from lnviz.book.present.deck import START, Screen, deck
from lnviz.book.present.slides import Slide, note, title
from lnviz.book.teach.plans import PLANS, Ask, Plan, See, Step
from lnviz.lessons import Lesson, prose


def find(name: str) -> Plan | None:
    """Return the plan of this name."""
    return next((plan for plan in PLANS if plan.name == name), None)


def slides(plan: Plan) -> tuple[Slide, ...]:
    """Return what a plan shows and asks, in order, each with what the teacher reads beside it."""
    made: list[Slide] = []
    seen: Counter[str] = Counter()
    lesson = _first(plan)
    for when, step in plan.timed:
        said = f"**{when}.** {step.does}"
        for slide in _slides(step, lesson):
            lesson = slide.lesson
            name = f"{lesson.slug}.{slide.screen.name}"
            seen[name] += 1
            again = f".{seen[name]}" if seen[name] > 1 else ""
            notes = "\n\n".join(filter(None, (said, slide.note)))
            made.append(replace(slide, name=name + again, note=notes))
            said = ""
    return tuple(made)


def document(plan: Plan) -> dict[str, Any]:
    """Return a plan as a JSON document: its screens, by which others may follow it."""
    screens = [
        {
            "name": slide.name,
            "lesson": slide.lesson.slug,
            "screen": slide.screen.name,
            "pose": dict(parse_qsl(slide.state)),
            "task": slide.task,
            "title": title(slide),
        }
        for slide in slides(plan)
    ]
    return {"name": plan.name, "title": plan.title, "minutes": plan.minutes, "screens": screens}


def markdown(plan: Plan, whole: Callable[[str], str]) -> str:
    """Return a plan as Markdown: its steps, the answers, and every address in full.

    Args:
        plan: the plan.
        whole: turns an address of the book into one that a reader can type.
    """
    lines = [f"# {plan.title}", "", f"{plan.minutes} minutes. {plan.needs}", ""]
    lines += [f"Present it: <{whole(f'present/plans/{plan.name}')}>", ""]
    for when, step in plan.timed:
        lines += [f"## {when}", "", step.does, ""]
        for part in step.parts:
            if isinstance(part, See):
                lines += [f"- Show {part.label}: <{whole(part.address)}>"]
            else:
                screen = deck(part.lesson).asks(part.name)
                there = whole(f"present/{part.lesson}?screen={screen.name}")
                lines += [f"- Ask: {screen.asked.text if screen.asked else ''} <{there}>", ""]
                lines += [f"  {line}".rstrip() for line in note(screen).splitlines()] + [""]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _first(plan: Plan) -> Lesson:
    part = next(part for step in plan.steps for part in step.parts)
    return deck(part.lesson if isinstance(part, Ask) else urlsplit(part.address).path).lesson


def _slides(step: Step, before: Lesson) -> Iterator[Slide]:
    """What a step shows; one without figures and questions shows what the class is to do."""
    for part in step.parts:
        if isinstance(part, Ask):
            shown = deck(part.lesson)
            # A plan asks what it names, also where the lesson keeps it for some.
            screen = replace(shown.asks(part.name), part="")
            yield Slide(shown.lesson, screen, "", note=note(screen))
        else:
            there = urlsplit(part.address)
            lesson = deck(there.path).lesson
            figure = lesson.figure(there.fragment.removeprefix("figure-"))
            assert figure is not None
            words = part.label[0].upper() + part.label[1:]
            shown_there = Screen(figure.name, words=words, figure=figure)
            yield Slide(lesson, shown_there, "", there.query, apart=True)
    if not step.parts:
        yield Slide(before, Screen(START, words=step.does), "", task=prose.plain(step.does))
