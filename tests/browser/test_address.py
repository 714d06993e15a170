"""The address reproduces what is on the screen, and nothing in it can break a figure."""

from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from lnviz.explorable import Choice, Control, Explorable, Pointer, Slider, slug
from tests.browser.conftest import Bench
from tests.browser.drawn import State, assert_draws
from tests.browser.figures import GRID, KINDS, LINE, Place
from tests.browser.tab import Tab

each_place = pytest.mark.parametrize("place", KINDS, ids=str)
SLIDERS = {"batch-size": GRID.control("batch size"), "gain": LINE.control("gain")}


def written(control: Control, position: int) -> str:
    """A position as the address names it: by value, or by row and column counted from 1."""
    if isinstance(control, Pointer):
        row, column = divmod(position, len(control.columns))
        return f"{row + 1}.{column + 1}"
    if isinstance(control, Slider):
        return repr(control.values[position])
    return control.options[position].value


def query(explorable: Explorable, state: State) -> dict[str, str]:
    """What the address says at a state: every control that is not at rest."""
    moved = [c for c in explorable.controls if state[c.name] != c.start_index]
    return {slug(control.name): written(control, state[control.name]) for control in moved}


def comparable(query: dict[str, str]) -> dict[str, Any]:
    """Numbers as numbers: Python and JavaScript write the same one in different ways."""

    def value(text: str) -> Any:
        try:
            return float(text)
        except ValueError:
            return text

    return {name: value(text) for name, text in query.items()}


def far(control: Control) -> int:
    """A position away from rest."""
    return control.size - 1 if control.start_index != control.size - 1 else control.size // 2


def near(control: Control) -> int:
    """Another one."""
    return 0 if control.start_index != 0 else 1


@each_place
@pytest.mark.parametrize("position", [far, near], ids=["far", "near"])
def test_an_address_shows_its_state_and_stays(bench: Bench, place: Place, position: Any) -> None:
    explorable = place.explorable()
    state = {control.name: position(control) for control in explorable.controls}
    tab = bench(place.standalone, query=urlencode(query(explorable, state)))
    assert_draws(tab.drawn(), explorable, state)
    assert comparable(tab.query) == comparable(query(explorable, state))


@each_place
def test_a_state_reached_by_hand_survives_a_reload(bench: Bench, place: Place) -> None:
    explorable = place.explorable()
    state = {control.name: far(control) for control in explorable.controls}
    tab = bench(place.standalone, query="")
    for control in explorable.controls:
        reach(tab, control, state[control.name])
    before = tab.drawn()
    tab.address_names(slug(explorable.controls[-1].name))
    assert comparable(tab.query) == comparable(query(explorable, state))
    tab.page.reload()
    assert tab.ready().drawn() == before
    assert_draws(before, explorable, state)


def reach(tab: Tab, control: Control, position: int) -> None:
    """Moves a control as a reader does."""
    match control:
        case Slider():
            tab.exact(control.name).fill(control.label(position))
            tab.exact(control.name).press("Enter")
        case Pointer():
            tab.cell(position).click()
        case Choice(kind="switch"):
            tab.button(control.label(position)).click()
        case _:
            tab.choose(control.label(position))


@each_place
def test_at_the_start_the_address_is_bare(bench: Bench, place: Place) -> None:
    explorable = place.explorable()
    controls = [c for c in explorable.controls if not isinstance(c, Pointer)]
    everything = {slug(c.name): written(c, c.start_index) for c in controls}
    tab = bench(place.standalone, query=urlencode(everything))
    assert tab.query == {}
    assert_draws(tab.drawn(), explorable, explorable.start())


@pytest.mark.parametrize("place", [GRID, LINE], ids=str)
def test_a_cell_held_where_the_figure_starts_stays_held(bench: Bench, place: Place) -> None:
    (pointer,) = (c for c in place.explorable().controls if isinstance(c, Pointer))
    named = {slug(pointer.name): written(pointer, pointer.start_index)}
    tab = bench(place.standalone, query=urlencode(named))
    assert tab.query == named
    expect(tab.figure.locator(".held").first).to_be_visible()


HOSTILE = {
    "nothing": "",
    "a blank": "%20",
    "nan": "nan",
    "a word": "constructor",
    "a prototype": "__proto__",
    "a null byte": "%00",
    "a script": "%3Cscript%3Ewindow.harm=1%3C/script%3E",
    "an image": "%22%3E%3Cimg%20src=x%20onerror=window.harm=1%3E",
    "digits of another script": "%D9%A3",
    "bytes that are no text": "%FF%FE",
    "a broken escape": "%E0%A4%A",
    "three numbers": "1.2.3",
    "a long text": "9e" * 2000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("place", [GRID, LINE], ids=str)
def test_what_cannot_be_read_counts_as_nothing_and_leaves_the_address(
    bench: Bench, place: Place, text: str
) -> None:
    explorable = place.explorable()
    names = [slug(control.name) for control in explorable.controls]
    tab = bench(place.standalone, query="&".join(f"{name}={text}" for name in names))
    assert_draws(tab.drawn(), explorable, explorable.start())
    assert tab.query == {}
    assert tab.page.evaluate("() => window.harm") is None


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("1e999", 1),
        ("Infinity", 1),
        ("1e300", 1),
        ("99999999999999999999999", 1),
        ("-1e999", 0),
        ("-Infinity", 0),
        ("-1e300", 0),
    ],
)
@pytest.mark.parametrize("name", SLIDERS)
def test_a_slider_out_of_range_goes_to_its_end(
    bench: Bench, name: str, text: str, share: int
) -> None:
    slider, place = SLIDERS[name], GRID if name == "batch-size" else LINE
    end = share * (slider.size - 1)
    tab = bench(place.standalone, query=f"{name}={text}")
    assert tab.position(slider) == end
    at_rest = end == slider.start_index
    assert comparable(tab.query) == ({} if at_rest else {name: slider.values[end]})


