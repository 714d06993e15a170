"""What a figure draws, read from the page."""

# Every view of a figure, in the order of the page; null where it is hidden.
READ = """
(root) => [...root.querySelectorAll(".row > *")].map((view) => {
  // One text for a picture: each number on its own costs the way to Python more than the picture.
  const pixels = (canvases) => [...canvases].filter((canvas) => !canvas.hidden).map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return Array.from(data, (byte) => String.fromCharCode(byte)).join("");
  });
  const named = () => ({
    title: view.querySelector("figcaption").textContent,
    alt: view.querySelector("[role=img]").getAttribute("aria-label"),
  });
  if (view.hidden) return null;
  if (view.tagName === "P") return { text: view.textContent };
  if (view.classList.contains("grid")) {
    const table = view.querySelector("table");
    const cells = [];
    const words = [];
    const worded = table.querySelector("td small") !== null;
    for (const cell of table.querySelectorAll("td[data-index]")) {
      cells[Number(cell.dataset.index)] = (cell.querySelector("span") ?? cell).textContent;
      const small = cell.querySelector("small");
      if (worded) words[Number(cell.dataset.index)] = small?.textContent ?? "";
    }
    const pictures = [...table.querySelectorAll("th .picture")].map((picture) =>
      [...picture.children].map((pixel) =>
        ["x", "y", "fill-opacity"].map((name) => Number(pixel.getAttribute(name)))));
    const statistics = {};
    for (const head of table.tHead.querySelectorAll("th.stat:not([hidden])")) {
      statistics[head.textContent] =
        [...table.tBodies[0].rows].map((row) => row.cells[head.cellIndex].textContent);
    }
    for (const row of table.tFoot?.querySelectorAll("tr:not([hidden])") ?? []) {
      const [head, ...rest] = row.cells;
      statistics[head.textContent] = rest.map((cell) => cell.textContent);
    }
    const around = [...table.caption.children, table.tHead.rows[0].cells[0]];
    const [title, ...axes] = around.map((node) => node.textContent).filter(Boolean);
    return { title, axes, cells, words, pictures, statistics };
  }
  if (view.classList.contains("cube")) {
    const places = (node) =>
      node.getAttribute("points").split(" ").map((at) => at.split(",").map(Number));
    const faces = [...view.querySelectorAll("polygon[data-index]")];
    const filled = faces.filter((face) => face.classList.contains("member"));
    return {
      ...named(),
      faces: faces.map(places),
      outline: places(view.querySelector(".outline")),
      filled: [...new Set(filled.map((face) => Number(face.dataset.index)))].sort((a, b) => a - b),
    };
  }
  if (view.classList.contains("diagram")) {
    const words = (node) => [...node.querySelectorAll("tspan")].map((line) => line.textContent);
    return {
      ...named(),
      note: view.querySelector("figcaption ~ p").textContent,
      boxes: [...view.querySelectorAll(".box")].map((box) => words(box).join("\\n")),
      lit: [...view.querySelectorAll(".arrow, .box")].map((part) => part.classList.contains("lit")),
      words: [...view.querySelectorAll(":is(.measure, .profile) > text")]
        .map((node) => node.textContent),
      lengths: [
        ...[...view.querySelectorAll(".wide polyline")].map((way) => [way, "stroke-width"]),
        ...[...view.querySelectorAll(".bar")].map((bar) => [bar, "width"]),
      ].map(([node, name]) => Number(node.getAttribute(name))),
    };
  }
  if (view.classList.contains("scene")) {
    const svg = view.querySelector("svg");
    const numbers = (node, names) => names.map((name) => Number(node.getAttribute(name)));
    const line = (node) => node.getAttribute("d").split(/[ ,ML]+/).filter(Boolean).map(Number);
    const dots = [...svg.querySelectorAll("circle:not(.ball)")];
    return {
      ...named(),
      lines: [...svg.querySelectorAll("path")].map(line),
      dots: dots.map((node) => numbers(node, ["cx", "cy"])),
      words: [...svg.querySelectorAll("text")].map((node) => node.textContent),
    };
  }
  if (view.classList.contains("pictures")) {
    return {
      ...named(),
      texts: [...view.querySelectorAll(".sheet span")].map((node) => node.textContent),
      pixels: pixels(view.querySelectorAll(".sheet canvas")),
    };
  }
  if (view.classList.contains("plane")) {
    return {
      ...named(),
      texts: [...view.querySelectorAll(".place > span")].map((node) => node.textContent),
      classes: [...view.querySelectorAll(".field > svg > *")].map((dot) => dot.tagName),
      pixels: pixels(view.querySelectorAll("canvas")),
    };
  }
  if (view.classList.contains("units")) {
    return {
      ...named(),
      norms: view.querySelectorAll(".norm:not([hidden])").length,
      pixels: pixels(view.querySelectorAll("canvas")),
    };
  }
  const plot = view.querySelector("[role=img]");
  return {
    ...named(),
    traces: plot.data.map(({ x, y, z }) => ({ x: x && [...x], y: y && [...y], z: z && [...z] })),
  };
})
"""
