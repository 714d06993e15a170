"""The presentation view: one screen at a time, readable from the last row; its URL says which."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from lnviz.book.present.deck import REMEMBER, START, deck
from lnviz.lessons import LESSONS, ChoiceExercise, FigureGoal, Lesson
from tests.browser.accessibility import objections
from tests.browser.conftest import DESKTOP, PHONE, part
from tests.browser.figures import GRID
from tests.browser.looks import colored
from tests.browser.ruler import TARGET, wider
from tests.browser.tab import Tab

DECK = deck("axes")
NAMES = [screen.name for screen in DECK.screens[: DECK.default_count]]
LAST = NAMES[-1]
FIGURE = "grid"
(GOAL,) = (screen.name for screen in DECK.screens if isinstance(screen.exercise, FigureGoal))
(QUESTION,) = (
    screen.name
    for screen in DECK.screens
    if isinstance(screen.exercise, ChoiceExercise) and not screen.exercise.number
)
PROJECTOR = {"width": 1280, "height": 720}
FEW = ("placement", "successors")
"""Lessons whose screens are measured with every change; all are where everything is."""

# What of a screen is beyond its edges, what on it is smaller than 20 pixels, words of a picture
# that are not written or lie on each other, an axis title on its tick labels, names of a chart's
# rows on each other, and a finding that is not seen.
# A screen is fitted in the frame after the one in which something on it has changed; a chart that
# is drawn anew changes later, where the browser is busy.
OBJECTIONS = """async () => {
  const screen = document.querySelector(".screen:not([hidden])");
  const isHigh = () => screen.scrollHeight > screen.clientHeight;
  for (let frame = 0; frame < 2 || (frame < 60 && isHigh()); frame++)
    await new Promise(requestAnimationFrame);
  const name = screen.dataset.name;
  const found = [];
  if (isHigh()) found.push(`${name} is too high`);
  if (screen.scrollWidth > screen.clientWidth) found.push(`${name} is too wide`);
  const shown = { visibilityProperty: true, opacityProperty: true };
  const heads = [...screen.querySelectorAll(".ln-place:not(.off) .heads > :not([hidden])")];
  const isSeen = (finding) => finding.checkVisibility(shown);
  const isTask = screen.querySelector(":scope > :is(.task, .round)") !== null;
  const isGoal = screen.matches(".goal:not(:has(> .ln-ask .reply:not(:empty)))");
  const isShown = screen.querySelector(":scope > .round")?.dataset.phase === "shown";
  const isOpen = (isTask || isGoal) && !isShown;
  const isQuiet = isTask || screen.matches(".goal");
  const isAnswer = (finding) => isOpen || (isQuiet && finding.matches(".step-sentence"));
  // Where a figure is tight, what was handed in takes the finding's place.
  const isShared = screen.matches('[data-level~="tighter"]:has(> .settings:not(.off))');
  const isRight = isShared || heads.every((finding) => isSeen(finding) !== isAnswer(finding));
  if (!isRight) found.push(`${name} hides its finding, or shows a step`);
  const walker = document.createTreeWalker(screen, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const on = node.parentElement;
    const silent = "template, .spoken, .heard, .moved, legend, option";
    if (!node.textContent.trim() || on.closest(silent) || !on.checkVisibility(shown)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    if (range.getBoundingClientRect().height < 2) continue;
    const { c, d } = on.ownerSVGElement ? on.getScreenCTM() : { c: 0, d: 1 };
    const size = parseFloat(getComputedStyle(on).fontSize) * Math.hypot(c, d);
    if (size < 19.5) found.push(`${name} has ${node.textContent.trim()} at ${size.toFixed(1)}`);
  }
  for (const plot of screen.querySelectorAll(".plot")) {
    const title = plot.querySelector(".g-ytitle text");
    if (!title || !plot.checkVisibility()) continue;
    const { right, top, bottom } = title.getBoundingClientRect();
    const isLeft = (tick) => {
      const box = tick.getBoundingClientRect();
      return box.left < right - 2 && box.top < bottom && box.bottom > top;
    };
    if ([...plot.querySelectorAll(".yaxislayer-above .ytick text")].some(isLeft))
      found.push(`${name} has ${title.textContent} on its ticks`);
  }
  for (const plot of screen.querySelectorAll(".plot[data-rows]")) {
    if (!plot.checkVisibility()) continue;
    const rows = [...plot.querySelectorAll(".yaxislayer-above .ytick text")];
    const boxes = rows.map((row) => row.getBoundingClientRect());
    boxes.sort((one, other) => one.y - other.y);
    // A line is as high as its font and a quarter more.
    if (boxes.some(({ y }, i) => i && y - boxes[i - 1].y < 0.75 * boxes[i - 1].height))
      found.push(`${name} has names of rows on each other`);
  }
  for (const svg of screen.querySelectorAll(".diagram svg")) {
    if (!svg.checkVisibility()) continue;
    const texts = [...svg.querySelectorAll("text")].filter((text) => text.checkVisibility(shown));
    const written = texts.map((text) => text.textContent);
    for (const { textContent } of svg.querySelectorAll(".box text"))
      if (/\\p{L}{2}/u.test(textContent) && !written.includes(textContent))
        found.push(`${name} has a box without ${textContent}`);
    const lines = [...svg.querySelectorAll(".beside text")].map((text) => text.getBBox());
    lines.sort((one, other) => one.y - other.y);
    // A line is as high as its font and 1.1 times as far from the next one.
    if (lines.some(({ y }, i) => i && y - lines[i - 1].y < 0.8 * lines[i - 1].height))
      found.push(`${name} has words on each other`);
  }
  for (const svg of screen.querySelectorAll(":is(.diagram, .settings) svg")) {
    const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim());
    const seen = texts.filter((text) => text.checkVisibility(shown));
    const edge = svg.getBoundingClientRect();
    const boxes = seen.map((text) => {
      const { x, y, width, height } = text.getBoundingClientRect();
      // A line has room above and below its letters.
      return { left: x, right: x + width, top: y + 0.2 * height, bottom: y + 0.8 * height };
    });
    boxes.forEach(({ left, right, top, bottom }, i) => {
      const isOut = top < edge.top - 1 || bottom > edge.bottom + 1;
      if (isOut) found.push(`${name} cuts ${seen[i].textContent}`);
      const on = boxes.findIndex((other, j) => j > i && other.left < right - 2 &&
        other.right > left + 2 && other.top < bottom && other.bottom > top);
      if (on >= 0) found.push(`${name} has ${seen[i].textContent} on ${seen[on].textContent}`);
    });
  }
  return found;
}"""

DRAWN = """(name) => {
  const screen = document.querySelector(".screen:not([hidden])");
  const figure = screen.querySelector(".ln");
  const plots = [...screen.querySelectorAll(".chart:not([hidden]) .plot")];
  return screen.dataset.name === name && (!screen.querySelector(".ln-place") ||
    (figure?.querySelector(".row") && !figure.hasAttribute("aria-busy") &&
      plots.every((plot) => !plot.checkVisibility() || plot.childElementCount)));
}"""


def go(tab: Tab, query: str = "") -> Tab:
    tab.page.goto(f"{tab.base}/present/axes{query}")
    expect(tab.page.locator(".navigation .told")).to_contain_text(f"of {DECK.default_count}")
    return tab


def shows(tab: Tab, name: str) -> None:
    """Waits until a screen is shown and the address says so."""
    number = NAMES.index(name) + 1
    expect(tab.page.locator(".navigation .count")).to_have_text(f"{number} of {DECK.default_count}")
    expect(tab.page.locator(".screen:visible")).to_have_count(1)
    expect(tab.page.locator(f".screen[data-name='{name}']")).to_be_visible()
    assert tab.query.get("screen", START) == name


@pytest.fixture
def tab(traveler: Tab) -> Iterator[Tab]:
    traveler.page.set_viewport_size(PROJECTOR)
    yield traveler
    traveler.page.emulate_media(color_scheme="light")
    traveler.page.set_viewport_size(DESKTOP)
    part(traveler)


def through(key: str) -> str:
    """The presses that turn from the first to the last step of the figure, and then the screen."""
    return " ".join([key] * len(GRID.explorable().steps))


def test_keys_turn_jump_and_blank(tab: Tab) -> None:
    go(tab)
    for keys, there in [
        ("ArrowRight", NAMES[1]),
        (through("PageDown"), NAMES[2]),
        ("Space", NAMES[3]),
        ("Shift+Space", NAMES[2]),
        ("ArrowLeft", NAMES[1]),
        (through("PageUp"), START),
        ("ArrowLeft", START),
        ("End", LAST),
        ("ArrowRight", LAST),
        ("3 Enter", NAMES[2]),
        ("9 9 Enter", LAST),
        ("Home", START),
    ]:
        for key in keys.split():
            tab.page.keyboard.press(key)
        shows(tab, there)
        if there == FIGURE:
            tab.ready()
    cover = tab.page.locator(".cover")
    for key in ("b", "."):
        tab.page.keyboard.press(key)
        expect(cover).to_be_visible()
        tab.page.keyboard.press(key)
        expect(cover).to_be_hidden()
    tab.page.keyboard.press("l")
    expect(tab.page.locator(".dot")).to_be_visible()
    tab.page.keyboard.press("Escape")
    expect(tab.page.locator(".dot")).to_be_hidden()


def test_back_forward_and_reload_keep_the_screen(tab: Tab) -> None:
    go(tab)
    after = tab.page.get_by_role("button", name="Next", exact=True)
    after.click()
    tab.ready()
    for _ in GRID.explorable().steps:
        after.click()
    tab.page.go_back()
    shows(tab, NAMES[1])
    tab.page.go_forward()
    shows(tab, NAMES[2])
    tab.page.reload()
    shows(tab, NAMES[2])


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("?screen=shared", "shared"),
        ("?screen=3", NAMES[2]),
        ("?screen=2#figure-grid", FIGURE),
        ("?screen=2#%22%5D", NAMES[1]),
        ("?screen=gone", START),
    ],
)
def test_an_address_shows_a_screen_or_the_nearest(tab: Tab, query: str, name: str) -> None:
    shows(go(tab, query), name)


def test_the_page_keys_turn_whatever_has_the_focus_and_other_keys_are_a_controls_own(
    tab: Tab,
) -> None:
    go(tab, "?norm=batch&hide=data")
    expect(tab.page.locator(".ln")).to_have_count(0)
    tab.page.keyboard.press("ArrowRight")
    tab.ready()
    expect(tab.option("BatchNorm")).to_be_checked()
    expect(tab.figure.get_by_label("Data")).to_have_count(0)
    slider = tab.slider(GRID.control("batch size").name)
    slider.focus()
    for key in ("ArrowLeft", "Space", "End", "Home"):
        tab.page.keyboard.press(key)
    tab.address_says(screen=FIGURE, norm="batch", hide="data", batch_size="1")
    tab.page.keyboard.press("PageDown")
    shows(tab, NAMES[2])
    tab.page.keyboard.press("PageUp")
    tab.option("BatchNorm").focus()
    tab.page.keyboard.press("PageDown")
    shows(tab, NAMES[2])
    tab.address_says(screen=NAMES[2], norm="batch", hide="data", batch_size="1")


def test_a_number_is_typed_into_a_cell_and_turns_no_screen(tab: Tab) -> None:
    go(tab, f"?screen={FIGURE}").ready()
    tab.cell(15).click()
    tab.page.keyboard.type("2.5\n")
    expect(tab.cell(15)).to_have_text("2.50")
    shows(tab.ready(), FIGURE)
    tab.cell(14).click()
    tab.page.keyboard.press("ArrowRight")  # to the figure's next step
    expect(tab.figure.locator(".step-numbers [aria-current]")).to_have_text("2")


def test_a_drag_leaves_the_keys_to_the_page(tab: Tab) -> None:
    go(tab, f"?screen={FIGURE}").ready()
    slider = tab.slider(GRID.control("batch size").name)
    box = slider.bounding_box()
    assert box is not None
    tab.page.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.page.mouse.up()
    expect(slider).not_to_be_focused()
    for key in through("ArrowRight").split():
        tab.page.keyboard.press(key)
    shows(tab, NAMES[2])


def test_screens_can_be_left_out_and_parts_for_some_be_shown(tab: Tab) -> None:
    go(tab)
    tab.page.locator(".navigation .count").click()
    dialog = tab.page.get_by_role("dialog")
    dialog.locator("input").nth(1).uncheck()
    dialog.locator("li.more input").first.check()
    expect(tab.page.locator(".navigation .count")).to_have_text(f"1 of {DECK.default_count}")
    deeper = DECK.screens[DECK.default_count].name
    assert tab.query == {"without": FIGURE, "with": deeper}
    dialog.get_by_role("button", name="2 In a table, each row").click()
    expect(dialog).to_be_hidden()
    expect(tab.page.locator(".navigation .count")).to_have_text(f"2 of {DECK.default_count}")
    tab.page.keyboard.press("End")
    expect(tab.page.locator(f".screen[data-name='{deeper}']")).to_be_visible()
    tab.page.reload()
    expect(tab.page.locator(".navigation .count")).to_have_text(
        f"{DECK.default_count} of {DECK.default_count}"
    )


def test_the_answer_to_a_question_is_hidden_until_it_is_asked_for(tab: Tab) -> None:
    form = go(tab, f"?screen={QUESTION}").page.locator(".screen:visible form")
    question = DECK.screen(QUESTION).exercise
    assert isinstance(question, ChoiceExercise)
    expect(form.get_by_role("status")).to_be_empty()
    right = next(answer for answer in question.answers if answer.is_right)
    form.get_by_role("button", name=right.text).click()
    expect(form.get_by_role("status")).to_have_text("Yes.")
    assert tab.page.evaluate(OBJECTIONS) == []
    tab.page.keyboard.press("ArrowRight")
    shows(tab, REMEMBER)


def test_a_task_from_a_link_says_so(tab: Tab) -> None:
    task = "Find a norm that a batch of one does not stop."
    go(tab, f"?screen={FIGURE}&task={task}").ready()
    shown = tab.page.locator(".screen:visible > .task")
    expect(shown).to_have_text(f"From a link: {task}")
    tab.page.keyboard.press("o")  # whoever leads here makes it their own
    tab.page.get_by_role("button", name="Set the task and copy its link").click()
    expect(shown).to_have_text(task)
    tab.page.reload()
    expect(shown).to_have_text(task)


def test_a_goal_stands_above_its_figure(tab: Tab) -> None:
    go(tab, f"?screen={GOAL}").ready()
    form = tab.page.locator(".screen:visible form")
    tab.choose("BatchNorm")
    tab.exact("batch size").fill("2")
    tab.exact("batch size").press("Enter")
    expect(form.get_by_role("status")).to_have_text("Reached.")
    go(tab, f"?screen={FIGURE}").ready()
    tab.page.keyboard.press("End")
    tab.page.keyboard.press("PageUp")
    shows(tab, GOAL)
    expect(tab.page.locator(".ln:visible")).to_have_count(1)


def test_the_way_out_leads_to_the_lesson_as_it_stands(tab: Tab) -> None:
    go(tab, f"?norm=batch&screen={FIGURE}")
    tab.page.keyboard.press("o")
    tab.page.get_by_role("link", name="To the lesson").click()
    tab.page.wait_for_url("**/axes?norm=batch#figure-grid")
    tab.ready()
    link = tab.page.get_by_role("link", name="Present this lesson")
    expect(link).to_have_attribute("href", "present/axes")


def test_paper_has_the_whole_deck(tab: Tab) -> None:
    go(tab)
    tab.page.evaluate("() => { window.printed = 0; window.print = () => window.printed++; }")
    tab.page.keyboard.press("Control+p")
    tab.until("() => window.printed === 1")
    expect(tab.page.locator(".screen:visible")).to_have_count(DECK.default_count)
    expect(tab.figure.locator(".grid").first).to_be_visible()
    tab.page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    shows(tab, START)


def assert_faultless(tab: Tab) -> None:
    assert objections(tab.page) == ""
    assert wider(tab) == []
    heights = [
        button.bounding_box() for button in tab.page.locator(".navigation button:visible").all()
    ]
    assert all(box and box["height"] >= TARGET for box in heights)


def test_a_screen_has_no_fault_by_day_nor_on_a_phone_by_night(tab: Tab) -> None:
    tab = go(tab, f"?screen={FIGURE}").ready()
    assert_faultless(tab)
    tab.page.set_viewport_size(PHONE["viewport"])
    colored(tab, "dark")
    for name in (FIGURE, QUESTION, LAST):  # the last is an exercise
        go(tab, f"?screen={name}")
        assert_faultless(tab)


@pytest.mark.parametrize(
    "lesson",
    [
        pytest.param(each, marks=() if each.slug in FEW else pytest.mark.long, id=each.slug)
        for each in LESSONS
    ],
)
def test_a_screen_is_whole_and_readable_from_the_last_row(tab: Tab, lesson: Lesson) -> None:
    tab.page.goto(f"{tab.base}/present/{lesson.slug}")
    found = []
    for screen in deck(lesson.slug).screens[: deck(lesson.slug).default_count]:
        tab.page.wait_for_function(DRAWN, arg=screen.name)
        steps = tab.page.locator(".screen:not([hidden]) .step-numbers button:visible").count()
        for _ in range(max(1, steps)):
            found += tab.page.evaluate(OBJECTIONS)
            tab.page.keyboard.press("PageDown")
    assert found == []
