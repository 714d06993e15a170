// The controls above a figure. Each is a native element, so keyboard and screen reader work as everywhere.

const SWEEP_MS = 6000;
// Time to read what a step has changed.
const STEP_MS = 1200;
let count = 0;

/** @param {any} spec @param {import("./explorable.js").Figure} figure */
export function build(spec, figure) {
  if (spec.kind === "slider") return new Slider(spec, figure);
  if (spec.kind === "choice" || spec.kind === "stepper") return new Choice(spec, figure);
  if (spec.kind === "switch") return new Switch(spec, figure);
  return null;
}

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

export function button(text, onClick, className = "") {
  const node = element("button", className, text);
  node.type = "button";
  node.addEventListener("click", onClick);
  return node;
}

/** The position whose value is nearest, of ascending ones; infinity is nearest to an end. */
export function nearest(values, wanted) {
  const inside = Math.max(values[0], Math.min(values.at(-1), wanted));
  let best = 0;
  for (let i = 1; i < values.length; i += 1) {
    if (Math.abs(values[i] - inside) < Math.abs(values[best] - inside)) best = i;
  }
  return best;
}

class Slider {
  constructor(spec, figure) {
    Object.assign(this, { spec, figure, frame: 0, editing: false });
    this.element = element("div", "slider");
    const label = element("label", "", spec.name);
    this.input = element("input");
    this.input.type = "range";
    this.input.id = label.htmlFor = `ln-${(count += 1)}`;
    // A linear slider speaks its own unit; on a logarithmic one the hand moves in positions.
    this.scale = spec.log ? spec.values.map((_, i) => i) : spec.values;
    this.input.min = String(this.scale[0]);
    this.input.max = String(this.scale.at(-1));
    this.input.step = spec.log || this.scale.length < 2 ? "1" : String(Number((this.scale[1] - this.scale[0]).toPrecision(6)));
    this.input.addEventListener("input", () => {
      this.stop();
      figure.set(spec.name, nearest(this.scale, Number(this.input.value)));
    });
    this.input.addEventListener("change", () => figure.settle());
    this.input.addEventListener("keydown", (event) => this.page(event));
    this.exact = element("input", "exact");
    this.exact.type = "text";
    this.exact.inputMode = "decimal";
    this.exact.autocomplete = "off";
    this.exact.spellcheck = false;
    this.exact.style.setProperty("--letters", String(Math.max(3, ...spec.labels.map((text) => text.length))));
    this.exact.setAttribute("aria-label", `${spec.name}, exact value`);
    this.exact.addEventListener("input", () => (this.editing = true));
    this.exact.addEventListener("change", () => this.enter());
    this.exact.addEventListener("blur", () => {
      this.editing = false;
      this.draw();
    });
    this.play = button("", () => (this.frame ? this.stop() : this.run()), "play");
    this.element.append(label, this.input, this.exact, this.play);
    this.stop();
  }

  draw() {
    const position = this.figure.positions[this.spec.name];
    const value = String(this.scale[position]);
    if (this.input.value !== value) this.input.value = value;
    const text = this.spec.labels[position];
    this.input.setAttribute("aria-valuetext", text);
    this.input.style.setProperty("--share", String(position / Math.max(1, this.scale.length - 1)));
    if (!this.editing) this.exact.value = text;
  }

