"""Plausible answers of simulated students to questions about a number or a figure's setting."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from anyio import to_thread

from lnviz.book.present.deck import deck
from lnviz.book.present.document import screen_document
from lnviz.lessons import FigureGoal, url_state
from lnviz.lessons.exercises import Range
from lnviz.rooms.schema import AnswerValue, FigureState
from lnviz.rooms.simulated_students import P_RIGHT
from lnviz.rooms.simulation import SIMULATED_STUDENTS
from lnviz.web.identity import Client
from lnviz.web.payload_service import PayloadService
from lnviz.web.responses import CompressedBody
from lnviz.web.slide_figure import slide_figure

SETTING_KINDS = ("slider", "choice", "stepper")
"""Kinds of controls that are part of a setting of a figure."""


async def simulated_answers(
    payloads: PayloadService, client: Client, lesson: str, screen: str | int, pose: FigureState
) -> Sequence[AnswerValue]:
    """Return plausible answers to a screen's question about a number or a figure's setting.

    For a number, they are the right number and common mistakes; for a setting, random settings of
    the figure.

    Args:
        payloads: The payload service.
        client: The presenter, on whose behalf the figure is computed if it is not cached.
        lesson: The lesson's slug.
        screen: The screen's name or number.
        pose: The state of the screen's figure.

    Raises:
        Overloaded: The figure cannot be computed now.
    """
    figure = deck(lesson).screen(screen).figure
    if figure is None:
        return await to_thread.run_sync(_numbers_near, lesson, screen)
    body = await slide_figure(payloads, client, lesson, figure, pose)
    exercise = deck(lesson).screen(screen).exercise
    goal = exercise if isinstance(exercise, FigureGoal) else None
    parameters = {each.name: pose.get(each.name, str(each.start)) for each in figure.parameters}
    return await to_thread.run_sync(_random_settings, body, goal, parameters)


def _random_settings(
    body: CompressedBody, goal: FigureGoal | None, parameters: FigureState
) -> list[AnswerValue]:
    """Return settings of a figure that students could hand in.

    As on a phone, a setting has what the goal names, or without a goal all controls that the
    setting does not hide, except those that only turn the picture; or a cell, if a figure has no
    other control. About `P_RIGHT` of the settings meet the goal.
    """
    named = goal.conditions if goal is not None else {}
    payload = json.loads(body.content)
    turns = {view.get("turn") for row in payload["views"] for view in row}
    controls = [
        control
        for control in payload["controls"]
        if (control["kind"] in SETTING_KINDS and control["name"] not in turns)
        or (control["slug"] in named and "values" in control)
    ]
    random = Random()
    if not controls:
        controls = [_cells(each) for each in payload["controls"] if each["kind"] == "pointer"]
    if goal is None:
        return [_random_setting(controls, {}, random) for _ in range(SIMULATED_STUDENTS)]
    settings: list[AnswerValue] = []
    for _ in range(SIMULATED_STUDENTS):
        is_right = random.random() < P_RIGHT[0]
        wanted = goal.conditions if is_right else {}
        setting = parameters | _random_setting(controls, wanted, random)
        # Whoever is right has found the parameters and the cell of a table, too.
        setting |= {
            name: str(allowed[0])
            for name, allowed in wanted.items()
            if name in parameters or name not in setting
        }
        settings.append({name: setting[name] for name in goal.conditions if name in setting})
    return settings


def _cells(pointer: dict[str, Any]) -> dict[str, Any]:
    """Return a cell picker as a choice among its cells, as URLs name them."""
    rows, columns = (range(1, len(pointer[side]) + 1) for side in ("rows", "columns"))
    cells = [f"{row}.{column}" for row in rows for column in columns]
    return {"slug": pointer["slug"], "values": cells, "when": {}}


def _random_setting(
    controls: Sequence[dict[str, Any]],
    wanted: Mapping[str, Sequence[str | Range]],
    random: Random,
) -> FigureState:
    """Return a random setting of controls, at which the wanted controls have allowed values."""
    positions: dict[str, int] = {}
    for control in controls:
        allowed = wanted.get(control["slug"])
        fitting = [
            position
            for position, value in enumerate(control["values"])
            if allowed is None or _is_allowed(value, allowed)
        ]
        positions[control["slug"]] = random.choice(fitting or range(len(control["values"])))
    return {
        control["slug"]: url_state.value_text(control["values"][positions[control["slug"]]])
        for control in controls
        if all(positions.get(slug) in shown for slug, shown in control["when"].items())
    }


def _is_allowed(value: str | float, allowed: Sequence[str | Range]) -> bool:
    """Return whether a control's value is one that a goal allows: a text, or in a range."""
    return any(
        url_state.value_text(value) == each
        if isinstance(each, str)
        else isinstance(value, int | float) and each[0] <= value <= each[1]
        for each in allowed
    )


def _numbers_near(lesson: str, screen: str | int) -> list[AnswerValue]:
    """Return simulated answers to a question about a number: right, or wrong by a factor."""
    question = screen_document(lesson, screen, link=str, explorables="")["asked"]
    value = question["value"] if question and question["kind"] == "number" else None
    return [value * factor for factor in (1, 1, 1, 2, 0.5, 10)] if value is not None else []
