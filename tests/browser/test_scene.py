"""Points and lines in space follow the point's sliders and the turn of the view."""

from tests.browser.conftest import Opener
from tests.browser.drawn import assert_draws
from tests.browser.figures import place

SPHERE = place("rmsnorm", "sphere")


def test_a_scene_is_drawn_as_python_projects_it(open_tab: Opener) -> None:
    tab, explorable = open_tab(SPHERE.standalone), SPHERE.explorable()
    tab.slider("turn").press("Home")
    tab.slider("third").press("End")
    state = explorable.at(turn=-180, third=1.5)
    assert_draws(tab.drawn(), explorable, state)


def test_a_picture_of_a_scene_keeps_its_colors(open_tab: Opener) -> None:
    tab = open_tab(SPHERE.standalone)
    dot = tab.figure.locator(".scene circle:not(.ball)").last
    color = dot.evaluate("node => getComputedStyle(node).fill")
    tab.figure.get_by_text("Download").click()
    with tab.page.expect_download() as download:
        tab.button("Picture (SVG)").click()
    written = download.value.path().read_text(encoding="utf-8")
    assert f'fill="{color}"' in written
    assert "var(" not in written  # which other programs do not read
