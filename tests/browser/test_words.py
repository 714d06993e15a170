"""Words in a table and in a sentence that follow the figure's state."""

import csv
import io

from tests.browser.conftest import Bench
from tests.browser.drawn import assert_draws
from tests.browser.figures import place
from tests.browser.test_actions import download

LENS = place("inside", "lens")


def test_words_are_those_of_where_the_controls_stand(bench: Bench) -> None:
    tab, explorable = bench(LENS.standalone), LENS.explorable()
    assert_draws(tab.drawn(), explorable, explorable.start_state())
    tab.slider("layer").press("Home")
    assert_draws(tab.drawn(), explorable, explorable.state_at(layer=-1.0))


def test_words_stand_above_their_numbers_in_the_file_of_numbers(bench: Bench) -> None:
    written = download(bench(LENS.standalone), "Numbers (CSV)").decode().split("\r\n\r\n")[1]
    _, head, words, numbers, *_ = csv.reader(io.StringIO(written))
    assert (head[-1], words[-1], round(float(numbers[-1]), 2)) == ("is", "Paris", 0.77)
