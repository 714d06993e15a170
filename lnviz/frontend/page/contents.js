// The table of contents beside a page: on narrow screens it overlays the page and is opened by a button.

const NARROW = "(max-width: 768px)";
const HEADER = '[data-testid="stHeader"]';
const OPEN = '[data-testid="stExpandSidebarButton"]';
const CLOSE = '[data-testid="stSidebarCollapseButton"] button';

/** Accessible names: Streamlit calls it a sidebar. */
const NAMES = { '[data-testid="stSidebar"]': "Contents", [OPEN]: "Open the contents", [CLOSE]: "Close the contents" };

/**
 * Mark the current page in the contents.
 * @param {ParentNode} root
 * @param {string} path of the page
 */
export function markCurrent(root, path) {
  for (const link of root.querySelectorAll(".contents a")) {
    if (link instanceof HTMLAnchorElement && link.pathname === path) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Set the accessible names, now and each time the sidebar is opened or closed. */
export function labelControls() {
  const setLabels = () => {
    for (const [selector, label] of Object.entries(NAMES)) document.querySelector(selector)?.setAttribute("aria-label", label);
  };
  setLabels();
  const header = document.querySelector(HEADER);
  if (header) new MutationObserver(setLabels).observe(header, { childList: true, subtree: true });
}

/** Open the contents if they are closed. */
export function openContents() {
  const button = document.querySelector(OPEN);
  if (button instanceof HTMLElement) button.click();
}

/** Close the contents where they overlay the page: Streamlit leaves them open. */
export function closeContents() {
  const button = document.querySelector(CLOSE);
  if (matchMedia(NARROW).matches && button instanceof HTMLElement) button.click();
}
