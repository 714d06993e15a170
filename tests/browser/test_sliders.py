"""Sliders without a mouse: keys, exact values, and the button that plays them."""

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, expect

from lnviz.explorable import Slider
from tests.browser import conftest
from tests.browser.conftest import Bench, Opener
from tests.browser.drawn import sliders
from tests.browser.figures import CASE_SCALE, GRID, KINDS, LINE, Place, place
from tests.browser.serving import Shared
from tests.browser.tab import Tab

each_place = pytest.mark.parametrize("place", KINDS, ids=str)
RUNNING = place("batch", "running")
BATCH_SIZE, GAIN, EPSILON, BATCH = (
    GRID.control("batch size"),
    LINE.control("gain"),
    CASE_SCALE.control("epsilon"),
    RUNNING.control("batch"),
)


def tenth(slider: Slider) -> int:
    return max(1, math.floor((slider.size - 1) / 10 + 0.5))


def press(tab: Tab, slider: Slider, *keys: str) -> int:
    """Presses keys on a slider, lets the figure draw, and says where the handle is."""
    for key in keys:
        tab.slider(slider.name).press(key)
    tab.drawn()
    return tab.position(slider)


def enter(tab: Tab, slider: Slider, text: str) -> int:
    """Types an exact value and says where the handle is then."""
    tab.exact(slider.name).fill(text)
    tab.exact(slider.name).press("Enter")
    tab.drawn()
    return tab.position(slider)


@each_place
def test_arrow_keys_move_a_slider_by_one_position(bench: Bench, place: Place) -> None:
    tab = bench(place.standalone)
    for slider in sliders(place.explorable()):
        press(tab, slider, "Home")
        assert press(tab, slider, "ArrowRight") == 1
        assert press(tab, slider, "ArrowUp") == 2
        assert press(tab, slider, "ArrowLeft") == 1
        assert press(tab, slider, "ArrowDown") == 0


@each_place
def test_page_keys_move_a_slider_by_a_tenth_of_its_range(bench: Bench, place: Place) -> None:
    tab = bench(place.standalone)
    for slider in sliders(place.explorable()):
        press(tab, slider, "Home")
        assert press(tab, slider, "PageUp") == tenth(slider)
        assert press(tab, slider, "PageUp", "PageDown") == tenth(slider)
        assert press(tab, slider, "PageDown", "PageDown") == 0


@each_place
def test_home_and_end_move_a_slider_to_its_ends(bench: Bench, place: Place) -> None:
    tab = bench(place.standalone)
    for slider in sliders(place.explorable()):
        assert press(tab, slider, "End") == slider.size - 1
        assert press(tab, slider, "Home") == 0


@each_place
def test_a_slider_speaks_the_value_that_its_field_shows(bench: Bench, place: Place) -> None:
    tab = bench(place.standalone)
    for slider in sliders(place.explorable()):
        label = slider.label(press(tab, slider, "Home", "PageUp"))
        expect(tab.slider(slider.name)).to_have_attribute("aria-valuetext", label)
        expect(tab.exact(slider.name)).to_have_value(label)


@each_place
def test_every_value_can_be_typed_as_it_is_shown(bench: Bench, place: Place) -> None:
    tab = bench(place.standalone)
    for slider in sliders(place.explorable()):
        for position in (0, slider.size // 3, slider.size - 1):
            assert enter(tab, slider, slider.label(position)) == position


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2.5", 2.5),
        (" 2.5 ", 2.5),
        ("-1.5", -1.5),
        ("−1.5", -1.5),
        ("1,5", 1.5),
        ("1e0", 1),
        ("0.013", 0.02),
        ("0.009", 0),
        ("99", 3),
        ("-99", -3),
        ("1e999", 3),
        ("-1e999", -3),
    ],
)
def test_a_typed_number_moves_the_slider_to_the_nearest_value(
    bench: Bench, text: str, value: float
) -> None:
    tab = bench(LINE.standalone)
    assert enter(tab, GAIN, text) == GAIN.index(value)
    expect(tab.exact("gain")).to_have_value(GAIN.label(GAIN.index(value)))


