import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import test from "node:test";

const FRONT = join(import.meta.dirname, "..", "..", "lnviz", "frontend");
/** What a room may import, beside itself. */
const BELOW = {
  engine: [],
  questions: ["engine"],
  book: ["engine"],
  lab: ["engine"],
  page: ["engine", "lab"],
  present: ["engine", "questions", "book", "page", "room"],
  export: ["engine", "questions", "book", "page", "present"],
  notebook: ["engine"],
  room: ["engine", "page"],
};

for (const [room, below] of Object.entries(BELOW)) {
  test(`${room} imports from ${below.join(", ") || "no other room"}`, () => {
    for (const name of readdirSync(join(FRONT, room)).filter((file) => file.endsWith(".js"))) {
      const text = readFileSync(join(FRONT, room, name), "utf8");
      for (const [, address] of text.matchAll(/^(?:import|export) .* from "(.*)";$/gm)) {
        const other = dirname(normalize(join(room, address)));
        assert.ok([room, ...below].includes(other), `${room}/${name} imports ${address}`);
      }
    }
  });
}
