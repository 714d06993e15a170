import assert from "node:assert/strict";
import test from "node:test";

import { httpLoader, paceTracker } from "../../../lnviz/frontend/engine/http.js";

const { signal } = new AbortController();

/**
 * Load a payload; return the reported messages with the seconds for which each was shown. The last response arrives
 * after all progress responses.
 */
async function reports(context, payloads, progress = []) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const held = Promise.withResolvers();
  context.mock.method(globalThis, "fetch", async (address) => {
    if (address.includes(".progress")) return progress.shift();
    return payloads.length > 1 ? payloads.shift() : held.promise;
  });
  const said = [];
  let payload = null;
  httpLoader("line.json")({ seed: "1" }, { signal, report: (sentence) => said.push(sentence) }).then((come) => {
    payload = come;
  });
  let seconds = 0;
  for (; payload === null; seconds += 1) {
    if (progress.length === 0) held.resolve(payloads.at(-1));
    for (let turn = 0; turn < 9; turn += 1) await new Promise(setImmediate);
    if (payload === null) context.mock.timers.tick(1000);
  }
  return { said, payload, seconds };
}

const busy = (status, seconds) =>
  Response.json({ detail: `Busy: ${status}.` }, { status, headers: { "Retry-After": seconds } });

test("the progress of a slow figure is reported if known", async (context) => {
  const progress = [
    Response.json({ ahead: 3, done: null }),
    Response.json({ ahead: 1, done: null }),
    new Response(null, { status: 204 }),
    Response.json({ ahead: 0, done: null }),
    Response.json({ ahead: 0, done: 0.404 }),
  ];
  const { said, payload } = await reports(context, [Response.json({ come: true })], progress);
  assert.deepEqual(said, [
    "3 figures are ahead of this one.",
    "1 figure is ahead of this one.",
    "The figure is being computed.",
    "The figure is being computed: 40 percent.",
  ]);
  assert.deepEqual(payload, { come: true });
});

test("the remaining time is told from the pace, once there is one", () => {
  const left = paceTracker();
  assert.deepEqual([left(null, 0), left(0.1, 1000), left(0.12, 2000)], [null, null, null]);
  assert.equal(Math.round(left(0.4, 7000)), 12); // 0.3 in 6 seconds, so 0.6 in 12
});

test("background requests have the lowest urgency", async (context) => {
  const fetched = context.mock.method(globalThis, "fetch", async () => Response.json({}));
  for (const background of [false, true]) await httpLoader("line.json")({}, { signal, report: () => {}, background });
  assert.deepEqual(fetched.mock.calls.map(({ arguments: [, { headers }] }) => headers.Priority), [undefined, "u=7"]);
});

test("what may pass is worth another attempt, and a wrong request is not", async (context) => {
  for (const [status, isUnanswered] of [[422, false], [429, true], [500, true], [503, true]]) {
    context.mock.method(globalThis, "fetch", async () => Response.json({ detail: "Said." }, { status }));
    const refused = { message: "Said.", isUnanswered };
    await assert.rejects(httpLoader("line.json")({}, { signal, report: () => {} }), refused);
  }
});

test("a busy server is asked again after Retry-After, or five seconds, and its reason is reported", async (context) => {
  const payloads = [busy(503, "2"), busy(429, "x"), Response.json({ come: true })];
  const { said, payload, seconds } = await reports(context, payloads);
  assert.deepEqual(said, ["Busy: 503.", "Busy: 429."]);
  assert.deepEqual(payload, { come: true });
  assert.equal(seconds, 2 + 5 + 1); // and the one in which it came
});
