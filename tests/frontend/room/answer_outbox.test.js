import assert from "node:assert/strict";
import test from "node:test";

import { AnswerOutbox } from "../../../lnviz/frontend/room/answer_outbox.js";
import { putAnswer, roomUrl } from "../../../lnviz/frontend/room/requests.js";
import { openPage, serve } from "./page.js";

/** A server that keeps a participant's highest attempt, and an outbox connected to it. */
function start(context) {
  const page = openPage(context);
  const server = { isThere: true, status: 200, has: {}, removals: 0, delay: null, later: "" };
  const asked = serve(context, async (address, { body }) => {
    const [, poll, round] = /polls\/(\d+)\/(\d+)$/.exec(address);
    const sent = JSON.parse(body);
    if (server.delay) await server.delay(sent);
    if (!server.isThere) throw new TypeError("fetch failed");
    const headers = server.later ? { "Retry-After": server.later } : {};
    if (server.status !== 200) return Response.json({ detail: "No." }, { status: server.status, headers });
    const rounds = (server.has[poll] ??= {});
    if (!rounds[round] || rounds[round].attempt < sent.attempt) rounds[round] = sent;
    return Response.json({ ...rounds[round], removals: server.removals });
  });
  const tab = () => {
    const [refused, removed, doubts] = [[], [], []];
    const kept = new AnswerOutbox({
      code: "482913",
      put: (given, withdrawn) => putAnswer(roomUrl("", "482913"), given, withdrawn),
      onChange: () => {},
      onRejected: (given, reply) => refused.push([given.value, reply.status]),
      onRemoved: ({ value }) => removed.push(value),
      onDoubt: () => doubts.push(Date.now()),
    });
    return { kept, refused, removed, doubts };
  };
  return { page, server, asked, tab };
}

const you = (answers, removals = 0) => ({ number: 3, answers, lost: false, following: true, removals });

test("an answer is kept once the server confirms it", async (context) => {
  const { page, tab } = start(context);
  const { kept } = tab();
  kept.submit(7, 1, 1);
  assert.deepEqual(kept.answerTo(7, 1), { poll: 7, round: 1, value: 1, attempt: 1, kept: false });
  assert.ok(kept.isInFlight(kept.answerTo(7, 1)));
  await page.pass(0);
  assert.equal(kept.answerTo(7, 1).kept, true);
});

test("an answer that did not arrive is sent again as the same attempt", async (context) => {
  const { page, server, asked, tab } = start(context);
  const { kept } = tab();
  server.isThere = false;
  kept.submit(7, 1, 1);
  await page.pass(20_000);
  assert.equal(kept.answerTo(7, 1).kept, false);
  server.isThere = true;
  await page.pass(8_000);
  assert.equal(kept.answerTo(7, 1).kept, true);
  assert.ok(asked.every(({ body }) => body === '{"value":1,"attempt":1}'));
});

test("an answer that did not arrive survives a reload", async (context) => {
  const { page, server, tab } = start(context);
  server.isThere = false;
  tab().kept.submit(7, 1, 2);
  await page.pass(1000);
  server.isThere = true;
  const { kept } = tab();
  assert.equal(kept.answerTo(7, 1).value, 2);
  kept.resend();
  await page.pass(0);
  assert.deepEqual(server.has[7][1], { value: 2, attempt: 1 });
});

test("a double tap is one answer, and another answer has a higher number", async (context) => {
  const { page, server, asked, tab } = start(context);
  const { kept } = tab();
  for (const value of [1, 1, 1]) kept.submit(7, 1, value);
  await page.pass(0);
  kept.submit(7, 1, 1);
  assert.equal(asked.length, 1);
  kept.submit(7, 1, 0);
  await page.pass(0);
  assert.deepEqual(server.has[7][1], { value: 0, attempt: 2 });
});

