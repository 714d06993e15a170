"""Runs that a reader asks for, watches and finds again, while the test says how they stand.

The figure grows with them under the reader's hand, and lets the hand be.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatch
from typing import Any

import plotly.graph_objects as go
import pytest
import torch
from playwright.sync_api import Browser, Locator, expect

from lnviz.explorable import Chart, Explorable, Readout, SliceAlong, Slider, SweptTensor
from tests.browser import conftest
from tests.browser.conftest import part
from tests.browser.figures import LINE
from tests.browser.replies import HELD, SILENCE, Asked, Replies, Reply
from tests.browser.serving import Shared
from tests.browser.tab import Tab

ID = "0123456789abcdef"
JOB = f"job.{ID}"
PAYLOAD = "*/line.json*"
FILES = "*/jobs/files?*"
NAME = "f" * 64
KEPT = Reply({"file": NAME})
FORM: dict[str, Any] = {
    "name": "digits",
    "label": "Digits",
    "norms": [{"key": "none", "label": "none"}, {"key": "batch", "label": "BatchNorm"}],
    "batch_sizes": [4, 1],
    "rates": [0.001],
    "heads": ["plain", "paper"],
    "fewest": {"batch": 2},
    "default": {
        "experiment": "digits",
        "norms": ["none", "batch"],
        "batch_sizes": [4],
        "rates": [0.001],
        "seeds": [0, 1, 2],
        "steps": 2000,
        "every": 50,
        "head": "plain",
        "file": "",
        "placement": "",
        "layers": 0,
        "warm_up": 0,
    },
    "placements": [],
    "max_layers": 0,
    "reads_file": False,
}
LATER = Reply({"detail": "All are busy."}, 503, (("Retry-After", "1"),))
MUCH_LATER = replace(LATER, headers=(("Retry-After", "60"),))
ASKED_AGAIN = "All are busy. The page keeps trying on its own."
OWN_CASES = FORM | {"name": "mnist", "label": "MNIST", "reads_file": True}


class Training:
    """What the server says of a training, as the test wants it."""

    def __init__(self) -> None:
        self.points = 3
        self.state = "running"
        self.is_silent = False
        self.trouble = ""
        self.is_mine = True
        self.is_shown = True  # before anybody asks for it
        self.lost = 1000  # the first measurement without a value
        self.questions = 0

    def payload(self, asked: Asked) -> Reply:
        steps = tuple(float(50 * point) for point in range(self.points + 1))
        error = 1 / (1 + torch.tensor(steps))
        error[self.lost :] = torch.nan
        step = Slider("step", steps, steps[-1], 0, has_step_buttons=True)
        line = go.Figure(go.Scatter(x=list(steps), y=[0.0] * len(steps), mode="lines"))
        line.add_trace(go.Scatter(x=[0.0], y=[0.0], mode="markers"))
        line.update_xaxes(range=[0, 1.03 * steps[-1]])
        bind: dict[int, dict[str, str | SliceAlong]] = {
            0: {"y": "error"},
            1: {"x": "at", "y": "on"},
        }
        more = (Readout("More is known now."),) if self.points > 3 else ()
        explorable = Explorable(
            "A training",
            (step,),
            {
                "error": SweptTensor((), error, 3),
                "at": SweptTensor(("step",), torch.tensor(steps)[:, None], 0),
                "on": SweptTensor(("step",), error[:, None], 3),
            },
            (
                (Chart("after {step} steps", line, bind, "a"),),
                (*more, Readout("After {step} steps.")),
            ),
        )
        job = {
            "kind": "job",
            "name": "run",
            "label": "Runs",
            "value": JOB if self.is_shown or JOB in asked.address else "digits",
            "start": "digits",
            "options": [{"value": JOB, "label": "yours"}, {"value": "digits", "label": "Digits"}],
            "form": {"experiments": [FORM, OWN_CASES]},
        }
        return Reply({**explorable.payload(), "parameters": [job]})

    def status(self, _: Asked) -> Reply:
        self.questions += 1
        if self.is_silent:
            return SILENCE
        if self.trouble:
            return Reply({"detail": self.trouble}, 503)
        return self.told()

    def told(self) -> Reply:
        """How it stands."""
        done = {
            "id": ID,
            "state": self.state,
            "detail": "",
            "steps": 2000,
            "done": 50 * self.points,
            "pace": 410.4,
            "left": 41.0,
            "ahead": None,
            "points": self.points,
            "mine": self.is_mine,
            "title": "Digits: none",
            "created": "2026-01-01T00:00:00+00:00",
        }
        return Reply(done)


@pytest.fixture
def training() -> Training:
    return Training()


@pytest.fixture(scope="module")
def stage(browser: Browser, server: Shared) -> Iterator[tuple[Tab, Replies]]:
    """A tab in which all tests open the figure anew, with a clock of its own."""
    with conftest.context(browser) as context, conftest.tab(context, server.url) as tab:
        replies = Replies(tab.page)
        tab.page.clock.install()  # later a minute passes at once
        yield tab.open(LINE.standalone), replies


@pytest.fixture
def replies(stage: tuple[Tab, Replies], training: Training) -> Replies:
    """What the page is told of the training from now on."""
    _, replies = stage
    replies.forget()
    replies.to(PAYLOAD, training.payload)
    replies.to("*/jobs", Reply({"jobs": []}))
    replies.to(f"*/jobs/{ID}", training.status)
    return replies


@pytest.fixture
def opening(stage: tuple[Tab, Replies], replies: Replies) -> Iterator[Tab]:
    """A tab that is about to open the figure."""
    tab, _ = stage
    yield tab
    part(tab)


@pytest.fixture
def tab(opening: Tab) -> Tab:
    opening.reopen("")
    expect(report(opening)).to_contain_text("Training: 7%.")
    return opening


def later(tab: Tab, seconds: int = 1) -> None:
    """Lets time pass: the page asks how the training stands, or again for what it did not get."""
    tab.page.clock.run_for(1000 * seconds)


def report(tab: Tab) -> Locator:
    return tab.figure.get_by_role("region", name="These runs")


def step(tab: Tab) -> Locator:
    return tab.slider("step")


def form(tab: Tab) -> Locator:
    """The form, opened."""
    tab.figure.get_by_text("Choose what to train", exact=True).click()
    return tab.figure.get_by_role("region", name="Your own runs")


def test_a_figure_grows_with_its_training_in_place(tab: Tab, training: Training) -> None:
    tab.page.evaluate("() => { window.lines = document.querySelector('.plot .main-svg'); }")
    expect(step(tab)).to_have_value("3")
    training.points = 8
    later(tab)
    expect(step(tab)).to_have_attribute("max", "8")
    # A handle at the end follows the end.
    expect(step(tab)).to_have_value("8")
    assert tab.page.evaluate("() => lines === document.querySelector('.plot .main-svg')")
    points = tab.page.evaluate("() => document.querySelector('.plot').data[0].y.length")
    assert points == 9
    expect(tab.figure.get_by_text("More is known now.", exact=True)).to_be_visible()
    expect(tab.figure.get_by_text("After 400 steps.", exact=True)).to_be_visible()


def test_a_handle_that_was_moved_stays_with_its_value_and_the_focus(
    tab: Tab, training: Training
) -> None:
    step(tab).press("ArrowLeft")
    training.points = 8
    later(tab)
    expect(step(tab)).to_have_attribute("max", "8")
    expect(tab.exact("step")).to_have_value("100")
    expect(step(tab)).to_be_focused()


def test_nothing_grows_while_the_handle_is_held(tab: Tab, training: Training) -> None:
    step(tab).scroll_into_view_if_needed()
    box = step(tab).bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    tab.page.mouse.move(box["x"] + box["width"] - 12, middle)
    tab.page.mouse.down()
    tab.page.evaluate("() => { heard.length = 0; }")
    training.points = 8
    later(tab)
    tab.until("() => heard.some((address) => address.includes('/line.json'))")
    tab.page.mouse.move(box["x"] + 12, middle, steps=4)
    tab.drawn()
    expect(step(tab)).to_have_attribute("max", "3")
    expect(step(tab)).to_have_value("0")
    tab.page.mouse.up()
    expect(step(tab)).to_have_attribute("max", "8")
    expect(step(tab)).to_have_value("0")


def test_a_reader_hears_how_long_it_takes_and_that_nobody_can_tell(
    tab: Tab, training: Training
) -> None:
    left = "410 steps a second, about 40 seconds left."
    expect(report(tab)).to_contain_text(left)
    training.is_silent = True
    later(tab)
    expect(report(tab)).to_contain_text(
        "The server is not responding. Trying again every 5 seconds."
    )
    training.is_silent = False
    later(tab, 5)
    expect(report(tab)).to_contain_text(left)
    training.trouble = "The database cannot be used."
    later(tab)
    expect(report(tab)).to_contain_text(
        "The database cannot be used. Trying again every 5 seconds."
    )


@pytest.mark.parametrize("headers", [LATER.headers, ()], ids=["later", "some time"])
def test_a_refusal_that_passes_does_not_end_the_watching(
    tab: Tab, replies: Replies, training: Training, headers: tuple[tuple[str, str], ...]
) -> None:
    replies.once(f"*/jobs/{ID}", Reply({"detail": "Too much was asked for."}, 429, headers))
    later(tab)
    expect(report(tab)).to_contain_text("Too much was asked for.")
    training.points = 8
    later(tab, 5)
    expect(report(tab)).to_contain_text("Training: 20%.")
    expect(report(tab)).not_to_contain_text("Too much was asked for.")


def turns(replies: Replies, training: Training, change: str, state: str) -> None:
    """The server does what the reader asks for."""

    def turn(_: Asked) -> Reply:
        training.state = state
        return training.told()

    replies.to(f"*/jobs/{ID}/{change}", turn)


def test_runs_are_paused_when_the_server_has_time_for_it_and_go_on(
    tab: Tab, replies: Replies, training: Training
) -> None:
    turns(replies, training, "pause", "paused")
    turns(replies, training, "resume", "running")
    replies.once(f"*/jobs/{ID}/pause", LATER)
    tab.button("Pause").click()
    expect(report(tab).get_by_role("alert")).to_have_text(ASKED_AGAIN)
    later(tab)
    expect(report(tab)).to_contain_text("Paused: 7%.")
    expect(report(tab).get_by_role("alert")).to_be_empty()
    expect(tab.button("Resume")).to_be_focused()
    tab.button("Resume").click()
    expect(report(tab)).to_contain_text("Training: 7%.")
    expect(tab.button("Pause")).to_be_focused()


def test_a_change_takes_the_place_of_one_that_waits(
    tab: Tab, replies: Replies, training: Training
) -> None:
    replies.to(f"*/jobs/{ID}/pause", MUCH_LATER)
    turns(replies, training, "stop", "stopped")
    tab.button("Pause").click()
    expect(report(tab).get_by_role("alert")).to_have_text(ASKED_AGAIN)
    tab.button("Stop").click()
    expect(report(tab)).to_contain_text("Stopped: 7%.")
    later(tab, 60)
    tab.drawn()
    assert len([asked for asked in replies.asked if asked.address.endswith("/pause")]) == 1
    expect(report(tab).get_by_role("alert")).to_be_empty()


def test_of_runs_that_nothing_is_known_of_nothing_is_shown(
    opening: Tab, training: Training
) -> None:
    training.is_silent = True
    opening.reopen("")
    expect(report(opening)).to_contain_text("The server is not responding.")
    for piece in (".title", "progress", ".far", ".actions"):
        expect(report(opening).locator(piece)).to_be_hidden()
    training.is_silent = False
    later(opening, 5)
    expect(report(opening).get_by_role("button", name="Stop")).to_be_visible()
    expect(report(opening).get_by_role("link", name="CSV")).to_be_visible()


def test_a_chart_reads_out_that_a_place_has_no_value(opening: Tab, training: Training) -> None:
    training.lost = 2
    opening.reopen("")
    values = opening.figure.get_by_role("slider", name="Values in the chart")
    values.press("Home")
    expect(values).to_have_attribute("aria-valuetext", re.compile("title: 1, "))
    values.press("End")
    expect(values).to_have_attribute("aria-valuetext", re.compile("no value"))


def test_a_figure_without_runs_has_no_form_for_them(opening: Tab, replies: Replies) -> None:
    replies.forget()
    opening.reopen("")
    expect(opening.figure.locator(".body")).to_have_count(1)
    expect(opening.figure.locator(".jobs")).to_have_count(0)


def test_a_training_that_has_ended_is_not_asked_after_any_more(
    tab: Tab, training: Training
) -> None:
    training.points, training.state = 40, "done"
    later(tab)
    expect(report(tab)).to_contain_text("Done: 100%.")
    expect(step(tab)).to_have_attribute("max", "40")
    later(tab, 5)
    tab.drawn()
    asked = training.questions
    later(tab, 60)
    tab.drawn()
    assert training.questions == asked


def test_runs_of_another_browser_can_be_watched_and_not_changed(
    opening: Tab, training: Training
) -> None:
    training.is_mine = False
    opening.reopen("")
    expect(report(opening)).to_contain_text("You can watch them here, but not change them.")
    expect(report(opening).get_by_role("button")).to_have_count(0)


def test_a_page_opened_anew_finds_the_runs_of_its_reader(
    opening: Tab, replies: Replies, training: Training
) -> None:
    training.is_shown = False
    replies.to("*/jobs", Reply({"jobs": [training.told().json]}))
    opening.reopen("")
    expect(
        opening.figure.get_by_text("Your latest runs: 1, 1 not finished", exact=True)
    ).to_be_visible()
    opening.figure.locator(".past").get_by_role("button").click()
    expect(report(opening).get_by_role("button", name="Stop")).to_be_visible()


def test_the_form_says_how_many_runs_are_asked_for_and_asks_for_none_that_cannot_be(
    tab: Tab, replies: Replies
) -> None:
    fields = form(tab)
    counted = tab.figure.locator(".counted")
    expect(counted).to_have_text(
        "2 norms × 1 batch size × 3 seeds: 6 runs of 2,000 steps, measured every 50."
    )
    tab.figure.get_by_role("checkbox", name="1", exact=True).press("Space")
    expect(counted).to_have_text(
        "2 norms × 2 batch sizes × 3 seeds: 9 runs of 2,000 steps, measured every 50. "
        "BatchNorm can’t train with batches of 1: left out."
    )
    tab.figure.get_by_label("Steps each").fill("1")
    expect(counted).to_contain_text("9 runs of 1 step, measured at each.")
    tab.figure.get_by_label("Seeds each").fill("11")
    expect(counted).to_have_text("Choose from 1 to 10 seeds.")
    for norm in ("none", "BatchNorm"):
        fields.get_by_role("checkbox", name=norm).press("Space")
    fields.get_by_role("button", name="Train", exact=True).click()
    expect(fields.get_by_role("alert")).to_have_text("Choose at least one norm.")
    assert wishes(replies) == []


def refuse(replies: Replies) -> None:
    """Refuses all runs that are asked for from now on."""
    replies.to("*/jobs", Reply({"detail": "Not today."}, 422))


def wishes(replies: Replies) -> list[Any]:
    """The runs that were asked for."""
    posted = [asked for asked in replies.asked if asked.method == "POST"]
    return [asked.json for asked in posted if asked.address.endswith("/jobs")]


def test_a_norm_before_the_softmax_is_offered_and_asked_for_with_batchnorm_alone(
    tab: Tab, replies: Replies
) -> None:
    refuse(replies)
    fields = form(tab)
    fields.get_by_label("Norm before the softmax").select_option("paper")
    fields.get_by_role("button", name="Train", exact=True).click()
    expect(fields.get_by_role("alert")).to_have_text("Not today.")
    fields.get_by_role("checkbox", name="BatchNorm").press("Space")
    expect(fields.get_by_label("Norm before the softmax")).to_be_hidden()
    tab.page.evaluate("() => { heard.length = 0; }")
    fields.get_by_role("button", name="Train", exact=True).click()
    tab.until("() => heard.some((address) => address.endsWith('/jobs'))")
    assert [wish["head"] for wish in wishes(replies)] == ["paper", "plain"]


def test_runs_are_asked_for_until_the_server_has_room_for_them(
    tab: Tab, replies: Replies, training: Training
) -> None:
    def start(asked: Asked) -> Reply:
        if asked.method == "GET":
            return Reply({"jobs": []})
        return LATER if len(wishes(replies)) == 1 else training.told()

    replies.to("*/jobs", start)
    fields = form(tab)
    fields.get_by_role("button", name="Train", exact=True).click()
    expect(fields.get_by_role("alert")).to_have_text(ASKED_AGAIN)
    later(tab)
    expect(report(tab).locator(".title")).to_be_focused()
    first, second = wishes(replies)
    assert first == second


def test_refused_runs_get_a_sentence_and_leave_the_figure(tab: Tab, replies: Replies) -> None:
    refuse(replies)
    before = tab.drawn()
    fields = form(tab)
    fields.get_by_role("button", name="Train", exact=True).click()
    expect(fields.get_by_role("alert")).to_have_text("Not today.")
    assert tab.drawn() == before
    assert tab.query == {}


def test_who_has_unfinished_runs_is_led_to_them(
    opening: Tab, replies: Replies, training: Training
) -> None:
    training.is_shown = False
    opening.reopen("")
    replies.to("*/jobs", Reply({"detail": "Yours are not finished.", "id": ID}, 409))
    fields = form(opening)
    fields.get_by_role("button", name="Train", exact=True).click()
    expect(fields.get_by_role("alert")).to_have_text("Yours are not finished.")
    opening.button("Show those runs").click()
    expect(report(opening).locator(".title")).to_be_focused()


def send(fields: Locator) -> None:
    """Hands a file in to another experiment."""
    fields.get_by_label("Experiment").select_option("mnist")
    fields.get_by_label("A file to train on (.npz)").set_input_files(
        {"name": "cases.npz", "mimeType": "application/zip", "buffer": b"PK"}
    )


def sent(tab: Tab, replies: Replies) -> Locator:
    """The form, when a file is on its way to another experiment; the test lets it arrive."""
    replies.to(FILES, HELD)
    fields = form(tab)
    send(fields)
    return fields


def files(replies: Replies) -> list[Asked]:
    """The files that were sent."""
    return [asked for asked in replies.asked if fnmatch(asked.address, FILES)]


def arrive(tab: Tab, replies: Replies) -> None:
    """Lets the file arrive."""
    (file,) = files(replies)
    tab.page.evaluate("() => { heard.length = 0; }")
    replies.let_go(file, KEPT)
    tab.until("() => heard.length > 0")


def test_runs_wait_for_the_file_that_they_learn_from(tab: Tab, replies: Replies) -> None:
    refuse(replies)
    fields = sent(tab, replies)
    train = fields.get_by_role("button", name="Train", exact=True)
    train.click()
    expect(fields.get_by_role("alert")).to_have_text(
        "Uploading the file. Train once it is uploaded."
    )
    arrive(tab, replies)
    expect(fields.get_by_role("alert")).to_have_text("The runs train on cases.npz.")
    train.click()
    expect(fields.get_by_role("alert")).to_have_text("Not today.")
    assert [wish["file"] for wish in wishes(replies)] == [NAME]


def test_a_file_that_comes_too_late_is_not_of_another_experiment(
    tab: Tab, replies: Replies
) -> None:
    refuse(replies)
    fields = sent(tab, replies)
    fields.get_by_label("Experiment").select_option("digits")
    arrive(tab, replies)
    fields.get_by_role("button", name="Train", exact=True).click()
    expect(fields.get_by_role("alert")).to_have_text("Not today.")
    assert [wish["file"] for wish in wishes(replies)] == [""]


def test_a_file_is_sent_until_the_server_has_room_for_it(tab: Tab, replies: Replies) -> None:
    replies.to(FILES, KEPT)
    replies.once(FILES, LATER)
    fields = form(tab)
    send(fields)
    expect(fields.get_by_role("alert")).to_have_text(ASKED_AGAIN)
    later(tab)
    expect(fields.get_by_role("alert")).to_have_text("The runs train on cases.npz.")


def test_a_file_that_is_not_wanted_any_more_is_not_sent_again(tab: Tab, replies: Replies) -> None:
    replies.to(FILES, MUCH_LATER)
    fields = form(tab)
    send(fields)
    expect(fields.get_by_role("alert")).to_have_text(ASKED_AGAIN)
    fields.get_by_label("Experiment").select_option("digits")
    later(tab, 60)
    tab.drawn()
    assert len(files(replies)) == 1
    expect(fields.get_by_role("alert")).to_be_empty()