@pytest.mark.parametrize("text", ["1e-7", "0.0000001", "1.02e-7"])
def test_a_logarithmic_slider_takes_its_unit_too(bench: Bench, text: str) -> None:
    assert enter(bench(CASE_SCALE.standalone), EPSILON, text) == EPSILON.index(1e-7)


@pytest.mark.parametrize("text", ["", " ", "abc", "nan", "--1", "1.2.3", "٣", "<b>2</b>"])
def test_what_is_no_number_leaves_the_slider_alone(bench: Bench, text: str) -> None:
    tab = bench(LINE.standalone)
    before = press(tab, GAIN, "PageDown")
    assert enter(tab, GAIN, text) == before
    expect(tab.exact("gain")).to_have_value(GAIN.label(before))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("99", "gain goes from −3.00 to 3.00; 99 is beyond."),
        ("-1e999", "gain goes from −3.00 to 3.00; −1e999 is beyond."),
        ("abc", "“abc” is no number: gain stays."),
        ("9e" * 50, "“" + "9e" * 10 + "…” is no number: gain stays."),
    ],
)
def test_a_typed_value_that_cannot_be_taken_gets_a_sentence(
    bench: Bench, text: str, sentence: str
) -> None:
    tab = bench(LINE.standalone)
    enter(tab, GAIN, text)
    expect(tab.figure.get_by_text(sentence, exact=True)).to_be_visible()
    tab.slider("gain").press("ArrowLeft")
    tab.slider("gain").press("ArrowRight")
    expect(tab.figure.get_by_text(sentence, exact=True)).to_have_count(0)


@pytest.mark.parametrize("text", ["2.5", "0.009", "1,5", ""])
def test_a_typed_value_that_can_be_taken_gets_no_sentence(bench: Bench, text: str) -> None:
    tab = bench(LINE.standalone)
    enter(tab, GAIN, text)
    expect(tab.figure.locator(".hint").first).to_be_empty()


def test_leaving_the_field_enters_its_value(bench: Bench) -> None:
    tab = bench(LINE.standalone)
    tab.exact("gain").fill("-2")
    tab.page.keyboard.press("Tab")
    tab.drawn()
    assert tab.position(GAIN) == GAIN.index(-2)


