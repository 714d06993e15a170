"""A room on the projector: it opens, asks, shows both rounds; the presentation view outlives it."""

from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.browser.accessibility import objections
from tests.browser.conftest import DESKTOP, part
from tests.browser.rooms import answer, command, state_of
from tests.browser.tab import Tab
from tests.browser.test_present import DRAWN, OBJECTIONS

NETWORKS = count(1)


# What lies on another part of the bar, or outside the window.
CROWDED = """() => {
  const isPart = (each) => each.checkVisibility() && !each.matches(".told, .corner-code");
  const boxes = [...document.querySelectorAll(".navigation > *")].filter(isPart)
    .map((each) => each.getBoundingClientRect()).sort((one, other) => one.left - other.left);
  const isOut = ({ left, right }, i) => right > innerWidth || (i && left < boxes[i - 1].right);
  return boxes.filter(isOut);
}"""


@pytest.fixture
def projector(traveler: Tab) -> Any:
    page = traveler.page
    page.set_viewport_size({"width": 1280, "height": 720})
    # Each test is a client of its own in its own network, as behind a proxy: one opens few rooms.
    page.context.clear_cookies()
    page.set_extra_http_headers({"X-Forwarded-For": f"198.51.100.{next(NETWORKS)}"})
    page.goto(f"{traveler.base}/join")
    page.evaluate("localStorage.clear()")  # rooms that this browser has opened before
    yield traveler
    page.set_extra_http_headers({})
    page.set_viewport_size(DESKTOP)
    traveler.forgive("409")  # the projector's figure and a command speak at once
    part(traveler)


def test_a_teacher_s_own_task_comes_to_phones_by_a_code(projector: Tab) -> None:
    page, task = projector.page, "Find a norm that a batch of one does not stop."
    page.goto(f"{projector.base}/present/axes?screen=grid&norm=batch")
    projector.ready()
    page.keyboard.press("o")
    page.get_by_label("Set a task on this figure").fill(task)
    page.get_by_role("button", name="Set the task and ask phones").click()
    expect(page.locator(".screen:not([hidden]) > .task")).to_have_text(task)
    expect(page.locator(".round")).to_contain_text(
        "Try settings on your phone"
    )  # it is asked at once
    expect(page.get_by_role("region", name="Join with your phone")).to_be_visible()
    assert objections(page) == ""
    code = projector.query["room"]
    room = f"/rooms/{code}"
    state = state_of(projector, room)
    assert (state["task"], state["pose"]["norm"]) == (task, "batch")
    assert (state["poll"]["kind"], state["poll"]["phase"]) == ("setting", "asking")
    page.goto(f"{projector.base}/{code}")
    expect(page.locator(".ask")).to_have_text(task)
    hand = page.get_by_role("button", name="Hand in:")
    expect(hand).to_contain_text("BatchNorm")
    hand.click()
    expect(page.locator(".phone .line[role=status]")).to_contain_text("Saved:")
    for screen in ("start", "grid"):  # by a class's own tools, which know no projector
        opened = {"lesson": "axes", "screen": screen, "task": task}
        code = answer(projector, "/rooms", "POST", opened)["code"]
        page.goto(f"{projector.base}/present/axes?room={code}")
        expect(page.locator(".card")).to_be_visible()
        page.keyboard.press("j")
        expect(page.locator(".screen:not([hidden]) > .task")).to_be_visible()
        expect(page.locator(".screen:not([hidden]) > .task")).to_have_text(task)
        expect(page.locator(".heading:visible")).to_have_count(0)
    page.goto("about:blank")


