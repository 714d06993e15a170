"""Answers to all questions and exercises of the lessons, as Markdown for teachers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from lnviz.book.present.deck import deck
from lnviz.lessons import LESSONS, ChoiceExercise, Exercise, Lesson
from lnviz.lessons.exercise_html import SHOWN, SOLUTION, possible_feedback
from lnviz.lessons.exercises import AnswerOption


def answers_markdown(lesson: Lesson) -> str:
    """Return the exercises of a lesson with their answers and explanations, as Markdown."""
    return "\n\n".join(_asked(lesson))


def all_answers() -> str:
    """Return the exercises of all lessons with their answers as Markdown, collapsed by lesson."""
    return "\n\n".join(
        f":::: fold {lesson.title}\n{answers_markdown(lesson)}\n::::"
        for lesson in LESSONS
        if any(isinstance(part, Exercise) for part in lesson.parts)
    )


def present_address(lesson: Lesson, name: str) -> str:
    """Return the relative URL of the slide that shows an exercise, in its lesson's presentation.

    Raises:
        KeyError: The lesson has no such exercise.
    """
    return f"present/{lesson.slug}?screen={deck(lesson.slug).screen_of_exercise(name).name}"


def present_links() -> str:
    """Return links to each lesson's presentation view and its screens, as Markdown."""
    return "\n".join(_contents(lesson) for lesson in LESSONS)


def _contents(lesson: Lesson) -> str:
    shown = deck(lesson.slug)
    exercises = sum(screen.exercise is not None for screen in shown.screens)
    figures = len(lesson.figures)
    counted = [_many(shown.default_count, "screen"), _many(figures, "figure")]
    counted += [_many(exercises, "question")] if exercises else []
    return f"- [{lesson.title}](present/{lesson.slug}): {', '.join(counted)}"


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _asked(lesson: Lesson) -> Iterator[str]:
    questions = count(1)
    for exercise in lesson.parts:
        if not isinstance(exercise, Exercise):
            continue
        # A link's text is unique, for screen readers that list links.
        name = f"exercise {exercise.number}" if exercise.number else f"question {next(questions)}"
        link = f"[{lesson.title}, {name}]({present_address(lesson, exercise.name)})"
        yield f"**{link}.** {exercise.text}\n\n{_answer(lesson, exercise)}"


def _answer(lesson: Lesson, exercise: Exercise) -> str:
    if isinstance(exercise, ChoiceExercise):
        options = "\n".join(_option(answer) for answer in exercise.answers)
        return f"{options}\n\n{exercise.explanation}"
    solution = next(outcome for outcome in possible_feedback(exercise) if outcome.name == SOLUTION)
    # On this page, a link to a figure needs the lesson's slug and a unique text.
    name = f"{lesson.title}, exercise {exercise.number}, in the figure"
    reply = solution.reply.replace(f"[{SHOWN}](?", f"[{name}]({lesson.slug}?")
    return f"*{solution.verdict}*\n\n{reply}"


def _option(answer: AnswerOption) -> str:
    if answer.is_right:
        return f"- **{answer.text}** (right)"
    return f"- {answer.text}\\\n  {' '.join(answer.feedback.split())}"
