import assert from "node:assert/strict";
import test from "node:test";

import { keyAction } from "../../../lnviz/frontend/present/keys.js";

/** @typedef {import("../../../lnviz/frontend/present/keys.js").Focus} Focus */
/** @type {Focus[]} */
const EVERYWHERE = ["field", "cell", "clicked", "control", "pressed", "nothing"];

/** @param {string} key @param {Focus} [focus] @param {boolean} [counting] */
const meant = (key, focus = "nothing", counting = false) => keyAction({ key }, focus, counting);

test("page keys turn slides whatever has the focus", () => {
  for (const focus of EVERYWHERE) {
    assert.deepEqual(meant("PageDown", focus), { turn: 1 });
    assert.deepEqual(meant("PageUp", focus), { turn: -1 });
  }
});

test("arrows, space, Home and End turn slides unless the focused element uses them", () => {
  const turns = { ArrowRight: 1, ArrowLeft: -1, " ": 1, Home: -Infinity, End: Infinity };
  for (const [key, turn] of Object.entries(turns)) {
    assert.deepEqual(meant(key), { turn }, key);
    assert.equal(meant(key, "control"), null, key);
    assert.equal(meant(key, "field"), null, key);
  }
  assert.equal(meant(" ", "pressed"), null);
  assert.deepEqual(meant("ArrowRight", "pressed"), { turn: 1 });
  assert.deepEqual(keyAction({ key: " ", shiftKey: true }, "nothing", false), { turn: -1 });
});

test("a number is typed into the cell that has the focus, and a clicker still blanks the screen", () => {
  for (const key of ["4", "-", "ArrowRight", "Enter", "F2"]) assert.equal(meant(key, "cell"), null, key);
  assert.equal(meant("4", "clicked"), null);
  assert.deepEqual(meant("ArrowRight", "clicked"), { turn: 1 });
  assert.deepEqual(meant("4", "control"), { digit: "4" });
  assert.deepEqual(meant(".", "cell"), { action: "blank" });
});

test("letter commands ignore case, and work on controls", () => {
  const does = { b: "blank", ".": "blank", "?": "overview", o: "overview", l: "pointer", n: "notes", f: "full", j: "join", a: "step" };
  for (const [key, word] of Object.entries(does)) {
    for (const focus of /** @type {Focus[]} */ (["nothing", "control", "pressed"])) {
      assert.deepEqual(meant(key, focus), { action: word });
      assert.deepEqual(meant(key.toUpperCase(), focus), { action: word });
    }
    assert.equal(meant(key, "field"), null);
  }
});

test("digits are collected, and Enter goes to that slide", () => {
  assert.deepEqual(meant("7"), { digit: "7" });
  assert.equal(meant("7", "field"), null);
  assert.deepEqual(meant("Enter", "nothing", true), { action: "enter" });
  assert.deepEqual(meant("Enter", "pressed", true), { action: "enter" });
  assert.equal(meant("Enter", "pressed", false), null);
});

test("browser shortcuts are left alone, except printing", () => {
  assert.equal(keyAction({ key: "PageDown", ctrlKey: true }, "nothing", false), null);
  assert.equal(keyAction({ key: "ArrowLeft", altKey: true }, "nothing", false), null);
  assert.equal(keyAction({ key: "l", metaKey: true }, "nothing", false), null);
  for (const modifier of ["ctrlKey", "metaKey"]) {
    assert.deepEqual(keyAction({ key: "p", [modifier]: true }, "field", false), { action: "print" });
  }
  for (const key of ["Tab", "F5", "x", "constructor", "é"]) assert.equal(meant(key), null, key);
});

test("a held letter acts once, held navigation keys repeat", () => {
  assert.equal(keyAction({ key: "a", repeat: true }, "nothing", false), null);
  assert.deepEqual(keyAction({ key: "a" }, "nothing", false), { action: "step" });
  assert.deepEqual(keyAction({ key: "PageDown", repeat: true }, "nothing", false), { turn: 1 });
});
