"""Laws over what a class sees: every screen on a phone, and one figure everywhere."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from lnviz.book.present.deck import deck
from lnviz.book.teach.plan_slides import plan_slides
from lnviz.book.teach.plans import PLANS
from lnviz.lessons import LESSONS
from tests.browser import test_present
from tests.browser.conftest import context, part, tab
from tests.browser.rooms import answer, command
from tests.browser.serving import Shared
from tests.browser.tab import Tab

HAND: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
SIZES = {"width": 360, "height": 640}, HAND["viewport"]
WALL = {"width": 1280, "height": 720}
FEW = (
    ("axes", "grid"),
    ("placement", "road"),
    ("placement", "level"),
    ("placement", "early"),
    ("placement", "pre"),
    ("lab", "curves"),
)
"""Screens that are walked with every change; all are where everything is."""
HANDED_IN = ({"lesson": "placement", "screen": "road"},)
"""Slides with figures whose settings are shown with every change."""

# What of a phone's screen moves the whole page, is smaller than 11 pixels (in proportion on a phone
# narrower than 390 pixels), tells the answer to a task, breaks a word of an option, the room's code
# or a line before a number, needs scrolling to see the options, draws a number across its cell's
# outline, leads away from the room, or hides most of a figure.
OBJECTIONS = """({ isTask }) => {
  const found = [];
  const { scrollHeight } = document.scrollingElement;
  if (scrollHeight !== innerHeight) found.push(`is ${scrollHeight} high in ${innerHeight}`);
  const shown = { visibilityProperty: true, opacityProperty: true };
  const walker = document.createTreeWalker(document.querySelector(".phone"), NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const on = node.parentElement;
    const silent = ".spoken, .heard, .turned, sub, sup, math, option";
    if (!node.textContent.trim() || on.closest(silent) || !on.checkVisibility(shown)) continue;
    range.selectNodeContents(node);
    if (range.getBoundingClientRect().height < 2) continue;
    const { c, d } = on.ownerSVGElement ? on.getScreenCTM() : { c: 0, d: 1 };
    const size = parseFloat(getComputedStyle(on).fontSize) * Math.hypot(c, d);
    const least = 10.95 * Math.min(1, innerWidth / 390);
    if (size < least) found.push(`has ${node.textContent.trim()} at ${size.toFixed(1)}`);
  }
  for (const joined of document.querySelectorAll(".joined")) {
    const tops = [...joined.getClientRects()].map((box) => box.top);
    if (Math.max(...tops) - Math.min(...tops) > 8) found.push(`breaks ${joined.textContent}`);
  }
  const sentences = ".ln :is(.finding, .step-sentence, .note, .usage)";
  const told = isTask ? document.querySelectorAll(sentences) : [];
  for (const said of told)
    if (said.checkVisibility(shown) && said.textContent) found.push(`tells ${said.textContent}`);
  for (const link of document.querySelectorAll(":is(.ask, .answers, .told) a"))
    found.push(`leads away at ${link.textContent}`);
  const twice = document.querySelector(".line")?.textContent.match(/\\S+\\.[.:]/);
  if (twice) found.push(`ends twice ${twice[0]}`);
  const code = document.querySelector(".phone > header h1");
  if (code.getBoundingClientRect().height > 30) found.push(`breaks ${code.textContent}`);
  for (const cell of document.querySelectorAll(".ln .grid td.pointed")) {
    const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = words.nextNode(); node; node = words.nextNode()) {
      range.selectNodeContents(node);
      if (range.getBoundingClientRect().width > cell.clientWidth - 4)
        found.push(`draws ${node.textContent} across its outline`);
    }
  }
  const { scrollWidth, clientWidth } = document.querySelector("main");
  if (scrollWidth > clientWidth) found.push(`is ${scrollWidth} wide in ${clientWidth}`);
  const main = document.querySelector("main").getBoundingClientRect();
  for (const option of document.querySelectorAll(".answers button")) {
    const { bottom } = option.getBoundingClientRect();
    if (!option.closest(".over") && bottom > main.bottom) found.push(`hides ${option.textContent}`);
    if (option.scrollWidth > option.clientWidth) found.push(`cuts ${option.textContent}`);
    const letters = document.createTreeWalker(option, NodeFilter.SHOW_TEXT);
    for (let node = letters.nextNode(); node; node = letters.nextNode())
      for (const word of node.textContent.matchAll(/[\\p{L}\\p{M}]+/gu)) {
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const tops = [...range.getClientRects()].map((box) => Math.round(box.top));
        if (new Set(tops).size > 1) found.push(`breaks ${word[0]}`);
      }
  }
  const bar = document.querySelector(".ln .toolbar");
  const edge = Math.min(main.bottom, bar?.getBoundingClientRect().top || main.bottom);
  const views = [...document.querySelectorAll(".ln .row > figure, .ln .row > .grid")];
  const visible = views.filter((view) => view.checkVisibility());
  const boxes = visible.map((view) => view.getBoundingClientRect());
  if (!boxes.length) return found;
  const { top, height } = boxes.toSorted((one, other) => one.top - other.top)[0];
  // Above a task's buttons, a view may be higher than what is left of a small phone.
  const most = document.querySelector(".asked") ? Math.min(height, main.height) : height;
  // While everybody moves the figure, its steps need room, too.
  const least = document.querySelector("[data-mode=free]") ? most / 3 : most / 2;
  if (edge - top < least) found.push(`shows ${Math.round(edge - top)} of ${height}`);
  return found;
}"""

# The controls of a figure's bar that are cut off, or that have to be scrolled sideways to be seen.
CUT_OFF = """() => {
  const bar = document.querySelector(".ln .toolbar");
  const kinds = ".parameters, .others, .controls, .options";
  const lines = [bar, ...(bar?.querySelectorAll(kinds) ?? [])];
  const scrolled = lines.filter((line) => line && line.scrollWidth > line.clientWidth + 1);
  const parts = [...(bar?.querySelectorAll("button, input, select, label") ?? [])];
  const isOut = ({ left, right }) => left < 0 || right > innerWidth;
  const cut = parts.filter((part) => part.checkVisibility() && isOut(part.getBoundingClientRect()));
  return [...scrolled, ...cut].map((part) => `cuts off ${part.textContent || part.name}`);
}"""

DRAWN = """({ called, isTask }) => {
  const panel = document.querySelector(isTask ? ".asked" : ".looked, .asked");
  const place = panel?.querySelector(".ln-place");
  const turned = document.querySelector(".turned").textContent.endsWith(called);
  const plots = [...(place?.querySelectorAll(".chart:not([hidden]) .plot") ?? [])];
  return turned && panel && (!place || (place.querySelector(".row") &&
    !place.querySelector("[aria-busy]") &&
    plots.every(({ _fullLayout: drawn, clientWidth: width }) =>
      drawn?._size && (!width || drawn.width === width))));
}"""

# The boxes of a figure's shapes in the units of its drawings, which are not distorted.
SHAPES = """() => [...document.querySelectorAll(".ln .diagram svg")]
  .filter((svg) => svg.checkVisibility())
  .flatMap((svg) => [...svg.querySelectorAll("rect, polyline, circle, polygon, path")])
  .map((shape) => {
    const { x, y, width, height } = shape.getBBox();
    const { a, b, c, d } = shape.getScreenCTM();
    const isEven = Math.abs(Math.hypot(a, b) / Math.hypot(c, d) - 1) < 0.01;
    return [shape.localName, isEven, ...[x, y, width, height].map((side) => Math.round(10 * side))];
  })"""


def everything() -> list[tuple[str, str]]:
    """Each screen of the lessons and, of their deeper parts, those that plans show."""
    core = [
        (lesson.slug, screen.name)
        for lesson in LESSONS
        for screen in deck(lesson.slug).screens[: deck(lesson.slug).default_count]
    ]
    planned = [(s.lesson.slug, s.screen.name) for plan in PLANS for s in plan_slides(plan)]
    return [*dict.fromkeys([*core, *planned])]


def slides_with_figures() -> list[dict[str, Any]]:
    """Each slide with a figure to set, as the room is turned to it: in its lesson, and in plans."""
    slides = [{"lesson": lesson, "screen": screen} for lesson, screen in everything()]
    for plan in PLANS:
        for each in plan_slides(plan):
            where = {"lesson": each.lesson.slug, "screen": each.screen.name, "slide": each.name}
            slides.append({**where, "plan": plan.slug, "pose": dict(parse_qsl(each.state))})
    return slides


class Class:
    """A room, with the phone of a student in the teacher's own browser."""

    def __init__(self, phone: Tab) -> None:
        self.phone = phone
        phone.page.goto(f"{phone.base}/join")
        opened = {"lesson": "axes", "screen": "start"}
        self.code = answer(phone, "/rooms", "POST", opened)["code"]
        self.room = f"/rooms/{self.code}"
        phone.page.goto(f"{phone.base}/{self.code}")

    def do(self, verb: str, **more: object) -> None:
        command(self.phone, self.room, verb=verb, **more)

    def show(self, lesson: str, screen: str) -> list[str]:
        """Turns to a screen, asks what it asks, and returns what phones of two sizes do wrong."""
        document = answer(self.phone, f"/present/{lesson}/screens/{screen}.json")
        is_task = document["figure"] is not None and document["figure"]["goal"] is not None
        self.do("go", lesson=lesson, screen=screen)
        found = self._objections(document["called"], False, is_task)
        if document["figure"] and not is_task:
            self.do("mode", mode="free")
            expect(self.phone.page.locator("[data-mode=free]")).to_be_attached()
            found += self._objections(document["called"], False, is_task)
            self.do("mode", mode="led")
        is_choice = (document["asked"] or {}).get("kind") == "choice"
        if is_task or is_choice:
            self.do("ask")
            found += self._objections(document["called"], True, is_task)
        if is_choice:  # the longest mark is that of one's own right answer
            self.phone.page.locator(".answers button").nth(document["asked"]["right"]).tap()
            expect(self.phone.page.locator(".line.kept")).to_be_visible()
            self.do("close")
            self.do("show")
            expect(self.phone.page.locator(".over .answers .right")).to_be_visible()
            found += self._objections(document["called"], True, is_task)
        return [f"{lesson} {screen} {said}" for said in found]

    def _objections(self, called: str, is_asked: bool, is_task: bool) -> list[str]:
        found: list[str] = []
        for size, other in zip(SIZES, SIZES[::-1], strict=True):
            # A screen may first become narrow and then low, or wide and then high.
            self.phone.page.set_viewport_size({**other, "width": size["width"]})
            self.phone.painted()
            self.phone.page.set_viewport_size(size)
            self.phone.until(DRAWN, {"called": called, "isTask": is_asked})
            self.phone.painted()
            objections = self.phone.page.evaluate(OBJECTIONS, {"isTask": is_task})
            objections += self.phone.page.evaluate(CUT_OFF)
            more = self.phone.page.get_by_role("button", name="More controls")
            if more.is_visible():
                more.tap()
                objections += self.phone.page.evaluate(CUT_OFF)
                self.phone.page.get_by_role("button", name="Fewer controls").tap()
            found += [f"{size['width']} px: {said}" for said in objections]
        return found


