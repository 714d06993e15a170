import assert from "node:assert/strict";
import test from "node:test";

import { openConnection, backoff } from "../../../lnviz/frontend/room/room_connection.js";
import { openPage, room, serve, Stream } from "./page.js";

/** Open a connection; return it with everything it reported. */
function connect(context, as = "seat") {
  const said = { revs: [], connections: [], you: [], tallies: [], heads: [], gone: [] };
  const link = openConnection({
    code: "482913",
    as,
    base: "",
    onState: ({ rev }) => said.revs.push(rev),
    onYou: (you) => said.you.push(you),
    onTally: (tally) => said.tallies.push(tally),
    onHeads: (heads) => said.heads.push(heads),
    onConnection: (connection, seconds) => said.connections.push([connection, seconds]),
    onGone: (gone) => said.gone.push(gone),
  });
  context.after(() => link.close());
  return { link, said };
}

const streams = (asked) => asked.filter(({ address }) => address.includes("/events")).length;
const polls = (asked) => asked.filter(({ address }) => address.includes("/state")).length;
const refused = () => new TypeError("fetch failed");

test("a connection receives the state and newer ones, in any chunks", async (context) => {
  const page = openPage(context);
  const stream = new Stream([["you", { number: 3 }], ["room", room(4)]]);
  serve(context, () => stream);
  const { said } = connect(context);
  await page.pass(0);
  for (const piece of [": still here\n\nevent: ro", 'om\ndata: {"rev', '": 5}\n', "\n"]) {
    stream.write(piece);
    await page.pass(0);
  }
  assert.deepEqual(said.revs, [4, 5]);
  assert.deepEqual(said.you, [{ number: 3 }]);
  assert.deepEqual(said.connections, [["connected", 0]]);
});

test("a state that is not newer is dropped, whatever its source", async (context) => {
  const page = openPage(context);
  const stream = new Stream([["room", room(4)]]);
  serve(context, () => stream);
  const { link, said } = connect(context);
  await page.pass(0);
  link.applyState(room(6));
  for (const rev of [5, 6, 7, 4]) stream.send("room", room(rev));
  await page.pass(0);
  assert.deepEqual(said.revs, [4, 6, 7]);
});

test("without a first byte the state is polled every three seconds, with an ETag", async (context) => {
  const page = openPage(context);
  const asked = serve(context, (address, { headers }) => {
    if (address.includes("/events")) return null;
    if (headers["If-None-Match"] === '"4"') return new Response(null, { status: 304 });
    return Response.json({ room: room(4), you: { number: 3 } }, { headers: { ETag: '"4"' } });
  });
  const { said } = connect(context);
  await page.pass(3900);
  assert.equal(polls(asked), 0);
  await page.pass(200);
  assert.equal(polls(asked), 1);
  await page.pass(9000);
  assert.equal(polls(asked), 4);
  assert.equal(streams(asked), 1);
  assert.deepEqual(said.revs, [4]);
  assert.deepEqual(said.connections, [["connected", 0]]);
  await page.pass(60_000);
  assert.equal(streams(asked), 2); // it may have been for a moment
});

test("a stream silent for 40 seconds is dropped, one with comments is kept", async (context) => {
  const page = openPage(context);
  const stream = new Stream([["room", room(4)]]);
  const asked = serve(context, (address) => (address.includes("/events") ? stream : Response.json({ room: room(5) })));
  const { said } = connect(context);
  for (let minute = 0; minute < 8; minute += 1) {
    await page.pass(15_000);
    stream.write(": still here\n\n");
  }
  assert.equal(polls(asked), 0);
  await page.pass(40_200);
  assert.equal(polls(asked), 1);
  assert.deepEqual(said.revs, [4, 5]);
});

test("an unreachable server is retried with a back-off from 0.5 to 8 seconds", async (context) => {
  const page = openPage(context);
  let isThere = false;
  const times = [];
  serve(context, () => {
    times.push(Date.now());
    return isThere ? new Stream([["room", room(4)]]) : refused();
  });
  const { said } = connect(context);
  await page.pass(60_000);
  const waits = times.slice(1).map((time, i) => time - times[i]);
  assert.ok(Math.min(...waits) >= 500 && Math.max(...waits) <= 8000, String(waits));
  assert.equal(said.connections.at(-1)[0], "away");
  assert.ok(said.connections.at(-1)[1] <= 8);
  isThere = true;
  await page.pass(8000);
  assert.deepEqual(said.connections.at(-1), ["connected", 0]);
  assert.deepEqual(said.revs, [4]);
});

test("an outage of about half a second is not reported", async (context) => {
  const page = openPage(context);
  const both = [new Stream([["room", room(4)]]), new Stream([["room", room(5)]])];
  const left = [...both];
  serve(context, () => left.shift());
  const { said } = connect(context);
  await page.pass(0);
  both[0].cut();
  await page.pass(2000);
  assert.deepEqual(said.revs, [4, 5]);
  assert.deepEqual(said.connections, [["connected", 0]]);
});

