"""A room of a class in three browsers: the projector, a student's phone, the teacher's remote."""

import csv
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from random import randrange
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, Route, expect

from lnviz.book.present.deck import deck
from tests.browser.accessibility import COLORS, objections
from tests.browser.conftest import context, part, tab
from tests.browser.rooms import command, state_of
from tests.browser.serving import Shared
from tests.browser.tab import Tab
from tests.service.proxy import proxy

LESSON, QUESTION, RIGHT, WRONG = "axes", "shared", "its row", "its column"
"""A question of four options, and two of them."""

FIGURE = "grid"
PROJECTOR = {"width": 1280, "height": 720}
HAND = {"width": 390, "height": 844}
LIGHT = 60_000
"""Bytes that a phone may fetch before its first figure."""

SILENCE, FIRST = 41_000, 5_000
"""Milliseconds after which a phone gives a silent stream up, and one that has yet to begin."""

# What can be pressed and is smaller than a thumb; answers are larger.
SMALL = """() => [...document.querySelectorAll("button, input, a")].filter((each) => {
  const { width, height } = each.getBoundingClientRect();
  const least = each.closest(".answers") ? 72 : 48;
  return each.checkVisibility() && !each.closest(".ln") && (height < least - 0.5 || width < 47.5);
}).map((each) => each.outerHTML)"""

SCROLLS = """() => [document.documentElement, document.querySelector("main")]
  .some((each) => each.scrollHeight > each.clientHeight || each.scrollWidth > each.clientWidth)"""

KEPT = "() => Object.values(localStorage).join(' ')"

FOCUSED = "() => document.activeElement.textContent"


@dataclass
class Room:
    """A room with its three browsers; more phones may come."""

    code: str
    projector: Tab
    remote: Tab
    phone: Tab
    stack: ExitStack
    browser: Browser

    def another(self, base: str = "", **options: object) -> Tab:
        """A phone of another student, at the door; `base` is its way to the server."""
        hand = self.stack.enter_context(context(self.browser, viewport=HAND, **options))
        return self.stack.enter_context(tab(hand, base or self.projector.base))

    def press(self, *names: str) -> None:
        """Presses the remote's main button when it says each of these."""
        for name in names:
            next_action(self.remote.page, name).click()


@pytest.fixture(scope="module")
def tabs(server: Shared, browser: Browser) -> Iterator[list[Tab]]:
    """The tabs of a projector, a remote and a phone, in a browser each."""
    with ExitStack() as stack:
        opened = [
            stack.enter_context(context(browser, viewport=size)) for size in (PROJECTOR, HAND, HAND)
        ]
        yield [stack.enter_context(tab(each, server.url)) for each in opened]


def forget(tab: Tab) -> None:
    """Leaves a browser as if it had not been here before."""
    tab.page.goto(f"{tab.base}/_stcore/health")  # which shows no page
    tab.page.evaluate("() => [sessionStorage, localStorage].forEach((each) => each.clear())")
    tab.page.emulate_media(color_scheme="light")
    tab.page.context.clear_cookies()
    tab.forgive("409")  # the projector's figure and the remote speak at once
    part(tab)


@pytest.fixture
def room(server: Shared, browser: Browser, tabs: list[Tab]) -> Iterator[Room]:
    """A room at a question that is not asked yet, with one student."""
    with ExitStack() as stack:
        projector, remote, phone = tabs
        projector.page.goto(f"{server.url}/join")  # which gives a name: each may open as many rooms
        # One address has eight rooms at once: each test is a school of its own.
        school = {"X-Forwarded-For": f"192.0.2.{randrange(256)}"}
        asked = {"lesson": LESSON, "screen": QUESTION}
        made = projector.ask("/rooms", "POST", data=asked, headers=school)
        code = made.json()["code"]
        projector.page.goto(f"{server.url}/present/{LESSON}?screen={QUESTION}&room={code}")
        link = projector.ask(f"/rooms/{code}/remote", "POST").json()["link"]
        remote.page.goto(server.url + link[link.index("/rooms/") :])
        projector.page.get_by_role("button", name="Let it lead").click()
        # The first press uncovers the screen, and does not go past it.
        expect(projector.page.locator(".card")).to_be_visible()
        next_action(remote.page, "Hide the join card").click()
        expect(projector.page.locator(".card")).to_be_hidden()
        # Before it is asked, no press on the projector tells the answer.
        projector.page.locator("form.ln-ask button").first.dispatch_event("click")
        expect(projector.page.get_by_text("Not quite.")).to_have_count(0)
        phone.page.goto(f"{server.url}/{code}")
        expect(option(phone, RIGHT)).to_have_count(0)
        expect(phone.page.get_by_text("You answer here when the teacher asks.")).to_be_visible()
        yield Room(code, projector, remote, phone, stack, browser)
        for each in tabs:
            forget(each)


