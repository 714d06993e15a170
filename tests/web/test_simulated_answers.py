"""The answers of simulated students."""

import asyncio
import json

import pytest

from lnviz.book.present.deck import deck
from lnviz.errors import RequestError
from lnviz.lessons import FigureGoal, FigureSpec
from lnviz.rooms.schema import AnswerValue, FigureState
from lnviz.web.identity import Client
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_service import PayloadService
from lnviz.web.responses import CompressedBody
from lnviz.web.simulated_answers import simulated_answers

TEACHER = Client("school", "teacher")


def given(
    payloads: PayloadService, lesson: str, screen: str, pose: FigureState | None = None
) -> list[AnswerValue]:
    return list(asyncio.run(simulated_answers(payloads, TEACHER, lesson, screen, pose or {})))


def with_figure(lesson: str, figure: FigureSpec, pose: FigureState | None = None) -> PayloadService:
    """The figure is there already, as where the wall shows it."""
    wanted = PayloadRequest(lesson, figure, figure.parse(pose or {}))
    payloads = PayloadService()
    payload = json.dumps(figure.payload(wanted.values))
    payloads.cache.put(wanted, CompressedBody.compress(payload.encode()))
    return payloads


def test_where_there_is_nothing_but_a_table_simulated_students_choose_its_cells() -> None:
    figure = deck("placement").screen("warmup").figure
    assert figure is not None
    (pointer,) = figure.payload({})["controls"]
    settings = given(with_figure("placement", figure), "placement", "warmup")
    assert len({str(setting) for setting in settings}) > 1
    for setting in settings:
        assert isinstance(setting, dict)
        row, column = map(int, setting[pointer["slug"]].split("."))
        assert row <= len(pointer["rows"])
        assert column <= len(pointer["columns"])


@pytest.mark.parametrize(("lesson", "name"), [("axes", "grid"), ("batch", "workers")])
def test_pretend_students_hand_in_different_settings_that_the_figure_has(
    lesson: str, name: str
) -> None:
    figure = deck(lesson).screen(name).figure
    assert figure is not None
    payload = figure.payload(figure.parse({}))
    settings = given(with_figure(lesson, figure), lesson, name)
    assert len({str(setting) for setting in settings}) > 1
    controls = [each for each in payload["controls"] if "values" in each]
    has = {each["slug"]: list(map(said, each["values"])) for each in controls}
    for setting in settings:
        assert isinstance(setting, dict)
        assert setting
        assert all(value in has[name] for name, value in setting.items())


@pytest.mark.parametrize(
    ("lesson", "name"), [("axes", "pair"), ("placement", "level"), ("rmsnorm", "same")]
)
def test_simulated_students_hand_in_what_a_goal_names_and_some_of_it_is_right(
    lesson: str, name: str
) -> None:
    screen = deck(lesson).screen(name)
    assert screen.figure is not None
    assert isinstance(screen.exercise, FigureGoal)
    conditions = screen.exercise.conditions
    right = 0
    settings = given(with_figure(lesson, screen.figure), lesson, name)
    for setting in settings:
        assert isinstance(setting, dict)
        assert setting
        assert setting.keys() <= conditions.keys()
        right += all(setting.get(key) in allowed for key, allowed in conditions.items())
    assert 0 < right < len(settings)


def test_simulated_students_have_the_figure_as_it_is_shown_and_do_not_hand_in_its_view() -> None:
    figure = deck("images").screen("cube").figure
    assert figure is not None
    pose = {"layout": "tokens", "norm": "group"}
    shown = with_figure("images", figure, {"layout": "tokens"})
    settings = given(shown, "images", "cube", pose)
    assert settings
    assert all(
        isinstance(setting, dict) and setting.keys() <= {"norm", "groups"} for setting in settings
    )


def test_where_a_figure_cannot_be_had_a_sentence_says_so() -> None:
    payloads = PayloadService()
    payloads.close()
    with pytest.raises(RequestError, match="shutting down"):
        given(payloads, "axes", "grid")


def said(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"
