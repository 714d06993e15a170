// Where one is in a sequence of screens in which the same screen may come several times, each time at another setting.

/** @typedef {import("./room_connection.js").Pose} Pose */
/**
 * A screen, how its figure stands there, and what the class is to do; `name` tells it apart in a plan.
 * @typedef {{lesson: string, screen: string | number, pose?: Pose, task?: string, title?: string, name?: string}} Stop
 */

/**
 * What the address of a remote says that it goes through.
 * @param {URLSearchParams} search `only` names what is shown of a plan, or of a `lesson`; without it all is
 * @param {Stop[]} plan all screens of the plan that it names; empty where it names none
 * @returns {Stop[]} empty for all of a lesson
 */
export function stopsFromQuery(search, plan) {
  const only = (search.get("only") ?? "").split(",").filter(Boolean);
  if (!only.length) return plan;
  if (plan.length) return plan.filter(({ name = "" }) => only.includes(name));
  return only.map((screen) => ({ lesson: search.get("lesson") ?? "", screen }));
}

/**
 * The place of what a room shows: the nearest that has its screen, best one with its setting. Whoever only moves the figure
 * stays where they are.
 * @param {Stop[]} stops
 * @param {number} at the place before
 * @param {{lesson: string, screens: string[], pose: Pose}} shown the names that the screen goes by, and how the figure stands
 * @returns {number} -1 where it is none of them
 */
export function indexInStops(stops, at, { lesson, screens, pose }) {
  const there = stops.flatMap((stop, i) => (stop.lesson === lesson && screens.includes(String(stop.screen)) ? [i] : []));
  const exact = there.filter((i) => isSamePose(stops[i].pose ?? {}, pose));
  const among = exact.length ? exact : there;
  if (among.includes(at)) return at;
  // The way on is likelier than the way back.
  return among.toSorted((one, other) => Math.abs(one - at) - Math.abs(other - at) || other - one)[0] ?? -1;
}

/** @param {Pose} one @param {Pose} other */
export function isSamePose(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
