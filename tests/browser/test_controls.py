"""The stepper, the norms, the switch, the data, Reset, the code and the link of a figure."""

from itertools import zip_longest
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Bench, Opener
from tests.browser.drawn import assert_draws
from tests.browser.figures import GRID, LINE, Place
from tests.browser.tab import Tab

STEPS = ["mean", "variance", "standardize", "gain and bias"]
TEXTS = """
table => [...table.rows].filter((row) => !row.hidden).map((row) =>
  [...row.cells].filter((cell) => !cell.hidden).map((cell) => cell.textContent))
"""
CELL = 9  # second case, fourth feature


def assert_at(
    tab: Tab, place: Place, parameters: dict[str, str] | None = None, **state: Any
) -> None:
    """The figure draws what Python computed for these values."""
    explorable = place.explorable(**parameters or {})
    assert_draws(tab.drawn(), explorable, explorable.state_at(**state))


def parameter(tab: Tab, label: str, value: str) -> None:
    """Sets a parameter and waits for the figure."""
    control = tab.figure.get_by_label(label, exact=True)
    if control.evaluate("control => control.tagName") == "SELECT":
        control.select_option(value)
    else:
        control.fill(value)
        control.press("Enter")
    tab.ready()


# The stepper


def test_buttons_and_arrow_keys_walk_the_steps_to_their_ends(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.choose("mean")
    expect(tab.button("back: step")).to_have_attribute("aria-disabled", "true")
    for step in STEPS[1:]:
        tab.button("next: step").click()
        expect(tab.option(step)).to_be_checked()
        assert_at(tab, GRID, step=step)
    expect(tab.button("next: step")).to_have_attribute("aria-disabled", "true")
    tab.button("next: step").click(force=True)
    assert_at(tab, GRID, step=STEPS[-1])
    tab.button("back: step").click()
    assert_at(tab, GRID, step=STEPS[-2])
    tab.option(STEPS[-2]).focus()
    tab.page.keyboard.press("ArrowRight")
    assert_at(tab, GRID, step=STEPS[-1])
    tab.page.keyboard.press("ArrowLeft")
    tab.page.keyboard.press("ArrowLeft")
    assert_at(tab, GRID, step=STEPS[-3])


# Norms


def test_every_norm_draws_what_python_computed(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    for step in ("mean", "gain and bias"):
        tab.choose(step)
        for option in GRID.control("norm").options:
            tab.choose(option.label)
            assert_at(tab, GRID, norm=option.value, step=step)


# A batch of one


def finding(tab: Tab) -> Locator:
    return tab.figure.locator(".finding:visible")


def test_a_batch_of_one_leaves_batch_norm_nothing_and_the_figure_says_so(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.choose("BatchNorm")
    tab.slider("batch size").press("Home")
    expect(finding(tab)).to_have_text(
        "With a batch of one, BatchNorm standardizes every number to 0."
    )
    outputs = tab.drawn()[5]
    assert outputs is not None
    assert outputs["cells"] == ["0.00"] * 6 + [""] * 18


def test_a_batch_of_one_leaves_layer_norm_and_what_is_found_as_they_were(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.slider("batch size").press("ArrowLeft")  # no longer at a step
    expect(finding(tab)).to_contain_text("With LayerNorm, the features of an example share a mean")
    before, found = tab.drawn()[5], finding(tab).text_content() or ""
    tab.slider("batch size").press("Home")
    expect(finding(tab)).to_have_text(found)
    after = tab.drawn()[5]
    assert before is not None
    assert after is not None
    assert after["cells"] == before["cells"][:6] + [""] * 18


# The switch


def test_transposing_turns_rows_into_columns(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    table = tab.figure.get_by_role("grid").first
    before = table.evaluate(TEXTS)
    tab.button("Examples as columns").click()
    tab.drawn()
    # The corner between statistics has no cell: columns that end early have a gap there.
    columns = [list(column) for column in zip_longest(*before)]
    assert table.evaluate(TEXTS) == [[text for text in c if text is not None] for c in columns]


def test_transposing_twice_changes_nothing(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    before = tab.drawn()
    tab.button("Examples as columns").click()
    tab.button("Examples as rows").click()
    assert tab.drawn() == before


def test_the_switch_names_the_other_layout_and_keeps_the_focus(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.button("Examples as columns").focus()
    tab.page.keyboard.press("Enter")
    expect(tab.button("Examples as rows")).to_be_focused()


# Parameters


def test_other_data_keeps_the_norm_the_step_and_the_focus(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.choose("RMSNorm")
    tab.choose("variance")
    tab.figure.get_by_label("Data").focus()
    parameter(tab, "Data", "digits")
    expect(tab.figure.get_by_label("Data")).to_be_focused()
    assert_at(tab, GRID, {"data": "digits"}, norm="rms", step="variance")


def test_another_seed_draws_what_python_computed_for_it(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    parameter(tab, "Data", "digits")
    parameter(tab, "Seed", "7")
    tab.address_says(data="digits", seed="7")
    assert_at(tab, GRID, {"data": "digits", "seed": "7"})


def test_new_weights_draw_another_seed_again_and_again_by_keyboard(bench: Bench) -> None:
    tab = bench(GRID.standalone, query="data=digits")
    tab.button("New weights").press("Enter")
    tab.address_names("seed")
    tab.ready()
    assert_at(tab, GRID, {"data": "digits", "seed": tab.query["seed"]})
    expect(tab.button("New weights")).to_be_focused()


def test_a_seed_out_of_range_gets_a_sentence_and_leaves_the_figure(bench: Bench) -> None:
    tab = bench(GRID.standalone, query="data=digits")
    before = tab.drawn()
    parameter(tab, "Seed", "12345678")
    # The refusal is the server's answer; Chromium logs every one that is not 2xx.
    tab.forgive("status of 422")
    expect(tab.figure.get_by_role("alert")).to_contain_text("from 0 to 9999")
    assert tab.drawn() == before
    expect(tab.figure.get_by_label("Seed", exact=True)).to_have_value("0")


# Reset


def test_reset_brings_back_what_was_drawn_at_the_start(bench: Bench) -> None:
    tab = bench(LINE.standalone)
    before = tab.drawn()
    for slider in tab.figure.get_by_role("slider").all():
        slider.press("PageDown")
    tab.choose("GELU")
    tab.figure.locator(".grid:visible td[data-index]").last.click()
    assert tab.drawn() != before
    tab.button("Reset").click()
    assert tab.drawn() == before
    tab.address_says()


def test_reset_brings_back_the_data_too(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    before = tab.drawn()
    parameter(tab, "Data", "digits")
    parameter(tab, "Seed", "7")
    tab.button("Reset").click()
    tab.address_says()
    assert tab.ready().drawn() == before


# The code


def test_the_code_is_that_of_the_data_and_the_state(bench: Bench) -> None:
    tab = bench(GRID.standalone, query="data=digits&seed=3&norm=group&step=mean")
    tab.entry("Code for this figure").click()
    explorable = GRID.explorable(data="digits", seed="3")
    state = explorable.state_at(norm="group", step="mean")
    assert tab.figure.locator("pre").text_content() == explorable.code_at(state)


def test_the_code_follows_the_hand(bench: Bench) -> None:
    tab = bench(LINE.standalone)
    gain = LINE.control("gain")
    tab.entry("Code for this figure").click()
    expect(tab.entry("Code for this figure")).to_have_attribute("aria-expanded", "true")
    with tab.grip(gain):
        for share in (0.7, 0.2, 0.9):
            tab.page.mouse.move(*tab.place(gain, share), steps=3)
            tab.drawn()
            state = {**LINE.explorable().start_state(), "gain": tab.position(gain)}
            shown = tab.figure.locator("pre").text_content()
            assert shown == LINE.explorable().code_at(state)
    tab.entry("Code for this figure").click()
    expect(tab.figure.locator("pre")).to_be_hidden()


# The link


def test_copy_link_copies_the_address_of_the_state(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.choose("BatchNorm")
    tab.entry("Copy link").click()
    expect(tab.figure.locator(".actions .told")).to_have_text("Link copied.")
    assert tab.page.evaluate("() => navigator.clipboard.readText()") == tab.page.url
    assert tab.query == {"norm": "batch"}


# Keyboard and screen reader


def tab_on(tab: Tab) -> str | None:
    """Presses Tab; the name of what has the focus then, None beyond the last."""
    tab.page.keyboard.press("Tab")
    return tab.page.evaluate(
        "() => document.activeElement === document.body ? null :"
        " document.activeElement.ariaLabel ?? document.activeElement.labels?.[0]?.innerText ??"
        " document.activeElement.textContent"
    )


def test_tab_reaches_every_control(open_tab: Opener) -> None:
    tab = open_tab(GRID.standalone)
    reached: list[str] = []
    while (focus := tab_on(tab)) is not None and focus not in reached[:1]:
        reached.append(focus)
    for slider in tab.figure.locator("input[type=range]").all():
        name = slider.evaluate("input => input.labels[0].innerText")
        assert {name, f"{name}, exact value", f"Play {name}"} <= set(reached)
    for radio in tab.figure.locator("fieldset :checked").all():
        assert radio.evaluate("input => input.labels[0].innerText") in reached
    for button in tab.figure.get_by_role("button").all():
        assert (button.get_attribute("aria-label") or button.inner_text()) in reached


def test_the_text_alternative_follows_the_state(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.cell(CELL).click()
    words = [view["text"] for view in tab.drawn() if view is not None and "text" in view]
    words = [finding(tab).text_content() or "", *words]
    expect(tab.figure.locator(".spoken")).to_have_text(" ".join(words))
