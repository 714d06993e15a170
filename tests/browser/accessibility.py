"""What axe objects to on a page."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

COLORS = ["color-contrast", "link-in-text-block"]
"""Those of axe's rules whose answer changes with the colors alone."""


def objections(page: Page, rules: list[str] | None = None) -> str:
    """A report; empty if there are none.

    Args:
        page: The page.
        rules: Those that it is asked for; all, if none are named.
    """
    # Of what it would load first, only a rule that is not run needs anything; and it would look for
    # the sheets that a sheet names in the folder of the page.
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    if rules is None:
        options["rules"] = {"target-size": {"enabled": True}}  # which it does not ask by itself
    else:
        options["runOnly"] = {"type": "rule", "values": rules}
    results = Axe().run(page, options=options)
    return results.generate_report() if results.violations_count else ""
