// What a student's phone and the teacher's remote have in common: their room, its screens, and a header that says how the
// connection is.

import { element, setText } from "../engine/dom.js";
import { Deck } from "./deck.js";
import { roomUrl } from "./requests.js";
import { CONNECTION_TEXT, CONNECTION_SIGNS, spacedCode, writeSentence } from "./strings.js";

export class Device {
  /**
   * @param {HTMLElement} body what the server has written there: the code, "" where it is not known, and where the app is
   * @param {string} title with an @ for the code
   */
  constructor(body, title) {
    const { code = "", base = "" } = body.dataset;
    this.code = code;
    this.base = base;
    this.address = roomUrl(base, code);
    this.deck = new Deck(base);
    /** How the room stands, once that is known. @type {import("./room_connection.js").Room | null} */
    this.room = null;
    const heading = element("h1");
    writeSentence(heading, title, spacedCode(code));
    this.statusLine = element("span", "state");
    this.statusLine.setAttribute("role", "status");
    this.header = element("header");
    this.header.append(heading, this.statusLine);
  }

  /**
   * Says in the header how the connection is.
   * @param {keyof typeof CONNECTION_TEXT | ""} connection
   * @param {string} [otherwise] what is said while nobody knows
   */
  showConnection(connection, otherwise = "") {
    const words = connection ? CONNECTION_TEXT[connection] : otherwise;
    // What becomes of an answer is said with the answer.
    const isSending = connection === "sending" || (connection === "connected" && this.statusLine.dataset.sign === CONNECTION_SIGNS.sending);
    this.statusLine.ariaLive = isSending ? "off" : "polite";
    this.statusLine.hidden = !words;
    this.statusLine.dataset.sign = connection ? CONNECTION_SIGNS[connection] : "…";
    setText(this.statusLine, words);
  }
}