def test_a_slider_between_two_values_goes_to_the_nearest(bench: Bench) -> None:
    tab = bench(LINE.standalone, query="gain=1.409&bias=0.0101")
    assert comparable(tab.query) == {"gain": 1.4, "bias": 0.02}


@pytest.mark.parametrize(
    ("text", "corrected"),
    [("99.99", "4.6"), ("0.0", "1.1"), ("3.99", "3.6"), ("0.4", "1.4"), ("999999.1", "4.1")],
)
def test_a_cell_out_of_range_goes_to_the_edge(bench: Bench, text: str, corrected: str) -> None:
    assert bench(GRID.standalone, query=f"cell={text}").query == {"cell": corrected}


def test_of_a_repeated_name_the_first_counts_and_stays(bench: Bench) -> None:
    tab = bench(GRID.standalone, query="batch-size=2&norm=rms&batch-size=3&norm=batch")
    explorable = GRID.explorable()
    assert_draws(tab.drawn(), explorable, explorable.at(batch_size=2, norm="rms"))
    assert tab.page.url.endswith("?batch-size=2&norm=rms")


def test_unknown_names_change_nothing_and_stay(bench: Bench) -> None:
    tab = bench(GRID.standalone, query="utm=1&batch-size=2&toString=3&__proto__=4&batch%20size=1")
    explorable = GRID.explorable()
    assert_draws(tab.drawn(), explorable, explorable.at(batch_size=2))
    assert tab.query["utm"] == "1"


def test_an_address_names_parameters_and_controls_together(bench: Bench) -> None:
    tab = bench(GRID.standalone, query="data=digits&seed=3&batch-size=5&cell=5.6")
    explorable = GRID.explorable(data="digits", seed="3")
    cell = GRID.explorable(data="digits").controls[-1].index((4, 5))
    assert_draws(tab.drawn(), explorable, explorable.at(batch_size=5, cell=cell))
    assert tab.query == {"data": "digits", "seed": "3", "batch-size": "5", "cell": "5.6"}


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("nan", {}),
        ("", {}),
        ("%00", {}),
        ("1.5", {}),
        ("1_000", {}),
        ("%D9%A3", {}),
        ("%3Cscript%3E", {}),
        ("1e999", {}),
        ("-1", {}),
        ("10000", {"seed": "9999"}),
        ("9" * 5000, {"seed": "9999"}),
        ("007", {"seed": "7"}),
    ],
)
def test_a_seed_that_cannot_be_used_is_corrected(
    bench: Bench, text: str, corrected: dict[str, str]
) -> None:
    tab = bench(GRID.standalone, query=f"data=digits&seed={text}")
    forgive_refusal(tab)
    parameters = {"data": "digits", **corrected}
    explorable = GRID.explorable(**parameters)
    assert_draws(tab.drawn(), explorable, explorable.start())
    assert tab.query == parameters


def forgive_refusal(tab: Tab) -> None:
    """The server refuses the address as it came; Chromium logs every answer that is not 2xx."""
    tab.forgive("status of 422", "status of 410")


@pytest.mark.parametrize(
    "text", ["nonsense", "", "%00", "upload.gone", "upload.", "DIGITS", "%3Cscript%3E"]
)
def test_data_that_does_not_exist_is_corrected(bench: Bench, text: str) -> None:
    tab = bench(GRID.standalone, query=f"data={text}&norm=rms")
    forgive_refusal(tab)
    explorable = GRID.explorable()
    assert_draws(tab.drawn(), explorable, explorable.at(norm="rms"))
    assert tab.query == {"norm": "rms"}


@pytest.mark.parametrize(
    ("address", "corrected"),
    [
        ("case=99", {"case": "4"}),
        ("case=9", {"case": "4"}),
        ("case=0", {}),
        ("data=digits&case=99", {"data": "digits", "case": "16"}),
        ("data=digits&case=9", {"data": "digits", "case": "9"}),
    ],
)
def test_a_case_that_the_data_does_not_have_is_corrected(
    bench: Bench, address: str, corrected: dict[str, str]
) -> None:
    tab = bench(LINE.standalone, query=address)
    forgive_refusal(tab)
    explorable = LINE.explorable(**corrected)
    assert_draws(tab.drawn(), explorable, explorable.start())
    assert tab.query == corrected


def test_of_a_repeated_parameter_the_first_counts(bench: Bench) -> None:
    tab = bench(GRID.standalone, query="data=digits&data=worked&seed=3&seed=4")
    explorable = GRID.explorable(data="digits", seed="3")
    assert_draws(tab.drawn(), explorable, explorable.start())
