import assert from "node:assert/strict";
import test from "node:test";

import { UserFacingError, FigureRequests } from "../../../lnviz/frontend/engine/loading.js";

const payload = (parameters = []) => ({ tensors: {}, parameters });

/** Return requests that the test answers. */
function waiting() {
  const asked = [];
  const load = (parameters, { signal }) =>
    new Promise((resolve, reject) => asked.push({ parameters, signal, resolve, reject }));
  return { asked, requests: new FigureRequests(load, () => {}) };
}

test("two changes in a row are merged, and the first request is aborted", async () => {
  const { asked, requests } = waiting();
  const first = requests.get({ seed: "0", data: "a" }, { seed: "1" }, false);
  const second = requests.get({ seed: "0", data: "a" }, { data: "b" }, false);
  assert.deepEqual(asked[1].parameters, { seed: "1", data: "b" });
  assert.equal(asked[0].signal.aborted, true);
  asked[0].resolve(payload());
  asked[1].resolve(payload());
  assert.equal(await first, null);
  assert.deepEqual((await second).requested, { seed: "1", data: "b" });
  assert.equal(requests.pending, null);
});

test("an error's message is returned", async () => {
  const { asked, requests } = waiting();
  const come = requests.get({}, { seed: "x" }, false);
  asked[0].reject(new UserFacingError("seed is a number."));
  assert.deepEqual((await come).answer, { detail: "seed is a number." });
});

test("on opening, the nearest valid parameters are used silently", async () => {
  const load = async ({ seed }) => {
    if (seed !== "9") throw new UserFacingError("seed goes up to 9.", { seed: "9" });
    return payload();
  };
  const requests = new FigureRequests(load, () => {});
  assert.equal((await requests.get({}, { seed: "10" }, true)).answer.detail, "");
  assert.equal((await requests.get({}, { seed: "10" }, false)).answer.detail, "seed goes up to 9.");
});

test("a correction may require another one, up to a limit", async () => {
  const fewer = async ({ seed }) => {
    if (seed !== "9") throw new UserFacingError("fewer", { seed: String(seed - 1) });
    return payload();
  };
  const requests = new FigureRequests(fewer, () => {});
  assert.equal((await requests.get({}, { seed: "12" }, true)).answer.detail, "");
  assert.deepEqual((await requests.get({}, { seed: "13" }, true)).answer, { detail: "fewer" });
});

test("on opening, there is a message if data are gone, or other runs or points are shown", async () => {
  const load = async ({ data, run, points }) => {
    if (points === "own.z") throw new UserFacingError("Set them anew.", { points: "spiral" });
    if (data === "upload.x") throw new UserFacingError("Upload it again.", { data: "worked" }, true);
    if (run === "job.x") throw new UserFacingError("Open that link again.", { run: "digits" });
    return payload([
      { kind: "job", name: "run", value: "digits" },
      { kind: "pick", name: "points", value: "spiral", own: "points" },
    ]);
  };
  const requests = new FigureRequests(load, () => {});
  const said = async (parameters) => (await requests.get({}, parameters, true)).answer.detail;
  assert.equal(await said({ data: "upload.x" }), "Upload it again.");
  assert.equal(await said({ run: "job.x" }), "Open that link again.");
  assert.equal(await said({ points: "own.z" }), "Set them anew.");
});

test("a reader's request aborts background requests", async () => {
  const { asked, requests } = waiting();
  const again = requests.refresh({ seed: "0" });
  requests.get({ seed: "0" }, { seed: "1" }, false);
  assert.equal(asked[0].signal.aborted, true);
  asked[0].resolve(payload());
  assert.equal(await again, null);
});

test("a background request reports to its own listener", async () => {
  const load = async (parameters, { report, background }) => (report(background && "half"), payload());
  const requests = new FigureRequests(load, () => assert.fail("nobody has asked"));
  const heard = [];
  await requests.refresh({}, (sentence) => heard.push(sentence));
  assert.deepEqual(heard.filter(Boolean), ["half"]);
});
