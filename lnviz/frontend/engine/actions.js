// The actions menu of a figure: link, pictures, numbers, citation, full screen.

import { hideQuery, changedValues } from "./address.js";
import { div, button, element } from "./dom.js";
import { copyText, downloadFile } from "./files.js";
import { csv } from "./csv.js";
import { figurePng, figureSvg } from "./image_export.js";
import { bibtex, sourceLines } from "./citation.js";

/** The actions of a figure, in a menu. @typedef {import("./figure.js").Figure} Figure */

export class Actions {
  /**
   * @param {Figure} figure
   * @param {import("./code.js").CodePanel} code
   */
  constructor(figure, code) {
    this.figure = figure;
    /** Link to the figure's own page in its present state. */
    this.standaloneLink = element("a", "alone", "Open on its own page");
    /** Result of the last action. */
    this.status = element("p", "told");
    this.status.setAttribute("role", "status");
    this.menu = this.buildMenu([
      ...(figure.linked ? [button("Copy link", () => this.copy())] : []),
      ...(figure.controller.state.payload.code ? [code.toggle] : []),
      button("Picture (SVG)", () => this.save("svg", "image/svg+xml", () => figureSvg(figure.layout, sourceLines(figure)))),
      button("Picture (PNG)", () => this.save("png", "image/png", () => figurePng(figure.layout, sourceLines(figure)))),
      button("Numbers (CSV)", () => this.save("csv", "text/csv", async () => csv(figure.layout, sourceLines(figure)))),
      ...(figure.linked ? [button("Cite this figure", () => this.cite())] : []),
      this.buildFullScreenButton(),
      ...(figure.page ? [this.standaloneLink] : []),
    ]);
    this.element = div("actions", [...figure.layout.switches, this.status, this.menu]);
  }

  /** Update the link to the figure's state. */
  updateLink() {
    const text = new URLSearchParams({ ...changedValues(this.figure.controller.state), ...hideQuery() }).toString();
    this.standaloneLink.href = this.figure.page + (text ? `?${text}` : "");
  }

  /**
   * Return a menu that closes after a choice, on Escape, or when it loses focus.
   * @param {Element[]} entries
   */
  buildMenu(entries) {
    const menu = element("details", "menu");
    const summary = element("summary", "", "More");
    menu.append(summary, div("entries", entries));
    menu.addEventListener("click", ({ target }) => {
      if (target instanceof Element && entries.some((entry) => entry.contains(target))) menu.open = false;
    });
    menu.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget instanceof Node && !menu.contains(relatedTarget)) menu.open = false;
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      event.stopPropagation();
      menu.open = false;
      summary.focus();
    });
    return menu;
  }

  /**
   * @param {string} ending
   * @param {string} type
   * @param {() => Promise<BlobPart>} make
   */
  async save(ending, type, make) {
    this.figure.controller.flush();
    const name = this.figure.controller.state.payload.title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    try {
      downloadFile(`${name}.${ending}`, new Blob([await make()], { type }));
      this.figure.announce("");
    } catch (error) {
      this.figure.announce(error instanceof Error ? error.message : String(error));
    }
  }

  /** Return a button that shows the figure in full screen, for a projector. */
  buildFullScreenButton() {
    const { root } = this.figure;
    const toggle = button("Full screen", () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen()));
    root.onfullscreenchange = () => {
      toggle.textContent = document.fullscreenElement ? "Leave full screen" : "Full screen";
    };
    toggle.hidden = !document.fullscreenEnabled;
    return toggle;
  }

  /** Copy a BibTeX entry to the clipboard. */
  async cite() {
    const { figure } = this;
    figure.controller.flush();
    const entry = bibtex(figure, new Date());
    figure.announce((await copyText(entry)) ? "BibTeX copied." : `Copy this entry: ${entry}`);
  }

  async copy() {
    const { figure } = this;
    figure.controller.flush();
    const link = new URL(location.href);
    if (figure.anchor) link.hash = figure.anchor;
    const copied = await copyText(link.href);
    figure.announce(copied ? "Link copied." : `Copy this link: ${link.href}`);
  }
}
