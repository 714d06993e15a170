// Popups above the page: elements with the attribute `popover`. Safari before 17 shows them as classes do (see popups.css).

/** Whether the browser has popovers. */
const isNative = () => "popover" in HTMLElement.prototype;

/** @param {HTMLElement} popup */
export function isOpen(popup) {
  return isNative() ? popup.matches(":popover-open") : popup.classList.contains("open");
}

/** @param {HTMLElement} popup */
export function openPopup(popup) {
  if (isOpen(popup)) return;
  if (isNative()) popup.showPopover();
  else popup.classList.add("open");
}

/** @param {HTMLElement} popup */
export function closePopup(popup) {
  if (!isOpen(popup)) return;
  if (isNative()) return popup.hidePopover();
  popup.classList.remove("open");
  popup.dispatchEvent(new Event("toggle"));
}

/** Where the browser has no popovers, open and close those that close by themselves. */
export function attachPopups() {
  if (isNative()) return;
  const closeOthers = (/** @type {EventTarget | null} */ target) => {
    for (const popup of document.querySelectorAll('[popover]:not([popover="manual"])')) {
      if (popup instanceof HTMLElement && !(target instanceof Node && popup.contains(target))) closePopup(popup);
    }
  };
  addEventListener("click", ({ target }) => {
    const trigger = target instanceof Element && target.closest("[popovertarget]");
    const popup = trigger && document.getElementById(trigger.getAttribute("popovertarget") ?? "");
    const wasOpen = popup && isOpen(popup);
    closeOthers(target);
    if (popup && !wasOpen) openPopup(popup);
  });
  addEventListener("keydown", ({ key }) => key === "Escape" && closeOthers(null));
}
