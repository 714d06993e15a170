// Projectors of one room, each with a figure that a hand, a step or the remote moves.

import assert from "node:assert/strict";
import test from "node:test";

import { CommandQueue } from "../../../lnviz/frontend/room/commands.js";
import { FigureSync } from "../../../lnviz/frontend/room/figure_sync.js";
import { openPage, room, serve } from "./page.js";

/** Milliseconds in which everything that is sent has arrived, and what failed has been tried again. */
const LONG_MS = 3_000;

/** A room of a server, which tells all projectors that are online. */
function start(context, more = {}) {
  const page = openPage(context);
  const projectors = new Set();
  const server = {
    page,
    projectors,
    state: room(4, more),
    status: 200,
    /** The next responses are lost, though the commands are done. */
    isDeaf: false,
    /** What responses wait for. */
    held: Promise.resolve(),
    sent: [],
    /** Change the room as a remote, or a phone, does. */
    change(fields) {
      server.state = { ...server.state, ...fields, rev: server.state.rev + 1 };
      for (const projector of projectors) projector.receive(server.state);
    },
  };
  serve(context, async (address, { body }) => {
    const { verb, rev, pose, counted } = JSON.parse(body);
    const projector = [...projectors].find(({ name }) => address.includes(`/${name}/`));
    if (!projector.isOnline) throw new TypeError("fetch failed");
    if (server.status !== 200) return Response.json({ detail: "No." }, { status: server.status });
    if (rev !== server.state.rev) return Response.json({ detail: "Moved on.", state: server.state }, { status: 409 });
    server.sent.push([projector.name, verb, pose]);
    const number = rev + 1;
    server.change({ pose, counted: counted.length ? counted : server.state.counted });
    await server.held;
    if (server.isDeaf) throw new TypeError("connection reset");
    return Response.json({ state: { ...server.state, rev: number } });
  });
  return server;
}

/** A projector that has entered; its figure may be loaded already. */
class Projector {
  constructor(server, name, figure, known = null) {
    Object.assign(this, { server, name, figure, isOnline: true, room: null, steps: [], applied: 0 });
    this.commands = new CommandQueue(`/${name}`, (state) => this.receive(state));
    this.onApply = async () => {};
    this.open(known);
    server.projectors.add(this);
    this.receive(server.state);
    if (figure) this.sync.onSettled();
  }

  open(known) {
    this.sync = new FigureSync(
      {
        read: () => this.figure && { ...this.figure },
        apply: async ({ pose, step }) => {
          this.applied += 1;
          await this.onApply();
          const steps = this.figure.step[1];
          this.figure = { pose: { ...this.figure.pose, ...pose }, step: step && steps ? [step, steps] : this.figure.step };
        },
        turnStep: (by) => this.steps.push(by),
        send: ({ pose, step }, isStepKnown, isCurrent) =>
          this.commands.enqueue("pose", { pose, counted: isStepKnown ? [] : [1, 9, ...step] }, isCurrent),
        onSent: () => this.catchUp(),
      },
      known,
    );
  }

  receive(state) {
    if (!this.isOnline || state.rev < this.commands.revision) return;
    this.commands.revision = state.rev;
    this.room = state;
    this.catchUp();
  }

  catchUp() {
    if (this.room.rev >= this.commands.revision && !this.commands.isAhead) this.sync.follow(this.room);
  }

  move(pose, step = this.figure.step) {
    this.figure = { pose: { ...this.figure.pose, ...pose }, step };
    this.sync.onSettled();
  }

  back() {
    this.isOnline = true;
    this.receive(this.server.state);
    this.server.page.network(true);
  }
}

const LAYER = { norm: "layer", seed: "0" };
const BATCH = { norm: "batch", seed: "0" };
const figure = (pose = LAYER, step = [1, 4]) => ({ pose, step });
const norms = (server, ...projectors) => [...projectors.map((each) => each.figure.pose.norm), server.state.pose.norm];