test("a class does not reconnect all at once", () => {
  const waits = Array.from({ length: 300 }, () => backoff(9));
  assert.ok(Math.max(...waits) - Math.min(...waits) > 5000);
  assert.ok(Math.max(...waits) <= 8000 && Math.min(...waits) >= 500);
});

test('after "bye" the connection waits as the server said', async (context) => {
  const page = openPage(context);
  const asked = serve(context, () => new Stream([["room", room(asked.length)], ["bye", { retry: 2500 }]]));
  connect(context);
  await page.pass(2300);
  assert.equal(asked.length, 1);
  await page.pass(400);
  assert.equal(asked.length, 2);
});

test("a phone that was asleep reconnects at once, one just viewed does not", async (context) => {
  const page = openPage(context);
  const asked = serve(context, () => new Stream([["room", room(asked.length)]]));
  const { said } = connect(context);
  await page.pass(5000);
  await page.wake(5000);
  await page.pass(400);
  assert.deepEqual(said.revs, [1]);
  await page.wake(60_000);
  await page.pass(400);
  assert.deepEqual(said.revs, [1, 2]);
});

test("a phone that was asleep without an event streams again, instead of polling", async (context) => {
  const page = openPage(context);
  const streams = [];
  const asked = serve(context, () => {
    streams.push(new Stream([["room", room(streams.length)]]));
    return streams.at(-1);
  });
  const states = [];
  const link = openConnection({ code: "482913", as: "seat", base: "", onState: ({ rev }) => states.push(rev) });
  await page.pass(100);
  page.sleep(60_000);
  await page.pass(400);
  assert.deepEqual(asked.map(({ address }) => address.split("/").at(-1)), ["events?as=seat", "events?as=seat"]);
  assert.deepEqual(states, [0, 1]);
  link.close();
});

test("an offline phone says so at once, and reconnects with the network", async (context) => {
  const page = openPage(context);
  let isThere = true;
  const asked = serve(context, () => (isThere ? new Stream([["room", room(asked.length)]]) : refused()));
  const { said } = connect(context);
  await page.pass(1000);
  isThere = false;
  page.network(false);
  assert.equal(said.connections.at(-1)[0], "offline");
  await page.pass(20_000);
  isThere = true;
  page.network(true);
  await page.pass(700);
  assert.equal(said.connections.at(-1)[0], "connected");
});

test("the network is back just after an attempt that has failed without it", async (context) => {
  const page = openPage(context);
  let isThere = false;
  const asked = serve(context, () => (isThere ? new Stream([["room", room(4)]]) : refused()));
  const { said } = connect(context);
  page.network(false);
  await page.pass(20_000);
  for (const before = asked.length; asked.length === before; ) await page.pass(100);
  isThere = true;
  page.network(true);
  await page.pass(1000);
  assert.equal(said.connections.at(-1)[0], "connected");
});

test("a busy server is retried after Retry-After", async (context) => {
  const page = openPage(context);
  const later = () => Response.json({ detail: "Busy." }, { status: 503, headers: { "Retry-After": "4" } });
  const asked = serve(context, () => (asked.length === 1 ? later() : new Stream([["room", room(2)]])));
  const { said } = connect(context);
  await page.pass(3900);
  assert.equal(asked.length, 1);
  await page.pass(2500);
  assert.deepEqual(said.revs, [2]);
});

for (const status of [401, 403, 404, 410]) {
  test(`after status ${status} the connection is closed`, async (context) => {
    const page = openPage(context);
    const asked = serve(context, () => Response.json({ detail: "No such room." }, { status }));
    const { said } = connect(context);
    await page.pass(30_000);
    assert.deepEqual(said.gone, [{ status, detail: "No such room." }]);
    assert.equal(asked.length, 1);
  });
}

test("a network's sign-in page is not taken for the server", async (context) => {
  const page = openPage(context);
  serve(context, () => new Response("<h1>Welcome</h1>", { headers: { "Content-Type": "text/html" } }));
  const { said } = connect(context);
  await page.pass(3000);
  assert.equal(said.connections.at(-1)[0], "away");
});

test("the projector receives head counts and the remote tallies, by stream or polling", async (context) => {
  const page = openPage(context);
  serve(context, (address) => {
    if (address.includes("as=remote")) return new Stream([["room", room(4)], ["tally", { here: 9 }]]);
    if (address.includes("/events")) return null;
    return Response.json({ room: room(4), here: 9, answered: 2 });
  });
  const [wall, remote] = [connect(context, "screen"), connect(context, "remote")];
  await page.pass(4200);
  assert.deepEqual(wall.said.heads, [{ here: 9, answered: 2 }]);
  assert.deepEqual(remote.said.tallies, [{ here: 9 }]);
});

test("a closed connection reports and requests nothing", async (context) => {
  const page = openPage(context);
  const stream = new Stream([["room", room(4)]]);
  const asked = serve(context, () => stream);
  const { link, said } = connect(context);
  await page.pass(0);
  link.close();
  await page.pass(60_000);
  await page.wake(60_000);
  assert.equal(asked.length, 1);
  assert.deepEqual(said.connections, [["connected", 0]]);
});