def option(phone: Tab, words: str) -> Locator:
    return phone.page.get_by_role("group").get_by_role("button", name=words)


def next_action(page: Page, name: str) -> Locator:
    """The remote's main button, once it says this, and has said so for a moment."""
    button = page.locator("footer > .main")
    expect(button).to_have_text(name)
    expect(button).not_to_have_attribute("data-new", "")
    return button


def other_action(page: Page, name: str) -> Locator:
    """A button beside the remote's main button, once it has said this for a moment."""
    return page.locator("footer .others button:not([data-new])").get_by_text(name, exact=True)


def line(phone: Tab) -> Locator:
    """What has become of an answer, as a screen reader hears it."""
    return phone.page.locator(".phone .line[role=status]")


def test_a_question_goes_its_way_in_three_browsers(room: Room) -> None:
    projector, remote, phone = room.projector.page, room.remote, room.phone
    expect(remote.page.get_by_text("The question on this screen is ready to ask.")).to_be_visible()
    # Whoever taps twice asks, and does not close in the same breath.
    next_action(remote.page, "Ask").dblclick()
    expect(remote.page.get_by_role("button", name="Close the question", exact=True)).to_be_visible()
    remote.page.get_by_role("button", name="Next →").click()
    warning = remote.page.get_by_text("A question is open. Press again to leave it.")
    expect(warning).to_be_visible()
    expect(line(phone)).to_have_text("Choose one. You can change it until the question closes.")
    option(phone, RIGHT).click()
    expect(line(phone)).to_contain_text("Saved: B, its row.")
    expect(remote.page.locator(".histogram .votes")).to_have_text(["0", "1", "0", "0"])
    # Nobody but the teacher knows before the second vote.
    for page in (projector, phone.page):
        expect(page.locator(".rounds, button.right")).to_have_count(0)
    # Who loads the projector or the remote anew in a vote has all of it again.
    projector.reload()
    expect(projector.get_by_text("Answer on your phone.")).to_be_visible()
    expect(projector.get_by_text("1 of 1 answered")).to_be_visible()
    expect(projector.locator(".rounds")).to_have_count(0)
    remote.page.reload()
    expect(remote.page.locator(".histogram .votes")).to_have_text(["0", "1", "0", "0"])
    expect(line(phone)).to_contain_text("Saved: B, its row.")
    room.press("Close the question")
    expect(line(phone)).to_have_text("Closed. Your answer: B, its row.")
    assert phone.page.evaluate(FOCUSED).strip().startswith("B")
    room.press("Let them talk")
    expect(line(phone)).to_have_text("Tell your neighbor your answer and why. Then vote again.")
    room.press("Ask again (round 2)")
    expect(line(phone)).to_contain_text("Your first answer: B, its row.")
    expect(phone.page.locator(".answers [aria-pressed=true]")).to_have_count(0)
    option(phone, WRONG).click()
    expect(line(phone)).to_contain_text("Saved: A, its column.")
    room.press("Close the question")
    next_action(remote.page, "Show the answer")
    expect(remote.page.get_by_role("button", name="Show the answer")).to_have_count(1)
    room.press("Show the answer")
    expect(line(phone)).to_contain_text("The answer is B, its row. You answered B, then A.")
    expect(option(phone, RIGHT)).to_contain_text("✓ right")
    expect(projector.get_by_text("Round 2").first).to_be_visible()
    room.press("Next screen")
    expect(phone.page.locator(".where")).to_contain_text("screen 4 of")
    expect(phone.page.get_by_role("heading", name="Remember")).to_be_visible()
    told = phone.page.get_by_role("status").filter(has_text="Screen")
    expect(told).to_have_text(f"Screen 4 of {deck(LESSON).default_count}: Remember")


def test_a_phone_counts_screens_as_the_projector_does(room: Room) -> None:
    projector = room.projector.page
    projector.goto(f"{projector.url}&without=grid")
    projector.keyboard.press("PageDown")
    said = f"3 of {deck(LESSON).default_count - 1}"
    expect(projector.locator(".navigation .count")).to_have_text(said)
    expect(room.phone.page.locator(".where")).to_contain_text(f"screen {said}")