test("if two answers overtake each other, the later tap wins", async (context) => {
  const { page, server, tab } = start(context);
  const first = Promise.withResolvers();
  server.delay = ({ attempt }) => (attempt === 1 ? first.promise : null);
  const { kept } = tab();
  kept.submit(7, 1, 0);
  kept.submit(7, 1, 3);
  await page.pass(0);
  first.resolve();
  await page.pass(0);
  assert.deepEqual(server.has[7][1], { value: 3, attempt: 2 });
  assert.deepEqual(kept.answerTo(7, 1), { poll: 7, round: 1, value: 3, attempt: 2, kept: true, keptAt: 0 });
});

test("two tabs of a browser share the later answer", async (context) => {
  const { page, server, tab } = start(context);
  const [one, other] = [tab().kept, tab().kept];
  one.submit(7, 1, 0);
  await page.pass(0);
  page.stored();
  assert.equal(other.answerTo(7, 1).value, 0);
  other.submit(7, 1, 2);
  await page.pass(0);
  page.stored();
  one.submit(7, 1, 3);
  await page.pass(0);
  page.stored();
  assert.deepEqual(server.has[7][1], { value: 3, attempt: 3 });
  assert.equal(other.answerTo(7, 1).value, 3);
});

test("two tabs without shared storage end with the last answer", async (context) => {
  const { page, server, tab } = start(context);
  globalThis.localStorage = undefined; // it is forbidden
  const [one, other] = [tab().kept, tab().kept];
  one.submit(7, 1, 0);
  await page.pass(0);
  other.submit(7, 1, 2);
  await page.pass(0);
  assert.equal(server.has[7][1].value, 2);
  assert.deepEqual(other.answerTo(7, 1), { poll: 7, round: 1, value: 2, attempt: 2, kept: true, keptAt: 0 });
});

test("a delayed old answer does not replace a newer one from another page", async (context) => {
  const { page, server, tab } = start(context);
  globalThis.localStorage = undefined;
  const [old, now] = [tab().kept, tab().kept];
  server.isThere = false;
  old.submit(7, 1, 0);
  await page.pass(0);
  server.isThere = true;
  now.merge(you({ 7: { 1: { value: 1, attempt: 1 } } }));
  now.submit(7, 1, 2);
  await page.pass(0);
  old.resend();
  await page.pass(0);
  assert.deepEqual(server.has[7][1], { value: 2, attempt: 2 });
  assert.deepEqual(old.answerTo(7, 1), { poll: 7, round: 1, value: 2, attempt: 2, kept: true, keptAt: 0 });
});

test("an answer that arrived too late is dropped and reported", async (context) => {
  const { page, server, asked, tab } = start(context);
  const { kept, refused } = tab();
  server.status = 409;
  kept.submit(7, 1, 1);
  await page.pass(30_000);
  assert.equal(asked.length, 1);
  assert.equal(kept.answerTo(7, 1), null);
  assert.deepEqual(refused, [[1, 409]]);
});

test("answers too fast are delayed by Retry-After", async (context) => {
  const { page, server, asked, tab } = start(context);
  const { kept } = tab();
  Object.assign(server, { status: 429, later: "2" });
  kept.submit(7, 1, 1);
  await page.pass(1900);
  assert.equal(asked.length, 1);
  server.status = 200;
  await page.pass(1200);
  assert.equal(kept.answerTo(7, 1).kept, true);
});

test("the server's answers are merged unless the phone has newer ones", async (context) => {
  const { page, server, tab } = start(context);
  const { kept } = tab();
  kept.merge(you({ 7: { 1: { value: 3, attempt: 4 } } }));
  assert.deepEqual(kept.answerTo(7, 1), { poll: 7, round: 1, value: 3, attempt: 4, kept: true, keptAt: 0 });
  server.isThere = false;
  kept.submit(7, 1, 0);
  kept.merge(you({ 7: { 1: { value: 3, attempt: 4 } } }));
  assert.deepEqual(kept.answerTo(7, 1), { poll: 7, round: 1, value: 0, attempt: 5, kept: false });
  server.isThere = true;
  await page.pass(8000);
  assert.deepEqual(server.has[7][1], { value: 0, attempt: 5 });
});

