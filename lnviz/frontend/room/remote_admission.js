// A phone that has scanned the code of a remote: it asks to lead, shows its number, and waits to be let in.

import { element } from "../engine/dom.js";
import { getSession, setSession } from "../engine/memory.js";
import { sleep, NEVER_ABORTED } from "../engine/sleep.js";
import { request } from "./requests.js";
import { REMOTE } from "./remote_strings.js";

/** Milliseconds between two looks whether it was let in. */
const POLL_MS = 1_500;
/** Name under which the tab keeps the token that it has used. */
const ASKED = "asked to lead";
const CREATED = 201;

/**
 * Ask to lead with the token in the URL, and open the remote once this phone is let in.
 * @param {string} address URL of the room
 * @param {string} token
 */
export async function askToLead(address, token) {
  const main = document.body.appendChild(element("main", "phone admission"));
  const words = element("p", "end", REMOTE.asking);
  words.setAttribute("role", "status");
  const numberLine = element("p", "number");
  main.append(words, numberLine);
  // After a reload the token is used: the phone has its key already.
  let reply = await (getSession(ASKED) === token ? request(`${address}/remotes`) : request(`${address}/remotes`, "POST", { token }));
  if (reply.status === CREATED) setSession(ASKED, token);
  for (;;) {
    const { status, body } = reply;
    if (status >= 400 && status < 500) {
      words.textContent = body?.detail ?? REMOTE.noKey;
      numberLine.textContent = "";
      return;
    }
    if (status === 200 && body.admitted) {
      const search = new URLSearchParams(location.search);
      search.delete("once");
      location.replace(`${location.pathname}${search.size ? `?${search}` : ""}`);
      return;
    }
    if (status === 200 || status === CREATED) {
      words.textContent = REMOTE.waiting;
      numberLine.textContent = String(body.number);
    }
    await sleep(POLL_MS, NEVER_ABORTED);
    reply = await request(`${address}/remotes`);
  }
}
