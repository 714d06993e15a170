// Says why a page stays without its session where the server refuses one: browsers only log that it failed.

import { isConnected, showReason } from "./connection.js";
import { fetchJson } from "../engine/http.js";
import { NEVER_ABORTED, sleep } from "../engine/sleep.js";

const POLL_MS = 3000;
const SESSION = new URL("../../../session", import.meta.url);

pollSession();

async function pollSession() {
  for (;;) {
    await sleep(POLL_MS, NEVER_ABORTED);
    if (isConnected()) {
      SESSION.search = "again";
      continue;
    }
    // Where nobody answers nothing is said: figures work without a server, and links say so.
    const answer = await fetchJson(SESSION).catch(() => null);
    const isRefused = answer && !answer.response.ok && !isConnected();
    showReason(isRefused ? `${answer.body.detail} This page does so by itself.` : "");
  }
}
