"""The program behind `make previews`: takes pictures of pages, and small ones of figures."""

from contextlib import ExitStack
from io import BytesIO

from PIL import Image
from playwright.sync_api import sync_playwright

from lnviz.book import PAGES
from lnviz.book.previews import HEIGHT, THUMBNAIL_SIZE, WIDTH, image_path, thumbnail_path
from lnviz.frontend.theme import TOKENS, mix
from lnviz.lessons import Lesson
from tests.browser import conftest
from tests.browser.serving import serving
from tests.browser.tab import Tab

COLORS = 64  # enough for a page, in a quarter of the bytes
FEW_COLORS = 32  # enough for a small picture

# Colors that show by day and by night, on whatever is behind the picture; and no words.
GROUNDS = ("page", "panel", "on-accent")
INKS = {
    name: "transparent" if name in GROUNDS else mix(pair.light, pair.dark, 0.5)
    for name, pair in TOKENS.items()
}
STYLE = f"""
:root:root {{ {"".join(f"--ln-{name}: {color};" for name, color in INKS.items())} }}
html, body {{ background: transparent !important; }}
.ln :is(text, caption, figcaption, .reading-of) {{ display: none !important; }}
.ln .diagram g[style] rect {{ fill: var(--ln-own); }}
.ln .diagram .arrow {{ stroke-width: 3px; }}
.ln :is(td, th) {{ color: transparent !important; }}
"""
BEFORE = f"""
addEventListener("DOMContentLoaded", () => {{
  const style = document.head.appendChild(document.createElement("style"));
  style.textContent = `{STYLE}`;
}});
"""
# A chart is drawn again without axes, in the shape of the picture.
SHRINK = """
(plot, [width, height]) => {
  const axes = Object.keys(plot._fullLayout).filter((name) => /^[xy]axis/.test(name));
  const hidden = axes.map((name) => [`${name}.visible`, false]);
  const margin = { l: 4, r: 4, t: 4, b: 4, autoexpand: false };
  const layout = { width, height, margin, showlegend: false, annotations: [] };
  return window.Plotly.relayout(plot, { ...layout, ...Object.fromEntries(hidden) });
}
"""


def main() -> None:
    """Takes a picture of each page, and a small one of each part that is closed on it."""
    with ExitStack() as stack:
        server = stack.enter_context(serving())
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(**conftest.CHROMIUM)
        looks = {"viewport": {"width": WIDTH, "height": HEIGHT}, "reduced_motion": "reduce"}
        whole = stack.enter_context(conftest.context(browser, color_scheme="light", **looks))
        plain = stack.enter_context(conftest.context(browser, color_scheme="light", **looks))
        plain.add_init_script(BEFORE)
        for page in PAGES:
            with conftest.tab(whole, server.url) as tab:
                take(tab, page)
            for figure in filter(None, (deeper.figure for deeper in page.optional_sections)):
                with conftest.tab(plain, server.url) as tab:
                    take_small(tab, page, figure)


def take(tab: Tab, page: Lesson) -> None:
    """Takes the picture of a page: its first figure, or where it has none its beginning."""
    if page.figures:
        tab.open(f"/explorables/{page.slug}/{page.figures[0].name}.html")
    else:
        tab.open(f"/{page.url_path}")
        tab.page.get_by_role("link", name=PAGES[-1].title).first.wait_for()
    shot = Image.open(BytesIO(tab.page.screenshot())).convert("RGB")
    shot.quantize(COLORS).save(image_path(page), optimize=True)


def take_small(tab: Tab, page: Lesson, figure: str) -> None:
    """Takes the small picture of a figure: its first chart, or where it has none its first row."""
    tab.open(f"/explorables/{page.slug}/{figure}.html")
    shape = [2 * side for side in THUMBNAIL_SIZE]
    plots = tab.figure.locator(".plot:visible")
    if plots.count():
        plots.first.evaluate(SHRINK, shape)
    drawn = plots.first if plots.count() else tab.figure.locator(".row:visible").first
    shot = Image.open(BytesIO(drawn.screenshot(omit_background=True)))
    if plots.count():
        shot = shot.crop((0, 0, *shape))
    shot = shot.crop(shot.getbbox())
    shot.thumbnail(THUMBNAIL_SIZE, Image.Resampling.LANCZOS)
    few = shot.quantize(FEW_COLORS, method=Image.Quantize.FASTOCTREE)
    few.save(thumbnail_path(page, figure), optimize=True)


if __name__ == "__main__":
    main()