@pytest.fixture
def lecture(server: Shared, browser: Browser) -> Iterator[Class]:
    with ExitStack() as stack:
        hand = stack.enter_context(context(browser, **HAND))
        yield Class(stack.enter_context(tab(hand, server.url)))


@pytest.mark.parametrize(
    "screens", [FEW, pytest.param(everything(), marks=pytest.mark.long)], ids=["few", "all"]
)
def test_a_phone_s_screen_stays_is_legible_and_tells_no_answer(
    lecture: Class, screens: list[tuple[str, str]]
) -> None:
    assert [said for screen in screens for said in lecture.show(*screen)] == []


def test_a_figure_waits_for_its_style_sheet_and_reserves_heights_with_it(lecture: Class) -> None:
    page = lecture.phone.page
    held: list[Route] = []
    page.route("**/page/page.css", lambda route: held.append(route))
    with page.expect_response("**/axes/grid.json*"):
        lecture.do("go", lesson="axes", screen="grid")
    lecture.phone.painted()
    expect(page.locator(".ln .row")).to_have_count(0)
    held[0].continue_()
    grid = page.locator(".ln .grid").first
    expect(grid).to_be_visible()
    reserved = grid.evaluate("({ style }) => style.minHeight")
    page.unroute("**/page/page.css")
    page.reload()
    expect(grid).to_be_visible()
    assert grid.evaluate("({ style }) => style.minHeight") == reserved


