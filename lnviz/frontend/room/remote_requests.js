// Phones that ask to lead, for the remote and the projector: each shows a number, and a presenter lets it in or not.

import { div, button, element, setChildren } from "../engine/dom.js";
import { confirmed } from "./confirm.js";
import { LEADERS } from "./projector_strings.js";

/** @typedef {import("./room_connection.js").Remote} Remote */

/** List of the phones that ask to lead, and if wanted of those that do. */
export class RemoteRequests {
  /**
   * @param {(verb: "admit" | "revoke", number: number) => void} decide
   * @param {boolean} [isComplete] whether to list phones that lead, too
   */
  constructor(decide, isComplete = false) {
    this.decide = decide;
    this.isComplete = isComplete;
    this.element = element("div", "leaders");
    this.element.setAttribute("role", "status");
    this.element.hidden = true;
    this.shown = "";
  }

  /** @param {Remote[]} remotes @param {number} [own] this browser's number */
  show(remotes, own = 0) {
    const listed = remotes.filter(({ admitted }) => this.isComplete || !admitted);
    const key = JSON.stringify([listed, own]);
    if (key === this.shown) return;
    this.shown = key;
    this.element.hidden = !listed.length;
    setChildren(this.element, listed.map((remote) => this.line(remote, remote.number === own)));
  }

  /** @param {Remote} remote @param {boolean} isOwn whether it is this browser */
  line({ number, admitted }, isOwn) {
    const words = element("p", "", (isOwn ? LEADERS.isThis : admitted ? LEADERS.leads : LEADERS.asks)(number));
    const allow = button(LEADERS.allow, () => this.decide("admit", number), "main");
    const revoke = () => this.decide("revoke", number);
    const ask = async () => (await confirmed(LEADERS.removeAsk(number), isOwn ? LEADERS.removeThis : LEADERS.removeSays, LEADERS.removeIt)) && revoke();
    const refuse = admitted ? button(LEADERS.remove, () => void ask()) : button(LEADERS.refuse, revoke);
    return div("leader", [words, div("two", admitted ? [refuse] : [allow, refuse])]);
  }
}
