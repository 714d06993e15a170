// The reader's own numbers, a file, a pasted table, or one number of a small table typed anew; or a run of a model.

import { div, button, element, labeledField, uniqueId } from "./dom.js";
import { parseNumber } from "./numbers.js";

/**
 * What the server answers: the parameter's value that shows what was sent, a sentence that says what was read, the
 * name of the array, the names of all arrays of the file, and a sentence for each that cannot be shown.
 * @typedef {{data: string, read: string, name: string, arrays: string[], left_out: string[]}} UploadResult
 */
/**
 * Sends a file, of which `array` is to be shown, and says how; throws a `Refusal` with a sentence. While the server
 * has no room for it, the reader hears so.
 * @typedef {(name: string, content: Blob, array: string, report: (sentence: string) => void) => Promise<UploadResult>} UploadFile
 */

/** What is said where a parameter takes something, and the files that it takes. */
const ACCEPTED = {
  table: {
    summary: "Your own numbers",
    hint:
      "A table of numbers, one row an example: .csv, .npy, .npz or .safetensors, at most 20 MB and a million cells. " +
      "A small table becomes part of the page's address. A larger one stays on this server for 7 days, under a name " +
      "that only your link holds; of yours, it keeps the latest 16 and at most 16 MB.",
    accept: ".csv,.npy,.npz,.safetensors",
    ending: "",
  },
  run: {
    summary: "Your own run",
    hint:
      "A file that watched.save has written: .lnviz, at most 20 MB. It holds statistics and gains, no other weights and " +
      "no inputs. It stays on this server for 7 days, under a name that only your link holds; of yours, it keeps the " +
      "latest 4 and at most 16 MB. To look at it without a server: lnviz show run.lnviz --open",
    accept: ".lnviz",
    ending: ".lnviz",
  },
};

export class DataUpload {
  /**
   * @param {UploadFile} send
   * @param {(values: Record<string, string>) => void} change
   */
  constructor(send, change) {
    this.send = send;
    this.change = change;
    /** The parameter that shows what was sent. */
    this.parameter = "";
    /** How the names of files end that are taken, where it is one ending. */
    this.ending = "";
    /** What was sent last: another array of it may be wanted. @type {{name: string, content: Blob} | null} */
    this.lastFile = null;
    this.file = element("input");
    this.file.type = "file";
    this.file.addEventListener("change", () => {
      const [file] = this.file.files ?? [];
      // What is brought as a run is read as one, whatever it is called.
      if (file) this.upload(file.name.endsWith(this.ending) ? file.name : file.name + this.ending, file);
    });
    this.pasted = element("textarea");
    this.pasted.rows = 4;
    this.pasted.spellcheck = false;
    this.pasted.placeholder = "height, width\n1.5, 2\n3, 4.5";
    this.arrays = element("select");
    this.arrays.addEventListener("change", () => {
      if (this.lastFile) this.upload(this.lastFile.name, this.lastFile.content, this.arrays.value);
    });
    this.choice = labeledField("Array", this.arrays);
    this.choice.hidden = true;
    this.status = element("p", "told");
    this.status.setAttribute("role", "status");
    const show = button("Show this table", () => this.upload("pasted table.csv", new Blob([this.pasted.value])));
    this.summary = element("summary");
    this.hint = element("p");
    /** What takes a table alone. */
    this.tableInputs = [labeledField("Or a table, pasted or typed", this.pasted), show];
    this.element = element("details", "own");
    this.element.append(this.summary, this.hint, labeledField("A file", this.file), ...this.tableInputs, this.choice, this.status);
    this.element.hidden = true;
  }

  /** Shows itself where a parameter takes what a reader has. @param {import("./payload.js").Parameter[]} parameters */
  showFor(parameters) {
    const accepting = parameters.find((spec) => spec.kind === "pick" && spec.own in ACCEPTED);
    this.parameter = accepting?.name ?? "";
    this.element.hidden = !accepting;
    if (accepting?.kind !== "pick" || !accepting.own || accepting.own === "points") return;
    const { summary, hint, accept, ending } = ACCEPTED[accepting.own];
    this.ending = ending;
    this.summary.textContent = summary;
    this.hint.textContent = hint;
    this.file.accept = accept;
    for (const part of this.tableInputs) part.hidden = accepting.own !== "table";
  }

  /**
   * @param {string} name
   * @param {Blob} content
   * @param {string} [array]
   */
  async upload(name, content, array = "") {
    this.status.classList.remove("refused");
    this.status.textContent = "It is on its way.";
    try {
      const sent = await this.send(name, content, array, (sentence) => (this.status.textContent = sentence));
      this.lastFile = { name, content };
      this.arrays.replaceChildren(...sent.arrays.map((each) => new Option(each, each, false, each === sent.name)));
      this.choice.hidden = sent.arrays.length < 2;
      this.status.textContent = [sent.read, ...sent.left_out].join(" ");
      this.change({ [this.parameter]: sent.data });
    } catch (error) {
      const sentence = error instanceof Error ? error.message : String(error);
      this.status.classList.add("refused");
      this.status.textContent = `${sentence} The figure shows what it did before.`;
    }
    // The same file, mended, is a change again.
    this.file.value = "";
  }
}

/** Types a held cell's number anew: the figure is fetched for the changed table. */
export class CellEditor {
  /** @param {(values: Record<string, string>) => void} change */
  constructor(change) {
    this.change = change;
    /** @type {import("./state.js").State | null} */
    this.state = null;
    this.input = element("input");
    this.input.type = "text";
    this.input.inputMode = "decimal";
    this.input.autocomplete = "off";
    this.input.addEventListener("change", () => this.commit());
    this.label = element("label");
    this.input.id = this.label.htmlFor = uniqueId();
    this.status = element("span", "told");
    this.status.setAttribute("role", "status");
    this.element = div("edit", [this.label, this.input, this.status]);
    this.element.hidden = true;
    /** The position that the field is about. */
    this.position = -1;
  }

  /** Shown while a cell of a table that can be changed is held. @param {import("./state.js").State} state */
  draw(state) {
    this.state = state;
    const { edits } = state.payload;
    this.element.hidden = !edits || !state.held.has(edits.pointer);
    const position = edits ? state.positions[edits.pointer] : -1;
    if (!edits || this.element.hidden || (position === this.position && document.activeElement === this.input)) return;
    this.position = position;
    this.label.textContent = `${state.labelOf(edits.pointer)}:`;
    const { row, column } = this.cellPosition(edits);
    this.input.value = edits.lines[row][column];
    this.status.textContent = "";
  }

  /** Where in the table the held cell is. @param {import("./payload.js").Edits} edits */
  cellPosition(edits) {
    const [top, left] = edits.first;
    const width = edits.lines[0].length - left;
    return { row: top + Math.floor(this.position / width), column: left + (this.position % width) };
  }

  commit() {
    const edits = this.state?.payload.edits;
    if (!edits) return;
    const typed = parseNumber(this.input.value);
    const { row, column } = this.cellPosition(edits);
    if (!Number.isFinite(typed)) {
      this.status.textContent = "A number is needed, such as -0.8. The cell keeps what it had.";
      this.input.value = edits.lines[row][column];
      return;
    }
    const lines = edits.lines.map((line) => [...line]);
    lines[row][column] = String(typed).replace("e+", "e");
    this.change({ [edits.parameter]: edits.before + lines.map((line) => line.join("_")).join("*") });
  }
}
