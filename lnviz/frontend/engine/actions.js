// What can be done with a figure as a whole, below its views.

import { hiding, query } from "./address.js";
import { block, button, element } from "./dom.js";
import { toClipboard, toFile } from "./files.js";
import { csv } from "./csv.js";
import { png, svg } from "./picture.js";
import { addressOf, bibtex, source } from "./citation.js";

/** @typedef {import("./figure.js").Figure} Figure */

export class Actions {
  /**
   * @param {Figure} figure
   * @param {import("./code.js").Code} code
   */
  constructor(figure, code) {
    this.figure = figure;
    /** The figure alone, as it stands. */
    this.alone = element("a", "alone", "On a page of its own");
    /** What came of the last action. */
    this.told = element("p", "told");
    this.told.setAttribute("role", "status");
    this.menu = this.fold([
      ...(figure.linked ? [button("Copy link", () => this.copy())] : []),
      ...(figure.hand.state.payload.code ? [code.toggle] : []),
      button("Picture (SVG)", () => this.save("svg", "image/svg+xml", () => svg(figure.drawing, source(figure)))),
      button("Picture (PNG)", () => this.save("png", "image/png", () => png(figure.drawing, source(figure)))),
      button("Numbers (CSV)", () => this.save("csv", "text/csv", async () => csv(figure.drawing, source(figure)))),
      ...(figure.linked ? [button("Cite this figure", () => this.cite())] : []),
      this.screen(),
      ...(figure.page ? [this.alone] : []),
    ]);
    this.element = block("actions", [...figure.drawing.switches, this.told, this.menu]);
  }

  /** Follows the figure's state. */
  settle() {
    const text = new URLSearchParams({ ...query(this.figure.hand.state), ...hiding() }).toString();
    this.alone.href = this.figure.page + (text ? `?${text}` : "");
  }

  /**
   * A menu that closes once something is chosen, and when the reader turns to something else.
   * @param {Element[]} entries
   */
  fold(entries) {
    const menu = element("details", "menu");
    const summary = element("summary", "", "More");
    menu.append(summary, block("entries", entries));
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
    this.figure.hand.finish();
    const name = this.figure.hand.state.payload.title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    try {
      toFile(`${name}.${ending}`, new Blob([await make()], { type }));
      this.figure.say("");
    } catch (error) {
      this.figure.say(error instanceof Error ? error.message : String(error));
    }
  }

  /** The figure alone on the screen: for a projector. */
  screen() {
    const { root } = this.figure;
    const toggle = button("Full screen", () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen()));
    root.onfullscreenchange = () => {
      toggle.textContent = document.fullscreenElement ? "Leave full screen" : "Full screen";
    };
    toggle.hidden = !document.fullscreenEnabled;
    return toggle;
  }

  /** Puts an entry for a list of references into the clipboard. */
  async cite() {
    const { figure } = this;
    figure.hand.finish();
    const { title } = figure.hand.state.payload;
    const entry = bibtex(title, addressOf(figure), new Date());
    figure.say((await toClipboard(entry)) ? "BibTeX copied." : `Copy this entry: ${entry}`);
  }

  async copy() {
    const { figure } = this;
    figure.hand.finish();
    const link = new URL(location.href);
    if (figure.anchor) link.hash = figure.anchor;
    const copied = await toClipboard(link.href);
    figure.say(copied ? "Link copied." : `Copy this link: ${link.href}`);
  }
}
