// Says why a page stays without its session where the server refuses one: browsers only log that it failed.

import { isConnected, say, whenConnected } from "./connection.js";
import { ask } from "./http.js";
import { ALWAYS, pause } from "./pause.js";

const LOOK_MS = 3000;
const SESSION = new URL("../../session", import.meta.url);

whenConnected(() => say(""));
watch();

async function watch() {
  for (;;) {
    await pause(LOOK_MS, ALWAYS);
    if (isConnected()) continue;
    // A server that does not answer needs no words: figures work without it, and a link says so.
    const answer = await ask(SESSION).catch(() => null);
    if (answer && !answer.response.ok && !isConnected()) say(`${answer.body.detail} This page does so by itself.`);
  }
}
