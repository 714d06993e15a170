// Where a room's phones come from: addresses by number, which the remote can close to newcomers or clear.

import { div, button, element, setChildren } from "../engine/dom.js";
import { confirmed } from "./confirm.js";
import { request } from "./requests.js";
import { REMOTE } from "./remote_strings.js";

/** @typedef {{id: string, seats: number, answers: number, blocked: boolean}} Network */

export class NetworkList {
  /**
   * @param {string} address URL of the room
   * @param {(path: string, more: Record<string, unknown>) => Promise<boolean>} post
   */
  constructor(address, post) {
    this.address = address;
    this.post = post;
    this.element = element("section", "networks");
    this.element.hidden = true;
  }

  /** Load and show the addresses; return them. */
  async load() {
    const { status, body } = await request(`${this.address}/networks`);
    /** @type {Network[]} */
    const networks = status === 200 ? body.networks : [];
    this.element.hidden = !networks.length;
    setChildren(this.element, [element("h3", "", REMOTE.networks), ...networks.map((network, i) => this.line(network, i + 1))]);
    return networks;
  }

  /** @param {Network} network @param {number} number */
  line({ id, seats, blocked }, number) {
    const block = button(blocked ? REMOTE.unblock : REMOTE.block, () => this.change("/networks", { id, blocked: !blocked }));
    block.setAttribute("aria-pressed", String(blocked));
    const clear = button(REMOTE.clearNetwork, () => this.clear(id));
    clear.hidden = !seats;
    return div("network", [element("p", "", REMOTE.network(number, seats)), div("two", [block, clear])]);
  }

  /** Remove an address's phones and their answers, after a question with their present numbers. @param {string} id */
  async clear(id) {
    const { seats, answers, blocked } = (await this.load()).find((network) => network.id === id) ?? {};
    if (!seats) return;
    if (await confirmed(REMOTE.clearAsk(seats, answers ?? 0), REMOTE.clearSays(blocked ?? false), REMOTE.clearIt)) await this.change("/clear", { network: id });
  }

  /** @param {string} path @param {Record<string, unknown>} more */
  async change(path, more) {
    await this.post(path, more);
    await this.load();
  }
}
