// Where a room's phones come from: addresses by number, which the remote can close to newcomers or clear.

import { div, button, element, isRendered } from "../engine/dom.js";
import { confirmed } from "./confirm.js";
import { LiveList } from "./live_list.js";
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
    const list = div("", []);
    this.element.append(element("h3", "", REMOTE.networks), list);
    /** @type {LiveList<Network>} */
    this.live = new LiveList({
      list,
      isOpen: () => Boolean(this.element.parentElement && isRendered(this.element.parentElement)),
      load: () => this.load(),
      describe: ({ seats, blocked }) => `${seats} ${blocked}`,
      line: (network, number) => this.line(network, number),
    });
  }

  /** Load the addresses. @returns {Promise<Network[] | null>} */
  async load() {
    const { status, body } = await request(`${this.address}/networks`);
    if (status === 200) this.element.hidden = !body.networks.length;
    return status === 200 ? body.networks : null;
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
    const { seats, answers } = (await this.live.refresh()).find((network) => network.id === id) ?? {};
    if (!seats) return;
    if (await confirmed(REMOTE.clearAsk(seats, answers ?? 0), REMOTE.clearSays, REMOTE.clearIt)) await this.change("/clear", { network: id });
  }

  /** @param {string} path @param {Record<string, unknown>} more */
  async change(path, more) {
    await this.post(path, more);
    await this.live.refresh();
  }
}
