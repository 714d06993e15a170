"""A figure of a training that goes on grows under the reader's hand, and lets the hand be."""

import re
from collections.abc import Iterator
from typing import Any

import plotly.graph_objects as go
import pytest
import torch
from playwright.sync_api import Locator, Route, expect

from lnviz.explorable import Along, Chart, Explorable, Readout, Slider, Swept
from tests.browser.conftest import Opener
from tests.browser.figures import GRID, LINE, place
from tests.browser.tab import Tab

ID = "0123456789abcdef"
YOURS = place("lab", "yours")
PAYLOAD = "**/line.json*"
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
    },
    "reads_file": False,
}
LATER: dict[str, Any] = {
    "status": 503,
    "headers": {"Retry-After": "1"},
    "json": {"detail": "All are busy."},
}
ASKED_AGAIN = "All are busy. The page asks again by itself."
OWN_CASES = FORM | {"name": "mnist", "label": "MNIST", "reads_file": True}


class Training:
    """What the server says of a training, as the test wants it."""

    def __init__(self) -> None:
        self.points = 3
        self.state = "running"
        self.is_silent = False
        self.trouble = ""
        self.lost = 1000  # the first measurement without a value
        self.questions = 0

    def payload(self, route: Route) -> None:
        steps = tuple(float(50 * point) for point in range(self.points + 1))
        error = 1 / (1 + torch.tensor(steps))
        error[self.lost :] = torch.nan
        step = Slider("step", steps, steps[-1], 0, walks=True)
        line = go.Figure(go.Scatter(x=list(steps), y=[0.0] * len(steps), mode="lines"))
        line.add_trace(go.Scatter(x=[0.0], y=[0.0], mode="markers"))
        line.update_xaxes(range=[0, 1.03 * steps[-1]])
        bind: dict[int, dict[str, str | Along]] = {0: {"y": "error"}, 1: {"x": "at", "y": "on"}}
        more = (Readout("More is known now."),) if self.points > 3 else ()
        explorable = Explorable(
            "A training",
            (step,),
            {
                "error": Swept((), error, 3),
                "at": Swept(("step",), torch.tensor(steps)[:, None], 0),
                "on": Swept(("step",), error[:, None], 3),
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
            "value": f"job.{ID}",
            "start": "digits",
            "options": [{"value": f"job.{ID}", "label": "yours"}],
            "form": {"experiments": [FORM, OWN_CASES]},
        }
        route.fulfill(json={**explorable.payload(), "parameters": [job]})

    def status(self, route: Route) -> None:
        self.questions += 1
        if self.is_silent:
            route.abort()
            return
        if self.trouble:
            route.fulfill(status=503, json={"detail": self.trouble})
            return
        self.tell(route)

    def tell(self, route: Route) -> None:
        """Answers how it stands."""
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
            "mine": True,
            "title": "Digits: none",
            "created": "2026-01-01T00:00:00+00:00",
        }
        route.fulfill(json=done)


@pytest.fixture
def training() -> Training:
    return Training()


@pytest.fixture
def opening(open_tab: Opener, training: Training) -> Iterator[Tab]:
    """A tab that is about to open the figure."""
    tab = open_tab(None)
    tab.page.route(PAYLOAD, training.payload)
    # A payload that takes its time: the server knows nothing of these runs.
    tab.page.route("**/line.progress*", lambda route: route.fulfill(status=204))
    tab.page.route("**/jobs", lambda route: route.fulfill(json={"jobs": []}))
    tab.page.route(f"**/jobs/{ID}", training.status)
    # Later a minute passes at once.
    tab.page.clock.install()
    yield tab
    tab.page.goto("about:blank")  # or it would ask the real server once more
    tab.page.unroute_all(behavior="ignoreErrors")


@pytest.fixture
def tab(opening: Tab) -> Tab:
    opening.open(LINE.standalone)
    expect(report(opening)).to_contain_text("Training: 150 of 2,000 steps.")
    return opening


def report(tab: Tab) -> Locator:
    return tab.figure.get_by_role("region", name="These runs")


def step(tab: Tab) -> Locator:
    return tab.slider("step")


def form(tab: Tab) -> Locator:
    """The form, opened."""
    tab.figure.get_by_text("Train runs of your own", exact=True).click()
    return tab.figure.locator("details", has_text="Train runs of your own")


