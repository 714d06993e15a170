// The rooms that this browser has opened: a presentation that is opened again can go on in one of them.

import { button, div } from "../engine/dom.js";
import { getLocal, setLocal } from "../engine/memory.js";
import { dialog } from "./dialog.js";
import { request, roomUrl } from "./requests.js";
import { PROJECTOR } from "./projector_strings.js";
import { spacedCode } from "./strings.js";

/** @typedef {{code: string, here: number, room: import("./room_connection.js").Room}} OwnRoom */

const KEPT = "rooms";
/** Maximum number of rooms that are remembered, the latest first. */
const MAX_KEPT = 4;

/** @returns {string[]} codes, the latest first */
function keptCodes() {
  return getLocal(KEPT).split(" ").filter(Boolean);
}

/** Remember a room that this browser has opened. @param {string} code */
export function rememberRoom(code) {
  setLocal(KEPT, [code, ...keptCodes().filter((each) => each !== code)].slice(0, MAX_KEPT).join(" "));
}

/**
 * Return the remembered rooms that are still open; forget the others.
 * @param {string} base URL of the app, without a trailing slash
 * @returns {Promise<OwnRoom[]>}
 */
export async function openRooms(base) {
  const codes = keptCodes();
  const replies = await Promise.all(codes.map((code) => request(`${roomUrl(base, code)}/state?as=screen`)));
  setLocal(KEPT, codes.filter((_, i) => replies[i].status < 400).join(" "));
  return codes.flatMap((code, i) => (replies[i].status === 200 ? [{ code, here: replies[i].body.here, room: replies[i].body.room }] : []));
}

/**
 * Ask whether to go on in one of this browser's rooms.
 * @param {OwnRoom[]} rooms at least one
 * @returns {Promise<OwnRoom | "new" | null>} null if the dialog was closed
 */
export function chooseRoom(rooms) {
  return new Promise((resolve) => {
    const node = dialog(PROJECTOR.resumeTitle);
    const choose = (/** @type {OwnRoom | "new"} */ room) => {
      resolve(room);
      node.close();
    };
    const resume = rooms.map((room) => button(PROJECTOR.resume(spacedCode(room.code), room.here), () => choose(room), "main"));
    const others = [button(PROJECTOR.openNew, () => choose("new")), button(PROJECTOR.noRoom, () => node.close())];
    node.append(div("choices", [...resume, ...others]));
    node.addEventListener("close", () => {
      resolve(null);
      node.remove();
    });
    document.body.append(node);
    node.showModal();
  });
}
