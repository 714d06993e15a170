// Join card on the projector: address and QR code, and whether a phone has reached the server.

import { div, button, element, labeledField, setText } from "../engine/dom.js";
import { setSession, getSession } from "../engine/memory.js";
import { request } from "./requests.js";
import { PROJECTOR, withSimulated } from "./projector_strings.js";
import { spacedCode, writeSentence } from "./strings.js";

/** Milliseconds between checks whether a phone has come. */
const POLL_MS = 3_000;
const WIFI = "wifi";
/** Milliseconds after typing until the Wi-Fi code is drawn. */
const TYPING_DELAY_MS = 600;

/** Card with the join address, QR code and Wi-Fi. */
export class JoinCard {
  /** @param {import("./projector.js").Projector} projector */
  constructor(projector) {
    this.projector = projector;
    /** URLs under which phones find the server, best first. @type {string[]} */
    this.addresses = [];
    this.index = 0;
    this.reached = false;
    /** Whether the addresses are loaded. */
    this.isLoaded = false;
    this.timer = 0;
    this.element = element("section", "card");
    this.element.hidden = true;
    this.element.setAttribute("aria-label", PROJECTOR.join);
    this.picture = element("img", "qr");
    this.picture.alt = PROJECTOR.picture;
    this.address = button("", () => this.showNextAddress(), "address");
    this.code = element("p", "code", spacedCode(projector.code));
    this.network = element("img", "qr");
    this.network.alt = PROJECTOR.network;
    this.wifiLine = element("p");
    this.wifi = div("wifi", [this.network, this.wifiLine]);
    /** Key of the drawn Wi-Fi code. */
    this.drawnFor = "";
    this.typingTimer = 0;
    this.check = element("p", "check");
    this.check.setAttribute("role", "status");
    /** A separate element, so that arrivals are not announced one by one. */
    this.here = element("p", "here");
    this.title = element("h2", "", PROJECTOR.join);
    /** How to join, which a locked room does not say. */
    this.invitation = div("", [this.address, this.code, element("p", "say", PROJECTOR.shows), this.wifi]);
    this.element.append(this.picture, div("", [this.title, this.invitation, this.here]));
    document.querySelector("main")?.append(this.element);
    /** The teacher's part, in the overview. */
    this.form = this.buildWifiForm();
    this.poll();
  }

  /** Add the fields for the Wi-Fi name and password. */
  buildWifiForm() {
    const [name, password] = [element("input"), element("input")];
    const [savedName = "", savedPassword = ""] = getSession(WIFI).split("\n");
    Object.assign(name, { value: savedName, autocomplete: "off" });
    Object.assign(password, { value: savedPassword, autocomplete: "off" });
    for (const field of [name, password]) {
      field.addEventListener("input", () => {
        setSession(WIFI, `${name.value}\n${password.value}`);
        clearTimeout(this.typingTimer);
        this.typingTimer = setTimeout(() => this.draw(), TYPING_DELAY_MS);
      });
    }
    // Whether phones come through is for the teacher, not for the class.
    const form = div("network", [labeledField("Wi-Fi on the join card", name), labeledField("its password", password), this.check]);
    this.projector.screens.overview.dialog.append(form);
    return form;
  }

  /** Return the address to type, without the scheme; "" if no phone can reach the server. */
  joinAddress() {
    if (this.isLoaded && !this.addresses.length) return "";
    const address = this.addresses[this.index];
    const bare = (address ?? location.origin + this.projector.base).replace(/^https?:\/\//, "");
    return `${bare}/join`;
  }

  /** Show the card in place of the slide, or hide it. @param {boolean} isOpen */
  show(isOpen) {
    if (this.element.hidden !== isOpen) return;
    this.element.hidden = !isOpen;
    document.body.toggleAttribute("data-card", isOpen);
    const { screens, cornerCode } = this.projector;
    if (isOpen) this.draw();
    else screens.refit(screens.screen); // a figure that came under the card has no size yet
    cornerCode.schedule();
  }

  /** Close for good, at the end of the room. */
  remove() {
    this.show(false);
    clearTimeout(this.timer);
    this.form.remove();
  }

  /** Show the next address. */
  showNextAddress() {
    this.index = (this.index + 1) % Math.max(1, this.addresses.length);
    this.draw();
    this.projector.draw();
  }

  /** Load the addresses, and poll until a phone has reached the server. */
  async poll() {
    clearTimeout(this.timer);
    const { status, body } = await request(`${this.projector.address}/addresses`);
    if (status === 200) {
      this.addresses = body.addresses;
      this.isLoaded = true;
      this.index = Math.min(this.index, Math.max(0, this.addresses.length - 1));
      this.reached = body.reached;
      this.draw();
      this.projector.draw();
    }
    if (!this.reached && !this.projector.hasEnded) this.timer = setTimeout(() => this.poll(), POLL_MS);
  }

  /**
   * Load the Wi-Fi QR code, unless it is drawn. The server stores nothing.
   * @param {string} name
   * @param {string} password
   */
  async drawWifiCode(name, password) {
    const key = JSON.stringify([name, password]);
    if (key === this.drawnFor) return;
    this.drawnFor = key;
    this.network.hidden = true;
    if (!name) return;
    const { status, body } = await request(`${this.projector.address}/wifi`, "POST", { name, password });
    if (key !== this.drawnFor) return;
    if (status === 200) this.network.src = `data:image/svg+xml,${encodeURIComponent(body.svg)}`;
    else if (status === 0) this.drawnFor = ""; // retried at the next drawing
    this.network.hidden = status !== 200;
  }

  draw() {
    const address = this.addresses[this.index] ?? "";
    const at = address ? `?at=${encodeURIComponent(address)}` : "";
    const source = `${this.projector.address}/qr.svg${at}`;
    const isLocked = this.projector.room?.locked ?? false;
    setText(this.title, isLocked ? PROJECTOR.locked : PROJECTOR.join);
    this.invitation.hidden = isLocked;
    // A QR code that no phone can follow is of no use.
    this.picture.hidden = !address || isLocked;
    if (address && this.picture.getAttribute("src") !== source) this.picture.src = source;
    this.projector.cornerCode.setSource(address && !isLocked ? source : "");
    this.address.textContent = this.joinAddress() || PROJECTOR.nowhere;
    this.address.disabled = this.addresses.length < 2;
    const [name = "", password = ""] = getSession(WIFI).split("\n");
    this.wifi.hidden = !name;
    this.drawWifiCode(name, password);
    if (name) writeSentence(this.wifiLine, `${PROJECTOR.wifi}${password ? ` ${PROJECTOR.password}` : ""}`, name, ...(password ? [password] : []));
    // Without an address there is nothing to try.
    this.check.hidden = this.isLoaded && !address && !this.reached;
    this.check.dataset.sign = this.reached ? "\u2713" : "!";
    const words = this.reached ? PROJECTOR.reached : PROJECTOR.unreached;
    if (this.check.textContent !== words) this.check.textContent = words;
    this.here.hidden = !this.reached;
    const { here, simulated } = this.projector.heads;
    this.here.textContent = withSimulated(PROJECTOR.here(here), simulated);
  }
}