def test_a_figure_grows_with_its_training_in_place(tab: Tab, training: Training) -> None:
    tab.page.evaluate("() => { window.lines = document.querySelector('.plot .main-svg'); }")
    training.points = 8
    expect(step(tab)).to_have_attribute("max", "8")
    assert tab.page.evaluate("() => lines === document.querySelector('.plot .main-svg')")
    points = tab.page.evaluate("() => document.querySelector('.plot').data[0].y.length")
    assert points == 9
    expect(tab.figure.get_by_text("More is known now.", exact=True)).to_be_visible()
    expect(tab.figure.get_by_text("After 400 steps.", exact=True)).to_be_visible()


def test_a_handle_at_the_end_follows_the_end(tab: Tab, training: Training) -> None:
    expect(step(tab)).to_have_value("3")
    training.points = 8
    expect(step(tab)).to_have_value("8")


def test_a_handle_that_was_moved_stays_with_its_value_and_the_focus(
    tab: Tab, training: Training
) -> None:
    step(tab).press("ArrowLeft")
    training.points = 8
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
    with tab.page.expect_response(PAYLOAD):
        training.points = 8
    tab.page.mouse.move(box["x"] + 12, middle, steps=4)
    tab.drawn()
    expect(step(tab)).to_have_attribute("max", "3")
    expect(step(tab)).to_have_value("0")
    tab.page.mouse.up()
    expect(step(tab)).to_have_attribute("max", "8")
    expect(step(tab)).to_have_value("0")


def test_a_reader_hears_how_long_it_takes_and_that_nobody_answers(
    tab: Tab, training: Training
) -> None:
    left = "410 steps a second, about 40 seconds left."
    silence = "The server does not answer. It is asked again every 5 seconds."
    expect(report(tab)).to_contain_text(left)
    training.is_silent = True
    expect(report(tab)).to_contain_text(silence)
    training.is_silent = False
    expect(report(tab)).to_contain_text(left)
    tab.forgive("ERR_FAILED")


def test_a_reader_hears_what_a_server_says_that_cannot_tell(tab: Tab, training: Training) -> None:
    training.trouble = "The database cannot be used."
    expect(report(tab)).to_contain_text(
        "The database cannot be used. It is asked again every 5 seconds."
    )
    tab.forgive("status of 503")


@pytest.mark.parametrize("headers", [{"Retry-After": "1"}, {}], ids=["later", "some time"])
def test_a_refusal_that_passes_does_not_end_the_watching(
    tab: Tab, training: Training, headers: dict[str, str]
) -> None:
    often = {"status": 429, "headers": headers, "json": {"detail": "Too much was asked for."}}
    tab.page.route(f"**/jobs/{ID}", lambda route: route.fulfill(**often), times=1)
    expect(report(tab)).to_contain_text("Too much was asked for.")
    training.points = 8
    expect(report(tab)).to_contain_text("Training: 400 of 2,000 steps.")
    expect(report(tab)).not_to_contain_text("Too much was asked for.")
    tab.forgive("status of 429")


def test_a_change_is_asked_for_until_the_server_has_time_for_it(
    tab: Tab, training: Training
) -> None:
    def pause(route: Route) -> None:
        training.state = "paused"
        training.tell(route)

    tab.page.route(f"**/jobs/{ID}/pause", pause)
    tab.page.route(f"**/jobs/{ID}/pause", lambda route: route.fulfill(**LATER), times=1)
    tab.button("Pause").click()
    expect(report(tab).get_by_role("alert")).to_have_text(ASKED_AGAIN)
    expect(report(tab)).to_contain_text("Paused: 150 of 2,000 steps.")
    expect(report(tab).get_by_role("alert")).to_be_empty()
    tab.forgive("status of 503")


def test_a_change_takes_the_place_of_one_that_waits(tab: Tab, training: Training) -> None:
    pauses: list[Route] = []

    def refuse(route: Route) -> None:
        pauses.append(route)
        route.fulfill(**LATER | {"headers": {"Retry-After": "60"}})

    def stop(route: Route) -> None:
        training.state = "stopped"
        training.tell(route)

    tab.page.route(f"**/jobs/{ID}/pause", refuse)
    tab.page.route(f"**/jobs/{ID}/stop", stop)
    tab.button("Pause").click()
    expect(report(tab).get_by_role("alert")).to_have_text(ASKED_AGAIN)
    tab.button("Stop").click()
    expect(report(tab)).to_contain_text("Stopped: 150 of 2,000 steps.")
    tab.page.clock.run_for(60_000)
    tab.drawn()
    assert len(pauses) == 1
    expect(report(tab).get_by_role("alert")).to_be_empty()
    tab.forgive("status of 503")


