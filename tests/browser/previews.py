"""The program behind `make previews`: takes the pictures that are shown where links are shared."""

from contextlib import ExitStack
from io import BytesIO

from PIL import Image
from playwright.sync_api import sync_playwright

from lnviz.book import PAGES
from lnviz.book.previews import HEIGHT, WIDTH, place
from tests.browser import conftest
from tests.browser.serving import serving

COLORS = 64  # enough for a page, in a quarter of the bytes


def main() -> None:
    """Each page's first figure, or where it has none its beginning."""
    with ExitStack() as stack:
        server = stack.enter_context(serving())
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(**conftest.CHROMIUM)
        size = {"width": WIDTH, "height": HEIGHT}
        context = stack.enter_context(
            conftest.context(browser, viewport=size, color_scheme="light", reduced_motion="reduce")
        )
        for page in PAGES:
            with conftest.tab(context, server.url) as tab:
                if page.figures:
                    tab.open(f"/explorables/{page.slug}/{page.figures[0].name}.html")
                else:
                    tab.open(f"/{page.address}")
                    tab.page.get_by_role("link", name=PAGES[-1].title).first.wait_for()
                shot = Image.open(BytesIO(tab.page.screenshot())).convert("RGB")
                shot.quantize(COLORS).save(place(page), optimize=True)


if __name__ == "__main__":
    main()
