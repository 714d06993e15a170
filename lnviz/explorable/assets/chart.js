// A Plotly figure whose trace attributes are bound to swept tensors.

import { move } from "./marks.js";
import { slice } from "./tensors.js";
import { Template, plain } from "./text.js";

let library = null;

/** Plotly, fetched at the first chart. @param {string} address @returns {Promise<any>} */
function plotly(address) {
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      library = null;
      script.remove();
      reject(new Error("The chart library could not be loaded."));
    };
    document.head.append(script);
  });
  return library;
}

export class Chart {
  /** @param {any} spec @param {import("./explorable.js").Figure} figure */
  constructor(spec, figure) {
    this.spec = spec;
    this.figure = figure;
    this.element = document.createElement("figure");
    this.element.className = "chart";
    const caption = this.element.appendChild(document.createElement("figcaption"));
    this.title = new Template(caption, spec.title, figure);
    this.plot = this.element.appendChild(document.createElement("div"));
    this.plot.style.height = `${spec.height}px`;
    this.plot.setAttribute("role", "img");
    this.ready = false;
    if (spec.picks) {
      this.plot.classList.add("picks");
      this.plot.addEventListener("click", (event) => this.ready && this.pick(event));
    }
  }

  /** Moves the control that the chart picks to the position of the nearest point. */
  pick({ clientX, clientY }) {
    const { xaxis, yaxis } = this.plot._fullLayout;
    const { left, top } = this.plot.getBoundingClientRect();
    const [across, up] = [clientX - left - xaxis._offset, clientY - top - yaxis._offset];
    const { x, y, customdata } = this.plot.data.at(-1);
    const away = customdata.map((_, i) => Math.hypot(xaxis.l2p(x[i]) - across, yaxis.l2p(y[i]) - up));
    this.figure.set(this.spec.picks, customdata[away.indexOf(Math.min(...away))]);
  }

  async start() {
    const Plotly = await plotly(this.figure.assets + "plotly.min.js");
    if (!this.element.isConnected) return;
    const { data, layout } = this.colored();
    await Plotly.newPlot(this.plot, data, layout, { displayModeBar: false });
    if (!this.element.isConnected) {
      Plotly.purge(this.plot);
      return;
    }
    this.ready = true;
    // Plotly refuses to measure a figure whose page is being left.
    this.sizes = new ResizeObserver(() => this.plot.offsetParent && this.resize());
    this.sizes.observe(this.element);
    this.draw();
  }

  stop() {
    this.sizes?.disconnect();
    if (this.ready) window.Plotly.purge(this.plot);
    this.ready = false;
  }

  /** Draws again in the colors of the theme that has come. */
  recolor() {
    if (!this.ready) return;
    const { data, layout } = this.colored();
    window.Plotly.react(this.plot, data, layout);
  }

  draw() {
    this.title.draw();
    this.plot.setAttribute("aria-label", plain(this.spec.alt, this.figure));
    if (!this.ready) return;
    const values = this.values();
    const moved = move(this.plot, values);
    // Plotly draws from its data whenever the page's width or theme changes.
    for (const [trace, attributes] of Object.entries(values)) Object.assign(this.plot.data[trace], attributes);
    if (!moved) window.Plotly.redraw(this.plot);
  }

  async resize() {
    await window.Plotly.Plots.resize(this.plot);
    if (this.ready) window.Plotly.redraw(this.plot);
  }

  /** What the bound traces show now: their attributes by trace. */
  values() {
    const read = (sources) => Object.entries(sources).map(([attribute, source]) => [attribute, this.read(source)]);
    const traces = Object.entries(this.spec.bind).map(([trace, sources]) => [trace, Object.fromEntries(read(sources))]);
    return Object.fromEntries(traces);
  }

  read({ tensor, along }) {
    return slice(this.figure.tensors[tensor], this.figure.positions, along);
  }

  colored() {
    const { data, layout } = structuredClone(this.spec.figure);
    for (const [trace, attributes] of Object.entries(this.values())) {
      // Every point of a line stays in its path, so that `move` writes the same one.
      Object.assign(data[trace], attributes, { line: { ...data[trace].line, simplify: false } });
    }
    const color = (token) => this.figure.color(token);
    const axis = { gridcolor: color("line"), linecolor: color("line"), zerolinecolor: color("line"), automargin: true };
    layout.template = {
      layout: {
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        font: { family: getComputedStyle(this.element).fontFamily, size: 14, color: color("ink") },
        margin: { l: 8, r: 8, t: 8, b: 8 },
        xaxis: axis,
        yaxis: axis,
        hovermode: false,
        dragmode: false,
        showlegend: false,
      },
    };
    return { data: resolve(data, color), layout: resolve(layout, color) };
  }
}

/** Replaces every "var(--ln-token)" by the theme's color: Plotly writes colors as attributes. */
function resolve(value, color) {
  if (typeof value === "string") return value.replace(/^var\(--ln-([a-z-]+)\)$/, (_, token) => color(token));
  if (Array.isArray(value)) return value.map((item) => resolve(item, color));
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, color)]));
}
