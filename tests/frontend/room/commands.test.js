import assert from "node:assert/strict";
import test from "node:test";

import { CommandQueue } from "../../../lnviz/frontend/room/commands.js";
import { openPage, room, serve } from "./page.js";

/** A room that accepts only commands with its own revision. */
function start(context) {
  const page = openPage(context);
  const server = { rev: 4, isThere: true, room: {} };
  const asked = serve(context, (_, { body }) => {
    if (!server.isThere) throw new TypeError("fetch failed");
    if (JSON.parse(body).rev !== server.rev) return Response.json({ detail: "Moved on.", state: room(server.rev, server.room) }, { status: 409 });
    server.rev += 1;
    return Response.json({ state: room(server.rev, server.room) });
  });
  const commands = new CommandQueue("/rooms/482913", () => {});
  commands.revision = 4;
  const told = () => asked.map(({ body }) => [JSON.parse(body).verb, JSON.parse(body).rev]);
  return { page, server, commands, told };
}

test("commands are queued, each with the previous one's revision", async (context) => {
  const { commands, told } = start(context);
  const done = await Promise.all([commands.turn({ screen: "grid" }), commands.enqueue("pose", { pose: {} }), commands.enqueue("ask")]);
  assert.ok(done.every(({ isDone, error }) => isDone && error === null));
  assert.deepEqual(told(), [["go", 4], ["pose", 5], ["ask", 6]]);
  assert.equal(commands.isAhead, false);
});

test("a command that is outdated when its turn comes is not sent", async (context) => {
  const { commands, told } = start(context);
  let isMeant = true;
  const turned = commands.turn({ screen: "grid" });
  const pose = commands.enqueue("pose", { pose: {} }, () => isMeant);
  isMeant = false;
  await Promise.all([turned, pose]);
  assert.deepEqual(told(), [["go", 4]]);
});

test("a turn overrides concurrent changes, a step of a question does not", async (context) => {
  const { commands, server, told } = start(context);
  server.rev = 9;
  assert.equal((await commands.turn({ screen: "grid" })).isDone, true);
  server.rev = 20;
  assert.deepEqual(await commands.enqueue("ask"), { isDone: false, isFinal: true, error: "Moved on." });
  assert.deepEqual(told(), [["go", 4], ["go", 9], ["ask", 10]]);
});

test("a figure's pose does not follow the room to another screen", async (context) => {
  const { commands, server, told } = start(context);
  Object.assign(server, { rev: 9, room: { screen: "grid" } });
  const isHere = (state) => !state || state.screen === "shared";
  assert.deepEqual(await commands.enqueue("pose", { pose: {} }, isHere), { isDone: false, isFinal: true, error: "Moved on." });
  assert.deepEqual(told(), [["pose", 4]]);
});

test("a turn overrides as many concurrent changes as there are", async (context) => {
  openPage(context);
  let rev = 6;
  serve(context, () => {
    rev += 1;
    return rev < 10 ? Response.json({ detail: "Moved on.", state: room(rev) }, { status: 409 }) : Response.json({ state: room(rev) });
  });
  const commands = new CommandQueue("/rooms/482913", () => {});
  assert.deepEqual(await commands.turn({ screen: "grid" }), { isDone: true, isFinal: true, error: null });
});

test("a rejected turn is not sent again", async (context) => {
  openPage(context);
  const asked = serve(context, () => Response.json({ detail: "No such screen.", state: room(4) }, { status: 409 }));
  const commands = new CommandQueue("/rooms/482913", () => {});
  commands.revision = 4;
  assert.deepEqual(await commands.turn({ screen: "grid" }), { isDone: false, isFinal: true, error: "No such screen." });
  assert.equal(asked.length, 1);
});

test("a server that has forgotten revisions refuses a turn, instead of being asked without end", async (context) => {
  const { commands, server, told } = start(context);
  server.rev = 2;
  assert.equal((await commands.turn({ screen: "grid" })).isDone, false);
  assert.deepEqual(told(), [["go", 4]]);
});

test("what was deferred or not answered may succeed later", async (context) => {
  openPage(context);
  const statuses = [0, 429, 503, 422];
  serve(context, () => (statuses[0] ? Response.json({}, { status: statuses.shift() }) : new TypeError(`failed ${statuses.shift()}`)));
  const commands = new CommandQueue("/rooms/482913", () => {});
  const results = [];
  for (let i = 0; i < 4; i += 1) results.push((await commands.enqueue("pose", { pose: {} })).isFinal);
  assert.deepEqual(results, [false, false, false, true]);
});

test("after an outage only the last turn is sent again", async (context) => {
  const { commands, server, told } = start(context);
  server.isThere = false;
  await commands.turn({ screen: "grid" });
  await commands.turn({ screen: "shared" });
  assert.ok(commands.isAhead, "the room's old screen does not take the wall back");
  server.isThere = true;
  assert.equal((await commands.retryTurn(() => true)).isDone, true);
  assert.equal(commands.isAhead, false);
  await commands.retryTurn(() => true);
  assert.equal(told().length, 3);
});

for (const isKnown of [true, false]) {
  test(`a turn that could not be sent gives way to one that others have made, ${isKnown ? "as known here" : "as the server says"}`, async (context) => {
    const { commands, server, told } = start(context);
    server.isThere = false;
    await commands.turn({ screen: "grid" });
    Object.assign(server, { isThere: true, rev: 9, room: { screen: "next" } });
    if (isKnown) commands.revision = 9;
    const known = room(isKnown ? 9 : 4, isKnown ? server.room : { screen: "shared" });
    await commands.retryTurn((state) => (state ?? known).screen === "shared");
    assert.deepEqual([commands.isAhead, told().length], [false, isKnown ? 1 : 2]);
  });
}
