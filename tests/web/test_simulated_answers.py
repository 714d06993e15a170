"""The answers of simulated students."""

import asyncio
import json

import pytest

from lnviz.book.present.deck import deck
from lnviz.errors import RequestError
from lnviz.rooms.schema import AnswerValue
from lnviz.web.identity import Client
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_service import PayloadService
from lnviz.web.responses import CompressedBody
from lnviz.web.simulated_answers import simulated_answers

TEACHER = Client("school", "teacher")


def given(payloads: PayloadService, lesson: str, screen: str) -> list[AnswerValue]:
    return list(asyncio.run(simulated_answers(payloads, TEACHER, lesson, screen)))


@pytest.mark.parametrize(("lesson", "name"), [("axes", "grid"), ("batch", "workers")])
def test_pretend_students_hand_in_different_settings_that_the_figure_has(
    lesson: str, name: str
) -> None:
    figure = deck(lesson).screen(name).figure
    assert figure is not None
    wanted = PayloadRequest(lesson, figure, figure.parse({}))
    payload = figure.payload(wanted.values)
    payloads = PayloadService()
    payloads.cache.put(
        wanted, CompressedBody.compress(json.dumps(payload).encode())
    )  # as where the wall shows it
    settings = given(payloads, lesson, name)
    assert len({str(setting) for setting in settings}) > 1
    controls = [each for each in payload["controls"] if "values" in each]
    has = {each["slug"]: list(map(said, each["values"])) for each in controls}
    for setting in settings:
        assert isinstance(setting, dict)
        assert setting
        assert all(value in has[name] for name, value in setting.items())


def test_where_a_figure_cannot_be_had_a_sentence_says_so() -> None:
    payloads = PayloadService()
    payloads.close()
    with pytest.raises(RequestError, match="shutting down"):
        given(payloads, "axes", "grid")


def said(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"
