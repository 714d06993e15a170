// The links to the pages before and after, on the learning path that the URL names.

const ROUTE = "route";

/** Show the links of the URL's learning path in place of those in the book's order. */
export function followRoute() {
  const name = new URLSearchParams(location.search).get(ROUTE);
  const links = [...document.querySelectorAll("nav.ways")].filter((nav) => nav instanceof HTMLElement);
  const shown = links.find(({ dataset }) => name && dataset.route === name) ?? links.find(({ dataset }) => !dataset.route);
  for (const nav of links) nav.hidden = nav !== shown;
}
