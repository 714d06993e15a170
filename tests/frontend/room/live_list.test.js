import assert from "node:assert/strict";
import test from "node:test";

import { LiveList } from "../../../lnviz/frontend/room/live_list.js";

/** A list of lines, and a press on one of them. */
class Lines {
  children = [];

  addEventListener(type, listener) {
    this.listener = listener;
  }

  insertBefore(child, before) {
    this.children = this.children.filter((each) => each !== child);
    this.children.splice(before ? this.children.indexOf(before) : this.children.length, 0, child);
  }

  /** Return whether a press reaches the button under it. */
  press() {
    let isHeard = true;
    this.listener({ stopImmediatePropagation: () => (isHeard = false) });
    return isHeard;
  }

  get words() {
    return this.children.map(({ words }) => words);
  }
}

/** Open a list of what `server.items` has at the time. */
function open(server) {
  const list = new Lines();
  const live = new LiveList({
    list,
    isOpen: () => server.isOpen ?? true,
    load: async () => {
      server.requests = (server.requests ?? 0) + 1;
      return server.load ? server.load() : server.items;
    },
    describe: ({ words }) => words,
    line: ({ words }, number) => {
      const line = { words: `${number} ${words}`, remove: () => (list.children = list.children.filter((each) => each !== line)) };
      return line;
    },
  });
  return { list, live };
}

const item = (id, words = id) => ({ id, words });

test("a list is loaded again while it is open, and no longer", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const server = { items: [item("a")] };
  const { list, live } = open(server);
  await live.refresh();
  server.items = [item("a"), item("b")];
  context.mock.timers.tick(3_000);
  await new Promise(setImmediate);
  assert.deepEqual(list.words, ["1 a", "2 b"]);
  server.isOpen = false;
  context.mock.timers.tick(9_000);
  await new Promise(setImmediate);
  assert.equal(server.requests, 2);
});

test("a line stays where it was, with its number and its node", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const server = { items: [item("a"), item("b"), item("c")] };
  const { list, live } = open(server);
  await live.refresh();
  const [first, , third] = list.children;
  server.items = [item("c"), item("a")];
  await live.refresh();
  assert.deepEqual(list.words, ["1 a", "3 c"]);
  assert.ok(list.children[0] === first && list.children[1] === third);
  server.items = [item("b"), item("c"), item("a", "new")];
  await live.refresh();
  assert.deepEqual(list.words, ["1 new", "2 b", "3 c"]);
});

test("a press just after a line has moved or changed is ignored", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const server = { items: [item("a"), item("b")] };
  const { list, live } = open(server);
  await live.refresh();
  assert.ok(list.press(), "nothing was there before");
  server.items = [item("a"), item("b"), item("c")];
  await live.refresh();
  assert.ok(list.press(), "nothing has moved");
  for (const items of [[item("b"), item("c")], [item("b", "closed"), item("c")]]) {
    server.items = items;
    await live.refresh();
    assert.ok(!list.press());
    context.mock.timers.tick(500);
    assert.ok(list.press());
  }
});

test("a reply from before a command does not undo what the list shows after it", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const [early, late] = [Promise.withResolvers(), Promise.withResolvers()];
  const replies = [early.promise, late.promise];
  const { list, live } = open({ load: () => replies.shift() });
  const both = [live.refresh(), live.refresh()];
  late.resolve([item("a")]);
  early.resolve([item("a"), item("b")]);
  await Promise.all(both);
  assert.deepEqual(list.words, ["1 a"]);
});

test("a list that is opened again has the order of what is loaded then", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const server = { items: [item("a"), item("b")] };
  const { list, live } = open(server);
  await live.refresh();
  server.isOpen = false;
  await live.refresh();
  live.draw(); // as with each state of the room
  Object.assign(server, { isOpen: true, items: [item("b"), item("a")] });
  await live.refresh();
  assert.deepEqual(list.words, ["1 b", "2 a"]);
});
