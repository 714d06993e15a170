import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import test from "node:test";

const FRONTEND = join(import.meta.dirname, "..", "..", "lnviz", "frontend");
/** Other folders that a folder may import from. */
const ALLOWED = {
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

for (const [folder, allowed] of Object.entries(ALLOWED)) {
  test(`${folder} imports from ${allowed.join(", ") || "no other folder"}`, () => {
    for (const name of readdirSync(join(FRONTEND, folder)).filter((file) => file.endsWith(".js"))) {
      const text = readFileSync(join(FRONTEND, folder, name), "utf8");
      for (const [, address] of text.matchAll(/^(?:import|export) .* from "(.*)";$/gm)) {
        const other = dirname(normalize(join(folder, address)));
        assert.ok([folder, ...allowed].includes(other), `${folder}/${name} imports ${address}`);
      }
    }
  });
}