/** Two projectors in a room that has their figures' state. */
async function two(context, more = {}) {
  const server = start(context, { pose: LAYER, counted: [1, 9, 1, 4], ...more });
  const [one, other] = ["one", "other"].map((name) => new Projector(server, name, figure()));
  await server.page.pass(LONG_MS);
  assert.deepEqual(server.sent, [], "who enters sends nothing");
  return { server, page: server.page, one, other };
}

test("a projector that enters takes over the room's figure, also when the figure is loaded later", async (context) => {
  const server = start(context, { pose: BATCH, counted: [1, 9, 3, 4] });
  const [early, late] = [new Projector(server, "early", figure()), new Projector(server, "late", null)];
  await server.page.pass(LONG_MS);
  late.figure = figure();
  late.sync.onSettled();
  await server.page.pass(LONG_MS);
  for (const each of [early, late]) assert.deepEqual(each.figure, figure(BATCH, [3, 4]));
  assert.deepEqual(server.sent, []);
});

test("a projector that enters a room without a pose sends its figure's", async (context) => {
  const server = start(context);
  new Projector(server, "one", figure(BATCH));
  await server.page.pass(LONG_MS);
  assert.deepEqual([server.state.pose, server.state.counted], [BATCH, [1, 9, 1, 4]]);
  assert.equal(server.sent.length, 1);
});

test("after a turn the figure is as it was left here, and is sent", async (context) => {
  const server = start(context, { pose: LAYER });
  const one = new Projector(server, "one", figure(BATCH), { pose: LAYER, step: 0 });
  await server.page.pass(LONG_MS);
  assert.deepEqual(norms(server, one), ["batch", "batch"]);
});

test("what is moved on one projector is followed by the other, back and forth, and sent once", async (context) => {
  const { server, page, one, other } = await two(context);
  for (const [from, norm] of [[one, "batch"], [other, "group"], [one, "layer"]]) {
    from.move({ norm });
    await page.pass(LONG_MS);
    assert.deepEqual(norms(server, one, other), [norm, norm, norm]);
  }
  assert.deepEqual(server.sent.map(([name]) => name), ["one", "other", "one"]);
});

test("a hand's movement is sent at once, and those that follow it a few times a second", async (context) => {
  const { server, page, one } = await two(context);
  one.move({ norm: "batch" });
  await page.pass(100);
  assert.deepEqual(norms(server, one), ["batch", "batch"]);
  for (let moved = 0; moved < 20; moved += 1) {
    one.move({ seed: String(moved) });
    await page.pass(100);
  }
  assert.ok(server.sent.length >= 3 && server.sent.length <= 5, `${server.sent.length}`);
  await page.pass(LONG_MS);
  assert.equal(server.state.pose.seed, "19");
});

test("of two projectors whose figures load after a turn, one sends the figure's state", async (context) => {
  const { server, page, one, other } = await two(context, { pose: BATCH });
  for (const each of [one, other]) {
    each.sync.close();
    each.figure = null;
    each.open({ pose: {}, step: 0 });
  }
  server.change({ pose: {}, counted: [2, 9] });
  const draws = [0.1, 0.9];
  context.mock.method(Math, "random", () => draws.shift() ?? 0.5);
  for (const each of [one, other]) {
    each.figure = figure(LAYER, []);
    each.sync.onSettled();
  }
  await page.pass(LONG_MS);
  assert.deepEqual([server.sent.length, server.state.pose], [1, LAYER]);
});

test("two hands at once: both projectors end with the last one's figure", async (context) => {
  const { server, page, one, other } = await two(context);
  one.move({ norm: "batch" });
  other.move({ norm: "group" });
  await page.pass(LONG_MS);
  const [first, ...rest] = norms(server, one, other);
  assert.deepEqual(rest, [first, first]);
  assert.ok(server.sent.length <= 3);
  server.change({ locked: true });
  await page.pass(LONG_MS);
  assert.ok(server.sent.length <= 3);
});

for (const status of [503, 429]) {
  test(`a movement that is answered with ${status} stays, and is sent again`, async (context) => {
    const { server, page, one, other } = await two(context);
    server.status = status;
    one.move({ norm: "batch" });
    await page.pass(1_500);
    server.change({ locked: true }); // another event shows the room's old pose
    await page.pass(10_000);
    assert.deepEqual(norms(server, one, other), ["batch", "layer", "layer"]);
    server.status = 200;
    await page.pass(15_000);
    assert.deepEqual(norms(server, one, other), ["batch", "batch", "batch"]);
    assert.equal(server.sent.length, 1);
  });
}

