// Form to request a training.

import { div, button, element, labeledField } from "../engine/dom.js";
import { UserFacingError } from "../engine/loading.js";
import { formatNumber } from "../engine/numbers.js";
import { NEVER_ABORTED } from "../engine/sleep.js";
import { UnfinishedJobError } from "./trainer.js";
import { pluralize } from "../engine/counts.js";

/** @typedef {import("../engine/payload").Experiment} Experiment */
/** @typedef {import("../engine/payload").Specification} Specification */
/** @typedef {{value: string, label: string}} Option */

const MAX_SEEDS = 10;
const UPLOADING = "Uploading the file.";
/** @type {Record<string, string>} */
const HEADS = { plain: "none", paper: "BatchNorm, as in Ba et al. (2016)" };

/** Form to request a training. */
export class TrainingForm {
  /**
   * @param {import("./trainer.js").Trainer} trainer
   * @param {(id: string) => void} showJob shows a training
   */
  constructor(trainer, showJob) {
    this.trainer = trainer;
    this.showJob = showJob;
    /** @type {Experiment[]} */
    this.experiments = [];
    /** Id of the uploaded data file; "" for none. */
    this.file = "";
    /** Aborts the upload in progress. @type {AbortController | null} */
    this.uploading = null;
    /** Whether a request is in progress. */
    this.submitting = false;
    this.experiment = element("select");
    this.experiment.addEventListener("change", () => this.fillDefaults());
    const changed = () => this.updateSummary();
    this.norms = new CheckboxGroup("Norms", changed);
    this.sizes = new CheckboxGroup("Batch sizes", changed);
    this.rates = new CheckboxGroup("Learning rates", changed);
    this.seeds = numberInput(MAX_SEEDS, changed);
    this.steps = numberInput(null, changed);
    this.placement = element("select");
    this.layers = numberInput(null, changed);
    this.warmUp = numberInput(null, changed, 0);
    this.architecture = div("pair", [
      labeledField("Placement of the norms", this.placement),
      labeledField("Layers", this.layers),
      labeledField("Warm-up, steps (0 for none)", this.warmUp),
    ]);
    this.head = element("select");
    this.heads = labeledField("Norm before the softmax", this.head);
    this.upload = element("input");
    this.upload.type = "file";
    this.upload.accept = ".npz";
    this.upload.addEventListener("change", () => this.uploadFile());
    this.files = labeledField("A file to train on (.npz)", this.upload);
    this.summaryLine = element("p", "counted");
    this.summaryLine.setAttribute("aria-live", "polite");
    this.message = element("p", "told");
    this.message.setAttribute("role", "alert");
    /** Button that leads to the unfinished training. */
    this.conflict = div("other", []);
    this.choices = element("details", "own");
    this.choices.append(
      element("summary", "", "Choose what to train"),
      labeledField("Experiment", this.experiment),
      this.files,
      this.norms.element,
      this.sizes.element,
      this.rates.element,
      div("pair", [labeledField("Seeds each", this.seeds), labeledField("Steps each", this.steps)]),
      this.architecture,
      this.heads,
    );
    this.element = element("section", "train");
    this.element.setAttribute("aria-label", "Your own runs");
    const start = div("start", [button("Train", () => this.submit(), "go"), this.summaryLine]);
    this.element.append(start, this.message, this.conflict, this.choices);
  }

  /** Show the available experiments; keep the entries if these are unchanged. @param {Experiment[]} experiments */
  show(experiments) {
    if (JSON.stringify(experiments) === JSON.stringify(this.experiments)) return;
    this.experiments = experiments;
    this.experiment.replaceChildren(...experiments.map(({ name, label }) => new Option(label, name)));
    this.fillDefaults();
  }

  /** The selected experiment. */
  get chosen() {
    return this.experiments[this.experiment.selectedIndex];
  }