def test_a_figure_that_moves_leaves_what_is_being_typed_alone(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.exact("batch size").fill("2")
    tab.cell(13).hover()
    tab.drawn()
    expect(tab.exact("batch size")).to_have_value("2")


@pytest.fixture(scope="module")
def frozen(server: Shared, browser: Browser) -> Iterator[Callable[[Place], Tab]]:
    """Figures at their start, for which time stands still unless a test lets it pass."""
    with ExitStack() as stack:
        tabs: dict[str, Tab] = {}

        def frozen(place: Place) -> Tab:
            if str(place) not in tabs:
                # The clock is that of all tabs of a context, so each has its own.
                own = stack.enter_context(conftest.context(browser))
                tab = stack.enter_context(conftest.tab(own, server.url))
                tab.page.clock.install(time=0)
                tabs[str(place)] = tab.open(place.standalone)
                tab.page.clock.pause_at(3600)
            tab = tabs[str(place)]
            tab.button("Reset").click()
            tab.page.clock.run_for(1000)
            assert tab.query == {}
            return tab

        yield frozen


def test_play_moves_a_slider_through_its_range(frozen: Callable[[Place], Tab]) -> None:
    tab = frozen(LINE)
    tab.button("Play gain").click()
    positions = []
    for _ in range(5):
        tab.page.clock.run_for(300)
        positions.append(tab.position(GAIN))
    assert positions == sorted(set(positions))
    assert positions[0] > GAIN.start_index


def test_stop_stops_the_play(frozen: Callable[[Place], Tab]) -> None:
    tab = frozen(LINE)
    tab.button("Play gain").click()
    tab.page.clock.run_for(1000)
    tab.button("Stop gain").click()
    tab.page.clock.run_for(100)
    stopped = tab.position(GAIN)
    tab.page.clock.run_for(20_000)
    assert tab.position(GAIN) == stopped
    assert float(tab.query["gain"]) == GAIN.values[stopped]


def test_play_ends_where_the_slider_ends(frozen: Callable[[Place], Tab]) -> None:
    tab = frozen(GRID)
    tab.slider("batch size").press("Home")
    tab.button("Play batch size").click()
    tab.page.clock.run_for(20_000)
    assert tab.position(BATCH_SIZE) == BATCH_SIZE.size - 1
    expect(tab.button("Play batch size")).to_be_visible()


def test_a_play_can_be_made_faster(frozen: Callable[[Place], Tab]) -> None:
    tab = frozen(LINE)
    tab.slider("gain").press("Home")
    tab.button("Play gain").click()
    tab.page.clock.run_for(1000)
    slow = tab.position(GAIN)
    tab.button("1×, the speed of gain").click()
    expect(tab.button("2×, the speed of gain")).to_be_focused()
    tab.page.clock.run_for(1000)
    assert tab.position(GAIN) - slow == pytest.approx(2 * slow, abs=GAIN.size / 50)


def test_back_and_next_walk_a_slider_and_end_its_play(frozen: Callable[[Place], Tab]) -> None:
    tab = frozen(RUNNING)
    tab.button("Play batch").click()
    tab.page.clock.run_for(1000)
    tab.button("back: batch").click()
    tab.page.clock.run_for(100)
    left = tab.position(BATCH)
    tab.page.clock.run_for(2000)
    assert tab.position(BATCH) == left > 0
    tab.button("next: batch").click()
    tab.page.clock.run_for(100)
    assert tab.position(BATCH) == left + 1
    tab.slider("batch").press("End")
    tab.button("next: batch").click()
    tab.page.clock.run_for(100)
    assert tab.position(BATCH) == BATCH.size - 1
    expect(tab.button("next: batch")).to_have_attribute("aria-disabled", "true")


def test_play_at_the_end_begins_at_the_beginning(frozen: Callable[[Place], Tab]) -> None:
    tab = frozen(GRID)
    tab.slider("batch size").press("End")
    tab.button("Play batch size").click()
    tab.page.clock.run_for(100)
    assert tab.position(BATCH_SIZE) == 0


def test_the_address_is_written_once_when_the_hand_rests(
    frozen: Callable[[Place], Tab],
) -> None:
    tab = frozen(LINE)
    tab.page.evaluate(
        "() => { const write = history.replaceState; window.written = 0;"
        " history.replaceState = function (...state) { written += 1; write.apply(this, state); }; }"
    )
    with tab.grip(GAIN):
        for share in (0.5, 0.4, 0.3, 0.2):
            tab.page.mouse.move(*tab.place(GAIN, share))
            tab.page.clock.run_for(20)
        assert tab.page.evaluate("() => written") == 0
        tab.page.clock.run_for(1000)
        assert tab.page.evaluate("() => written") == 1
    assert float(tab.query["gain"]) == GAIN.values[tab.position(GAIN)]


@pytest.mark.parametrize("hand", ["an arrow key", "a page key", "a typed value", "a drag", "Reset"])
def test_a_hand_on_the_figure_ends_the_play(frozen: Callable[[Place], Tab], hand: str) -> None:
    tab = frozen(LINE)
    tab.button("Play gain").click()
    tab.page.clock.run_for(1000)
    match hand:
        case "an arrow key":
            tab.slider("gain").press("ArrowLeft")
        case "a page key":
            tab.slider("gain").press("PageDown")
        case "a typed value":
            tab.exact("gain").fill("-2")
            tab.exact("gain").press("Enter")
        case "a drag":
            tab.drag(GAIN, 0.2)
        case "Reset":
            tab.button("Reset").click()
    tab.page.clock.run_for(100)
    left = tab.position(GAIN)
    tab.page.clock.run_for(2000)
    assert tab.position(GAIN) == left


@each_place
def test_nothing_moves_by_itself_for_readers_who_want_no_motion(
    open_tab: Opener, place: Place
) -> None:
    tab = open_tab(None, reduced_motion="reduce")
    tab.page.clock.install()
    tab.open(place.standalone)
    before = tab.drawn()
    tab.page.clock.run_for(20_000)
    assert tab.drawn() == before
    assert tab.query == {}
