"""What axe objects to on a page."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Those of axe's rules whose answer changes with the colors or with the width of the page.
RULES_OF_LOOKS = [
    "color-contrast",
    "link-in-text-block",
    "meta-viewport",
    "scrollable-region-focusable",
    "target-size",
]


def objections(page: Page, *, seen_before: bool = False) -> str:
    """A report; empty if there are none.

    Args:
        page: The page.
        seen_before: Whether the same page, in other colors or wider, has been asked all else.
    """
    # Of what it would load first, only a rule that is not run needs anything; and it would look for
    # the sheets that a sheet names in the folder of the page.
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    if seen_before:
        options["runOnly"] = {"type": "rule", "values": RULES_OF_LOOKS}
    results = Axe().run(page, options=options)
    return results.generate_report() if results.violations_count else ""
