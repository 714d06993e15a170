"""Firefox draws what Python computes, and its figures follow a drag."""

from collections.abc import Iterator

import pytest

from lnviz.explorable import slug
from tests.browser import firefox
from tests.browser.drawn import assert_draws, sliders
from tests.browser.figures import GRID, LINE, Place
from tests.browser.firefox import Firefox
from tests.browser.reading import READ
from tests.browser.serving import Shared

pytestmark = pytest.mark.slow

# Where a figure's first slider is, and how far along its handle.
SLIDER = """
(number) => {
  const slider = document.querySelectorAll(".ln")[number].querySelector("input[type=range]");
  slider.scrollIntoView({ block: "center" });
  const { left, top, width, height } = slider.getBoundingClientRect();
  return { left, width, y: top + height / 2, position: slider.valueAsNumber };
}
"""
HANDLE = 24  # pixels


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    if firefox.PATH is None:
        pytest.skip("Firefox is not installed; on Debian and Ubuntu: apt-get install firefox-esr")
    with firefox.firefox(tmp_path_factory.mktemp("firefox")) as opened:
        yield opened


@pytest.mark.parametrize("place", [GRID, LINE], ids=str)
def test_a_slider_is_dragged_in_firefox(tab: Firefox, server: Shared, place: Place) -> None:
    tab.open(f"{server.url}{place.page}")
    figure = place.explorable()
    slider = sliders(figure)[0]
    read = f"() => ({READ})(document.querySelectorAll('.ln')[{place.number}])"
    assert_draws(tab.evaluate(read), figure, figure.start_state())
    track = tab.evaluate(SLIDER, place.number)
    reach = track["width"] - HANDLE
    start, half, end = (
        (track["left"] + HANDLE / 2 + reach * share, track["y"])
        for share in (slider.start_index / (slider.size - 1), 0.5, 0.3)
    )
    tab.drag(start, half, end)
    position = tab.evaluate(SLIDER, place.number)["position"]
    assert position != slider.start_index
    assert_draws(tab.evaluate(read), figure, figure.start_state() | {slider.name: position})
    tab.until("name => new URLSearchParams(location.search).has(name)", slug(slider.name))
    assert tab.complaints == []