def test_an_answer_waits_on_the_phone_for_the_network(room: Room) -> None:
    phone = room.phone
    room.press("Ask")
    expect(option(phone, RIGHT)).to_be_visible()
    phone.page.context.set_offline(True)
    option(phone, RIGHT).click()
    expect(line(phone)).to_contain_text(
        "is saved on this phone and will be sent when you are back online"
    )
    expect(option(phone, RIGHT)).to_contain_text("not sent yet")
    phone.page.context.set_offline(False)
    expect(line(phone)).to_contain_text("Saved: B, its row.")
    phone.forgive("net::ERR_", "Failed to fetch")
    phone.page.reload()
    expect(option(phone, RIGHT)).to_have_attribute("aria-pressed", "true")
    expect(room.remote.page.locator(".histogram .votes")).to_have_text(["0", "1", "0", "0"])


def test_a_network_that_stands_still_and_is_cut_loses_no_answer_and_doubles_none(
    room: Room,
) -> None:
    parts = urlsplit(room.projector.base)
    assert parts.port is not None
    room.press("Ask")
    with proxy(parts.port) as way:
        late = room.another(f"http://localhost:{way.port}")
        late.page.clock.install()
        late.page.goto(f"{late.base}/{room.code}")
        option(late, WRONG).click()
        expect(line(late)).to_contain_text("Saved: A, its column.")
        way.freeze()
        # The connection is there; the server would have said something by now.
        late.page.clock.fast_forward(SILENCE)
        late.page.clock.fast_forward(FIRST)
        expect(late.page.locator("header .state")).to_have_text("can’t reach the server")
        option(late, RIGHT).click()
        expect(line(late)).to_contain_text("is saved on this phone. Trying again in")
        way.thaw()
        expect(line(late)).to_contain_text("Saved: B, its row.")
        way.cut()
        option(late, "the whole table").click()
        expect(line(late)).to_contain_text("is saved on this phone. Trying again in")
        way.mend()
        expect(line(late)).to_contain_text("Saved: C")
        expect(room.remote.page.locator(".histogram .votes")).to_have_text(["0", "0", "1", "0"])
        late.page.close()  # which would go on asking
        late.forgive("net::ERR_")
    table = room.projector.ask(f"/rooms/{room.code}/answers.csv").text()
    assert [row["answer"][0] for row in csv.DictReader(table.splitlines())] == ["C"]


def test_a_student_comes_in_by_the_code_and_looks_back_but_not_ahead(room: Room) -> None:
    room.press("Ask")
    late = room.another()
    late.page.goto(f"{late.base}/join")
    field = late.page.get_by_role("textbox", name="The six digits on the projector")
    field.fill(f"{room.code[:3]} {room.code[3:]}")
    field.press("Enter")
    expect(option(late, RIGHT)).to_be_visible()
    late.page.get_by_role("button", name="I am lost").click()
    lost = late.page.get_by_role("button", name="I am lost (for 5 minutes)")
    expect(lost).to_have_attribute("aria-pressed", "true")
    late.page.get_by_role("button", name="Look around").click()
    later = late.page.get_by_role("button", name="Later")
    expect(later).to_have_attribute("aria-disabled", "true")
    late.page.get_by_role("button", name="Earlier").click()
    expect(line(late)).to_contain_text("Later screens open after the question on the projector.")
    expect(late.page.locator(".ln .grid").first).to_be_visible()
    late.page.get_by_role("button", name="Back to the teacher").click()
    expect(option(late, RIGHT)).to_be_visible()
    late.page.reload()
    expect(lost).to_be_visible()


def test_a_phone_that_has_lost_its_name_gets_another_by_itself(room: Room) -> None:
    phone = room.phone
    phone.page.route("**/seat", lambda route: route.fulfill(status=401, json={"detail": "No."}))
    phone.page.reload()
    expect(phone.page.get_by_text("No.", exact=True)).to_be_visible()  # it keeps no name
    phone.page.unroute("**/seat")
    phone.page.reload()
    expect(phone.page.get_by_text("You answer here when the teacher asks.")).to_be_visible()
    assert phone.page.url.endswith(f"/{room.code}")
    phone.forgive("401")