def test_a_setting_is_asked_for_in_the_words_of_a_step_and_from_where_the_figure_comes_to_rest(
    lecture: Class,
) -> None:
    page = lecture.phone.page
    lecture.do("go", lesson="placement", screen="first-steps", counted=[1, 1, 4, 4])
    lecture.do("ask")
    # The projector's figure may still be on its way to the step.
    there = {"warm-up": "without", "training-steps": "1"}
    lecture.do("pose", pose=there)
    handing = page.locator(".handing button")
    expect(handing).to_have_text("Hand in: no warm-up, training steps 1")
    expect(page.locator(".asked > .ask")).to_contain_text("find the earliest step at which")
    # Without a step, the figure may be anywhere; at a step, it may have been moved since.
    for steps, at, count in (("1", [], 1), ("3", [], 0), ("3", [4, 4], 1), ("1", [1, 4], 0)):
        pose = {**there, "training-steps": steps}
        lecture.do("go", lesson="placement", screen="first-steps", counted=[1, 1, *at], pose=pose)
        lecture.do("ask")
        expect(handing).to_have_text(f"Hand in: no warm-up, training steps {steps}")
        expect(page.locator(".asked > .ask > p")).to_have_count(count)


def test_the_field_of_a_held_cell_comes_with_a_phone_s_other_controls(lecture: Class) -> None:
    page = lecture.phone.page
    lecture.do("go", lesson="axes", screen="grid", pose={"cell": "2.2"})
    for size in SIZES:
        page.set_viewport_size(size)
        expect(page.locator(".ln td.held").first).to_be_visible()
        expect(page.locator(".ln .edit")).to_be_hidden()
        page.get_by_role("button", name="More controls").tap()
        expect(page.locator(".ln .edit")).to_be_visible()
        assert page.evaluate(CUT_OFF) == []
        page.get_by_role("combobox", name="Data").tap()
        page.get_by_role("button", name="Fewer controls").tap()


