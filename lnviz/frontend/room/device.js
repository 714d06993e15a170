// What a student's phone and the teacher's remote have in common: their room, its screens, and a header that says how the
// connection is.

import { element, setText } from "../engine/dom.js";
import { Deck } from "./deck.js";
import { roomAt } from "./requests.js";
import { CONNECTIONS, SIGNS, spaced, write } from "./words.js";

export class Device {
  /**
   * @param {HTMLElement} body what the server has written there: the code, "" where it is not known, and where the app is
   * @param {string} title with an @ for the code
   */
  constructor(body, title) {
    const { code = "", base = "" } = body.dataset;
    this.code = code;
    this.base = base;
    this.address = roomAt(base, code);
    this.deck = new Deck(base);
    /** How the room stands, once that is known. @type {import("./room_connection.js").Room | null} */
    this.room = null;
    const heading = element("h1");
    write(heading, title, spaced(code));
    this.state = element("span", "state");
    this.state.setAttribute("role", "status");
    this.header = element("header");
    this.header.append(heading, this.state);
  }

  /**
   * Says in the header how the connection is.
   * @param {keyof typeof CONNECTIONS | ""} connection
   * @param {string} [otherwise] what is said while nobody knows
   */
  stand(connection, otherwise = "") {
    const words = connection ? CONNECTIONS[connection] : otherwise;
    // What becomes of an answer is said with the answer.
    const isSending = connection === "sending" || (connection === "connected" && this.state.dataset.sign === SIGNS.sending);
    this.state.ariaLive = isSending ? "off" : "polite";
    this.state.hidden = !words;
    this.state.dataset.sign = connection ? SIGNS[connection] : "…";
    setText(this.state, words);
  }
}
