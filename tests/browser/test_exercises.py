"""Questions and exercises in the app: answered in the browser, without the server."""

import pytest
from playwright.sync_api import Locator, expect

from lnviz.book import find_page
from lnviz.lessons import ChoiceExercise, OrderExercise
from tests.browser.conftest import Bench
from tests.browser.tab import Tab

LESSON = find_page("axes")
assert LESSON is not None


@pytest.fixture
def tab(bench: Bench) -> Tab:
    return bench("/axes")


def form(tab: Tab, name: str) -> Locator:
    return tab.page.locator(f"#ask-{name}")


def check(box: Locator) -> Locator:
    """Checks an answer; what is said of it."""
    box.get_by_role("button", name="Check").click()
    return box.get_by_role("status")


def test_a_question_waits_for_an_answer_and_says_what_was_mixed_up(tab: Tab) -> None:
    box, status = form(tab, "shared"), form(tab, "shared").get_by_role("status")
    (question,) = [p for p in LESSON.parts if isinstance(p, ChoiceExercise) and p.name == "shared"]
    one, other = [answer for answer in question.answers if not answer.is_right][:2]
    right = next(answer.text for answer in question.answers if answer.is_right)
    frames = len(tab.frames)
    box.get_by_role("button", name=one.text).click()
    expect(status).to_have_text("Not quite. Try again.")
    expect(box.locator("li", has_text=one.text)).to_contain_text(one.feedback)
    expect(box).not_to_contain_text("It looks at no other row.")
    box.get_by_role("button", name=other.text).press("Enter")
    expect(status).to_contain_text(f"The answer: “{right}.”")
    expect(box.locator("li", has_text=other.text)).to_contain_text(other.feedback)
    expect(box).to_contain_text("It looks at no other row.")
    expect(box.get_by_role("button", name=f"Right: {right}")).to_be_visible()
    assert len(tab.frames) == frames
    tab.page.reload()
    expect(box.get_by_role("button", name=f"Wrong: {one.text}")).to_be_visible()
    expect(status).to_contain_text("The answer: “")
    box.get_by_role("button", name="Answer again").click()
    expect(status).to_be_empty()
    box.get_by_role("button", name=right).click()
    expect(status).to_have_text("Yes.")


def test_a_number_is_taken_within_its_tolerance(tab: Tab) -> None:
    box = form(tab, "deviation")
    field = box.get_by_role("textbox", name="Your answer")
    for typed, said in (
        ("", "Type a number first"),
        ("3,5", "Not quite."),
        ("–1.87", "the answer is larger"),
        ("4", "the answer is smaller"),
        ("1.88", "Yes: 1.87."),
        ("1,870", "the answer is smaller"),
    ):
        field.fill(typed)
        expect(check(box)).to_contain_text(said)
    expect(box.locator(".reply")).to_be_empty()
    box.get_by_role("button", name="Show the solution").click()
    expect(box.locator(".reply")).to_be_focused()


def test_an_order_is_made_by_keyboard(tab: Tab) -> None:
    box = form(tab, "steps")
    (order,) = [p for p in LESSON.exercises if isinstance(p, OrderExercise)]
    expect(check(box)).to_have_text("Not yet: something else comes first.")
    expect(box).to_contain_text(order.items[0].feedback)
    for place, item in enumerate(order.items):
        arrow = box.get_by_role("button", name=f"Move up: {item.text}")
        arrow.focus()
        texts = box.locator("li span").all_inner_texts()
        for _ in range(texts.index(item.text) - place):
            tab.page.keyboard.press("ArrowUp")
            expect(arrow).to_be_focused()
    expect(box.locator(".moved")).to_contain_text("of 4")
    expect(check(box)).to_have_text("Yes, in this order.")


def test_a_goal_is_recognized_when_the_figure_shows_it(tab: Tab) -> None:
    # An exercise that has been in view for a second, as in a test before this one, counts as seen.
    tab.open("/axes")
    tab.choose("BatchNorm")
    tab.exact("batch size").fill("2")
    tab.exact("batch size").press("Enter")
    tab.address_says(norm="batch", batch_size="2")
    box = form(tab, "pair")
    expect(box.get_by_role("status")).to_have_text("")  # not asked for yet
    tab.page.get_by_role("button", name="Reset").first.click()
    expect(tab.exact("batch size")).not_to_have_value("2")
    box.get_by_role("link", name="To the figure").click()
    expect(tab.figure).to_be_in_viewport()
    note = tab.page.locator(".ln-goal")
    tab.choose("BatchNorm")
    tab.address_says(norm="batch")
    expect(box.get_by_role("status")).to_have_text("")
    tab.exact("batch size").fill("2")
    tab.exact("batch size").press("Enter")
    expect(box.get_by_role("status")).to_have_text("Reached.")
    expect(note).to_contain_class("reached")
    tab.choose("LayerNorm")
    expect(box.get_by_role("status")).to_contain_text("You have done this one.")
    expect(note).not_to_contain_class("reached")
    note.get_by_role("button", name="Back to the exercise").click()
    expect(box).to_be_in_viewport()
    expect(note).to_have_count(0)