def test_a_phone_repeats_by_itself_whatever_the_server_refuses_once(room: Room) -> None:
    phone, refused, repeated = room.another(), set[str](), set[str]()

    def refuse_once(route: Route, request: Request) -> None:
        asked = f"{request.method} {urlsplit(request.url).path}"
        # The progress of a figure is asked for until the figure is there.
        if request.resource_type != "fetch" or asked.endswith(".progress"):
            route.continue_()
        elif asked in refused:
            repeated.add(asked)
            route.continue_()
        else:
            refused.add(asked)
            route.fulfill(status=503, json={"detail": "The server is busy."})

    phone.page.route("**/*", refuse_once)
    phone.page.goto(f"{phone.base}/{room.code}")
    expect(phone.page.get_by_text("The server is busy.")).to_be_visible()
    expect(phone.page.get_by_text("You answer here when the teacher asks.")).to_be_visible()
    with phone.page.expect_response(lambda each: each.url.endswith("/signal") and each.ok):
        phone.page.get_by_role("button", name="I am lost").click()
    phone.page.get_by_role("button", name="Look around").click()
    phone.page.get_by_role("button", name="Earlier").click()
    expect(phone.page.locator(".ln .grid").first).to_be_visible()
    phone.page.get_by_role("button", name="Back to the teacher").click()
    room.press("Ask")
    option(phone, RIGHT).click()
    expect(line(phone)).to_contain_text("Saved: B, its row.")
    assert refused == repeated
    assert len(refused) == 7  # seat, events, signal, vote, two screens and a figure
    phone.forgive("503")


def test_a_phone_looks_around_once_it_has_the_projector_s_screen(room: Room) -> None:
    phone = room.another()
    phone.page.route("**/screens/*.json", lambda route: route.abort())
    phone.page.goto(f"{phone.base}/{room.code}")
    look = phone.page.get_by_role("button", name="Look around")
    expect(look).to_have_attribute("aria-disabled", "true")
    look.click(force=True)
    expect(look).to_have_attribute("aria-pressed", "false")
    room.press("Ask")  # the letters of its options are known
    option(phone, "B").click()
    expect(line(phone)).to_contain_text("Saved: B")
    phone.page.unroute("**/screens/*.json")
    expect(option(phone, RIGHT)).to_be_visible()
    look.click()
    expect(look).to_have_attribute("aria-pressed", "true")
    phone.forgive("net::ERR_FAILED")


def test_a_door_can_be_locked_and_a_code_be_wrong(room: Room) -> None:
    room.remote.page.get_by_role("button", name="Close the room to newcomers").click()
    expect(room.remote.page.get_by_role("button", name="✓ Closed to newcomers")).to_be_visible()
    late = room.another()
    late.page.goto(f"{late.base}/{room.code}")
    expect(
        late.page.get_by_text("This room is closed to newcomers. Ask the teacher.")
    ).to_be_visible()
    # The projector invites nobody, and whoever was refused comes in when the door opens again.
    projector = room.projector.page
    expect(projector.locator(".join")).to_have_text("This room is closed to newcomers.")
    expect(projector.locator(".corner-code")).to_be_hidden()
    projector.keyboard.press("j")
    expect(projector.get_by_role("heading", name="This room is closed")).to_be_visible()
    expect(projector.locator(".card .code, .card .qr")).to_have_count(3)
    for each in projector.locator(".card .code, .card .qr").all():
        expect(each).to_be_hidden()
    room.remote.page.get_by_role("button", name="✓ Closed to newcomers").click()
    expect(projector.locator(".card .code")).to_be_visible()
    projector.keyboard.press("j")
    joined = late.page.get_by_text("You answer here when the teacher asks.")
    expect(joined).to_be_visible(timeout=20_000)
    late.page.goto(f"{late.base}/000000")
    expect(late.page.get_by_role("status").filter(has_text="no room 000 000")).to_be_visible()
    late.forgive("404", "423")


