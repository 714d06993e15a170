// The rooms that this browser has opened: a presentation that is opened again can go on in one of them.

import { button, div, element } from "../engine/dom.js";
import { getLocal, setLocal } from "../engine/memory.js";
import { dialog } from "./dialog.js";
import { request, roomUrl } from "./requests.js";
import { PROJECTOR } from "./projector_strings.js";
import { spacedCode } from "./strings.js";

/** @typedef {{code: string, here: number, room: import("./room_connection.js").Room}} OwnRoom */

/**
 * A room that this browser has opened, and the slide that it was at last in each plan or lesson.
 * @typedef {{code: string, slides: Record<string, string>}} KeptRoom
 */

const KEPT = "own rooms";
/** Maximum number of rooms that are remembered, the latest first. */
const MAX_KEPT = 4;
/** Status codes of a room that has ended. */
const [NOT_FOUND, GONE] = [404, 410];

/** @returns {KeptRoom[]} the latest first */
function keptRooms() {
  return JSON.parse(getLocal(KEPT) || "[]");
}

/** @param {KeptRoom[]} rooms */
function keepRooms(rooms) {
  setLocal(KEPT, JSON.stringify(rooms.slice(0, MAX_KEPT)));
}

/** Remember a room that this browser has opened. @param {string} code */
export function rememberRoom(code) {
  keepRooms([{ code, slides: {} }, ...keptRooms().filter((room) => room.code !== code)]);
}

/**
 * Remember the slide of a plan or lesson that a room of this browser's is at.
 * @param {string} code
 * @param {string} route the plan or lesson
 * @param {string} slide
 */
export function rememberSlide(code, route, slide) {
  const rooms = keptRooms();
  const room = rooms.find((each) => each.code === code);
  if (!room || room.slides[route] === slide) return;
  room.slides[route] = slide;
  keepRooms(rooms);
}

/**
 * Return the slide of a plan or lesson that a room was at last; "" if it was at none.
 * @param {string} code
 * @param {string} route the plan or lesson
 */
export function lastSlide(code, route) {
  return keptRooms().find((each) => each.code === code)?.slides[route] ?? "";
}

/**
 * Return the remembered rooms that are still open; forget the others.
 * @param {string} base URL of the app, without a trailing slash
 * @returns {Promise<OwnRoom[]>}
 */
export async function openRooms(base) {
  const rooms = keptRooms();
  const replies = await Promise.all(rooms.map(({ code }) => request(`${roomUrl(base, code)}/state?as=remote`)));
  const gone = rooms.filter((_, i) => [NOT_FOUND, GONE].includes(replies[i].status)).map(({ code }) => code);
  // Another tab may have opened a room meanwhile.
  keepRooms(keptRooms().filter(({ code }) => !gone.includes(code)));
  return rooms.flatMap(({ code }, i) => (replies[i].status === 200 ? [{ code, here: replies[i].body.tally.here, room: replies[i].body.room }] : []));
}

/**
 * What a presentation does: open a room, enter one that is at this presentation, follow the class to another
 * presentation, or bring it here from there.
 * @typedef {{way: "open"} | {way: "enter" | "follow" | "bring", own: OwnRoom}} RoomChoice
 */

/**
 * Ask whether to go on in one of this browser's rooms.
 * @param {OwnRoom[]} rooms at least one
 * @param {(room: OwnRoom["room"]) => boolean} isAtPresentation whether the room is at this presentation
 * @param {(code: string) => number} lastPlace returns the number of the screen here at which the room was last, unless it
 * would come to the present one; else 0
 * @returns {Promise<RoomChoice | null>} null if the dialog was closed
 */
export function chooseRoom(rooms, isAtPresentation, lastPlace) {
  return new Promise((resolve) => {
    const node = dialog(PROJECTOR.resumeTitle(rooms.length));
    /** @param {string} text @param {RoomChoice} choice @param {string} [className] */
    const option = (text, choice, className) =>
      button(
        text,
        () => {
          resolve(choice);
          node.close();
        },
        className,
      );
    const elsewhere = rooms.filter(({ room }) => !isAtPresentation(room));
    const fullest = rooms.toSorted((one, other) => other.here - one.here);
    const resume = fullest.flatMap((own) => {
      const { code, here } = own;
      if (!elsewhere.includes(own)) return option(PROJECTOR.resume(spacedCode(code), here), { way: "enter", own }, "main");
      const place = lastPlace(code);
      const isBack = place > 0;
      const bring = option(isBack ? PROJECTOR.bringBack(spacedCode(code), place) : PROJECTOR.bring(spacedCode(code)), { way: "bring", own }, isBack ? "main" : "");
      const follow = option(PROJECTOR.goTo(spacedCode(code), here), { way: "follow", own }, isBack ? "" : "main");
      return isBack ? [bring, follow] : [follow, bring];
    });
    const others = [option(PROJECTOR.openNew, { way: "open" }), button(PROJECTOR.noRoom, () => node.close())];
    const isAsking = elsewhere.some(({ room: { poll } }) => poll !== null && poll.phase !== "shown");
    if (elsewhere.length) node.append(element("p", "", [...elsewhere.map(({ code }) => PROJECTOR.elsewhere(spacedCode(code))), ...(isAsking ? [PROJECTOR.endsQuestion] : [])].join(" ")));
    node.append(div("choices", [...resume, ...others]));
    node.addEventListener("close", () => {
      resolve(null);
      node.remove();
    });
    document.body.append(node);
    node.showModal();
  });
}
