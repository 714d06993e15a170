// How to come in: the address as a picture and in words, and whether a phone has reached it.

import { div, button, element, labeledField } from "../engine/dom.js";
import { setSession, getSession } from "../engine/memory.js";
import { request } from "./requests.js";
import { spacedCode, PROJECTOR, writeSentence } from "./strings.js";

/** Milliseconds until it is asked again whether a phone has come. */
const POLL_MS = 3_000;
const WIFI = "wifi";
/** Milliseconds after the last letter until the Wi-Fi's picture is made. */
const TYPING_DELAY_MS = 600;

export class JoinCard {
  /** @param {import("./projector.js").Projector} projector */
  constructor(projector) {
    this.projector = projector;
    /** By which phones find the server, best first. @type {string[]} */
    this.addresses = [];
    this.index = 0;
    this.reached = false;
    /** Whether the server has said by which addresses it is found. */
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
    /** Of which the picture is. */
    this.drawnFor = "";
    this.typingTimer = 0;
    this.check = element("p", "check");
    this.check.setAttribute("role", "status");
    /** How many are here: apart, so that not each who comes is read aloud. */
    this.here = element("p", "here");
    const words = [element("h2", "", PROJECTOR.join), this.address, this.code, element("p", "say", PROJECTOR.shows), this.wifi, this.check, this.here];
    this.element.append(this.picture, div("", words));
    document.querySelector("main")?.append(this.element);
    this.buildWifiForm();
    this.poll();
  }

  /** Where the teacher says which Wi-Fi there is. */
  buildWifiForm() {
    const [name, password] = [element("input"), element("input")];
    const [said = "", secret = ""] = getSession(WIFI).split("\n");
    Object.assign(name, { value: said, autocomplete: "off" });
    Object.assign(password, { value: secret, autocomplete: "off" });
    for (const field of [name, password]) {
      field.addEventListener("input", () => {
        setSession(WIFI, `${name.value}\n${password.value}`);
        clearTimeout(this.typingTimer);
        this.typingTimer = setTimeout(() => this.draw(), TYPING_DELAY_MS);
      });
    }
    const form = div("network", [labeledField("Wi-Fi on the join card", name), labeledField("its password", password)]);
    this.projector.screens.overview.dialog.append(form);
  }

  /** The address without what a phone adds itself; "" where no phone can reach the server. */
  joinAddress() {
    if (this.isLoaded && !this.addresses.length) return "";
    const address = this.addresses[this.index];
    const bare = (address ?? location.origin + this.projector.base).replace(/^https?:\/\//, "");
    return `${bare}/join`;
  }

  open() {
    this.element.hidden = false;
    document.body.toggleAttribute("data-card", true);
    this.draw();
    this.poll();
  }

  close() {
    this.element.hidden = true;
    document.body.toggleAttribute("data-card", false);
    clearTimeout(this.timer);
  }

  toggle() {
    if (this.element.hidden) this.open();
    else this.close();
  }

  /** Shows another address, where there are several. */
  showNextAddress() {
    this.index = (this.index + 1) % Math.max(1, this.addresses.length);
    this.draw();
    this.projector.draw();
  }

  /** Asks by which addresses phones find the server, and whether one has. */
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
    if (!this.element.hidden && !this.reached) this.timer = setTimeout(() => this.poll(), POLL_MS);
  }

  /**
   * Has the Wi-Fi's picture made, unless it is there. The server keeps nothing of it.
   * @param {string} name
   * @param {string} password
   */
  async drawWifiCode(name, password) {
    const wanted = JSON.stringify([name, password]);
    if (wanted === this.drawnFor) return;
    this.drawnFor = wanted;
    this.network.hidden = true;
    if (!name) return;
    const { status, body } = await request(`${this.projector.address}/wifi`, "POST", { name, password });
    if (wanted !== this.drawnFor) return;
    if (status === 200) this.network.src = `data:image/svg+xml,${encodeURIComponent(body.svg)}`;
    else if (status === 0) this.drawnFor = ""; // tried again with the next drawing
    this.network.hidden = status !== 200;
  }

  draw() {
    const address = this.addresses[this.index] ?? "";
    const at = address ? `?at=${encodeURIComponent(address)}` : "";
    const source = `${this.projector.address}/qr.svg${at}`;
    // A picture of an address that no phone can reach would lead nowhere.
    this.picture.hidden = !address;
    if (address && this.picture.getAttribute("src") !== source) this.picture.src = source;
    this.address.textContent = this.joinAddress() || PROJECTOR.nowhere;
    this.address.disabled = this.addresses.length < 2;
    const [name = "", password = ""] = getSession(WIFI).split("\n");
    this.wifi.hidden = !name;
    this.drawWifiCode(name, password);
    if (name) writeSentence(this.wifiLine, `${PROJECTOR.wifi}${password ? ` ${PROJECTOR.password}` : ""}`, name, ...(password ? [password] : []));
    // Who cannot reach it need not try.
    this.check.hidden = this.isLoaded && !address && !this.reached;
    this.check.dataset.sign = this.reached ? "\u2713" : "!";
    const said = this.reached ? PROJECTOR.reached : PROJECTOR.unreached;
    if (this.check.textContent !== said) this.check.textContent = said;
    this.here.hidden = !this.reached;
    this.here.textContent = PROJECTOR.here(this.projector.heads.here);
  }
}
