// Tables whose heads sort their rows.

/** Tables whose heads sort already. @type {WeakSet<Element>} */
const hydrated = new WeakSet();

/**
 * Lets the heads of the tables in a place sort them: rising, falling, and back to how they were.
 * @param {ParentNode} place
 */
export function hydrate(place) {
  for (const table of place.querySelectorAll(".ln-table table")) {
    if (hydrated.has(table) || !(table instanceof HTMLTableElement)) continue;
    hydrated.add(table);
    const rows = [...table.tBodies[0].rows];
    const heads = [...table.querySelectorAll("thead th")];
    heads.forEach((head, column) => {
      head.setAttribute("aria-sort", "none");
      head.querySelector("button")?.addEventListener("click", () => {
        const order = nextOrder(head.getAttribute("aria-sort"));
        for (const other of heads) other.setAttribute("aria-sort", other === head ? order : "none");
        table.tBodies[0].append(...sortedRows(rows, column, order));
      });
    });
  }
}

/** @param {string | null} order */
function nextOrder(order) {
  return order === "ascending" ? "descending" : order === "descending" ? "none" : "ascending";
}

/**
 * @param {HTMLTableRowElement[]} rows
 * @param {number} column
 * @param {string} order
 */
function sortedRows(rows, column, order) {
  if (order === "none") return rows;
  const sign = order === "ascending" ? 1 : -1;
  const text = (/** @type {HTMLTableRowElement} */ row) => cellText(row.cells[column]);
  // The sort is stable: rows that say the same keep their order.
  return [...rows].sort((one, other) => sign * text(one).localeCompare(text(other), "en", { numeric: true }));
}

/** What a cell says, without how it is known. @param {Element} cell */
function cellText(cell) {
  return (cell.querySelector("a") ?? cell).textContent ?? "";
}
