"""Every page in each of its looks: light, dark and on a phone."""

from dataclasses import dataclass
from typing import Literal

from lnviz.book import PAGES
from lnviz.frontend.theme import TOKENS
from tests.browser.conftest import part
from tests.browser.figures import KINDS
from tests.browser.ruler import RESIZED, TARGET, alone, is_number, targets, wider
from tests.browser.tab import Tab

# Whether the page has a color and nothing on it is on the way to another.
HAS_COLOR = """
(color) => {
  const page = document.querySelector(".stApp") ?? document.body;
  return getComputedStyle(page).backgroundColor === `rgb(${color.join(", ")})` &&
    !document.getAnimations().some((change) => change instanceof CSSTransition);
}
"""
# All menus have the same entries.
OPEN = """
() => {
  for (const code of document.querySelectorAll(".ln .menu [aria-expanded=false]")) code.click();
  const menu = document.querySelector(".ln .menu");
  if (menu) menu.open = true;
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
    *(
        Page(at.slug, f"/{at.url_path}", look)
        for at in PAGES
        for look in ("light", "dark", "phone")
    ),
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
        tab = self.tabs[page.is_phone]
        if self.shown != (page.address, page.is_phone):
            part(tab)
            tab.page.bring_to_front()
            tab.open(page.address).unfold()
            self.shown = page.address, page.is_phone
        colored(tab, "dark" if "dark" in page.look else "light")
        return tab


def colored(tab: Tab, scheme: Literal["light", "dark"]) -> None:
    """Gives a page the colors of the day or of the night, and waits until it has them."""
    tab.page.emulate_media(color_scheme=scheme)
    color = getattr(TOKENS["page"], scheme)
    tab.until(HAS_COLOR, [*bytes.fromhex(color[1:])])


def faults(tab: Tab, *, on_phone: bool) -> dict[str, object]:
    """What is wrong with a page, by what it is, with all code and one menu open."""
    tab.page.evaluate(OPEN)
    tab.until(RESIZED)
    hit = targets(tab)
    small = [name for name, height in hit if height < TARGET]
    found = {
        "complaints": tab.complaints,
        "other hosts": tab.strangers(),
        "wider than the screen": wider(tab),
        "a line for the reset alone": alone(tab) if on_phone else [],
        "too low for a finger": [name for name in small if on_phone or not is_number(name)],
        "nothing to hit": not hit and tab.page.locator(".ln, .ln-table").count() > 0,
    }
    return {name: fault for name, fault in found.items() if fault}
