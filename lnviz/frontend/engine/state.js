// Positions of a figure's controls, and the tensor values there.

import { offset, valueAt } from "./tensors.js";

/** @typedef {import("./payload").Control} Control */
/** A payload with the positions of its controls. @typedef {import("./tensors.js").Tensor} Tensor */

export class State {
  /**
   * @param {import("./payload").Payload} payload
   * @param {Record<string, Tensor>} tensors
   * @param {Record<string, number>} positions those that differ from the defaults; a pointer listed here is pinned
   */
  constructor(payload, tensors, positions) {
    this.payload = payload;
    this.tensors = tensors;
    /** @type {Record<string, Control>} */
    this.controls = Object.fromEntries(payload.controls.map((control) => [control.name, control]));
    /** @type {Record<string, number>} */
    this.positions = Object.fromEntries(payload.controls.map((c) => [c.name, positions[c.name] ?? c.start]));
    /** Names of the pinned pointers. */
    this.held = new Set(
      payload.controls.filter((c) => c.kind === "pointer" && c.name in positions).map((c) => c.name),
    );
  }

  /** Return a tensor's value at the present positions. @param {string} name */
  valueOf(name) {
    return valueAt(this.tensors[name], offset(this.tensors[name], this.positions));
  }

  /** Return a control's label at its present position. @param {string} name */
  labelOf(name) {
    return this.controls[name].labels[this.positions[name]];
  }

  /**
   * Return whether a view is shown at the present positions.
   * @param {{when: import("./payload").When, if_finite?: string, if_nan?: string}} view
   */
  isShown({ when, if_finite: finite, if_nan: missing }) {
    return (
      Object.entries(when).every(([name, allowed]) => allowed.includes(this.positions[name])) &&
      (!finite || !Number.isNaN(this.valueOf(finite))) &&
      (!missing || Number.isNaN(this.valueOf(missing)))
    );
  }

  /** Return the figure's code at the present positions. */
  code() {
    return this.payload.code.replace(/«([^»]+)»/g, (_, name) => this.controls[name].codes[this.positions[name]]);
  }

  /** Return the color token of the chosen option; "" where no choice sets the color. */
  color() {
    const choice = this.controls[this.payload.color];
    return choice && "colors" in choice ? choice.colors[this.positions[choice.name]] : "";
  }

  /** Reset all controls except hidden ones, and unpin all pointers. @param {Set<string>} hidden */
  reset(hidden) {
    for (const { name, slug, start } of this.payload.controls) if (!hidden.has(slug)) this.positions[name] = start;
    this.held.clear();
  }

  /**
   * Return the present positions, matched by value, for controls that may have other positions; defaults are left out.
   * @param {Control[]} controls
   */
  positionsFor(controls) {
    /** @type {Record<string, number>} */
    const matched = {};
    for (const control of controls.filter(({ name }) => name in this.controls)) {
      const position = this.matchingPosition(this.controls[control.name], control);
      if (position >= 0) matched[control.name] = position;
    }
    return matched;
  }

  /**
   * Return the position of a control that matches its predecessor's present value; -1 for none, or if that is the
   * default.
   * @param {Control} before
   * @param {Control} control
   */
  matchingPosition(before, control) {
    const position = this.positions[control.name];
    if (before.kind === "pointer" && control.kind === "pointer") {
      const [row, column] = [Math.floor(position / before.columns.length), position % before.columns.length];
      const [toRow, toColumn] = [matchingLabel(before.rows, control.rows, row), matchingLabel(before.columns, control.columns, column)];
      const inside = toRow < control.rows.length && toColumn < control.columns.length;
      return inside && this.held.has(control.name) ? toRow * control.columns.length + toColumn : -1;
    }
    if (before.kind === "pointer" || before.kind !== control.kind || position === before.start) return -1;
    const value = before.values[position];
    return control.values.findIndex((other) => other === value);
  }
}

/**
 * Return the index of a label among others; the same index if it is missing or unchanged.
 * @param {string[]} before
 * @param {string[]} labels
 * @param {number} at
 */
function matchingLabel(before, labels, at) {
  const found = labels.indexOf(before[at]);
  return found < 0 || labels[at] === before[at] ? at : found;
}

/**
 * Return the index of the nearest of ascending values; infinity is nearest to an end.
 * @param {number[]} values
 * @param {number} target
 */
export function nearest(values, target) {
  let right = 0;
  for (let beyond = values.length - 1; right < beyond; ) {
    const middle = (right + beyond) >> 1;
    if (values[middle] < target) right = middle + 1;
    else beyond = middle;
  }
  const left = Math.max(right - 1, 0);
  return target - values[left] <= values[right] - target ? left : right;
}
