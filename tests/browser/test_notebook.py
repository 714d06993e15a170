"""A figure in a notebook: a page that is not ours, and no server."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser import conftest
from tests.browser.drawn import assert_draws, sliders
from tests.browser.figures import DEPTH, GRID, LINE, Place

# As anywidget does it.
SHOW = """
async ({ _esm, _css, ...given }) => {
  document.head.appendChild(document.createElement("style")).textContent = _css;
  const address = URL.createObjectURL(new Blob([_esm], { type: "text/javascript" }));
  const { default: { render } } = await import(address);
  const el = document.body.appendChild(document.createElement("div"));
  const end = render({ model: { get: (name) => given[name] }, el });
  Reflect.set(window, "end", end);
}
"""


# As Jupyter does it with models that refer to others.
SHARE = """
async ({ model, others }) => {
  const address = URL.createObjectURL(new Blob([model._esm], { type: "text/javascript" }));
  const { render } = await import(address);
  const el = document.body.appendChild(document.createElement("div"));
  const get_model = async (id) => ({ get: (name) => others[id][name] });
  await render({ model: { get: (name) => model[name], widget_manager: { get_model } }, el });
}
"""


def test_figures_that_share_their_scripts_load_plotly_once(desktop: BrowserContext) -> None:
    with conftest.tab(desktop, "") as tab:
        tab.page.set_content("<!doctype html><title>A notebook</title>")
        for place in (LINE, DEPTH, GRID):
            widget = place.explorable()._sharing_widget
            shared = [each for each in (widget.scripts, widget.plotly) if each]
            others = {each.model_id: {"text": each.text} for each in shared}
            tab.page.evaluate(SHARE, {"model": widget.get_state(), "others": others})
        tab.ready()
        for tab.number, place in enumerate((LINE, DEPTH, GRID)):
            figure = place.explorable()
            assert_draws(tab.drawn(), figure, figure.start_state())
        assert tab.page.locator("script[src^=blob]").count() == 1
        assert tab.page.locator("#lnviz-style").count() == 1


@pytest.mark.parametrize("place", [GRID, LINE], ids=str)
def test_a_figure_is_dragged_in_a_notebook(desktop: BrowserContext, place: Place) -> None:
    figure = place.explorable()
    slider = sliders(figure)[0]
    with conftest.tab(desktop, "") as tab:
        tab.page.set_content("<!doctype html><title>A notebook</title>")
        state = figure.widget.get_state()
        tab.page.evaluate(SHOW, {key: state[key] for key in ("_esm", "_css", "payload", "plotly")})
        tab.ready()
        tab.drag(slider, 0.3)
        position = tab.position(slider)
        assert position != slider.start_index
        assert_draws(tab.drawn(), figure, figure.start_state() | {slider.name: position})
        # Jupyter takes the keys of other elements for its shortcuts.
        expect(tab.slider(slider.name)).to_have_attribute("data-lm-suppress-shortcuts", "true")
        assert tab.page.url == "about:blank"
        assert tab.page.get_by_text("Copy link", exact=True).count() == 0
        tab.page.evaluate("end()")
        assert tab.figure.count() == 0
