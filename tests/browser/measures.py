"""How a lesson arrives: what a reader sees before the first click, at 1366 x 768.

- first: pixels from the top of the page to its first figure.
- before: words above that figure.
- words: all that are visible in the page's own text, figures, captions and questions included, and
  not what is folded away or stands below "Go deeper" and "Exercises".
- figures: those that are open there.
- caption: the words of the longest sentence or note of one of them.
- span: pixels from a figure's first control to the end of its last view, the largest of them.
"""

from playwright.sync_api import Page, ViewportSize

SCREEN = ViewportSize(width=1366, height=768)
AIMS = {"first": 240, "before": 60, "words": 600, "figures": 3, "caption": 45, "span": 560}
"""What each measure is at most."""

MEASURE = """
() => {
  const main = document.querySelector(".stMainBlockContainer");
  const visible = (node) => node.checkVisibility({ visibilityProperty: true });
  const words = (text) => (text.match(/[\\p{L}\\p{N}][^\\s]*/gu) ?? []).length;
  const heads = [...main.querySelectorAll("h2")];
  const end = heads.find((head) => /^(Go deeper|Exercises)/.test(head.textContent.trim()));
  const before = (node) =>
    !end || Boolean(node.compareDocumentPosition(end) & Node.DOCUMENT_POSITION_FOLLOWING);
  const spoken = (node) => node.closest(".spoken, .heard, svg, script, style, pre, table, .menu");
  const walk = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  const figures = [...main.querySelectorAll("section.ln")].filter((f) => visible(f) && before(f));
  const top = figures[0]?.getBoundingClientRect().top ?? Infinity;
  let [all, above] = [0, 0];
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    if (!visible(parent) || spoken(parent) || !before(parent)) continue;
    all += words(node.data);
    if (parent.getBoundingClientRect().bottom <= top) above += words(node.data);
  }
  const captions = figures.flatMap((f) => [...f.querySelectorAll(".row > p")].filter(visible));
  const spans = figures.map((figure) => {
    const views = [...figure.querySelectorAll(".row:not(.words)")].filter(visible);
    const bottom = Math.max(0, ...views.map((view) => view.getBoundingClientRect().bottom));
    // A bar may have no box of its own, where its controls are laid out with the views.
    const bar = [...figure.querySelectorAll(".toolbar, .toolbar *")];
    const boxes = bar.filter((part) => part.offsetHeight);
    const tops = (boxes.length ? boxes : [figure]).map((part) => part.getBoundingClientRect().top);
    return bottom - Math.min(...tops);
  });
  return {
    first: Math.round(top + document.querySelector(".stMain").scrollTop),
    before: above,
    words: all,
    figures: figures.length,
    caption: Math.max(0, ...captions.map((caption) => words(caption.textContent))),
    span: Math.round(Math.max(0, ...spans)),
  };
}
"""


def measured(page: Page) -> dict[str, int]:
    """The measures of a lesson that has been opened on this screen."""
    measures: dict[str, int] = page.evaluate(MEASURE)
    return measures
