// Sortable tables.

/** Tables that are hydrated already. @type {WeakSet<Element>} */
const hydrated = new WeakSet();

/**
 * Make the tables below a node sortable: ascending, descending, original order.
 * @param {ParentNode} root
 */
export function hydrate(root) {
  for (const table of root.querySelectorAll(".ln-table table")) {
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

/** Return the sort order after another click. @param {string | null} order */
function nextOrder(order) {
  return order === "ascending" ? "descending" : order === "descending" ? "none" : "ascending";
}

/**
 * Return the rows sorted by a column.
 * @param {HTMLTableRowElement[]} rows
 * @param {number} column
 * @param {string} order
 */
function sortedRows(rows, column, order) {
  if (order === "none") return rows;
  const sign = order === "ascending" ? 1 : -1;
  const text = (/** @type {HTMLTableRowElement} */ row) => cellText(row.cells[column]);
  // The sort is stable: equal rows keep their order.
  return [...rows].sort((one, other) => sign * text(one).localeCompare(text(other), "en", { numeric: true }));
}

/** Return the text of a cell, without its source. @param {Element} cell */
function cellText(cell) {
  return (cell.querySelector("a") ?? cell).textContent ?? "";
}