def test_of_runs_that_nothing_is_known_of_nothing_is_shown(
    opening: Tab, training: Training
) -> None:
    training.is_silent = True
    opening.open(LINE.standalone)
    expect(report(opening)).to_contain_text("The server does not answer.")
    for part in (".title", "progress", ".far", ".actions"):
        expect(report(opening).locator(part)).to_be_hidden()
    training.is_silent = False
    expect(report(opening).get_by_role("button", name="Stop")).to_be_visible()
    expect(report(opening).get_by_role("link", name="CSV")).to_be_visible()
    opening.forgive("ERR_FAILED")


def test_a_chart_reads_out_that_a_place_has_no_value(opening: Tab, training: Training) -> None:
    training.lost = 2
    opening.open(LINE.standalone)
    values = opening.figure.get_by_role("slider", name="Values in the chart")
    values.press("Home")
    expect(values).to_have_attribute("aria-valuetext", re.compile("title: 1, "))
    values.press("End")
    expect(values).to_have_attribute("aria-valuetext", re.compile("no value"))


def test_a_figure_without_runs_has_no_form_for_them(open_tab: Opener) -> None:
    tab = open_tab(GRID.standalone)
    expect(tab.figure.locator(".body")).to_have_count(1)
    expect(tab.figure.locator(".jobs")).to_have_count(0)


def test_it_is_said_that_a_link_to_runs_is_broken(open_tab: Opener) -> None:
    tab = open_tab(YOURS.standalone + "?run=job.x")
    expect(tab.figure.locator(".message")).to_have_text(
        "run must be job. and 16 hexadecimal digits, as in the link to the runs. "
        "Open that link again."
    )
    expect(tab.figure.get_by_label("Runs", exact=True)).to_have_value("digits")
    tab.forgive("422")


def test_a_training_that_has_ended_is_not_asked_after_any_more(
    tab: Tab, training: Training
) -> None:
    training.points, training.state = 40, "done"
    expect(report(tab)).to_contain_text("Done: 2,000 of 2,000 steps.")
    expect(step(tab)).to_have_attribute("max", "40")
    tab.page.clock.run_for(5_000)
    tab.drawn()
    asked = training.questions
    tab.page.clock.run_for(60_000)
    tab.drawn()
    assert training.questions == asked


def test_the_form_says_how_many_runs_are_asked_for(tab: Tab) -> None:
    form(tab)
    counted = tab.figure.locator(".counted")
    expect(counted).to_have_text(
        "2 norms × 1 batch size × 3 seeds: 6 runs of 2,000 steps, measured every 50."
    )
    tab.figure.get_by_role("checkbox", name="1", exact=True).press("Space")
    expect(counted).to_have_text(
        "2 norms × 2 batch sizes × 3 seeds: 9 runs of 2,000 steps, measured every 50. "
        "BatchNorm cannot learn from batches of 1: left out."
    )
    tab.figure.get_by_label("Steps of each").fill("1")
    expect(counted).to_contain_text("9 runs of 1 step, measured at each.")
    tab.figure.get_by_label("Seeds of each").fill("11")
    expect(counted).to_have_text("Choose from 1 to 10 seeds.")


def wishes(tab: Tab) -> list[Any]:
    """What is asked for from now on; all of it is refused."""
    asked: list[Any] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.post_data_json)
        route.fulfill(status=422, json={"detail": "Not today."})

    tab.page.route("**/jobs", refuse)
    return asked


def test_a_norm_before_the_softmax_is_offered_and_asked_for_with_batchnorm_alone(
    tab: Tab,
) -> None:
    asked, fields = wishes(tab), form(tab)
    fields.get_by_label("Norm before the softmax").select_option("paper")
    fields.get_by_role("button", name="Train", exact=True).click()
    expect(fields.get_by_role("alert")).to_have_text("Not today.")
    fields.get_by_role("checkbox", name="BatchNorm").press("Space")
    expect(fields.get_by_label("Norm before the softmax")).to_be_hidden()
    # The page's complaint may come after the answer.
    with tab.page.expect_console_message(lambda message: "422" in message.text):
        fields.get_by_role("button", name="Train", exact=True).click()
    assert [wish["head"] for wish in asked] == ["paper", "plain"]
    tab.forgive("422")


