"""The block of cells: it turns, its cells can be pointed at, and it is kept as a picture."""

from tests.browser.conftest import Bench
from tests.browser.drawn import assert_draws
from tests.browser.figures import place
from tests.browser.test_actions import download

CUBE = place("images", "cube")


def test_the_block_turns_and_its_cells_are_pointed_at_and_held(bench: Bench) -> None:
    tab, explorable = bench(CUBE.standalone), CUBE.explorable()
    tab.choose("InstanceNorm")
    tab.slider("turn").press("End")
    state = explorable.state_at(norm="instance", turn=80)
    assert_draws(tab.drawn(), explorable, state)
    tab.figure.locator('.cube .side[data-index="98"]').click()
    tab.address_says(norm="instance", turn="80", cell="11.9")
    assert_draws(tab.drawn(), explorable, {**state, "cell": 98})


def test_the_slider_of_groups_is_there_for_group_norm_alone(bench: Bench) -> None:
    tab = bench(CUBE.standalone)
    assert tab.slider("groups").count() == 0
    tab.choose("GroupNorm")
    tab.slider("groups").press("End")
    explorable = CUBE.explorable()
    assert_draws(tab.drawn(), explorable, explorable.state_at(norm="group", groups=6))


def test_a_picture_of_the_block_keeps_its_colors(bench: Bench) -> None:
    tab = bench(CUBE.standalone)
    filled = tab.figure.locator(".cube .front.member").first
    color = filled.evaluate("node => getComputedStyle(node).fill")
    written = download(tab, "Picture (SVG)").decode()
    fronts = [part for part in written.split("<polygon")[1:] if 'class="front member"' in part]
    assert fronts
    assert all(f'fill="{color}"' in part for part in fronts)
    assert "color(" not in written  # which other programs do not read
