// How to come in: the address as a picture and in words, and whether a phone has reached it.

import { div, button, element, labeledField } from "../engine/dom.js";
import { setSession, getSession } from "../engine/memory.js";
import { ask } from "./requests.js";
import { spaced, WALL, write } from "./words.js";

/** Milliseconds until it is asked again whether a phone has come. */
const LOOK_MS = 3_000;
const WIFI = "wifi";
/** Milliseconds after the last letter until the Wi-Fi's picture is made. */
const TYPED_MS = 600;

export class JoinCard {
  /** @param {import("./projector.js").Wall} wall */
  constructor(wall) {
    this.wall = wall;
    /** By which phones find the server, best first. @type {string[]} */
    this.addresses = [];
    this.at = 0;
    this.reached = false;
    /** Whether the server has said by which addresses it is found. */
    this.isAsked = false;
    this.timer = 0;
    this.element = element("section", "card");
    this.element.hidden = true;
    this.element.setAttribute("aria-label", WALL.join);
    this.picture = element("img", "qr");
    this.picture.alt = WALL.picture;
    this.address = button("", () => this.other(), "address");
    this.code = element("p", "code", spaced(wall.code));
    this.network = element("img", "qr");
    this.network.alt = WALL.network;
    this.named = element("p");
    this.wifi = div("wifi", [this.network, this.named]);
    /** Of which the picture is. */
    this.pictured = "";
    this.typing = 0;
    this.check = element("p", "check");
    this.check.setAttribute("role", "status");
    /** How many are here: apart, so that not each who comes is read aloud. */
    this.here = element("p", "here");
    const words = [element("h2", "", WALL.join), this.address, this.code, element("p", "say", WALL.shows), this.wifi, this.check, this.here];
    this.element.append(this.picture, div("", words));
    document.querySelector("main")?.append(this.element);
    this.offer();
    this.look();
  }

  /** Where the teacher says which Wi-Fi there is. */
  offer() {
    const [name, password] = [element("input"), element("input")];
    const [said = "", secret = ""] = getSession(WIFI).split("\n");
    Object.assign(name, { value: said, autocomplete: "off" });
    Object.assign(password, { value: secret, autocomplete: "off" });
    for (const field of [name, password]) {
      field.addEventListener("input", () => {
        setSession(WIFI, `${name.value}\n${password.value}`);
        clearTimeout(this.typing);
        this.typing = setTimeout(() => this.draw(), TYPED_MS);
      });
    }
    const form = div("network", [labeledField("Wi-Fi on the join card", name), labeledField("its password", password)]);
    this.wall.screens.overview.dialog.append(form);
  }

  /** The address without what a phone adds itself; "" where no phone can reach the server. */
  said() {
    if (this.isAsked && !this.addresses.length) return "";
    const address = this.addresses[this.at];
    const bare = (address ?? location.origin + this.wall.base).replace(/^https?:\/\//, "");
    return `${bare}/join`;
  }

  open() {
    this.element.hidden = false;
    document.body.toggleAttribute("data-card", true);
    this.draw();
    this.look();
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
  other() {
    this.at = (this.at + 1) % Math.max(1, this.addresses.length);
    this.draw();
    this.wall.draw();
  }

  /** Asks by which addresses phones find the server, and whether one has. */
  async look() {
    clearTimeout(this.timer);
    const { status, body } = await ask(`${this.wall.address}/addresses`);
    if (status === 200) {
      this.addresses = body.addresses;
      this.isAsked = true;
      this.at = Math.min(this.at, Math.max(0, this.addresses.length - 1));
      this.reached = body.reached;
      this.draw();
      this.wall.draw();
    }
    if (!this.element.hidden && !this.reached) this.timer = setTimeout(() => this.look(), LOOK_MS);
  }

  /**
   * Has the Wi-Fi's picture made, unless it is there. The server keeps nothing of it.
   * @param {string} name
   * @param {string} password
   */
  async paint(name, password) {
    const wanted = JSON.stringify([name, password]);
    if (wanted === this.pictured) return;
    this.pictured = wanted;
    this.network.hidden = true;
    if (!name) return;
    const { status, body } = await ask(`${this.wall.address}/wifi`, "POST", { name, password });
    if (wanted !== this.pictured) return;
    if (status === 200) this.network.src = `data:image/svg+xml,${encodeURIComponent(body.svg)}`;
    else if (status === 0) this.pictured = ""; // tried again with the next drawing
    this.network.hidden = status !== 200;
  }

  draw() {
    const address = this.addresses[this.at] ?? "";
    const at = address ? `?at=${encodeURIComponent(address)}` : "";
    const source = `${this.wall.address}/qr.svg${at}`;
    // A picture of an address that no phone can reach would lead nowhere.
    this.picture.hidden = !address;
    if (address && this.picture.getAttribute("src") !== source) this.picture.src = source;
    this.address.textContent = this.said() || WALL.nowhere;
    this.address.disabled = this.addresses.length < 2;
    const [name = "", password = ""] = getSession(WIFI).split("\n");
    this.wifi.hidden = !name;
    this.paint(name, password);
    if (name) write(this.named, `${WALL.wifi}${password ? ` ${WALL.password}` : ""}`, name, ...(password ? [password] : []));
    // Who cannot reach it need not try.
    this.check.hidden = this.isAsked && !address && !this.reached;
    this.check.dataset.sign = this.reached ? "\u2713" : "!";
    const said = this.reached ? WALL.reached : WALL.unreached;
    if (this.check.textContent !== said) this.check.textContent = said;
    this.here.hidden = !this.reached;
    this.here.textContent = WALL.here(this.wall.heads.here);
  }
}
