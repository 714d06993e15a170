"""Sliders: keys, exact values, the button that plays them, and marks that a hand moves.

What a slider does with each of them is asked in Node, in `tests/frontend/engine`.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import conftest
from tests.browser.conftest import Bench
from tests.browser.drawn import assert_draws
from tests.browser.figures import LINE, place
from tests.browser.serving import Shared
from tests.browser.tab import Tab

GAIN = LINE.control("gain")


def test_keys_move_a_slider_which_says_and_shows_its_value(bench: Bench) -> None:
    tab = bench(LINE.standalone)
    for key, position in (
        ("Home", 0),
        ("ArrowRight", 1),
        ("ArrowUp", 2),
        ("ArrowLeft", 1),
        ("ArrowDown", 0),
        ("PageUp", GAIN.size // 10),
        ("PageDown", 0),
        ("End", GAIN.size - 1),
    ):
        tab.slider("gain").press(key)
        tab.drawn()
        assert tab.position(GAIN) == position
        label = GAIN.label(position)
        expect(tab.slider("gain")).to_have_attribute("aria-valuetext", label)
        expect(tab.exact("gain")).to_have_value(label)


def test_a_typed_value_is_entered_by_the_keyboard(bench: Bench) -> None:
    tab = bench(LINE.standalone)
    tab.exact("gain").fill("2.5")
    tab.page.keyboard.press("Enter")
    tab.drawn()
    assert tab.position(GAIN) == GAIN.index(2.5)
    tab.exact("gain").fill("-2")
    tab.page.keyboard.press("Tab")
    tab.drawn()
    assert tab.position(GAIN) == GAIN.index(-2)


def test_a_typed_value_that_cannot_be_taken_gets_a_sentence(bench: Bench) -> None:
    tab = bench(LINE.standalone)
    tab.exact("gain").fill("<b>2</b>")
    tab.exact("gain").press("Enter")
    sentence = tab.figure.get_by_text("“<b>2</b>” is not a number: gain is unchanged.", exact=True)
    expect(sentence).to_be_visible()
    assert tab.position(GAIN) == GAIN.start_index
    tab.slider("gain").press("ArrowLeft")
    expect(sentence).to_have_count(0)


@pytest.fixture(scope="module")
def clocked(server: Shared, browser: Browser) -> Iterator[Tab]:
    """A figure for which time stands still unless a test lets it pass."""
    # The clock is that of all tabs of a context.
    with conftest.context(browser) as own, conftest.tab(own, server.url) as tab:
        tab.page.clock.install(time=0)
        tab.open(LINE.standalone)
        tab.page.clock.pause_at(3600)
        yield tab


@pytest.fixture
def frozen(clocked: Tab) -> Tab:
    """The figure at its start."""
    clocked.button("Reset").click()
    clocked.page.clock.run_for(1000)
    assert clocked.query == {}
    return clocked


def test_a_play_moves_a_slider_until_it_is_stopped(frozen: Tab) -> None:
    frozen.button("Play gain").click()
    positions = []
    for _ in range(3):
        frozen.page.clock.run_for(300)
        positions.append(frozen.position(GAIN))
    assert positions == sorted(set(positions))
    assert positions[0] > GAIN.start_index
    frozen.button("1×, the speed of gain").click()
    expect(frozen.button("2×, the speed of gain")).to_be_focused()
    frozen.button("Stop gain").click()
    frozen.page.clock.run_for(100)
    stopped = frozen.position(GAIN)
    frozen.page.clock.run_for(20_000)
    assert frozen.position(GAIN) == stopped
    assert float(frozen.query["gain"]) == GAIN.values[stopped]


@pytest.mark.parametrize("hand", ["a drag", "Reset"])
def test_a_hand_on_the_figure_ends_the_play(frozen: Tab, hand: str) -> None:
    frozen.button("Play gain").click()
    frozen.page.clock.run_for(1000)
    if hand == "Reset":
        frozen.button("Reset").click()
    else:
        frozen.drag(GAIN, 0.2)
    frozen.page.clock.run_for(100)
    left = frozen.position(GAIN)
    frozen.page.clock.run_for(2000)
    assert frozen.position(GAIN) == left


def test_the_address_is_written_once_when_the_hand_rests(frozen: Tab) -> None:
    frozen.page.evaluate(
        "() => { const write = history.replaceState; window.written = 0;"
        " history.replaceState = function (...state) { written += 1; write.apply(this, state); }; }"
    )
    with frozen.grip(GAIN):
        for share in (0.5, 0.4, 0.3, 0.2):
            frozen.page.mouse.move(*frozen.place(GAIN, share))
            frozen.page.clock.run_for(20)
        assert frozen.page.evaluate("() => written") == 0
        frozen.page.clock.run_for(1000)
        assert frozen.page.evaluate("() => written") == 1
    assert float(frozen.query["gain"]) == GAIN.values[frozen.position(GAIN)]


def test_nothing_moves_by_itself(frozen: Tab) -> None:
    before = frozen.figure.inner_html()
    frozen.page.clock.run_for(20_000)
    assert frozen.figure.inner_html() == before
    assert frozen.query == {}


def test_a_mark_on_a_curve_is_moved_by_hand_and_its_slider_with_it(bench: Bench) -> None:
    depth = place("placement", "depth")
    tab, explorable = bench(depth.standalone), depth.explorable()
    mark = tab.figure.locator(".scatterlayer .point").last
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move(x + 80, y + 5, steps=4)
    tab.page.mouse.up()
    tab.until("() => new URLSearchParams(location.search).has('layers')")
    layers = float(tab.query["layers"])
    assert layers > depth.control("layers").start
    assert_draws(tab.drawn(), explorable, explorable.state_at(layers=layers))
