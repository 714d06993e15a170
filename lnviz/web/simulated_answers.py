"""Plausible answers of simulated students to questions about a number or a figure's setting."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from random import Random
from typing import Any

from anyio import to_thread

from lnviz.book.present.deck import deck
from lnviz.book.present.document import screen_document
from lnviz.rooms.schema import AnswerValue
from lnviz.rooms.simulation import SIMULATED_STUDENTS
from lnviz.web.identity import Client
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_service import PayloadService
from lnviz.web.responses import CompressedBody

SETTING_KINDS = ("slider", "choice", "stepper")
"""Kinds of controls that are part of a setting of a figure."""


async def simulated_answers(
    payloads: PayloadService, client: Client, lesson: str, screen: str | int
) -> Sequence[AnswerValue]:
    """Return plausible answers to a screen's question about a number or a figure's setting.

    For a number, they are the right number and common mistakes; for a setting, random settings of
    the figure.

    Args:
        payloads: The payload service, which has the figure cached while the projector shows it.
        client: The presenter, on whose behalf the figure is computed if it is not cached.
        lesson: The lesson's slug.
        screen: The screen's name or number.

    Raises:
        Overloaded: The figure cannot be computed now.
    """
    figure = deck(lesson).screen(screen).figure
    if figure is None:
        return await to_thread.run_sync(_numbers_near, lesson, screen)
    body = await payloads.get(PayloadRequest(lesson, figure, figure.parse({})), client)
    return await to_thread.run_sync(_random_settings, body)


def _random_settings(body: CompressedBody) -> list[AnswerValue]:
    """Return random settings of a figure's controls, as simulated answers."""
    values: dict[str, list[Any]] = {
        control["slug"]: control["values"]
        for control in json.loads(body.content)["controls"]
        if control["kind"] in SETTING_KINDS
    }
    random = Random()
    return [
        {slug: _js_text(random.choice(allowed)) for slug, allowed in values.items()}
        for _ in range(SIMULATED_STUDENTS)
    ]


def _numbers_near(lesson: str, screen: str | int) -> list[AnswerValue]:
    """Return simulated answers to a question about a number: right, or wrong by a factor."""
    question = screen_document(lesson, screen, link=str, explorables="")["asked"]
    value = question["value"] if question and question["kind"] == "number" else None
    return [value * factor for factor in (1, 1, 1, 2, 0.5, 10)] if value is not None else []


def _js_text(value: str | float) -> str:
    """Return a control's value as text, formatted the way JavaScript does.

    >>> [_js_text(value) for value in ("batch", 16.0, 0.25, 1e-05, 1e-07)]
    ['batch', '16', '0.25', '0.00001', '1e-7']
    """
    if isinstance(value, str):
        return value
    if value == int(value):
        return str(int(value))
    digits = repr(value)
    if abs(value) < 1e-6:
        return digits.replace("e-0", "e-")
    return format(Decimal(digits), "f")
