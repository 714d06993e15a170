// Dialogs of the remote: how participants join, and ending the room.

import { div, button, element, isRendered, setText } from "../engine/dom.js";
import { dialog } from "./dialog.js";
import { NetworkList } from "./network_list.js";
import { RemoteRequests } from "./remote_requests.js";
import { request } from "./requests.js";
import { REMOTE } from "./remote_strings.js";
import { spacedCode } from "./strings.js";

/** @typedef {import("./room_connection.js").Tally} Tally */
/**
 * What the dialog asks the remote to do.
 * @typedef {object} RoomActions
 * @property {(verb: "admit" | "revoke", number: number) => void} decide lets a phone lead, or not
 * @property {() => void} askOwn opens the dialog for a question of the teacher's own
 * @property {() => void} toggleCard shows the join card on the projector, or hides it
 * @property {(path: string, more: Record<string, unknown>) => Promise<boolean>} post
 */

/** Milliseconds between checks whether a phone has reached the server. */
const POLL_MS = 3_000;

/** Dialog to end the room, with a last chance to download the answers. */
export class EndDialog {
  /**
   * @param {string} code
   * @param {string} address URL of the room
   * @param {() => void} end
   */
  constructor(code, address, end) {
    this.address = address;
    this.element = dialog(REMOTE.endAsk);
    const endButton = button(REMOTE.endIt, () => {
      this.element.close();
      end();
    });
    const buttons = div("choices", [this.downloadLink(), endButton, button(REMOTE.goOn, () => this.element.close())]);
    this.element.append(element("p", "", REMOTE.endSays(spacedCode(code))), buttons);
  }

  open() {
    this.element.showModal();
  }

  /** Return a link that downloads the answers as CSV. */
  downloadLink() {
    const link = element("a", "button main", REMOTE.csv);
    link.href = `${this.address}/answers.csv`;
    link.download = "";
    return link;
  }
}

/** Dialog of the room's set-up: join address, simulated students, another remote. */
export class RoomDialog {
  /**
   * @param {string} address URL of the room
   * @param {string} code formatted for reading aloud
   * @param {RoomActions} actions
   */
  constructor(address, code, { decide, askOwn, toggleCard, post }) {
    this.address = address;
    this.code = code;
    this.remotes = new RemoteRequests(decide, true);
    /** Numbers of the phones that ask to lead. @type {number[]} */
    this.asking = [];
    this.networks = new NetworkList(address, post);
    this.ownButton = button(REMOTE.own, () => {
      if (this.ownButton.ariaDisabled === "true") return;
      this.element.close();
      askOwn();
    });
    this.element = dialog(REMOTE.setUp);
    this.addressBox = element("div", "reach");
    this.cardButton = button(REMOTE.showCard, toggleCard);
    this.simulateButton = button(REMOTE.rehearse, () => this.toggleSimulation());
    this.onceLink = element("div", "once");
    const makeButton = button(REMOTE.makeRemote, () => this.createLink());
    this.status = element("p", "trouble");
    this.status.setAttribute("role", "status");
    const closeButton = button(REMOTE.shut, () => this.element.close(), "main");
    const choices = div("choices", [this.cardButton, this.ownButton, this.simulateButton, makeButton, this.onceLink, closeButton]);
    this.element.append(this.addressBox, this.remotes.element, choices, this.networks.element, this.status);
    // An unused link is not left on the screen.
    this.element.addEventListener("close", () => this.onceLink.replaceChildren());
  }

  open() {
    this.element.showModal();
    this.showAddresses(this.addressBox);
    this.networks.live.refresh();
  }

  /** Add parts above the buttons. @param {Element[]} parts */
  addParts(...parts) {
    this.remotes.element.after(...parts);
  }

  /** @param {import("./room_connection.js").Remote[]} remotes @param {number} own this browser's number; 0 for none */
  showRemotes(remotes, own) {
    this.remotes.show(remotes, own);
    const asking = remotes.flatMap(({ number, admitted }) => (admitted ? [] : [number]));
    const isNew = asking.some((number) => !this.asking.includes(number));
    this.asking = asking;
    if (!isNew) return;
    // Its link is used, and what it asks is above the link.
    this.onceLink.replaceChildren();
    this.remotes.element.scrollIntoView({ block: "nearest" });
  }

  /** Show whether a vote is open, which no other question may replace. @param {boolean} isOpen */
  showVote(isOpen) {
    setText(this.ownButton, isOpen ? REMOTE.ownLater : REMOTE.own);
    this.ownButton.ariaDisabled = String(isOpen);
  }

  /** Show whether the join card is on the projector. @param {boolean} [isOpen] */
  showCard(isOpen = false) {
    setText(this.cardButton, isOpen ? REMOTE.hideCard : REMOTE.showCard);
  }

  /** @param {Tally | null} tally */
  show(tally) {
    const simulated = tally?.simulated ?? 0;
    const words = simulated ? REMOTE.rehearsing(simulated) : REMOTE.rehearse;
    if (this.simulateButton.textContent !== words) this.simulateButton.textContent = words;
    this.simulateButton.setAttribute("aria-pressed", String(simulated > 0));
  }

  /**
   * Show the join addresses and whether a phone has reached one; poll while visible until one has.
   * @param {HTMLElement} place
   */
  async showAddresses(place) {
    const { status, body } = await request(`${this.address}/addresses`);
    if (status === 200) {
      const { addresses, reached } = body;
      const list = addresses.map((/** @type {string} */ address) => element("b", "address", `${address.replace(/^https?:\/\//, "")}/join`));
      // Without an address there is nothing to try.
      const reachText = addresses.length || reached ? [element("p", "", reached ? REMOTE.reached : REMOTE.unreached)] : [];
      const at = element("p", "", addresses.length ? REMOTE.joinAt : REMOTE.nowhere);
      const code = element("p", "", REMOTE.joinWith(this.code));
      if (place.dataset.said !== JSON.stringify(body)) place.replaceChildren(at, ...list, ...(addresses.length ? [code] : []), ...reachText);
      place.dataset.said = JSON.stringify(body);
      if (reached) return;
    }
    setTimeout(() => isRendered(place) && this.showAddresses(place), POLL_MS);
  }

  async toggleSimulation() {
    const { status, body } = await request(`${this.address}/rehearse`, "POST", {});
    this.status.textContent = status === 200 ? "" : (body?.detail ?? REMOTE.failed);
  }

  async createLink() {
    const reachText = Object.fromEntries(new URLSearchParams(location.search));
    const { status, body } = await request(`${this.address}/remote`, "POST", reachText);
    this.status.textContent = status === 200 || status === 201 ? "" : (body?.detail ?? REMOTE.failed);
    if (this.status.textContent) return;
    const code = element("img");
    code.src = `data:image/svg+xml,${encodeURIComponent(body.svg)}`;
    code.alt = "";
    const link = element("a", "", body.link);
    link.href = body.link;
    this.onceLink.replaceChildren(element("p", "", REMOTE.once), code, link);
    await code.decode();
    this.onceLink.scrollIntoView({ block: "nearest" });
  }
}