def test_settings_and_their_figure_take_turns(projector: Tab) -> None:
    page = projector.page
    page.goto(f"{projector.base}/present/images?screen=cube&layout=tokens&room=new")
    projector.ready()
    page.keyboard.press("j")
    code = projector.query["room"]
    room = f"/rooms/{code}"
    answer(projector, f"{room}/seat", "POST", {})
    expect(page.locator(".navigation .heads")).to_contain_text("1 here")  # it knows its room
    page.keyboard.press("a")
    said = page.locator(".round")
    expect(said).to_contain_text("Try settings on your phone")
    projector.until(DRAWN, "cube")
    assert page.evaluate(OBJECTIONS) == []
    poll = state_of(projector, room)["poll"]["id"]
    answer(projector, f"{room}/polls/{poll}/1", "PUT", {"value": {"norm": "place"}, "attempt": 1})
    page.keyboard.press("a")
    expect(said).to_have_text("Closed")
    page.keyboard.press("a")
    handed, figure = page.locator(".settings .dot-track"), page.locator(".ln .cube svg")
    expect(handed).to_be_visible()
    expect(figure).to_be_hidden()
    for name, shown in (("The figure", figure), ("What was handed in", handed)):
        page.get_by_role("button", name=name, exact=True).click()
        expect(shown).to_be_visible()
        assert page.evaluate(OBJECTIONS) == []
    expect(figure).to_be_hidden()
    page.reload()
    expect(page.locator(".navigation .heads")).to_contain_text("handed in")
    expect(page.locator(".settings .dot-track")).to_have_count(1)
    spaced = f"{code[:3]} {code[3:]}"
    page.goto(f"{projector.base}/present/batch?room=new")  # another lesson, in the same room
    page.get_by_role("button", name=f"Go to the class in room {spaced} (1 here)").click()
    page.wait_for_url(f"**/present/images?*room={code}*")
    expect(page.locator(".settings .dot-track")).to_have_count(1)
    page.goto(f"{projector.base}/present/batch?room=new")
    page.get_by_role("button", name=f"Bring the class in room {spaced} here").click()
    expect(page.locator(".navigation .join b")).to_have_text(spaced)
    moved = "async (at) => (await (await fetch(at)).json()).room.lesson === 'batch'"
    projector.until(moved, f"{room}/state?as=screen")

    # An exercise begins at its start, and a full bar leaves words out.
    found = {"addresses": ["http://lnviz.university.example:8611"], "reached": True}
    page.route("**/addresses", lambda route: route.fulfill(json=found))
    page.route("**/qr.svg?*", lambda route: route.fulfill(body="", content_type="image/svg+xml"))
    command(projector, room, verb="go", lesson="placement", screen="first-steps")
    expect(page.locator(".screen[data-name='first-steps']")).to_be_visible()
    projector.ready()
    steps = page.locator(".screen:not([hidden]) .ln input[type=range]")
    expect(steps).to_have_value("20")  # half of what the exercise asks for
    command(projector, room, verb="go", screen="even")
    expect(steps).to_have_value("0")
    begun = """async (at) => {
      const { pose } = (await (await fetch(at)).json()).room;
      return pose["training-steps"] === "0" && pose["warm-up"] === "without";
    }"""
    projector.until(begun, f"{room}/state?as=screen")
    answer(projector, f"{room}/rehearse", "POST", {})
    command(projector, room, verb="ask", seconds=30)
    expect(page.locator(".navigation .heads")).to_contain_text("handed in · 30 simulated")
    expect(page.locator(".navigation .time-left")).to_be_visible()
    expect(page.locator(".navigation .join b")).to_be_visible()
    assert page.evaluate(CROWDED) == []
    page.goto("about:blank")


