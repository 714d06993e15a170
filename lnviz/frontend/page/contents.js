// The contents beside a page: on a narrow screen they lie over it, and a button opens them.

const NARROW = "(max-width: 768px)";
const HEADER = '[data-testid="stHeader"]';
const OPEN = '[data-testid="stExpandSidebarButton"]';
const CLOSE = '[data-testid="stSidebarCollapseButton"] button';

/** What a screen reader hears of them: Streamlit speaks of a sidebar. */
const NAMES = { '[data-testid="stSidebar"]': "Contents", [OPEN]: "Open the contents", [CLOSE]: "Close the contents" };

/** Gives them their names, now and whenever they are opened or closed. */
export function labelControls() {
  const setLabels = () => {
    for (const [selector, label] of Object.entries(NAMES)) document.querySelector(selector)?.setAttribute("aria-label", label);
  };
  setLabels();
  const header = document.querySelector(HEADER);
  if (header) new MutationObserver(setLabels).observe(header, { childList: true, subtree: true });
}

/** Opens them, where they are closed. */
export function openContents() {
  const button = document.querySelector(OPEN);
  if (button instanceof HTMLElement) button.click();
}

/** Closes them where they lie over the page: Streamlit leaves them open. */
export function closeContents() {
  const button = document.querySelector(CLOSE);
  if (matchMedia(NARROW).matches && button instanceof HTMLElement) button.click();
}