def test_who_is_removed_is_asked_for_first_and_told(room: Room) -> None:
    remote, phone = room.remote.page, room.phone
    room.press("Ask")
    option(phone, RIGHT).click()
    expect(line(phone)).to_contain_text("Saved: B, its row.")
    remote.get_by_role("button", name="The room", exact=True).click()
    remove = remote.get_by_role("button", name="Remove its phones and answers")
    question = remote.get_by_role("dialog", name="Remove 1 phone and 1 answer?")
    remove.click()
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_have_count(0)
    remove.click()
    assert objections(remote) == ""
    question.get_by_role("button", name="Remove them").click()
    # It has a seat again by itself, but no answer that nobody counts.
    expect(line(phone)).to_contain_text("Choose one.")
    expect(phone.page.locator(".answers [aria-pressed=true]")).to_have_count(0)
    told = phone.page.get_by_text("Your teacher removed this phone and its answers.")
    expect(told).to_be_visible()
    option(phone, WRONG).click()
    expect(line(phone)).to_contain_text("Saved: A, its column.")
    expect(told).to_have_count(0)
    remote.get_by_role("button", name="Back to the lesson").click()
    expect(remote.locator(".histogram .votes")).to_have_text(["1", "0", "0", "0"])
    state = state_of(room.projector, f"/rooms/{room.code}")
    number = state["remotes"][0]["number"]
    # A phone that asks to lead is seen where its link was, and a remote knows itself.
    remote.get_by_role("button", name="The room", exact=True).click()
    expect(remote.get_by_text(f"This phone is remote number {number}.")).to_have_count(1)
    remote.get_by_role("button", name="Use a phone as the remote").click()
    asking = room.another()
    asking.page.goto(remote.locator(".once a").get_attribute("href") or "")
    expect(asking.page.get_by_text("choose “Let it lead” for this number:")).to_be_visible()
    refuse = remote.get_by_role("dialog").get_by_role("button", name="Refuse")
    expect(refuse).to_be_in_viewport(ratio=1)
    expect(remote.locator(".once a")).to_have_count(0)
    asking.page.close()
    refuse.click()
    expect(refuse).to_have_count(0)
    leave = remote.get_by_role("button", name="Remove …", exact=True)
    question = remote.get_by_role("dialog", name=f"Remove remote number {number}?")
    leave.click()
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_have_count(0)
    leave.click()
    question.get_by_role("button", name="Remove", exact=True).click()
    expect(remote.get_by_text("This browser does not control this room.")).to_be_visible()
    expect(remote.locator(".histogram")).to_have_count(0)
    phone.forgive("401")
    room.remote.forgive("401", "403")  # it asked for the phones' addresses just then


def test_a_vote_starts_over_only_after_a_question(room: Room) -> None:
    remote, phone, projector = room.remote.page, room.phone, room.projector.page
    expect(remote.locator(".question-text")).to_contain_text("Under LayerNorm")
    room.press("Ask")
    expect(remote.get_by_role("button", name="Show the answer")).to_have_count(0)
    option(phone, RIGHT).click()
    expect(remote.locator(".histogram .votes")).to_have_text(["0", "1", "0", "0"])
    over = other_action(remote, "Start over …")
    dialog = remote.get_by_role("dialog", name="Start this question over?")
    over.click()
    expect(dialog).to_contain_text("The answer so far no longer counts")
    dialog.get_by_role("button", name="Cancel").click()
    expect(line(phone)).to_contain_text("Saved: B, its row.")
    over.click()
    dialog.get_by_role("button", name="Start over", exact=True).click()
    expect(line(phone)).to_contain_text("Choose one.")
    expect(remote.locator(".histogram .votes")).to_have_text(["0", "0", "0", "0"])
    # A teacher's own question waits until the screen's is closed, and starts over as itself.
    remote.get_by_role("button", name="The room", exact=True).click()
    later = remote.get_by_role("button", name="Close the question before you ask your own")
    expect(later).to_have_attribute("aria-disabled", "true")
    remote.get_by_role("button", name="Back to the lesson").click()
    room.press("Close the question")
    own = {"text": "Which norm?", "options": ["Batch", "Layer"], "right": 1}
    command(room.projector, f"/rooms/{room.code}", verb="ask", own=own)
    option(phone, "Layer").click()
    expect(remote.locator(".histogram .votes")).to_have_text(["0", "1"])
    expect(remote.locator(".question-text")).to_have_text("Which norm?")
    expect(remote.locator(".histogram .right")).to_have_text("B Layer ✓100%1")
    room.press("Close the question")
    expect(projector.get_by_text("Round 1 is closed")).to_be_visible()
    projector.keyboard.press("PageDown")
    expect(projector.get_by_text("The result has not been shown.")).to_be_visible()
    other_action(remote, "Show the answer").click()
    expect(projector.locator(".rounds")).to_be_visible()
    expect(projector.locator(".because")).to_have_count(0)
    other_action(remote, "Ask again (round 2)").click()
    room.press("Close the question", "Show the answer")
    other_action(remote, "Start over …").click()
    expect(line(phone)).to_contain_text("Choose one.")
    expect(projector.locator("div.question")).to_have_text("Which norm?")
    # The screen's own question is back with its round, and the result of the other one at hand.
    room.press("Close the question")
    other_action(remote, "Show the answer").click()
    room.press("Back to the screen")
    expect(projector.locator("div.question")).to_contain_text("Under LayerNorm")
    expect(remote.locator("footer > .main")).to_have_text("Let them talk")
    remote.get_by_role("button", name="Show again: Which norm?").click()
    expect(projector.locator("div.question")).to_have_text("Which norm?")


