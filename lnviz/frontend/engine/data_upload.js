// The reader's own data: an uploaded file, a pasted table, or a recorded run of a model.

import { button, element, labeledField } from "./dom.js";

/**
 * The server's answer to an upload: the parameter value that shows it, a sentence on what was read, the array's name,
 * the names of all arrays in the file, sentences on what is not shown, and further parameters.
 * @typedef {{data: string, read: string, name: string, arrays: string[], left_out: string[], also: Record<string, string>}}
 * UploadResult
 */
/**
 * Upload a file, of which `array` is to be shown; throws a `UserFacingError`. While the server is busy, `report` tells
 * the reader.
 * @typedef {(name: string, content: Blob, array: string, report: (sentence: string) => void) => Promise<UploadResult>}
 * UploadFile
 */

/** What a parameter accepts: texts, file types, and the file ending if there is only one. */
const ACCEPTED = {
  table: {
    summary: "Your own numbers",
    hint:
      "A table of numbers, one row per example: .csv, .tsv, .txt, .json, .parquet, .npy, .npz or .safetensors, also with " +
      ".gz, at most 20 MB and a million cells. " +
      "A small table becomes part of the page’s address. A larger one stays on this server for 7 days, under a name " +
      "that only your link holds; of yours, it keeps the latest 16 and at most 16 MB.",
    accept: ".csv,.tsv,.txt,.tab,.dat,.data,.json,.jsonl,.ndjson,.parquet,.npy,.npz,.safetensors,.gz",
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

/** Form for the reader's own data. */
export class DataUpload {
  /**
   * @param {UploadFile} send
   * @param {(values: Record<string, string>) => Promise<void>} change
   */
  constructor(send, change) {
    this.send = send;
    this.change = change;
    /** The parameter that the upload sets. */
    this.parameter = "";
    /** The required file ending; "" where there are several. */
    this.ending = "";
    /** The parameter value that shows the last upload. */
    this.shown = "";
    /** The last uploaded file, to show another array of it. @type {{name: string, content: Blob} | null} */
    this.lastFile = null;
    this.file = element("input");
    this.file.type = "file";
    this.file.addEventListener("change", () => {
      const [file] = this.file.files ?? [];
      // Files for a run are read as runs, whatever their ending.
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
    this.choice = labeledField("Table", this.arrays);
    this.choice.hidden = true;
    /** What was read, above the figure. */
    this.read = element("p");
    this.read.setAttribute("role", "status");
    this.result = element("div", "read-file");
    this.result.append(this.read, this.choice);
    this.result.hidden = true;
    this.status = element("p", "told");
    this.status.setAttribute("role", "status");
    const show = button("Show this table", () => this.upload("pasted table.csv", new Blob([this.pasted.value])));
    this.summary = element("summary");
    this.hint = element("p");
    /** Inputs for tables only. */
    this.tableInputs = [labeledField("Or paste or type a table", this.pasted), show];
    this.element = element("details", "own");
    this.element.append(this.summary, this.hint, labeledField("A file", this.file), ...this.tableInputs, this.status);
    this.element.hidden = true;
  }

  /**
   * Show the upload where a parameter accepts the reader's data.
   * @param {import("./payload.js").Parameter[]} parameters
   */
  showFor(parameters) {
    const accepting = parameters.find((spec) => spec.kind === "pick" && spec.own in ACCEPTED);
    this.parameter = accepting?.name ?? "";
    this.element.hidden = !accepting;
    this.result.hidden = !this.shown || accepting?.value !== this.shown;
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
    this.status.textContent = "Uploading.";
    try {
      const sent = await this.send(name, content, array, (sentence) => (this.status.textContent = sentence));
      this.lastFile = { name, content };
      this.arrays.replaceChildren(...sent.arrays.map((each) => new Option(each, each, false, each === sent.name)));
      this.choice.hidden = sent.arrays.length < 2;
      this.read.textContent = [sent.read, ...sent.left_out].join(" ");
      this.status.textContent = "";
      this.shown = sent.data;
      await this.change({ [this.parameter]: sent.data, ...sent.also });
      this.element.open = false;
      this.result.scrollIntoView({ block: "start" });
    } catch (error) {
      const sentence = error instanceof Error ? error.message : String(error);
      this.status.classList.add("refused");
      this.status.textContent = `${sentence} The figure is unchanged.`;
    }
    // Reset, so that choosing the same file again after a correction is a change.
    this.file.value = "";
  }
}
