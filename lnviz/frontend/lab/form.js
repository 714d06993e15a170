// The form that asks for a training.

import { div, button, element, labeledField } from "../engine/dom.js";
import { UserFacingError } from "../engine/loading.js";
import { formatNumber } from "../engine/numbers.js";
import { NEVER_ABORTED } from "../engine/sleep.js";
import { Unfinished } from "./trainer.js";
import { many } from "./words.js";

/** @typedef {import("../engine/payload").Experiment} Experiment */
/** @typedef {import("../engine/payload").Specification} Specification */
/** @typedef {{value: string, label: string}} Option */

const MOST_SEEDS = 10;
const ON_ITS_WAY = "The file is on its way.";
/** @type {Record<string, string>} */
const HEADS = { plain: "none", paper: "BatchNorm, as in the paper" };

export class Training {
  /**
   * @param {import("./trainer.js").Trainer} trainer
   * @param {(id: string) => void} see shows a training
   */
  constructor(trainer, see) {
    this.trainer = trainer;
    this.see = see;
    /** @type {Experiment[]} */
    this.experiments = [];
    /** What has been sent to learn from, or "". */
    this.file = "";
    /** Withdraws the file that is on its way. @type {AbortController | null} */
    this.sending = null;
    /** Whether a wish is on its way. */
    this.asking = false;
    this.experiment = element("select");
    this.experiment.addEventListener("change", () => this.offer());
    const changed = () => this.count();
    this.norms = new Checks("Norms", changed);
    this.sizes = new Checks("Batch sizes", changed);
    this.rates = new Checks("Learning rates", changed);
    this.seeds = whole(MOST_SEEDS, changed);
    this.steps = whole(null, changed);
    this.head = element("select");
    this.heads = labeledField("Norm before the softmax", this.head);
    this.upload = element("input");
    this.upload.type = "file";
    this.upload.accept = ".npz";
    this.upload.addEventListener("change", () => this.send());
    this.files = labeledField("A file to learn from (.npz)", this.upload);
    this.counted = element("p", "counted");
    this.counted.setAttribute("aria-live", "polite");
    this.told = element("p", "told");
    this.told.setAttribute("role", "alert");
    /** Leads to the training that stands in the way. */
    this.other = div("other", []);
    this.choices = element("details", "own");
    this.choices.append(
      element("summary", "", "Choose what is trained"),
      labeledField("Experiment", this.experiment),
      this.files,
      this.norms.element,
      this.sizes.element,
      this.rates.element,
      div("pair", [labeledField("Seeds of each", this.seeds), labeledField("Steps of each", this.steps)]),
      this.heads,
    );
    this.element = element("section", "train");
    this.element.setAttribute("aria-label", "Runs of your own");
    const start = div("start", [button("Train", () => this.train(), "go"), this.counted]);
    this.element.append(start, this.told, this.other, this.choices);
  }

  /** Offers these; what is filled in stays while they are the same. @param {Experiment[]} experiments */
  show(experiments) {
    if (JSON.stringify(experiments) === JSON.stringify(this.experiments)) return;
    this.experiments = experiments;
    this.experiment.replaceChildren(...experiments.map(({ name, label }) => new Option(label, name)));
    this.offer();
  }

  /** The experiment that is chosen. */
  get chosen() {
    return this.experiments[this.experiment.selectedIndex];
  }

  /** Fills in what the chosen experiment begins with. */
  offer() {
    const { norms, batch_sizes, rates, heads, reads_file, default: usual } = this.chosen;
    this.norms.offer(norms.map(({ key, label }) => ({ value: key, label })), usual.norms);
    this.sizes.offer(batch_sizes.map(numeral), usual.batch_sizes.map(String));
    this.rates.offer(rates.map(numeral), usual.rates.map(String));
    this.seeds.value = String(usual.seeds.length);
    this.steps.value = String(usual.steps);
    this.head.replaceChildren(...heads.map((head) => new Option(HEADS[head] ?? head, head)));
    this.head.value = usual.head;
    this.files.hidden = !reads_file;
    this.upload.value = this.file = "";
    this.sending?.abort();
    this.sending = null;
    this.tell("");
    this.count();
  }

  /** What is asked for. @returns {Specification} */
  wish() {
    const { name, default: usual } = this.chosen;
    const steps = Number(this.steps.value);
    return {
      experiment: name,
      norms: this.norms.values(),
      batch_sizes: this.sizes.values().map(Number),
      rates: this.rates.values().map(Number),
      seeds: Array.from({ length: Number(this.seeds.value) }, (_, seed) => seed),
      steps,
      // As many measurements as usual, however long it trains.
      every: Math.max(1, Math.round((steps * usual.every) / usual.steps)),
      head: this.heads.hidden ? usual.head : this.head.value,
      file: this.file,
    };
  }

