// Shows why the server refuses a session: browsers only log the failed WebSocket.

import { isConnected, showReason } from "./connection.js";
import { fetchJson } from "../engine/http.js";
import { NEVER_ABORTED, sleep } from "../engine/sleep.js";

const POLL_MS = 3000;
const SESSION = new URL("../../../session", import.meta.url);
// The server compares this with what it is asked for: a proxy may have changed it.
SESSION.searchParams.set("at", SESSION.host + SESSION.pathname);

pollSession();

/** Ask for the reason while the session is not connected. */
async function pollSession() {
  for (;;) {
    await sleep(POLL_MS, NEVER_ABORTED);
    if (isConnected()) {
      SESSION.search = "again";
      continue;
    }
    // If the server does not respond, nothing is shown: figures still work, and links have their own notice.
    const answer = await fetchJson(SESSION).catch(() => null);
    const isRefused = answer && !answer.response.ok && !isConnected();
    showReason(isRefused ? `${answer.body.detail} This page retries on its own.` : "");
  }
}
