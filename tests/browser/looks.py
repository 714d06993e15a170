"""Every page in each of its looks: light, dark and on a phone."""

from dataclasses import dataclass
from typing import Literal

from lnviz.book import PAGES
from lnviz.front.theme import TOKENS
from tests.browser.conftest import part
from tests.browser.figures import KINDS
from tests.browser.tab import Tab

# Whether the page has a color and nothing on it is on the way to another.
HAS_COLOR = """
(color) => {
  const page = document.querySelector(".stApp") ?? document.body;
  return getComputedStyle(page).backgroundColor === `rgb(${color.join(", ")})` &&
    !document.getAnimations().some((change) => change instanceof CSSTransition);
}
"""


@dataclass(frozen=True)
class Page:
    """A page in one of its looks."""

    name: str
    address: str
    look: str

    @property
    def is_phone(self) -> bool:
        return "phone" in self.look

    def __str__(self) -> str:
        return f"{self.name}-{self.look}"


LOOKS = [
    *(Page(at.slug, f"/{at.address}", look) for at in PAGES for look in ("light", "dark", "phone")),
    # Figures alone have the same style: the narrowest and darkest look of each kind is enough.
    *(Page(f"{place}-alone", place.standalone, "dark-phone") for place in KINDS),
]


class Opened:
    """Two tabs, one of them a phone's, and the page that each has opened last.

    By day and by night a page is opened once: the look alone changes.
    """

    def __init__(self, desktop: Tab, phone: Tab) -> None:
        self.tabs = {False: desktop, True: phone}
        self.shown: tuple[str, bool] | None = None

    def at(self, page: Page) -> Tab:
        scheme: Literal["dark", "light"] = "dark" if "dark" in page.look else "light"
        tab = self.tabs[page.is_phone]
        tab.page.emulate_media(color_scheme=scheme)
        if self.shown != (page.address, page.is_phone):
            part(tab)
            tab.page.bring_to_front()
            tab.open(page.address).unfold()
            self.shown = page.address, page.is_phone
        color = getattr(TOKENS["page"], scheme)
        tab.until(HAS_COLOR, [*bytes.fromhex(color[1:])])
        return tab