def test_all_windows_follow_the_one_that_leaves_a_plan_and_comes_back(projector: Tab) -> None:
    page, plan = projector.page, "/present/plans/one-idea-for-the-end-of-a-lesson"
    page.goto(f"{projector.base}{plan}?room=new")
    joined = page.locator(".navigation .heads")
    expect(joined).to_contain_text("0 here")
    code = projector.query["room"]
    page.keyboard.press("j")
    # A turn that the server gets later than another window's would be the latest.
    with page.expect_response(lambda got: '"go"' in (got.request.post_data or "")):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".navigation .count")).to_have_text("2 of 7")
    # A movement that the server gets after the class has gone elsewhere does not fetch it back.
    held: list[Route] = []
    cell = page.locator(".screen:not([hidden]) .grid:visible [data-index='0']").first
    expect(cell).to_be_visible()
    page.route(f"**/rooms/{code}/do", lambda route: held.append(route), times=1)
    with page.expect_request(lambda asked: '"pose"' in (asked.post_data or "")):
        cell.click()
    other = page.context.new_page()
    led = (
        ("/present/axes", "screen=grid&norm=batch&room=new", "here"),
        (plan, f"room={code}", "back to screen 2"),  # as from a history, or a bookmark
    )
    full = "async (at) => 'batch-size' in (await (await fetch(at)).json()).room.pose"
    for path, figure, to in led:
        other.goto(f"{projector.base}{path}?{figure}")
        bring = f"Bring the class in room {code[:3]} {code[3:]} {to}"
        with other.expect_response(lambda got: '"go"' in (got.request.post_data or "")):
            other.get_by_role("button", name=bring, exact=True).click()
        while held:
            held.pop().continue_()
        page.wait_for_url(f"**{path}?*room={code}*")
        expect(joined).to_contain_text("0 here")
        if "norm" in figure:  # as the new window's address says, not as the old window begins
            projector.until(full, f"/rooms/{code}/state?as=screen")
            for each in (page, other):
                expect(each.get_by_role("radio", name="BatchNorm")).to_be_checked()
    for each in (page, other):
        expect(each.locator(".navigation .count")).to_have_text("2 of 7")
    # A plan tells the figure's story, and shows it in its own state again.
    page.locator(".screen:not([hidden]) .ln .row").first.wait_for()
    expect(page.locator(".screen:not([hidden]) .story > .next")).to_be_hidden()
    page.locator(".screen:not([hidden]) .grid:visible [data-index='0']").first.click()
    projector.until("() => new URLSearchParams(location.search).get('cell') !== '3.2'")
    for key, place in (("ArrowLeft", "1 of 7"), ("ArrowRight", "2 of 7"), ("ArrowLeft", "1 of 7")):
        page.keyboard.press(key)
        expect(other.locator(".navigation .count")).to_have_text(place)
        if place == "2 of 7":
            projector.until("() => new URLSearchParams(location.search).get('cell') === '3.2'")
    # A window that was never at this plan goes to the slide in its lesson, which may be left out.
    other.goto(f"{projector.base}/present/inside?room={code}")
    other.wait_for_url(f"**/present/axes?screen=shared&room={code}*")
    other.close()
    page.goto("about:blank")


def test_a_presentation_offers_its_teacher_s_room_and_opens_where_the_class_is(
    projector: Tab,
) -> None:
    page = projector.page
    page.goto(f"{projector.base}/present/axes?room=new")
    expect(page.get_by_role("region", name="Join with your phone")).to_be_visible()
    code = projector.query["room"]
    room = f"/rooms/{code}"
    command(projector, room, verb="go", screen="shared")
    expect(page.locator(".screen[data-name='shared']")).to_be_visible()
    page.goto(f"{projector.base}/present/axes")  # as on another day
    page.get_by_role("button", name="Present without a room").click()
    expect(page.locator(".navigation .join")).to_have_count(0)
    expect(page.get_by_text("No room was opened.")).to_be_hidden()
    page.reload()
    page.get_by_role("button", name=f"Return to room {code[:3]} {code[3:]}").click()
    expect(page.locator(".screen[data-name='shared']")).to_be_visible()
    expect(page.locator(".navigation .join b")).to_be_visible()
    told = state_of(projector, room)
    assert told["screen"] in ("shared", 3)
    # A turn that the server does not get is sent again, though events still come.
    page.route(f"**{room}/do", lambda route: route.abort(), times=1)
    page.keyboard.press("PageDown")
    expect(page.locator(".trouble")).to_have_text(
        "The phones do not have this screen yet. It is sent again."
    )
    expect(page.locator(".trouble")).to_be_hidden()
    assert state_of(projector, room)["counted"][0] == told["counted"][0] + 1
    # Unless others have turned the class meanwhile.
    page.route(f"**{room}/do", lambda route: route.abort())
    page.keyboard.press("PageDown")
    expect(page.locator(".trouble")).to_contain_text("It is sent again.")
    command(projector, room, verb="go", screen="grid")
    expect(page.locator(".screen[data-name='grid']")).to_be_visible()
    page.unroute(f"**{room}/do")
    assert state_of(projector, room)["screen"] == "grid"
    projector.forgive("net::ERR_FAILED")