  /** Says what is missing, or "". */
  lack() {
    for (const [checks, what] of /** @type {const} */ ([
      [this.norms, "norm"],
      [this.sizes, "batch size"],
      [this.rates, "learning rate"],
    ])) {
      if (!checks.values().length) return `Choose at least one ${what}.`;
    }
    const seeds = Number(this.seeds.value);
    if (!(Number.isInteger(seeds) && seeds >= 1 && seeds <= MOST_SEEDS)) return `Choose from 1 to ${MOST_SEEDS} seeds.`;
    const steps = Number(this.steps.value);
    return Number.isInteger(steps) && steps >= 1 ? "" : "The steps are a whole number, at least 1.";
  }

  /** Says how many runs that is. Only BatchNorm can stand before the softmax. */
  count() {
    this.heads.hidden = this.chosen.heads.length < 2 || !this.norms.values().includes("batch");
    const lack = this.lack();
    this.counted.textContent = lack || this.sum();
  }

  sum() {
    const { norms, batch_sizes, rates, seeds, steps, every } = this.wish();
    const { fewest, norms: known } = this.chosen;
    const pairs = norms.flatMap((norm) => batch_sizes.map((size) => ({ norm, size })));
    const out = pairs.filter(({ norm, size }) => size < (fewest[norm] ?? 1));
    const runs = (pairs.length - out.length) * rates.length * seeds.length;
    const factors = [
      many(norms.length, "norm"),
      many(batch_sizes.length, "batch size"),
      ...(rates.length > 1 ? [many(rates.length, "learning rate")] : []),
      many(seeds.length, "seed"),
    ];
    const often = every > 1 ? `every ${every}` : "at each";
    const sentence = `${factors.join(" × ")}: ${many(runs, "run")} of ${many(steps, "step")}, measured ${often}.`;
    const left = out.map(({ norm, size }) => {
      const label = known.find(({ key }) => key === norm)?.label;
      return `${label} cannot learn from batches of ${size}: left out.`;
    });
    return [sentence, ...left].join(" ");
  }

  async train() {
    if (this.asking) return;
    const lack = this.sending ? `${ON_ITS_WAY} Train when it is there.` : this.lack();
    this.tell(lack);
    if (lack) return;
    this.asking = true;
    try {
      const report = (/** @type {string} */ text) => this.tell(text);
      const { id } = await this.trainer.train(this.wish(), { signal: NEVER_ABORTED, report });
      this.choices.open = false;
      this.see(id);
    } catch (error) {
      this.tell(sentence(error));
      if (error instanceof Unfinished) this.other.append(button("Show those runs", () => this.see(error.id)));
    }
    this.asking = false;
  }

  /** Sends the file that is chosen. */
  async send() {
    const [file] = this.upload.files ?? [];
    if (!file) return;
    this.sending?.abort();
    const { signal } = (this.sending = new AbortController());
    const report = (/** @type {string} */ text) => this.tell(text);
    this.tell(ON_ITS_WAY);
    let told;
    let sent = "";
    try {
      sent = await this.trainer.send(this.chosen.name, file, { signal, report });
      told = `The runs learn from ${file.name}.`;
    } catch (error) {
      told = signal.aborted ? "" : sentence(error);
    }
    // Another file, or another experiment, may have been chosen meanwhile.
    if (signal.aborted) return;
    this.sending = null;
    this.file = sent;
    this.tell(told);
    // The same file, mended, is a change again.
    this.upload.value = "";
  }

  /** @param {string} text */
  tell(text) {
    this.told.textContent = text;
    this.other.replaceChildren();
  }
}

/** Boxes to check, of one kind. */
class Checks {
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
  offer(options, checked) {
    const labels = options.map(({ value, label }) => {
      const node = element("label");
      const input = node.appendChild(element("input"));
      Object.assign(input, { type: "checkbox", value, checked: checked.includes(value) });
      node.append(element("span", "", label));
      return node;
    });
    this.options.replaceChildren(...labels);
  }

  /** Those that are checked. */
  values() {
    return [...this.options.querySelectorAll("input")].filter(({ checked }) => checked).map(({ value }) => value);
  }
}

/** @param {number} value */
function numeral(value) {
  return { value: String(value), label: formatNumber(value, "g") };
}

/**
 * A field for a whole number from 1.
 * @param {number | null} most
 * @param {() => void} changed
 */
function whole(most, changed) {
  const input = element("input");
  Object.assign(input, { type: "number", min: "1", step: "1" });
  if (most !== null) input.max = String(most);
  input.addEventListener("input", changed);
  return input;
}

/** @param {unknown} error */
function sentence(error) {
  if (!(error instanceof UserFacingError)) console.error(error);
  return error instanceof Error ? error.message : String(error);
}
