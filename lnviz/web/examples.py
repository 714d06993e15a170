"""What pretend students may answer, where there is more than options to choose from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from random import Random
from typing import Any

from anyio import to_thread

from lnviz.book.present.deck import deck
from lnviz.book.present.document import screen_document
from lnviz.errors import RequestError
from lnviz.rooms.schema import AnswerValue
from lnviz.rooms.simulation import SIMULATED_STUDENTS
from lnviz.web.identity import Client
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_scheduler import Overloaded
from lnviz.web.payload_service import PayloadService
from lnviz.web.responses import CompressedBody

SETTING_KINDS = ("slider", "choice", "stepper")
"""Kinds of controls whose positions are a setting."""


async def simulated_answers(
    payloads: PayloadService, visitor: Client, lesson: str, screen: str | int
) -> Sequence[AnswerValue]:
    """Return what students might give where there are no options.

    Numbers are right, and off by what is usual; settings are any that the figure can take.

    Args:
        payloads: has the figure: it is at hand where the wall shows it.
        visitor: the teacher, in whose turn it is computed if it is not.
        lesson: the address of the lesson.
        screen: the name or the place of the screen.

    Raises:
        RequestError: the figure cannot be computed now.
    """
    figure = deck(lesson).screen(screen).figure
    if figure is None:
        return await to_thread.run_sync(_numbers_near, lesson, screen)
    try:
        body = await payloads.get(PayloadRequest(lesson, figure, figure.parse({})), visitor)
    except Overloaded as error:
        raise RequestError(str(error), 503, error.retry_after) from None
    return await to_thread.run_sync(_random_settings, body)


def _random_settings(body: CompressedBody) -> list[AnswerValue]:
    """Settings spread over the controls of a figure."""
    moved: dict[str, list[Any]] = {
        control["slug"]: control["values"]
        for control in json.loads(body.content)["controls"]
        if control["kind"] in SETTING_KINDS
    }
    chance = Random()
    return [
        {slug: _js_text(chance.choice(there)) for slug, there in moved.items()}
        for _ in range(SIMULATED_STUDENTS)
    ]


def _numbers_near(lesson: str, screen: str | int) -> list[AnswerValue]:
    """Numbers around the right one."""
    asks = screen_document(lesson, screen, link=str, explorables="")["asked"]
    value = asks["value"] if asks and asks["kind"] == "number" else None
    return [value * factor for factor in (1, 1, 1, 2, 0.5, 10)] if value is not None else []


def _js_text(value: str | float) -> str:
    """A control's value as a browser writes it.

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