  /** Page keys move a tenth of the range in every browser. */
  page(event) {
    const direction = { PageUp: 1, PageDown: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    this.stop();
    const last = this.scale.length - 1;
    const step = Math.max(1, Math.round(last / 10));
    const position = this.figure.positions[this.spec.name] + direction * step;
    this.figure.set(this.spec.name, Math.max(0, Math.min(last, position)));
  }

  enter() {
    this.stop();
    this.editing = false;
    const named = this.spec.labels.indexOf(this.exact.value.trim());
    const wanted = Number(this.exact.value.trim().replace("−", "-").replace(",", "."));
    if (named >= 0) this.figure.set(this.spec.name, named);
    else if (this.exact.value.trim() !== "" && !Number.isNaN(wanted)) {
      this.figure.set(this.spec.name, nearest(this.spec.values, wanted));
    }
    this.draw();
    this.figure.settle();
  }

  run() {
    const last = this.scale.length - 1;
    const from = this.figure.positions[this.spec.name];
    const begin = from === last ? 0 : from;
    const whole = last < 30 ? last * STEP_MS : SWEEP_MS;
    const started = performance.now();
    const tick = (now) => {
      const position = Math.min(last, begin + Math.floor(((now - started) / whole) * last));
      this.figure.set(this.spec.name, position);
      if (position === last || !this.element.isConnected) this.stop();
      else this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
    this.play.setAttribute("aria-label", `Stop ${this.spec.name}`);
    this.play.classList.add("running");
  }

  stop() {
    const running = this.frame !== 0;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.play.setAttribute("aria-label", `Play ${this.spec.name}`);
    this.play.classList.remove("running");
    // A drag comes by here with every move: only a play that ends is a movement that does.
    if (running) this.figure.settle();
  }
}

/** Named positions as native radio buttons; a stepper adds back and next. */
class Choice {
  constructor(spec, figure) {
    Object.assign(this, { spec, figure });
    this.element = element("fieldset", spec.kind);
    this.element.append(element("legend", "", spec.name));
    const group = `ln-${(count += 1)}`;
    const list = element("div", "options");
    this.inputs = spec.labels.map((text, i) => {
      const label = element("label");
      const input = element("input");
      input.type = "radio";
      input.name = group;
      input.value = spec.values[i];
      input.addEventListener("change", () => {
        figure.set(spec.name, i);
        figure.settle();
      });
      label.style.setProperty("--ln-own", `var(--ln-${spec.colors[i]})`);
      label.append(input, element("span", "", text));
      list.append(label);
      return input;
    });
    if (spec.kind === "stepper") {
      this.back = button("back", () => this.step(-1));
      this.next = button("next", () => this.step(1));
      list.prepend(this.back);
      list.append(this.next);
    }
    this.element.append(list);
  }

  step(by) {
    const { figure, spec } = this;
    const to = figure.positions[spec.name] + by;
    if (to < 0 || to >= spec.values.length) return;
    figure.set(spec.name, to);
    figure.settle();
  }

  draw() {
    const position = this.figure.positions[this.spec.name];
    this.inputs[position].checked = true;
    // A disabled button would drop the keyboard's focus; these stay and say so.
    this.back?.setAttribute("aria-disabled", String(position === 0));
    this.next?.setAttribute("aria-disabled", String(position === this.inputs.length - 1));
  }
}

/** A choice of two, as a button that names the other one. */
class Switch {
  constructor(spec, figure) {
    Object.assign(this, { spec, figure });
    this.element = button("", () => {
      figure.set(spec.name, 1 - figure.positions[spec.name]);
      figure.settle();
    }, "switch");
  }

  draw() {
    this.element.textContent = this.spec.labels[1 - this.figure.positions[this.spec.name]];
  }
}

/** A parameter: it changes what is computed, so the figure is fetched anew. */
export function parameter(spec, figure) {
  const wrapper = element("div", "parameter");
  const label = element("label", "", spec.label);
  const input = element(spec.options ? "select" : "input");
  input.id = label.htmlFor = `ln-${(count += 1)}`;
  if (spec.options) {
    for (const option of spec.options) input.append(new Option(option.label, option.value));
  } else {
    input.type = "number";
    Object.assign(input, { min: spec.low, max: spec.high, step: 1 });
  }
  input.value = String(spec.value);
  input.addEventListener("change", () => figure.load({ [spec.name]: input.value }));
  wrapper.append(label, input);
  if (spec.fresh) {
    wrapper.append(button(spec.fresh, () => {
      const span = spec.high - spec.low + 1;
      figure.load({ [spec.name]: String(spec.low + Math.floor(Math.random() * span)) });
    }));
  }
  return wrapper;
}
