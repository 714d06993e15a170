// A figure in another page: it takes that page's look where its address says so, and tells how high it is.

/** Takes the look that the address asks for: `theme=light` or `theme=dark`. */
export function applyTheme() {
  const wanted = new URLSearchParams(location.search).get("theme");
  if (wanted === "light" || wanted === "dark") document.documentElement.style.colorScheme = wanted;
}

/** Tells the page that has this one in a frame how high it is, now and whenever that changes. */
export function postHeight() {
  if (parent === window) return;
  let sent = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === sent) return;
    sent = height;
    // Whoever frames it: a height is no secret.
    parent.postMessage({ type: "lnviz-height", height }, "*");
  }).observe(document.body);
}
