"""The moving picture of the README: three figures, and what a reader does there."""

from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO

from PIL import Image
from playwright.sync_api import sync_playwright

from lnviz.book import find_figure
from lnviz.explorable import Slider
from tests.browser import conftest
from tests.browser.serving import serving
from tests.browser.tab import Tab
from tests.service.server import ROOT

FILE = ROOT / "docs" / "moving.webp"
SIZE = {"width": 1000, "height": 640}
PLACES = 16  # of a drag
DRAG, REST = 120, 1600  # milliseconds that a picture is shown, while something moves and after it
QUALITY = 85
# A screenshot has no pointer of its own.
POINTER = """
addEventListener("DOMContentLoaded", () => {
  const dot = document.body.appendChild(document.createElement("div"));
  dot.style.cssText = "position: fixed; z-index: 9; width: 22px; height: 22px; border-radius: 50%;"
    + "margin: -11px; background: #DE955099; border: 2px solid #DE9550; pointer-events: none;"
    + "left: -50px; top: -50px";
  addEventListener("pointermove", ({ clientX, clientY }) => {
    [dot.style.left, dot.style.top] = [`${clientX}px`, `${clientY}px`];
  }, true);
});
"""
Frame = tuple[Image.Image, int]


def main() -> None:
    with ExitStack() as stack:
        server = stack.enter_context(serving())
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(**conftest.CHROMIUM)
        looks = {"viewport": SIZE, "color_scheme": "light", "reduced_motion": "reduce"}
        context = stack.enter_context(conftest.context(browser, **looks))
        context.add_init_script(POINTER)
        tab = stack.enter_context(conftest.tab(context, server.url))
        pictures, durations = zip(*scenes(tab), strict=True)
    pictures[0].save(
        FILE,
        save_all=True,
        append_images=pictures[1:],
        duration=durations,
        loop=0,
        quality=QUALITY,
        method=6,
    )
    print(f"{len(pictures)} pictures, {FILE.stat().st_size / 1e6:.1f} MB, are in {FILE.name}.")


def scenes(tab: Tab) -> Iterator[Frame]:
    tab.open("/explorables/axes/grid.html?norm=batch")
    yield from drag(tab, slider("axes", "grid", "batch size"), 1, 0.15)
    tab.open("/explorables/home/final-norm.html")
    yield shot(tab), REST
    without = tab.figure.locator(".options label").filter(has_text="without it")
    without.hover()
    yield shot(tab), REST // 2
    without.click()
    yield shot(tab), 2 * REST
    tab.open("/explorables/playground/networks.html")
    yield from drag(tab, slider("playground", "networks", "step"), 0, 1)


def slider(lesson: str, figure: str, name: str) -> Slider:
    declared = find_figure(lesson, figure)
    assert declared is not None
    (found,) = (c for c in declared.build(**declared.parse({})).controls if c.name == name)
    assert isinstance(found, Slider)
    return found


def drag(tab: Tab, moved: Slider, start: float, end: float) -> Iterator[Frame]:
    yield shot(tab), REST
    with tab.grip(moved):
        for at in range(PLACES):
            share = start + (end - start) * at / (PLACES - 1)
            tab.page.mouse.move(*tab.place(moved, share))
            yield shot(tab), DRAG
    yield shot(tab), REST


def shot(tab: Tab) -> Image.Image:
    tab.drawn()
    return Image.open(BytesIO(tab.page.screenshot())).convert("RGB")


if __name__ == "__main__":
    main()
