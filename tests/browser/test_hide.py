"""A link can take controls away: they keep their value, out of the reader's reach."""

from playwright.sync_api import expect

from tests.browser.conftest import Bench
from tests.browser.drawn import assert_draws
from tests.browser.figures import GRID


def test_hidden_controls_are_away_and_keep_their_value(bench: Bench) -> None:
    tab = bench(GRID.standalone, query="norm=batch&hide=NORM, data&hide=batch-size")
    expect(tab.option("BatchNorm")).to_have_count(0)
    expect(tab.slider("batch size")).to_have_count(0)
    expect(tab.figure.get_by_label("Data")).to_have_count(0)
    expect(tab.figure.locator("details.own")).to_be_hidden()
    explorable = GRID.explorable()
    assert_draws(tab.drawn(), explorable, explorable.state_at(norm="batch"))


def test_what_is_hidden_stays_so_while_others_move_and_are_reset(bench: Bench) -> None:
    tab = bench(GRID.standalone, query="norm=batch&batch-size=2&hide=norm")
    explorable = GRID.explorable()
    tab.drag(GRID.control("batch size"), 0.0)
    tab.address_says(norm="batch", batch_size="1", hide="norm")
    tab.button("Reset").click()
    tab.address_says(norm="batch", hide="norm")
    assert_draws(tab.drawn(), explorable, explorable.state_at(norm="batch"))
    expect(tab.option("BatchNorm")).to_have_count(0)