  /** Fill in the defaults of the selected experiment. */
  fillDefaults() {
    const { norms, batch_sizes, rates, heads, placements, max_layers, reads_file, default: defaults } = this.chosen;
    this.norms.setOptions(norms.map(({ key, label }) => ({ value: key, label })), defaults.norms);
    this.sizes.setOptions(batch_sizes.map(numberOption), defaults.batch_sizes.map(String));
    this.rates.setOptions(rates.map(numberOption), defaults.rates.map(String));
    this.seeds.value = String(defaults.seeds.length);
    this.steps.value = String(defaults.steps);
    this.head.replaceChildren(...heads.map((head) => new Option(HEADS[head] ?? head, head)));
    this.head.value = defaults.head;
    this.architecture.hidden = !placements.length;
    this.placement.replaceChildren(...placements.map(({ key, label }) => new Option(label, key)));
    this.placement.value = defaults.placement;
    this.layers.max = String(max_layers);
    this.layers.value = String(defaults.layers);
    this.warmUp.value = String(defaults.warm_up);
    this.files.hidden = !reads_file;
    this.upload.value = this.file = "";
    this.uploading?.abort();
    this.uploading = null;
    this.setMessage("");
    this.updateSummary();
  }

  /** Return the requested specification. @returns {Specification} */
  specification() {
    const { name, default: defaults } = this.chosen;
    const steps = Number(this.steps.value);
    return {
      experiment: name,
      norms: this.norms.values(),
      batch_sizes: this.sizes.values().map(Number),
      rates: this.rates.values().map(Number),
      seeds: Array.from({ length: Number(this.seeds.value) }, (_, seed) => seed),
      steps,
      // The usual number of measurements, whatever the number of steps.
      every: Math.max(1, Math.round((steps * defaults.every) / defaults.steps)),
      head: this.heads.hidden ? defaults.head : this.head.value,
      file: this.file,
      placement: this.placement.value,
      layers: Number(this.layers.value),
      warm_up: Number(this.warmUp.value),
    };
  }

  /** Return a message on what is missing, or "". */
  validationError() {
    for (const [checks, what] of /** @type {const} */ ([
      [this.norms, "norm"],
      [this.sizes, "batch size"],
      [this.rates, "learning rate"],
    ])) {
      if (!checks.values().length) return `Choose at least one ${what}.`;
    }
    const seeds = Number(this.seeds.value);
    if (!(Number.isInteger(seeds) && seeds >= 1 && seeds <= MAX_SEEDS)) return `Choose from 1 to ${MAX_SEEDS} seeds.`;
    const steps = Number(this.steps.value);
    if (!(Number.isInteger(steps) && steps >= 1)) return "Steps must be a whole number, at least 1.";
    return this.architecture.hidden ? "" : architectureError(this.specification(), this.chosen.max_layers);
  }

  /** Show the number of runs. Only BatchNorm can be applied before the softmax. */
  updateSummary() {
    this.heads.hidden = this.chosen.heads.length < 2 || !this.norms.values().includes("batch");
    const problem = this.validationError();
    this.summaryLine.textContent = problem || this.summary();
  }

  summary() {
    const { norms, batch_sizes, rates, seeds, steps, every } = this.specification();
    const { fewest, norms: known } = this.chosen;
    const pairs = norms.flatMap((norm) => batch_sizes.map((size) => ({ norm, size })));
    const tooSmall = pairs.filter(({ norm, size }) => size < (fewest[norm] ?? 1));
    const runs = (pairs.length - tooSmall.length) * rates.length * seeds.length;
    const factors = [
      pluralize(norms.length, "norm"),
      pluralize(batch_sizes.length, "batch size"),
      ...(rates.length > 1 ? [pluralize(rates.length, "learning rate")] : []),
      pluralize(seeds.length, "seed"),
    ];
    const interval = every > 1 ? `every ${every}` : "at each";
    const sentence = `${factors.join(" × ")}: ${pluralize(runs, "run")} of ${pluralize(steps, "step")}, measured ${interval}.`;
    const excluded = tooSmall.map(({ norm, size }) => {
      const label = known.find(({ key }) => key === norm)?.label;
      return `${label} can’t train with batches of ${size}: left out.`;
    });
    return [sentence, ...excluded].join(" ");
  }