test("rounds are separate, and everything is deleted at the end of a room", async (context) => {
  const { page, tab } = start(context);
  const { kept } = tab();
  kept.submit(7, 1, 1);
  await page.pass(0);
  assert.equal(kept.answerTo(7, 2), null);
  kept.clear();
  assert.equal(tab().kept.answerTo(7, 1), null);
  assert.ok(![...page.kept.values()].join("").includes("poll"));
});

test("invalid stored data are ignored", (context) => {
  const { page, tab } = start(context);
  for (const text of ["[", "{}", "3", '[null, 3, {"poll": 7}]']) {
    page.kept.set("lnviz room 482913", text);
    assert.equal(tab().kept.answerTo(7, 1), null);
  }
});

test("a new seat has none of the answers that an earlier one has given", async (context) => {
  const { page, server, asked, tab } = start(context);
  const { kept } = tab();
  kept.merge(you({}));
  kept.submit(7, 1, 1);
  await page.pass(0);
  server.status = 401;
  kept.submit(8, 1, 2);
  await page.pass(0);
  server.status = 200;
  server.has = {};
  kept.merge({ ...you({}), number: 4 });
  await page.pass(0);
  assert.equal(kept.answerTo(7, 1), null, "the teacher has removed it");
  assert.deepEqual(kept.answerTo(8, 1).kept, true);
  assert.deepEqual(asked.at(-1).body, '{"value":2,"attempt":1}');
  assert.equal(tab().kept.answerTo(7, 1), null, "nor after the page is loaded again");
});

test("an answer that the teacher has removed is forgotten, and none that the server got after its list was read", async (context) => {
  const { page, server, tab } = start(context);
  const { kept, removed } = tab();
  kept.merge(you({}));
  kept.submit(7, 1, 666);
  kept.submit(8, 1, 3);
  await page.pass(0);
  kept.merge(you({}));
  assert.deepEqual([kept.answerTo(7, 1).value, removed], [666, []]);
  server.removals = 1;
  server.has = { 8: server.has[8] };
  kept.merge(you(server.has, 1));
  assert.deepEqual([kept.answerTo(7, 1), removed], [null, [666]]);
  assert.equal(tab().kept.answerTo(7, 1), null, "nor is it there after the page is loaded again");
  kept.submit(7, 1, 20);
  await page.pass(0);
  assert.deepEqual(server.has[7][1], { value: 20, attempt: 2 }, "higher than what may still be on its way");
  kept.merge(you({ 8: server.has[8] }, 1));
  assert.equal(kept.answerTo(7, 1).value, 20);
});

test("a tab that does not know of a removal neither sends what was removed nor gives it back to another tab", async (context) => {
  const { page, server, asked, tab } = start(context);
  const { kept: one } = tab();
  const { kept: other } = tab();
  for (const each of [one, other]) each.merge(you({}));
  one.submit(7, 1, 666);
  await page.pass(0);
  other.merge(you(server.has));
  Object.assign(server, { removals: 1, has: {} });
  one.merge(you({}, 1));
  other.save();
  page.stored();
  assert.equal(one.answerTo(7, 1), null);
  one.submit(7, 1, 20);
  await page.pass(0);
  other.merge(you(server.has, 1));
  await page.pass(0);
  assert.deepEqual([other.answerTo(7, 1).value, asked.length], [20, 2]);
});

test("a confirmation that was on its way during a removal is doubted", async (context) => {
  const { page, server, tab } = start(context);
  const { kept, removed, doubts } = tab();
  kept.submit(7, 1, 666);
  kept.merge(you({}, 1));
  server.removals = 0;
  await page.pass(0);
  assert.equal(doubts.length, 1);
  kept.merge(you({}, 1));
  assert.deepEqual(removed, [666]);
});

test("a phone whose answer is refused since it was removed connects again at once", async (context) => {
  openPage(context);
  serve(context, () => Response.json({ detail: "Join first." }, { status: 401 }));
  const woken = Promise.withResolvers();
  const put = (given, withdrawn) => putAnswer(roomUrl("", "482913"), given, withdrawn);
  const kept = new AnswerOutbox({ code: "482913", put, onChange: () => {}, onRejected: () => {}, onDoubt: woken.resolve });
  kept.submit(7, 1, 1);
  await woken.promise;
  kept.clear();
});