test("what is moved during an outage is sent after it, whatever was moved elsewhere meanwhile", async (context) => {
  const { server, page, one, other } = await two(context);
  one.isOnline = false;
  one.move({ norm: "batch" });
  await page.pass(2_000);
  one.move({ seed: "3" });
  other.move({ norm: "group" });
  await page.pass(3_000);
  assert.deepEqual(norms(server, one, other), ["batch", "group", "group"]);
  one.back();
  await page.pass(LONG_MS);
  for (const each of [one.figure.pose, other.figure.pose, server.state.pose]) assert.deepEqual(each, { norm: "batch", seed: "3" });
});

test("a step elsewhere does not take back what could not be sent, and a step in a hurry is taken", async (context) => {
  const { server, page, one, other } = await two(context);
  one.isOnline = false;
  one.move({ norm: "batch" });
  await page.pass(2_000);
  one.isOnline = true; // events arrive before the next attempt
  server.change({ counted: [1, 9, 2, 4] });
  assert.deepEqual([one.steps, other.steps], [[], [1]]);
  other.move({}, [2, 4]);
  await page.pass(5_000);
  assert.deepEqual([norms(server, one, other), server.state.counted], [["batch", "batch", "batch"], [1, 9, 1, 4]]);
  for (const step of [2, 3]) server.change({ counted: [1, 9, step, 4] });
  assert.deepEqual(one.steps, [1, 2], "each from the step that the figure is at");
});

for (const isFirst of [true, false]) {
  test(`a step that could not be sent gives way to one elsewhere, ${isFirst ? "which comes first" : "which the server knows"}`, async (context) => {
    const { server, page, one } = await two(context);
    const norms = ["layer", "batch", "group", "instance"];
    one.sync.options.turnStep = (by) => one.move({ norm: norms[one.figure.step[0] - 1 + by] }, [one.figure.step[0] + by, 4]);
    server.change({ counted: [1, 9, 2, 4] });
    await page.pass(LONG_MS);
    one.isOnline = false;
    one.move({ norm: "layer" }, [1, 4]);
    await page.pass(1_500);
    server.change({ counted: [1, 9, 3, 4] });
    one.isOnline = true;
    if (isFirst) one.receive(server.state);
    await page.pass(10_000);
    assert.deepEqual([one.figure.step, server.state.counted, server.state.pose.norm], [[3, 4], [1, 9, 3, 4], "group"]);
  });
}

test("where a step elsewhere leads to the pose of a hand here, both projectors end with that step", async (context) => {
  const { server, page, one, other } = await two(context);
  const norms = ["layer", "batch", "batch", "group"];
  for (const each of [one, other]) each.turn = (by) => each.move({ norm: norms[each.figure.step[0] - 1 + by] }, [each.figure.step[0] + by, 4]);
  for (const each of [one, other]) each.sync.options.turnStep = (by) => each.turn(by);
  one.isOnline = false;
  one.move({ norm: "batch" });
  await page.pass(1_000);
  other.turn(1);
  await page.pass(LONG_MS);
  one.back();
  await page.pass(LONG_MS);
  for (const each of [one, other]) assert.deepEqual(each.figure, figure(BATCH, [2, 4]));
  one.turn(1); // to a step with the same pose
  await page.pass(LONG_MS);
  for (const each of [one, other]) assert.deepEqual(each.figure, figure(BATCH, [3, 4]));
  other.move({ norm: "layer" });
  await page.pass(LONG_MS);
  one.move({ norm: "batch" });
  await page.pass(LONG_MS);
  for (const each of [one, other]) assert.deepEqual(each.figure, figure(BATCH, [3, 4]));
  assert.equal(server.sent.length, 4);
});