  async submit() {
    if (this.submitting) return;
    const problem = this.uploading ? `${UPLOADING} Train once it is uploaded.` : this.validationError();
    this.setMessage(problem);
    if (problem) return;
    this.submitting = true;
    try {
      const report = (/** @type {string} */ text) => this.setMessage(text);
      const { id } = await this.trainer.train(this.specification(), { signal: NEVER_ABORTED, report });
      this.choices.open = false;
      this.showJob(id);
    } catch (error) {
      this.setMessage(messageOf(error));
      if (error instanceof UnfinishedJobError) this.conflict.append(button("Show those runs", () => this.showJob(error.id)));
    }
    this.submitting = false;
  }

  /** Upload the selected file. */
  async uploadFile() {
    const [file] = this.upload.files ?? [];
    if (!file) return;
    this.uploading?.abort();
    const { signal } = (this.uploading = new AbortController());
    const report = (/** @type {string} */ text) => this.setMessage(text);
    this.setMessage(UPLOADING);
    let message;
    let sent = "";
    try {
      sent = await this.trainer.send(this.chosen.name, file, { signal, report });
      message = `The runs train on ${file.name}.`;
    } catch (error) {
      message = signal.aborted ? "" : messageOf(error);
    }
    // The file or the experiment may have changed meanwhile.
    if (signal.aborted) return;
    this.uploading = null;
    this.file = sent;
    this.setMessage(message);
    // Reset, so that choosing the same file again after a correction is a change.
    this.upload.value = "";
  }

  /** @param {string} text */
  setMessage(text) {
    this.message.textContent = text;
    this.conflict.replaceChildren();
  }
}

/**
 * Return a message on invalid layers or warm-up steps, or "".
 * @param {Pick<Specification, "layers" | "warm_up">} specification
 * @param {number} maxLayers
 */
export function architectureError({ layers, warm_up }, maxLayers) {
  if (!(Number.isInteger(layers) && layers >= 1 && layers <= maxLayers)) return `Choose from 1 to ${maxLayers} layers.`;
  return Number.isInteger(warm_up) && warm_up >= 0 ? "" : "Warm-up steps must be a whole number, at least 0.";
}

/** A group of checkboxes. */
class CheckboxGroup {
  /**
   * @param {string} name
   * @param {() => void} changed
   */
  constructor(name, changed) {
    this.options = element("div", "options");
    this.element = element("fieldset", "checks");
    this.element.append(element("legend", "", name), this.options);
    this.element.addEventListener("change", changed);
  }

  /**
   * @param {Option[]} options
   * @param {string[]} checked
   */
  setOptions(options, checked) {
    const labels = options.map(({ value, label }) => {
      const node = element("label");
      const input = node.appendChild(element("input"));
      Object.assign(input, { type: "checkbox", value, checked: checked.includes(value) });
      node.append(element("span", "", label));
      return node;
    });
    this.options.replaceChildren(...labels);
  }

  /** Return the checked values. */
  values() {
    return [...this.options.querySelectorAll("input")].filter(({ checked }) => checked).map(({ value }) => value);
  }
}

/** Return a number as an option. @param {number} value */
function numberOption(value) {
  return { value: String(value), label: formatNumber(value, "g") };
}

/**
 * Return an input for a whole number.
 * @param {number | null} most
 * @param {() => void} changed
 * @param {number} least
 */
function numberInput(most, changed, least = 1) {
  const input = element("input");
  Object.assign(input, { type: "number", min: String(least), step: "1" });
  if (most !== null) input.max = String(most);
  input.addEventListener("input", changed);
  return input;
}

/** Return the message of an error; unexpected ones are logged. @param {unknown} error */
function messageOf(error) {
  if (!(error instanceof UserFacingError)) console.error(error);
  return error instanceof Error ? error.message : String(error);
}