def test_a_figure_has_the_same_shapes_on_page_wall_phone_and_in_a_frame(lecture: Class) -> None:
    tab = lecture.phone
    lecture.show("placement", "road")
    seen = {"phone": tab.page.evaluate(SHAPES)}
    tab.page.set_viewport_size(WALL)
    for name, address in (
        ("wall", "present/placement?screen=road"),
        ("frame", "explorables/placement/road.html"),
        ("page", "placement"),
    ):
        tab.page.goto(f"{tab.base}/{address}")
        tab.ready()
        seen[name] = tab.page.evaluate(SHAPES)
    for name, shapes in seen.items():
        assert shapes == seen["frame"], name
        assert all(is_even for _, is_even, *_ in shapes)


@pytest.mark.parametrize(
    "slides",
    [HANDED_IN, pytest.param(slides_with_figures(), marks=pytest.mark.long)],
    ids=["few", "all"],
)
def test_what_was_handed_in_is_legible_on_the_wall(
    lecture: Class, slides: list[dict[str, Any]]
) -> None:
    tab = lecture.phone
    tab.page.set_viewport_size(WALL)
    answer(tab, f"{lecture.room}/rehearse", "POST", {})
    found = []
    for slide in slides:
        lesson, screen, plan = slide["lesson"], slide["screen"], slide.get("plan")
        document = answer(tab, f"/present/{lesson}/screens/{screen}.json")
        if not document["figure"] or (document["asked"] or {}).get("kind") in ("choice", "number"):
            continue
        tab.page.goto("about:blank")  # the projector would go there itself
        lecture.do("go", **slide)
        where = f"plans/{plan}?" if plan else f"{lesson}?screen={screen}&"
        tab.page.goto(f"{tab.base}/present/{where}room={lecture.code}")
        tab.ready()
        lecture.do("ask")
        tab.until("() => parseInt(document.querySelector('.navigation .heads').textContent) >= 8")
        for verb in ("close", "show"):
            lecture.do(verb)
        expect(tab.page.locator(".screen:visible > .settings")).to_be_visible()
        objections = tab.page.evaluate(test_present.OBJECTIONS)
        found += [f"{plan or lesson}: {said}" for said in objections]
    tab.forgive("409", "429")  # the projector’s figure and a command speak at once, and it again
    assert found == []


@pytest.fixture
def wall(traveler: Tab) -> Iterator[Page]:
    traveler.page.set_viewport_size(WALL)
    traveler.page.goto(f"{traveler.base}/present/placement")
    yield traveler.page
    traveler.page.context.set_offline(False)
    traveler.forgive("net::ERR_", "Failed to fetch")
    part(traveler)


def test_a_wall_has_the_next_figures_without_network_and_gets_others_after_it(
    wall: Page, traveler: Tab
) -> None:
    message = wall.locator(".trouble")
    # Another test may have shown the last figure to this browser.
    wall.context.new_cdp_session(wall).send("Network.clearBrowserCache")
    with wall.expect_response("**/road.json*"), wall.expect_response("**/plotly.min.js"):
        wall.reload()
    wall.evaluate("() => new Promise((done) => setTimeout(done, 500))")
    wall.context.set_offline(True)
    wall.keyboard.press("PageDown")
    traveler.ready()
    expect(message).to_be_hidden()
    wall.keyboard.press("End")  # which nobody has seen
    expect(message).to_have_text(
        "The server can’t be reached. This figure appears when it is back."
    )
    for said in ("Loading the figure.", "The server did not respond. Try again in a moment."):
        expect(wall.get_by_text(said)).to_be_hidden()
    wall.context.set_offline(False)
    expect(wall.locator(".screen:visible .ln .row").first).to_be_visible()
    expect(message).to_be_hidden()