test("the remote's next step outlives the pose that its step before led to", async (context) => {
  const { server, page, one } = await two(context);
  const norms = ["layer", "batch", "group", "instance"];
  one.sync.options.turnStep = (by) => one.move({ norm: norms[one.figure.step[0] - 1 + by] }, [one.figure.step[0] + by, 4]);
  server.change({ counted: [1, 9, 2, 4] });
  // Nothing of the next step has come here when the pose is sent.
  server.state = { ...server.state, counted: [1, 9, 3, 4], rev: server.state.rev + 1 };
  await page.pass(LONG_MS);
  assert.deepEqual(one.figure, figure({ ...LAYER, norm: "group" }, [3, 4]));
  assert.deepEqual([server.state.pose.norm, server.state.counted], ["group", [1, 9, 3, 4]]);
});

test("the remote's next step outlives the pose of the step that the figure is leaving", async (context) => {
  const { server, page, one, other } = await two(context);
  const norms = ["layer", "batch", "group", "instance"];
  // A figure is at its step at once, and its controls arrive later.
  for (const each of [one, other]) {
    each.sync.options.turnStep = (by) => {
      const step = each.figure.step[0] + by;
      each.figure = { ...each.figure, step: [step, 4] };
      setTimeout(() => each.figure.step[0] === step && each.move({ norm: norms[step - 1] }), 300);
    };
  }
  for (const step of [2, 3, 4]) {
    server.change({ counted: [1, 9, step, 4] });
    await page.pass(1_000); // the step's pose is sent 100 ms later
  }
  await page.pass(LONG_MS);
  for (const each of [one, other]) assert.deepEqual(each.figure, figure({ ...LAYER, norm: "instance" }, [4, 4]));
  assert.deepEqual([server.state.pose.norm, server.state.counted], ["instance", [1, 9, 4, 4]]);
  assert.ok(server.sent.length <= 2, "both at the same moment");
});

test("a movement here outlives a step of the remote's that this figure does not take", async (context) => {
  const { server, page, one } = await two(context);
  one.move({ norm: "batch" });
  server.change({ counted: [1, 9, 2, 4] });
  assert.deepEqual(one.steps, [1]);
  await page.pass(5_000);
  assert.equal(server.state.pose.norm, "batch");
});

test("a server that cannot be reached is asked ever less often", async (context) => {
  const { server, page, one } = await two(context);
  let attempts = 0;
  const { send } = one.sync.options;
  one.sync.options.send = (...given) => {
    attempts += 1;
    return send(...given);
  };
  one.isOnline = false;
  one.move({ norm: "batch" });
  await page.pass(60_000);
  assert.ok(attempts >= 4 && attempts <= 7, `${attempts} attempts`);
  one.sync.close();
  await page.pass(60_000);
  assert.ok(attempts <= 7);
  assert.deepEqual(server.sent, []);
});

test("a movement whose response is lost is not taken back", async (context) => {
  const { server, page, one, other } = await two(context);
  server.isDeaf = true;
  one.move({ norm: "batch" });
  await page.pass(1_000);
  server.isDeaf = false;
  await page.pass(LONG_MS);
  assert.deepEqual(norms(server, one, other), ["batch", "batch", "batch"]);
});

test("a movement back while the first is being sent is sent, too", async (context) => {
  const { server, page, one, other } = await two(context);
  one.move({ norm: "batch" });
  context.mock.timers.tick(800); // the first one is on its way
  one.move({ norm: "layer" });
  await page.pass(LONG_MS);
  assert.deepEqual(norms(server, one, other), ["layer", "layer", "layer"]);
});

test("a movement that the room refuses stays here, and is not sent again", async (context) => {
  const { server, page, one } = await two(context);
  server.status = 422;
  one.move({ norm: "batch" });
  await page.pass(LONG_MS);
  server.status = 200;
  server.change({ locked: true });
  await page.pass(60_000);
  assert.deepEqual([norms(server, one), server.sent], [["batch", "layer"], []]);
});