def test_a_remote_needs_no_mouse(room: Room) -> None:
    page = room.remote.page
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    for name in ("Ask", "Close the question"):
        next_action(page, name).press("Enter")
    expect(page.get_by_role("button", name="Let them talk")).to_be_visible()
    assert page.evaluate(FOCUSED) == "Let them talk"
    page.keyboard.press("PageDown")
    expect(page.get_by_text("The result has not been shown. Press again")).to_be_visible()
    page.wait_for_timeout(400)  # until then, it would be a bounce of the first press
    page.keyboard.press("PageDown")
    expect(page.get_by_text("4 of")).to_be_visible()
    projector = room.projector.page
    expect(projector.locator(".navigation .count")).to_contain_text("4 of")
    projector.keyboard.press("ArrowLeft")
    expect(page.get_by_text("3 of")).to_be_visible()
    expect(page.get_by_text("Your press was undone: the projector")).to_be_visible()


def test_a_remote_keeps_its_time_limit_and_forgets_a_failure(room: Room) -> None:
    page = room.remote.page
    next_action(page, "Ask")
    page.get_by_role("button", name="The room", exact=True).click()
    page.get_by_label("Time limit of the next questions from this device").select_option("1 min")
    page.get_by_role("button", name="Back to the lesson").click()
    next_action(page, "Ask · 1 min")
    page.reload()
    next_action(page, "Ask · 1 min")
    failure = page.get_by_text("The server did not get that. Try again.")
    page.context.set_offline(True)
    page.get_by_role("button", name="free", exact=True).click()
    expect(failure).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator("header .state")).to_have_text("connected")
    expect(failure).to_be_visible()  # for who has not looked at the remote meanwhile
    room.press("Ask · 1 min")
    expect(failure).to_have_count(0)
    expect(room.projector.page.locator(".navigation .time-left")).to_be_visible()
    room.remote.forgive("net::ERR_", "Failed to fetch")


