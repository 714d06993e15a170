// Where one is in a sequence of screens in which the same screen may come several times, each time at another setting.

/** @typedef {import("./link.js").Pose} Pose */
/** @typedef {{lesson: string, screen: string | number, pose?: Pose, task?: string, title?: string}} Stop a screen, how its figure stands there, and what the class is to do */

/**
 * The place of what a room shows: the nearest that has its screen, best one with its setting. Whoever only moves the figure
 * stays where they are.
 * @param {Stop[]} stops
 * @param {number} at the place before
 * @param {{lesson: string, screens: string[], pose: Pose}} shown the names that the screen goes by, and how the figure stands
 * @returns {number} -1 where it is none of them
 */
export function placeIn(stops, at, { lesson, screens, pose }) {
  const there = stops.flatMap((stop, i) => (stop.lesson === lesson && screens.includes(String(stop.screen)) ? [i] : []));
  const exact = there.filter((i) => isSame(stops[i].pose ?? {}, pose));
  const among = exact.length ? exact : there;
  if (among.includes(at)) return at;
  // The way on is likelier than the way back.
  return among.toSorted((one, other) => Math.abs(one - at) - Math.abs(other - at) || other - one)[0] ?? -1;
}

/** @param {Pose} one @param {Pose} other */
export function isSame(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