test("a figure that fails to follow does not keep the projector from sending and following", async (context) => {
  const { server, page, one, other } = await two(context);
  let failures = 0;
  const { apply } = other.sync.options;
  other.sync.options.apply = () => Promise.reject(new Error("a view fails"));
  const { take } = other.sync;
  other.sync.take = () => take.call(other.sync).catch(() => (failures += 1));
  one.move({ norm: "batch" });
  await page.pass(LONG_MS);
  assert.deepEqual([norms(server, one, other), failures], [["batch", "layer", "batch"], 1]);
  other.sync.options.apply = apply;
  one.move({ norm: "group" });
  await page.pass(LONG_MS);
  assert.deepEqual(norms(server, one, other), ["group", "group", "group"]);
  other.move({ norm: "layer" });
  await page.pass(LONG_MS);
  assert.deepEqual(norms(server, one, other), ["layer", "layer", "layer"]);
});

test("of several poses that come while the figure loads, the last is taken over", async (context) => {
  const { server, page, one } = await two(context);
  const loading = Promise.withResolvers();
  one.onApply = () => loading.promise;
  for (const norm of ["batch", "group"]) server.change({ pose: { norm, seed: "0" } });
  await page.pass(LONG_MS);
  loading.resolve();
  await page.pass(LONG_MS);
  assert.deepEqual([one.figure.pose.norm, one.applied, server.sent], ["group", 3, []]); // the first when it entered
});

test("what a figure makes of the room's pose is not sent back", async (context) => {
  const server = start(context, { pose: { ...LAYER, seed: "7" }, counted: [1, 9, 2, 4] });
  const other = new Projector(server, "other", figure(LAYER, [])); // at no step
  const { read } = other.sync.options;
  other.sync.options.read = () => ({ ...read(), pose: { ...other.figure.pose, seed: "5" } }); // the nearest that it has
  await server.page.pass(1_000);
  other.sync.onSettled();
  await server.page.pass(LONG_MS);
  assert.deepEqual([server.sent, server.state.counted], [[], [1, 9, 2, 4]]);
});

test("the remote turns a step, and where two steps have one pose, so does each projector", async (context) => {
  const { server, page, one, other } = await two(context);
  server.change({ counted: [1, 9, 2, 4] });
  assert.deepEqual([one.steps, other.steps], [[1], [1]]);
  for (const each of [one, other]) each.move({ norm: "batch" }, [2, 4]);
  await page.pass(LONG_MS);
  assert.ok(server.sent.length <= 2, "both at the same moment");
  one.move({}, [3, 4]);
  await page.pass(LONG_MS);
  assert.deepEqual([server.state.counted, other.steps], [[1, 9, 3, 4], [1, 1]]);
});

test("a question that hides the steps is no movement", async (context) => {
  const { server, page, one, other } = await two(context);
  other.figure = figure(LAYER, []);
  one.move({ norm: "batch" });
  await page.pass(LONG_MS);
  assert.deepEqual(norms(server, one, other), ["batch", "batch", "batch"]);
});

test("a figure that is back where it was before the server has answered stays there", async (context) => {
  const { server, page, one, other } = await two(context);
  let answer = () => {};
  server.held = new Promise((done) => (answer = done));
  one.move({ norm: "batch" }, [2, 4]);
  await page.pass(1_000);
  assert.equal(server.state.pose.norm, "batch");
  one.move({ norm: "layer" }, [1, 4]);
  answer();
  await page.pass(LONG_MS);
  assert.deepEqual([server.state.pose, server.state.counted, one.figure], [LAYER, [1, 9, 1, 4], figure()]);
  assert.deepEqual(norms(server, one, other), ["layer", "layer", "layer"]);
});

test("so does one that is back at a step with the same pose", async (context) => {
  const { server, page, one } = await two(context);
  let answer = () => {};
  server.held = new Promise((done) => (answer = done));
  one.move({}, [2, 4]);
  await page.pass(1_000);
  one.move({}, [1, 4]);
  answer();
  await page.pass(LONG_MS);
  assert.deepEqual([server.state.counted, one.figure, one.steps], [[1, 9, 1, 4], figure(), []]);
});

test("a movement is told in every mode: what is asked of the figure begins there", async (context) => {
  const { server, page, one, other } = await two(context, { mode: "free" });
  one.move({ norm: "batch" });
  await page.pass(LONG_MS);
  assert.deepEqual(norms(server, one, other), ["batch", "batch", "batch"]);
});
