// What can be done with a figure as a whole, below its views.

import { hiding, query } from "./address.js";
import { block, button, element } from "./dom.js";
import { toClipboard, toFile } from "./files.js";
import { csv } from "./csv.js";
import { png, svg } from "./picture.js";

/** @typedef {import("./figure.js").Figure} Figure */

export class Actions {
  /**
   * @param {Figure} figure
   * @param {import("./code.js").Code} code
   */
  constructor(figure, code) {
    this.figure = figure;
    this.element = block("actions", [
      button("Reset", () => figure.reset()),
      ...figure.drawing.switches,
    ]);
    if (figure.hand.state.payload.code) this.element.append(code.toggle);
    if (figure.linked) this.element.append(button("Copy link", () => this.copy()));
    this.element.append(this.downloads(), this.screen());
    /** The figure alone, as it stands. */
    this.alone = element("a", "alone", "On a page of its own");
    if (figure.page) this.element.append(this.alone);
  }

  /** Follows the figure's state. */
  settle() {
    const text = new URLSearchParams({ ...query(this.figure.hand.state), ...hiding() }).toString();
    this.alone.href = this.figure.page + (text ? `?${text}` : "");
  }

  /** The picture and the numbers, folded away. */
  downloads() {
    const fold = element("details", "downloads");
    fold.append(
      element("summary", "", "Download"),
      block("options", [
        button("Picture (SVG)", () => this.save("svg", "image/svg+xml", () => svg(this.figure.drawing))),
        button("Picture (PNG)", () => this.save("png", "image/png", () => png(this.figure.drawing))),
        button("Numbers (CSV)", () => this.save("csv", "text/csv", async () => csv(this.figure.drawing))),
      ]),
    );
    return fold;
  }

  /**
   * @param {string} ending
   * @param {string} type
   * @param {() => Promise<BlobPart>} make
   */
  async save(ending, type, make) {
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

  async copy() {
    const { figure } = this;
    figure.hand.settle();
    const link = new URL(location.href);
    if (figure.anchor) link.hash = figure.anchor;
    const copied = await toClipboard(link.href);
    figure.say(copied ? "Link copied." : `Copy this link: ${link.href}`);
  }
}
