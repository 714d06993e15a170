"""All questions and exercises of a lesson with their answers, for whoever asks them in a room."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from lnviz.book.present.deck import deck
from lnviz.lessons import LESSONS, Asked, Lesson, Question
from lnviz.lessons.exercise_html import SHOWN, SOLUTION, outcomes
from lnviz.lessons.exercises import Answer


def answers_markdown(lesson: Lesson) -> str:
    """Write what a lesson asks as Markdown: the answer, what is wrong with others, and why."""
    return "\n\n".join(_asked(lesson))


def all_answers() -> str:
    """Write what every lesson asks as Markdown: a fold for each lesson that asks something."""
    return "\n\n".join(
        f":::: fold {lesson.title}\n{answers_markdown(lesson)}\n::::"
        for lesson in LESSONS
        if any(isinstance(part, Asked) for part in lesson.parts)
    )


def present_address(lesson: Lesson, name: str) -> str:
    """Return the address at which the present view asks something.

    Raises:
        KeyError: the lesson has no screen that asks it.
    """
    return f"present/{lesson.slug}?screen={deck(lesson.slug).asks(name).name}"


def present_links() -> str:
    """Write a link to every lesson's present view, and what is in it, as Markdown."""
    return "\n".join(_contents(lesson) for lesson in LESSONS)


def _contents(lesson: Lesson) -> str:
    shown = deck(lesson.slug)
    asked = sum(screen.exercise is not None for screen in shown.screens)
    figures = len(lesson.figures)
    counted = [_many(shown.default_count, "screen"), _many(figures, "figure")]
    counted += [_many(asked, "question")] if asked else []
    return f"- [{lesson.title}](present/{lesson.slug}): {', '.join(counted)}"


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _asked(lesson: Lesson) -> Iterator[str]:
    questions = count(1)
    for asked in lesson.parts:
        if not isinstance(asked, Asked):
            continue
        # Read alone, the name of a link says which one it is.
        which = f"exercise {asked.number}" if asked.number else f"question {next(questions)}"
        link = f"[{lesson.title}, {which}]({present_address(lesson, asked.name)})"
        yield f"**{link}.** {asked.text}\n\n{_answer(lesson, asked)}"


def _answer(lesson: Lesson, asked: Asked) -> str:
    if isinstance(asked, Question):
        options = "\n".join(_option(answer) for answer in asked.answers)
        return f"{options}\n\n{asked.why}"
    told = next(outcome for outcome in outcomes(asked) if outcome.name == SOLUTION)
    # What leads to a figure of the lesson stands on another page here, beside others of its kind.
    which = f"{lesson.title}, exercise {asked.number}, in the figure"
    reply = told.reply.replace(f"[{SHOWN}](?", f"[{which}]({lesson.slug}?")
    return f"*{told.verdict}*\n\n{reply}"


def _option(answer: Answer) -> str:
    if answer.is_right:
        return f"- **{answer.text}** (right)"
    return f"- {answer.text}\\\n  {' '.join(answer.reply.split())}"
