// Base of the phone's and the remote's page: their room, its slides, and a header with the connection state.

import { element, setText } from "../engine/dom.js";
import { Deck } from "./deck.js";
import { roomUrl } from "./requests.js";
import { TimeLeft } from "./time_left.js";
import { CONNECTION_TEXT, CONNECTION_SIGNS, spacedCode, writeSentence } from "./strings.js";

/** Base class of the phone and the remote. */
export class Device {
  /**
   * @param {HTMLElement} body the server's data: the room code, "" if unknown, and the URL of the app
   * @param {string} title with an @ for the code
   */
  constructor(body, title) {
    const { code = "", base = "" } = body.dataset;
    this.code = code;
    this.base = base;
    this.address = roomUrl(base, code);
    this.deck = new Deck(base);
    /** The room's state, once known. @type {import("./room_connection.js").Room | null} */
    this.room = null;
    const heading = element("h1");
    writeSentence(heading, title, spacedCode(code));
    this.statusLine = element("span", "state");
    this.statusLine.setAttribute("role", "status");
    this.timeLeft = new TimeLeft();
    this.header = element("header");
    this.header.append(heading, this.timeLeft.element, this.statusLine);
  }

  /**
   * Show the connection state in the header.
   * @param {keyof typeof CONNECTION_TEXT | ""} connection
   * @param {string} [otherwise] text while it is unknown
   */
  showConnection(connection, otherwise = "") {
    const words = connection ? CONNECTION_TEXT[connection] : otherwise;
    // Sending is announced at the answer, not here.
    const isSending = connection === "sending" || (connection === "connected" && this.statusLine.dataset.sign === CONNECTION_SIGNS.sending);
    this.statusLine.ariaLive = isSending ? "off" : "polite";
    this.statusLine.hidden = !words;
    this.statusLine.dataset.sign = connection ? CONNECTION_SIGNS[connection] : "…";
    setText(this.statusLine, words);
  }
}
