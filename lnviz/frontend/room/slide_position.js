// Position in a sequence of slides in which the same slide may occur several times with different poses.

/** Milliseconds for which the projector's figure may be on its way to the state in which it is asked about. */
export const ARRIVAL_MS = 5_000;

/** @typedef {import("./room_connection.js").Pose} Pose */
/**
 * A slide with its figure's pose and task; `name` identifies it in a plan, and `control` is the figure's control that the
 * plan asks to move.
 * @typedef {{lesson: string, screen: string | number, pose?: Pose, task?: string, title?: string, name?: string, control?:
 * string}} Stop
 */

/**
 * Return the step at which a figure was asked about, counted from 1; 0 without one, and for a result that is shown: the
 * figure may have come to another step before.
 * @param {import("./room_connection.js").Poll | null} poll
 * @param {number[]} counted as in `Room`
 */
export function stepAsked(poll, counted) {
  return poll && poll.phase !== "shown" ? (counted[2] ?? 0) : 0;
}

/**
 * Return the slides that a remote's URL selects.
 * @param {URLSearchParams} search `only` lists the included ones of a plan or `lesson`; by default all are included
 * @param {Stop[]} plan all slides of the plan; empty without one
 * @returns {Stop[]} empty for all of a lesson
 */
export function stopsFromQuery(search, plan) {
  const only = (search.get("only") ?? "").split(",").filter(Boolean);
  if (!only.length) return plan;
  if (plan.length) return plan.filter(({ name = "" }) => only.includes(name));
  return only.map((screen) => ({ lesson: search.get("lesson") ?? "", screen }));
}

/**
 * Return the slides that the projector goes through, as it has told the room.
 * @param {{lesson: string, slide: string, slides?: string[]}} room
 * @param {Stop[]} plan all slides of the plan; empty without one
 * @param {Stop[]} otherwise those to return if the projector has told none, or its plan is not loaded
 * @returns {Stop[]}
 */
export function stopsOfRoom({ lesson, slide, slides = [] }, plan, otherwise) {
  const stops = slide ? plan.filter(({ name = "" }) => slides.includes(name)) : slides.map((screen) => ({ lesson, screen }));
  return stops.length ? stops : otherwise;
}

/**
 * What a phone can look at.
 * @typedef {object} Around
 * @property {Stop[]} stops the projector's slides
 * @property {number} place number of the slide that the projector shows
 * @property {number} most number of the last slide that is open
 */

/**
 * Return the slides that a phone can look at, in the projector's order, and the number of the projector's among them;
 * all of the lesson if the projector has told none, or shows another, and while its plan is not loaded.
 * @param {{slide: string, slides?: string[], lesson: string}} room
 * @param {import("./deck.js").Screen} screen the projector's
 * @param {Stop[]} plan all slides of the projector's plan; empty without one
 * @returns {Pick<Around, "stops" | "place">}
 */
export function slidesToBrowse({ slide, slides = [], lesson }, { name, place, count, lesson: own }, plan) {
  const told = slides.indexOf(slide || name) + 1;
  const stops = slide ? slides.flatMap((each) => plan.find((stop) => stop.name === each) ?? []) : slides.map((screen) => ({ lesson, screen }));
  if (!told || stops.length < slides.length) return { stops: Array.from({ length: count }, (_, i) => ({ lesson: own, screen: i + 1 })), place };
  return { stops, place: told };
}

/**
 * Return the number of the next slide that a phone can look at; the same if there is none.
 * @param {Around} around
 * @param {number} number
 * @param {number} by 1 or -1, or 0 for the same
 */
export function nextToBrowse({ most }, number, by) {
  return number + by >= 1 && number + by <= most ? number + by : number;
}

/**
 * Return the index of the room's slide: the one of its name in the plan, or else the nearest occurrence, preferably
 * with the same pose. Moving only the figure keeps the index.
 * @param {Stop[]} stops
 * @param {number} at the previous index
 * @param {{lesson: string, screens: string[], pose: Pose, slide?: string}} shown the screen's names, the figure's pose,
 * and the slide's name in a plan
 * @returns {number} -1 if it does not occur
 */
export function indexInStops(stops, at, { lesson, screens, pose, slide = "" }) {
  const named = slide ? stops.findIndex(({ name }) => name === slide) : -1;
  if (named >= 0) return named;
  // A plan's task has a slide of its own, which is not the screen that its phones load.
  const occurrences = stops.flatMap((stop, i) => (stop.lesson === lesson && screens.includes(String(stop.screen)) && !stop.task ? [i] : []));
  const exact = occurrences.filter((i) => isSamePose(stops[i].pose ?? {}, pose));
  const candidates = exact.length ? exact : occurrences;
  if (candidates.includes(at)) return at;
  // Forward is likelier than back.
  return candidates.toSorted((one, other) => Math.abs(one - at) - Math.abs(other - at) || other - one)[0] ?? -1;
}

/** Return whether two poses are equal. @param {Pose} one @param {Pose} other */
export function isSamePose(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
