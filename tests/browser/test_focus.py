"""Who goes through a page by keyboard sees where they are."""

from tests.browser.conftest import Opener

# What has the focus, inside of components too, and whether a ring shows it.
FOCUSED = """
() => {
  let node = document.activeElement;
  while (node.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  // The label of a radio button or a file's field may have the ring of its field.
  const shown = [node, node.nextElementSibling, node.parentElement].filter(Boolean);
  const ring = shown.some((each) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
    const isWide = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    return isWide || outlineStyle === "auto" || boxShadow !== "none";
  });
  return { node: node === document.body ? "" : node.outerHTML.slice(0, 120), ring };
}
"""


def test_whatever_the_tabulator_key_reaches_has_a_ring(open_tab: Opener) -> None:
    tab = open_tab("/gain-bias")
    tab.page.evaluate("() => document.activeElement.blur()")
    without, reached = [], 0
    while reached < 200:
        tab.page.keyboard.press("Tab")
        focused = tab.page.evaluate(FOCUSED)
        if not focused["node"]:
            break
        reached += 1
        if not focused["ring"]:
            without.append(focused["node"])
    assert without == []
    assert 40 < reached < 200