def test_a_question_goes_through_its_phases_on_a_projector_that_outlives_its_room(
    projector: Tab,
) -> None:
    page = projector.page
    found = {"addresses": ["http://192.0.2.9"], "reached": False}  # a test's server has none
    page.route("**/addresses", lambda route: route.fulfill(json=found))
    drawn = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'
    image = {"body": drawn, "content_type": "image/svg+xml"}
    page.route("**/qr.svg?*", lambda route: route.fulfill(**image))
    page.goto(f"{projector.base}/present/axes?screen=shared")
    page.keyboard.press("o")
    page.get_by_role("button", name="Open a room for phones").click()
    card = page.get_by_role("region", name="Join with your phone")
    expect(card).to_be_visible()
    code = projector.query["room"]
    expect(card.locator(".code")).to_have_text(f"{code[:3]} {code[3:]}")
    expect(page.locator(".navigation .heads")).to_have_text("0 here")
    assert objections(page) == ""
    expect(page.get_by_text("No phone has opened this address yet.")).to_be_hidden()
    page.keyboard.press("PageDown")  # what the card covers has not been seen yet
    expect(card).to_be_hidden()
    expect(page.locator(".screen[data-name='shared']")).to_be_visible()
    corner = page.get_by_role("img", name="QR code of the room’s address")
    box = corner.bounding_box()
    assert box is not None
    assert box["width"] >= 90
    page.keyboard.press("j")
    expect(card).to_be_visible()
    expect(corner).to_have_count(1)  # the card's own

    room = f"/rooms/{code}"
    answer(projector, f"{room}/seat", "POST", {})
    page.keyboard.press("a")
    expect(card).to_be_hidden()
    said, count = page.locator(".round"), page.locator(".navigation .heads")
    expect(said).to_contain_text("Answer on your phone.")
    poll = state_of(projector, room)["poll"]["id"]
    for turn, value in ((1, 0), (2, 1)):
        answer(projector, f"{room}/polls/{poll}/{turn}", "PUT", {"value": value, "attempt": 1})
        expect(count).to_contain_text("1 of")
        assert page.locator(".rounds").count() == 0
        page.keyboard.press("a")
        expect(said).to_contain_text(f"Round {turn} is closed")
        if turn == 1:  # a remote turns away and back
            for screen in ("grid", "shared"):
                command(projector, room, verb="go", screen=screen)
                expect(said).to_have_count(int(screen == "shared"))
            expect(said).to_contain_text(f"Round {turn} is closed")
        page.keyboard.press("a")
        if turn == 1:
            expect(said).to_contain_text("Tell your neighbor")
            page.keyboard.press("a")
            expect(said).to_contain_text("Choose again")
    rows = page.locator(".rounds tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.nth(0)).to_contain_text("1")
    expect(page.locator(".rounds .right")).to_contain_text("✓ right")
    assert objections(page) == ""

    page.keyboard.press("PageUp")
    expect(page.locator(".screen[data-name='grid']")).to_be_visible()
    projector.ready()
    projector.choose("BatchNorm")
    projector.until(
        """async (room) => {
          const answer = await fetch(`${room}/state?as=screen`);
          const told = (await answer.json()).room;
          return told.screen === "grid" && told.pose.norm === "batch";
        }""",
        room,
    )
    page.reload()
    expect(count).to_contain_text("here")
    expect(page.locator(".screen[data-name='grid']")).to_be_visible()

    page.keyboard.press("o")
    overview = page.get_by_role("dialog")
    expect(overview.get_by_text("No phone has opened this address yet.")).to_be_visible()
    command(projector, room, verb="go", screen="shared")
    expect(rows).to_have_count(4)  # the question has its result again
    expect(page.locator(".rounds .right")).to_contain_text("✓ right")
    expect(page.locator(".rounds")).to_be_visible()
    expect(overview).to_be_hidden()
    page.keyboard.press("PageUp")
    expect(page.locator(".screen[data-name='grid']")).to_be_visible()

    answer(projector, room, "DELETE", {})
    expect(count).to_have_count(0)
    expect(page.locator(".trouble")).to_have_text("The room has ended.")
    assert "room" not in projector.query
    for key in ("3", "Enter"):  # the next page could be a step of the figure
        page.keyboard.press(key)
    expect(page.locator(".screen[data-name='shared']")).to_be_visible()
    for address in ("**/addresses", "**/qr.svg?*"):
        page.unroute(address)
    # The browser itself complains of what is no longer there.
    projector.complaints = [said for said in projector.complaints if f"rooms/{code}/" not in said]
