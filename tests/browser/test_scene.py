"""Points and lines in space follow the point's sliders and the turn of the view."""

import csv
import io

import pytest

from tests.browser.conftest import Bench
from tests.browser.drawn import assert_draws
from tests.browser.figures import place
from tests.browser.test_actions import download

SPHERE = place("rmsnorm", "sphere")


def test_a_scene_is_drawn_as_python_projects_it(bench: Bench) -> None:
    tab, explorable = bench(SPHERE.standalone), SPHERE.explorable()
    tab.slider("turn").press("Home")
    tab.slider("third").press("End")
    state = explorable.state_at(turn=-180, third=1.5)
    assert_draws(tab.drawn(), explorable, state)


def test_the_numbers_of_a_scene_are_where_its_dots_are(bench: Bench) -> None:
    tab, explorable = bench(SPHERE.standalone), SPHERE.explorable()
    written = download(tab, "Numbers (CSV)").decode().split("\r\n\r\n")[1]
    _, head, *rows = csv.reader(io.StringIO(written))
    assert head == ["point", "first", "second", "third"]
    found = {name: list(map(float, place)) for name, *place in rows}
    for name, tensor in {"a": "a", "LayerNorm": "layer", "RMSNorm": "rms"}.items():
        expected = explorable.lookup(tensor, explorable.start_state()).tolist()
        assert found[name] == pytest.approx(expected, abs=1e-3)


def test_a_hand_turns_the_scene_with_it(bench: Bench) -> None:
    tab, explorable = bench(SPHERE.standalone), SPHERE.explorable()
    box = tab.figure.locator(".scene svg").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move(x + box["width"] / 4, y, steps=4)
    tab.page.mouse.up()
    tab.until("() => new URLSearchParams(location.search).has('turn')")
    turn = float(tab.query["turn"])
    assert turn < 0  # a quarter of the width is a quarter turn
    assert_draws(tab.drawn(), explorable, explorable.state_at(turn=turn))


def test_a_picture_of_a_scene_keeps_its_colors(bench: Bench) -> None:
    tab = bench(SPHERE.standalone)
    dot = tab.figure.locator(".scene circle:not(.ball)").last
    color = dot.evaluate("node => getComputedStyle(node).fill")
    written = download(tab, "Picture (SVG)").decode()
    assert f'fill="{color}"' in written
    assert "var(" not in written  # which other programs do not read