def test_a_figure_follows_the_teacher_and_is_handed_in(room: Room) -> None:
    remote, phone = room.remote.page, room.phone
    remote.get_by_role("button", name="← Back").click()
    expect(phone.page.locator(".ln .grid").first).to_be_visible()
    look = phone.page.get_by_role("button", name="Look around")
    look.click()
    expect(look).to_have_attribute("aria-pressed", "true")
    for mode, said in (
        ("paused", "Eyes up front"),
        ("free", "Try it yourself"),
        ("paused", "Eyes up front"),
        ("led", ""),
    ):
        remote.get_by_role("button", name=mode, exact=True).click()
        expect(line(phone)).to_contain_text(said)
        expect(look).to_have_attribute("aria-pressed", "false")
        expect(look).to_have_attribute("aria-disabled", str(mode == "paused").lower())
        # Higher than the phone is the figure, but not too high to see what is said.
        expect(line(phone)).to_be_in_viewport() if said else expect(line(phone)).to_be_hidden()
    sentence = ".step-sentence:visible"
    room.projector.page.keyboard.press("PageDown")
    expect(room.projector.page.locator("[aria-current=step]")).to_have_text("2")
    expect(phone.page.locator("[aria-current=step]")).to_have_text("2")
    said = room.projector.page.locator(sentence).text_content() or ""
    expect(phone.page.locator(sentence)).to_have_text(said)
    room.projector.page.keyboard.press("PageUp")
    expect(phone.page.locator("[aria-current=step]")).to_have_text("1")
    room.projector.page.locator(".ln label:visible").filter(has_text="BatchNorm").click()
    expect(phone.page.locator(sentence)).to_have_count(0)
    followed = phone.page.get_by_role("radio", name="BatchNorm")
    expect(followed).to_be_checked()
    wall = room.projector.page
    other = wall.context.new_page()
    other.goto(f"{room.projector.base}/present/{LESSON}?room={room.code}")
    expect(other.get_by_role("radio", name="BatchNorm")).to_be_checked()
    for changed, follower, norm in ((wall, other, "LayerNorm"), (other, wall, "BatchNorm")):
        changed.locator(".ln label:visible").filter(has_text=norm).click()
        expect(follower.get_by_role("radio", name=norm)).to_be_checked()
    other.close()
    expect(followed).to_be_checked()
    remote.get_by_role("button", name="Ask for a setting").click()
    expect(followed).to_be_checked()  # what is asked begins where the teacher has set it
    hand = phone.page.get_by_role("button", name="Hand in:")
    expect(hand).to_have_attribute("aria-disabled", "false")
    hand.click()
    expect(line(phone)).to_contain_text("You can hand in another.")
    expect(remote.get_by_text("1 setting", exact=True)).to_be_visible()
    remote.get_by_role("button", name="Remove this answer").click()
    remote.get_by_role("dialog", name="Remove 1 answer: ").get_by_role(
        "button", name="Remove"
    ).click()
    removed = phone.page.get_by_text("Your teacher removed your answer.")
    expect(removed).to_be_visible()
    expect(line(phone)).not_to_contain_text("You can hand in another.")
    hand.click()
    expect(removed).to_have_count(0)
    expect(line(phone)).to_contain_text("You can hand in another.")
    expect(remote.get_by_text("1 setting", exact=True)).to_be_visible()
    own = phone.page.get_by_role("radio", name="RMSNorm")
    own.check()
    expect(hand).to_contain_text("RMSNorm")
    hand.click()
    expect(line(phone)).to_contain_text("RMSNorm")
    phone.page.reload()  # which finds the figure as it was handed in
    expect(own).to_be_checked()
    # Once the settings are put away, the figure's steps go on for everybody.
    room.press("Close the question")
    expect(wall.locator(".round")).to_have_text("Closed")  # settings have no rounds
    room.press("Show the settings")
    expect(wall.locator(".settings .dot-track")).to_be_visible()
    expect(remote.get_by_text("step 1 of 4")).to_have_count(0)
    room.press("Back to the figure")
    expect(wall.locator(".settings, .round")).to_have_count(0)
    room.press("Next step")
    for page in (wall, phone.page):
        expect(page.locator("[aria-current=step]")).to_have_text("2")
    wall.get_by_role("button", name="What was handed in").click()
    expect(wall.locator(".settings .dot-track")).to_be_visible()
    room.press("Back to the figure")
    expect(remote.get_by_text("step 2 of 4")).to_be_visible()
    # On a task's screen, a teacher's own question stands above its own answers.
    prompt = {"screen": "start", "task": "Write it down."}
    command(room.projector, f"/rooms/{room.code}", verb="go", **prompt)
    expect(remote.locator(".question-text")).to_have_text("Write it down.")
    remote.get_by_role("button", name="The room", exact=True).click()
    remote.get_by_role("button", name="Ask a question of your own").click()
    remote.get_by_role("textbox", name="Question").fill("How many?")
    remote.get_by_role("button", name="Ask this question").click()
    expect(remote.locator(".question-text")).to_have_text("How many?")
    expect(remote.locator(".own-question textarea")).to_have_value("")