def test_runs_are_asked_for_until_the_server_has_room_for_them(
    tab: Tab, training: Training
) -> None:
    asked: list[Any] = []

    def start(route: Route) -> None:
        if route.request.method == "GET":
            route.fulfill(json={"jobs": []})
            return
        asked.append(route.request.post_data_json)
        if len(asked) == 1:
            route.fulfill(**LATER)
        else:
            training.tell(route)

    tab.page.route("**/jobs", start)
    fields = form(tab)
    fields.get_by_role("button", name="Train", exact=True).click()
    expect(fields.get_by_role("alert")).to_have_text(ASKED_AGAIN)
    expect(report(tab).locator(".title")).to_be_focused()
    assert len(asked) == 2
    assert asked[0] == asked[1]
    tab.forgive("status of 503")


def send(tab: Tab, fields: Locator) -> None:
    """Hands a file in to another experiment."""
    fields.get_by_label("Experiment").select_option("mnist")
    with tab.page.expect_request("**/jobs/files?*"):
        fields.get_by_label("A file to learn from (.npz)").set_input_files(
            {"name": "cases.npz", "mimeType": "application/zip", "buffer": b"PK"}
        )


def sent(tab: Tab) -> tuple[Locator, list[Route]]:
    """The form, when a file is on its way to another experiment; the test lets it arrive."""
    held: list[Route] = []
    tab.page.route("**/jobs/files?*", lambda route: held.append(route))
    fields = form(tab)
    send(tab, fields)
    return fields, held


def test_runs_wait_for_the_file_that_they_learn_from(tab: Tab) -> None:
    asked, (fields, held) = wishes(tab), sent(tab)
    train = fields.get_by_role("button", name="Train", exact=True)
    train.click()
    expect(fields.get_by_role("alert")).to_have_text(
        "The file is on its way. Train when it is there."
    )
    held[0].fulfill(json={"file": "f" * 64})
    expect(fields.get_by_role("alert")).to_have_text("The runs learn from cases.npz.")
    train.click()
    expect(fields.get_by_role("alert")).to_have_text("Not today.")
    assert [wish["file"] for wish in asked] == ["f" * 64]
    tab.forgive("422")


def test_a_file_that_comes_too_late_is_not_of_another_experiment(tab: Tab) -> None:
    asked, (fields, held) = wishes(tab), sent(tab)
    fields.get_by_label("Experiment").select_option("digits")
    with tab.page.expect_response("**/jobs/files?*"):
        held[0].fulfill(json={"file": "f" * 64})
    fields.get_by_role("button", name="Train", exact=True).click()
    expect(fields.get_by_role("alert")).to_have_text("Not today.")
    assert [wish["file"] for wish in asked] == [""]
    tab.forgive("422")


def test_a_file_is_sent_until_the_server_has_room_for_it(tab: Tab) -> None:
    tab.page.route("**/jobs/files?*", lambda route: route.fulfill(json={"file": "f" * 64}))
    tab.page.route("**/jobs/files?*", lambda route: route.fulfill(**LATER), times=1)
    fields = form(tab)
    send(tab, fields)
    expect(fields.get_by_role("alert")).to_have_text(ASKED_AGAIN)
    expect(fields.get_by_role("alert")).to_have_text("The runs learn from cases.npz.")
    tab.forgive("status of 503")


def test_a_file_that_is_not_wanted_any_more_is_not_sent_again(tab: Tab) -> None:
    tries: list[Route] = []

    def refuse(route: Route) -> None:
        tries.append(route)
        route.fulfill(**LATER | {"headers": {"Retry-After": "60"}})

    tab.page.route("**/jobs/files?*", refuse)
    fields = form(tab)
    send(tab, fields)
    expect(fields.get_by_role("alert")).to_have_text(ASKED_AGAIN)
    fields.get_by_label("Experiment").select_option("digits")
    tab.page.clock.run_for(60_000)
    tab.drawn()
    assert len(tries) == 1
    expect(fields.get_by_role("alert")).to_be_empty()
    tab.forgive("status of 503")
