// Where a figure's controls stand, and what its tensors hold there.

import { offset, valueAt } from "./tensors.js";

/** @typedef {import("./payload").Control} Control */
/** @typedef {import("./tensors.js").Tensor} Tensor */

export class State {
  /**
   * @param {import("./payload").Payload} payload
   * @param {Record<string, Tensor>} tensors
   * @param {Record<string, number>} positions those away from rest; a pointer named here is held
   */
  constructor(payload, tensors, positions) {
    this.payload = payload;
    this.tensors = tensors;
    /** @type {Record<string, Control>} */
    this.controls = Object.fromEntries(payload.controls.map((control) => [control.name, control]));
    /** @type {Record<string, number>} */
    this.positions = Object.fromEntries(payload.controls.map((c) => [c.name, positions[c.name] ?? c.start]));
    /** Names of the pointers that a click holds. */
    this.held = new Set(
      payload.controls.filter((c) => c.kind === "pointer" && c.name in positions).map((c) => c.name),
    );
  }

  /** A tensor's value at the present positions. @param {string} name */
  valueOf(name) {
    return valueAt(this.tensors[name], offset(this.tensors[name], this.positions));
  }

  /** The text at a control's present position. @param {string} name */
  labelOf(name) {
    return this.controls[name].labels[this.positions[name]];
  }

  /**
   * Whether a view is shown at the present positions.
   * @param {{when: import("./payload").When, if_finite?: string, if_nan?: string}} view
   */
  isShown({ when, if_finite: finite, if_nan: missing }) {
    return (
      Object.entries(when).every(([name, allowed]) => allowed.includes(this.positions[name])) &&
      (!finite || !Number.isNaN(this.valueOf(finite))) &&
      (!missing || Number.isNaN(this.valueOf(missing)))
    );
  }

  /** The figure's code at the present positions. */
  code() {
    return this.payload.code.replace(/«([^»]+)»/g, (_, name) => this.controls[name].codes[this.positions[name]]);
  }

  /** The token of the color that the figure's choice has given it; "" where no choice does. */
  color() {
    const choice = this.controls[this.payload.color];
    return choice && "colors" in choice ? choice.colors[this.positions[choice.name]] : "";
  }

  /** Everything at rest but what is hidden, nothing held. @param {Set<string>} hidden */
  reset(hidden) {
    for (const { name, slug, start } of this.payload.controls) if (!hidden.has(slug)) this.positions[name] = start;
    this.held.clear();
  }

  /**
   * These positions by value, for controls that may have other positions: those away from rest.
   * @param {Control[]} controls
   */
  positionsFor(controls) {
    /** @type {Record<string, number>} */
    const kept = {};
    for (const control of controls.filter(({ name }) => name in this.controls)) {
      const position = this.matchingPosition(this.controls[control.name], control);
      if (position >= 0) kept[control.name] = position;
    }
    return kept;
  }

  /**
   * Where a control of another payload stands as one does here; -1 where none does or both are at rest.
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
 * Where a label stands among others; where it stood if it is not among them, or still stands there.
 * @param {string[]} before
 * @param {string[]} labels
 * @param {number} at
 */
function matchingLabel(before, labels, at) {
  const found = labels.indexOf(before[at]);
  return found < 0 || labels[at] === before[at] ? at : found;
}

/**
 * The position whose value is nearest, of ascending ones; infinity is nearest to an end.
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