def test_a_hand_on_one_of_two_walls_outlives_an_outage(room: Room) -> None:
    wall, phone, remote = room.projector, room.phone, room.remote.page
    expect(remote.get_by_text("3 of")).to_be_visible()  # it knows where it goes back from
    remote.get_by_role("button", name="← Back").click()
    keys = wall.page.context.storage_state()
    apart = room.stack.enter_context(context(room.browser, viewport=PROJECTOR, storage_state=keys))
    other = room.stack.enter_context(tab(apart, wall.base))
    other.page.goto(f"{wall.base}/present/{LESSON}?room={room.code}")

    def expect_norm(name: str, *tabs: Tab) -> None:
        for each in tabs:
            expect(each.page.get_by_role("radio", name=name)).to_be_checked()

    def move(on: Tab, name: str) -> None:
        on.page.locator(".ln label:visible").filter(has_text=name).click()

    expect_norm("LayerNorm", wall, other, phone)
    refused = []

    def refuse(route: Route) -> None:
        refused.append(route.request.post_data_json)
        route.abort()

    wall.page.route("**/do", refuse)
    with wall.page.expect_event("requestfailed"):
        move(wall, "BatchNorm")
    with wall.page.expect_event("requestfailed"):  # it tries again by itself
        expect_norm("BatchNorm", wall)
    expect_norm("LayerNorm", other, phone)
    wall.page.unroute("**/do")
    expect_norm("BatchNorm", wall, other, phone)
    assert {sent["verb"] for sent in refused} == {"pose"}

    wall.page.context.set_offline(True)
    expect(wall.page.get_by_text("The server can’t be reached.")).to_be_visible()
    move(wall, "LayerNorm")
    other.page.locator(".ln .story .next").click()
    expect(phone.page.locator("[aria-current=step]")).to_have_text("2")
    expect_norm("LayerNorm", wall)
    wall.page.context.set_offline(False)
    expect_norm("LayerNorm", wall, other, phone)
    for each in (wall, other):
        expect(each.page.locator("[data-step]")).to_have_attribute("data-step", "1 4")
    expect(remote.get_by_text("step 1 of 4")).to_be_visible()
    other.page.close()
    # One browser sends at most two poses a second.
    wall.forgive("net::ERR_", "Failed to fetch", "429")
    other.forgive("409", "429")


def test_the_end_of_a_room_is_told_and_leaves_nothing_on_the_phone(room: Room) -> None:
    phone = room.phone
    room.press("Ask")
    option(phone, RIGHT).click()
    expect(line(phone)).to_contain_text("Saved")
    assert "value" in phone.page.evaluate(KEPT)
    room.remote.page.get_by_role("button", name="End …").click()
    room.remote.page.get_by_role("button", name="End the room").click()
    expect(phone.page.get_by_text("Your answers were anonymous.")).to_be_visible()
    lesson = phone.page.get_by_role("link", name="Read the lesson")
    expect(lesson).to_have_attribute("href", f"/{LESSON}")
    expect(room.remote.page.get_by_text("its answers are deleted")).to_be_visible()
    assert "value" not in phone.page.evaluate(KEPT)
    for each in (phone, room.projector, room.remote):
        each.forgive("404", "410")


def test_phone_and_remote_serve_everybody(room: Room) -> None:
    room.press("Ask")
    option(room.phone, RIGHT).click()
    expect(line(room.phone)).to_contain_text("Saved")
    expect(room.remote.page.locator(".histogram .votes")).to_have_text(["0", "1", "0", "0"])
    for each in (room.phone, room.remote):
        assert objections(each.page) == ""
        each.page.emulate_media(color_scheme="dark")
        assert objections(each.page, COLORS) == ""
        assert each.page.evaluate(SMALL) == []
        assert not each.page.evaluate(SCROLLS)


def test_a_phone_is_light(room: Room) -> None:
    room.press("Ask")
    late = room.another()
    assert fetched(late.page, f"{late.base}/{room.code}", option(late, RIGHT)) <= LIGHT


def fetched(page: Page, address: str, until: Locator) -> int:
    """How many bytes a page fetches until something is there, heads included."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda end: sizes.append(end["encodedDataLength"]))
    page.goto(address)
    expect(until).to_be_visible()
    page.evaluate("() => document.fonts.ready.then(() => true)")
    assert sizes
    return sum(sizes)


def test_a_student_s_question_is_on_phones_while_the_projector_shows_it(room: Room) -> None:
    command(room.projector, f"/rooms/{room.code}", verb="questions", open=True)
    phone, remote = room.phone.page, room.remote.page
    phone.get_by_role("button", name="Ask the teacher").click()
    phone.get_by_role("textbox", name="Your question").fill("Why a root?")
    phone.get_by_role("button", name="Send the question").click()
    expect(phone.locator("dialog").get_by_text("Why a root?")).to_be_visible()
    phone.locator("dialog").get_by_role("button", name="Close").click()
    remote.get_by_role("button", name="The room, 1 question").click()
    remote.locator(".questions > summary").click()
    remote.get_by_role("button", name="Show on the projector").click()
    for page in (phone, room.projector.page):
        expect(page.locator(".featured")).to_contain_text("A question from the class")
        expect(page.locator(".featured")).to_contain_text("Why a root?")
    remote.get_by_role("button", name="Back to the lesson").click()
    room.press("Take off the projector")
    expect(phone.locator(".featured")).to_be_empty()
