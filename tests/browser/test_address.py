"""The address reproduces what is on the screen, and nothing in it can break a figure.

What each name and each text in it means is asked in Node, in `tests/frontend/engine`.
"""

from typing import Any

import pytest

from lnviz.explorable import CellPicker, Choice, Control, Explorable, Slider, slug
from tests.browser.conftest import Bench
from tests.browser.drawn import State, assert_draws
from tests.browser.figures import GRID, LINE, Place
from tests.browser.tab import Tab


def written(control: Control, position: int) -> str:
    """A position as the address names it: by value, or by row and column counted from 1."""
    if isinstance(control, CellPicker):
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


@pytest.mark.parametrize("place", [GRID, LINE], ids=str)
def test_a_state_reached_by_hand_survives_a_reload(bench: Bench, place: Place) -> None:
    explorable = place.explorable()
    state = {control.name: far(control) for control in explorable.controls}
    tab = bench(place.standalone)
    for control in explorable.controls:
        reach(tab, control, state[control.name])
    before = tab.drawn()
    tab.address_names(slug(explorable.controls[-1].name))
    assert comparable(tab.query) == comparable(query(explorable, state))
    tab.page.reload()
    assert tab.ready().drawn() == before
    assert_draws(before, explorable, state)
    assert comparable(tab.query) == comparable(query(explorable, state))


def reach(tab: Tab, control: Control, position: int) -> None:
    """Moves a control as a reader does."""
    match control:
        case Slider():
            tab.exact(control.name).fill(control.label(position))
            tab.exact(control.name).press("Enter")
        case CellPicker():
            tab.cell(position).click()
        case Choice(kind="switch"):
            tab.button(control.label(position)).click()
        case _:
            tab.choose(control.label(position))


def test_what_cannot_be_read_counts_as_nothing_and_leaves_the_address(bench: Bench) -> None:
    texts = [
        "%22%3E%3Cimg%20src=x%20onerror=window.harm=1%3E",
        "%3Cscript%3Ewindow.harm=1%3C/script%3E",
        "%E0%A4%A",
        "%00",
        "9e" * 2000,
    ]
    names = [slug(control.name) for control in GRID.explorable().controls]
    hostile = [f"{name}={text}" for name, text in zip(names, texts, strict=True)]
    tab = bench(GRID.standalone, query="&".join(hostile))
    explorable = GRID.explorable()
    assert_draws(tab.drawn(), explorable, explorable.start_state())
    assert tab.query == {}
    assert tab.page.evaluate("() => window.harm") is None


def test_an_address_names_parameters_and_controls_together(bench: Bench) -> None:
    tab = bench(GRID.standalone, query="data=digits&seed=3&batch-size=5&cell=5.6&utm=1")
    explorable = GRID.explorable(data="digits", seed="3")
    cell = GRID.explorable(data="digits").controls[-1].index((4, 5))
    assert_draws(tab.drawn(), explorable, explorable.state_at(batch_size=5, cell=cell))
    named = {"data": "digits", "seed": "3", "batch-size": "5", "cell": "5.6"}
    assert tab.query == named | {"utm": "1"}


@pytest.mark.parametrize(
    ("place", "address", "corrected"),
    [
        (GRID, "data=digits&seed=99999", {"data": "digits", "seed": "9999"}),
        (GRID, "data=digits&seed=%00", {"data": "digits"}),
        (GRID, "data=upload.gone", {}),
        (LINE, "case=99", {"case": "4"}),
    ],
)
def test_a_parameter_that_cannot_be_used_is_corrected(
    bench: Bench, place: Place, address: str, corrected: dict[str, str]
) -> None:
    tab = bench(place.standalone, query=address)
    # The server refuses the address as it came; Chromium logs every answer that is not 2xx.
    tab.forgive("status of 422", "status of 410")
    explorable = place.explorable(**corrected)
    assert_draws(tab.drawn(), explorable, explorable.start_state())
    assert tab.query == corrected
