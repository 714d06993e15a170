// Support for embedding a figure in another page: color theme from the URL, and height messages.

/** Apply the theme that the URL requests: `theme=light` or `theme=dark`. */
export function applyTheme() {
  const theme = new URLSearchParams(location.search).get("theme");
  if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
}

/** Post the page's height to the embedding page, now and whenever it changes. */
export function postHeight() {
  if (parent === window) return;
  let sent = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === sent) return;
    sent = height;
    // Any embedding page may know the height.
    parent.postMessage({ type: "lnviz-height", height }, "*");
  }).observe(document.body);
}
