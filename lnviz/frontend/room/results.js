// Aggregation of a class's answers for the projector: percentages per option, and dots along controls. Pure functions.

/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Value} Value */
/** @typedef {import("./room_connection.js").Pose} Pose */
/** @typedef {Record<string, (string | [number, number])[]>} Conditions allowed values of a setting, by URL parameter */
/**
 * A control as an axis of settings: one of the figure's, or a `part` (row or column) of a pointer.
 * @typedef {{name: string, slug: string, kind: string, values: (string | number)[], labels: string[], part?: 0 | 1}}
 * Control
 */
/** @typedef {import("../engine/payload.js").CellPicker} Pointer */

/** Below this number of answers, counts are shown instead of percentages. */
export const MIN_FOR_PERCENT = 20;
/** Fraction of the settings that has a control along which they are drawn. */
const USUAL = 0.9;
/** Maximum number of rows on the projector. */
const MAX_ROWS = 6;
/** As many rows have room, too, if nothing is left out then. */
const MAX_ALL_ROWS = 9;

/**
 * Return each option's fraction of a round, and its label.
 * @param {number[]} counts
 * @returns {{share: number, label: string}[]} fractions from 0 to 1
 */
export function roundShares(counts) {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => {
    const share = all ? count / all : 0;
    return { share, label: all < MIN_FOR_PERCENT ? String(count) : `${Math.round(100 * share)}%` };
  });
}

/**
 * Return the most common of what was counted, the most frequent first, and the count of the others.
 * @template T
 * @param {[T, number][]} counts
 * @param {(value: T) => boolean} [isRight] what is right comes first
 * @returns {{rows: [T, number][], others: number}}
 */
export function topCounts(counts, isRight = () => false) {
  const ranked = counts.toSorted((one, other) => Number(isRight(other[0])) - Number(isRight(one[0])) || other[1] - one[1]);
  const shown = ranked.length <= MAX_ALL_ROWS ? ranked.length : MAX_ROWS;
  return { rows: ranked.slice(0, shown), others: ranked.slice(shown).reduce((sum, [, count]) => sum + count, 0) };
}

/**
 * Return the right numbers and the most common others in ascending order, and the count of the rest.
 * @param {[Value, number][]} values
 * @param {(value: number) => boolean} isRight
 * @returns {{rows: [number, number][], others: number}}
 */
export function mostCommon(values, isRight) {
  const numbers = values.flatMap(([value, count]) => (typeof value === "number" ? [/** @type {[number, number]} */ ([value, count])] : []));
  const { rows, others } = topCounts(numbers, isRight);
  return { rows: rows.toSorted((one, other) => one[0] - other[0]), others };
}

/**
 * Return the position of a setting on a control; `start` if it has none.
 * @param {Control} control
 * @param {Pose} pose
 * @param {number} start
 */
export function positionAt(control, pose, start) {
  const label = valueFor(control, pose);
  if (label === undefined) return start;
  const at = control.values.findIndex((value) => String(value) === label);
  return at >= 0 ? at : start;
}

/**
 * Return a setting's value for a control.
 * @param {Control} control
 * @param {Pose} pose
 * @returns {string | undefined}
 */
function valueFor({ slug, part }, pose) {
  return part === undefined ? pose[slug] : pose[slug]?.split(".")[part];
}

/**
 * Return a pointer as two controls, column and row, named by the common first word of their labels.
 * @param {Pointer} pointer
 * @returns {Control[]}
 */
function cellAxes({ name, slug, rows, columns, labels }) {
  const heads = labels.slice(0, columns.length).map((label) => label.slice(rows[0] ? rows[0].length + 2 : 0));
  const side = (/** @type {string[]} */ texts, /** @type {0 | 1} */ part) => {
    const [word] = texts[0].split(" ");
    const isShared = texts.every((text) => text.startsWith(`${word} `));
    const names = isShared ? texts.map((text) => text.slice(word.length + 1)) : texts;
    return { name: isShared ? word : name, slug, part, kind: "side", values: texts.map((_, i) => i + 1), labels: names };
  };
  return [side(heads, 1), side(rows, 0)];
}

/**
 * Return the controls along which settings are drawn: of those that the task is about, or of all if it names none, the
 * ones that differ most between the settings; at most two, both for a task that is about two. Without a task, controls
 * that not nearly all settings have are left out, so that each setting has a place. For a table in which at least half of the
 * settings pin a cell, and not all the same one: its columns and rows.
 * @param {(Control | Pointer)[]} all the figure's controls
 * @param {[Value, number][]} values
 * @param {Conditions} [conditions] of the task
 * @returns {Control[]}
 */
export function settingAxes(all, values, conditions = {}) {
  const named = all.filter(({ slug }) => slug in conditions);
  const controls = named.length ? named : all;
  const poses = values.map(([pose]) => (typeof pose === "object" ? pose : {}));
  const different = (/** @type {{slug: string}} */ { slug }) => new Set(poses.map((pose) => pose[slug])).size;
  const held = controls.filter((control) => "rows" in control).find(({ slug }) => 2 * poses.filter((pose) => slug in pose).length >= poses.length);
  if (held && different(held) > 1) return cellAxes(held);
  const isHanded = (/** @type {{slug: string}} */ { slug }) => poses.some((pose) => slug in pose);
  const isMovable = (/** @type {Control} */ control) => isHanded(control) && (control.kind !== "switch" || control.slug in conditions);
  const movable = controls.flatMap((control) => ("rows" in control || !isMovable(control) ? [] : [control]));
  const total = values.reduce((sum, [, count]) => sum + count, 0);
  const usual = movable.filter(({ slug }) => values.reduce((sum, [, count], i) => sum + (slug in poses[i] ? count : 0), 0) >= USUAL * total);
  const ranked = (named.length || !usual.length ? movable : usual).toSorted((one, other) => different(other) - different(one) || other.values.length - one.values.length);
  return ranked.filter((control, i) => i === 0 || (i === 1 && (different(control) > 1 || control.slug in conditions)));
}

/**
 * Return the choices that all settings agree on, in words: what they have in common is nowhere else.
 * @param {(Control | Pointer)[]} all the figure's controls
 * @param {Control[]} axes the controls along which the settings are drawn
 * @param {[Value, number][]} values
 */
export function sharedChoices(all, axes, values) {
  return all.flatMap((control) => {
    if (control.kind !== "choice" || "rows" in control || axes.includes(control)) return [];
    const [first, ...others] = values.map(([pose]) => (typeof pose === "object" ? positionAt(control, pose, -1) : -1));
    return first >= 0 && others.every((at) => at === first) ? [`${control.name} ${control.labels[first]}`] : [];
  });
}

/**
 * Return whether settings differ in a choice that is not an axis: a drawing along the axes would put different things into
 * one place.
 * @param {(Control | Pointer)[]} all the figure's controls
 * @param {Control[]} axes
 * @param {[Value, number][]} values
 */
export function differsBesides(all, axes, values) {
  const slugs = axes.map(({ slug }) => slug);
  const others = all.filter(({ kind, slug }) => kind === "choice" && !slugs.includes(slug));
  return others.some(({ slug }) => new Set(values.map(([pose]) => (typeof pose === "object" ? pose[slug] : ""))).size > 1);
}

/** Return the settings that have a position on all axes. @param {Control[]} along @param {[Value, number][]} values */
export function placeable(along, values) {
  return values.filter(([pose]) => typeof pose === "object" && along.every((control) => positionAt(control, pose, -1) >= 0));
}

/** Labels of a drawing: their size and line height in its units, and its smallest height in rem. As in `projector.css`. */
const LABEL = { size: 26, line: 32, heightRem: 22 };

/**
 * Return the height of a drawing with lines of labels below it, and the largest size of its labels: where a slide is
 * full, the drawing is low, and its labels are made as large as the page's font.
 * @param {number} above height without the lines, in the drawing's units
 * @param {number} lines
 * @returns {{height: number, size: number, line: number}}
 */
export function labelLayout(above, lines) {
  const { size, line, heightRem } = LABEL;
  const small = above + lines * line;
  if (small <= heightRem * size) return { height: small, size, line };
  const scale = above / (heightRem * size - lines * line);
  return { height: scale * heightRem * size, size: scale * size, line: scale * line };
}

/**
 * Choose the positions of an axis that get a label: those of most settings first, then both ends, then the others, as
 * long as no label lies on another.
 * @param {number[]} places along the axis
 * @param {number[]} sizes of the labels along the axis
 * @param {number[]} weights
 * @returns {number[]} in ascending order
 */
export function labeledPositions(places, sizes, weights) {
  const isEnd = (/** @type {number} */ at) => at === 0 || at === places.length - 1;
  const ranked = places.map((_, at) => at).toSorted((one, other) => weights[other] - weights[one] || Number(isEnd(other)) - Number(isEnd(one)));
  /** @type {number[]} */
  const chosen = [];
  for (const at of ranked) {
    if (chosen.every((other) => Math.abs(places[at] - places[other]) >= (sizes[at] + sizes[other]) / 2)) chosen.push(at);
  }
  return chosen.sort((one, other) => one - other);
}

/**
 * Join columns of dots until none is closer to the next than a dot, so that dots stay large enough to be seen.
 * @param {[number, number][]} columns places along the track, each with how many stand there
 * @param {number} size of a dot
 * @returns {{x: number, first: number, last: number, count: number}[]} each in the middle of the columns that it joins
 */
export function joinColumns(columns, size) {
  /** @type {{first: number, last: number, count: number}[]} */
  const joined = [];
  for (const [place, count] of columns.toSorted((one, other) => one[0] - other[0])) {
    const before = joined.at(-1);
    if (!count) continue;
    if (before && place - (before.first + before.last) / 2 < size) Object.assign(before, { last: place, count: before.count + count });
    else joined.push({ first: place, last: place, count });
  }
  return joined.map((column) => ({ ...column, x: (column.first + column.last) / 2 }));
}

/**
 * Stack dots on a track: in columns, two or three abreast where a single one would be too high. No column reaches into
 * another.
 * @param {[number, number][]} columns each with how many stand there
 * @param {{width: number, height: number, size: number}} room in which they stand, and how large a dot is
 * @returns {{x: number, y: number, size: number}[]} x along the track, y up from it
 */
export function stackDots(columns, { width, height, size: dotSize }) {
  const used = columns.filter(([, count]) => count > 0);
  const highest = Math.max(1, ...used.map(([, count]) => count));
  const places = used.map(([x]) => x).sort((one, other) => one - other);
  const gap = Math.min(width, ...places.slice(1).map((x, i) => x - places[i]).filter((distance) => distance > 0));
  const largest = Math.min(dotSize, gap);
  // Better smaller dots than a clipped column.
  const abreast = Math.max(1, Math.min(3, Math.ceil((highest * largest) / height)));
  const size = Math.min(largest, (0.85 * gap) / abreast, height / Math.ceil(highest / abreast));
  return columns.flatMap(([x, count]) => {
    const wide = count * size > height ? abreast : 1;
    return Array.from({ length: count }, (_, i) => ({
      x: Math.max(size / 2, Math.min(width - size / 2, x + ((i % wide) - (wide - 1) / 2) * size)),
      y: (Math.floor(i / wide) + 0.5) * size,
      size,
    }));
  });
}

/**
 * Return whether a setting meets the conditions.
 * @param {Conditions} conditions
 * @param {Pose} pose
 */
export function meetsConditions(conditions, pose) {
  return Object.entries(conditions).every(([name, allowed]) => allowed.some((one) => matches(one, pose[name])));
}

/**
 * Return which positions of a control meet its conditions; none if it has no condition.
 * @param {Conditions} conditions
 * @param {Control} control
 * @returns {boolean[]}
 */
export function allowedPositions(conditions, { slug, values }) {
  const those = conditions[slug];
  return values.map((value) => those !== undefined && those.some((one) => matches(one, String(value))));
}

/**
 * Return which positions of an axis are marked as those that meet a task; none unless each setting there does.
 * @param {Conditions} conditions
 * @param {Control} control
 * @param {[Value, number][]} values
 * @returns {boolean[]}
 */
export function markedPositions(conditions, control, values) {
  const allowed = allowedPositions(conditions, control);
  const isTrue = values.every(([pose]) => typeof pose !== "object" || !allowed[positionAt(control, pose, -1)] || meetsConditions(conditions, pose));
  return allowed.map((is) => is && isTrue);
}

/**
 * Return whether a value matches: equal, or within the range.
 * @param {string | [number, number]} one
 * @param {string | undefined} text
 */
function matches(one, text) {
  if (text === undefined) return false;
  return typeof one === "string" ? text === one : one[0] <= Number(text) && Number(text) <= one[1];
}

/** Return whether a shown result is put away before the presenter goes on: what it hides is not done with. @param {import("./room_connection.js").Poll} poll */
export function isPutAway({ kind, text }) {
  return text !== "" || kind === "setting";
}

/** Return the settings that were handed in on the slide and put away. @param {import("./room_connection.js").Result[]} results */
export function handedIn(results) {
  return results.find(({ kind }) => kind === "setting") ?? null;
}

/**
 * Return the presenter's most likely next command.
 * @param {Room} room
 * @returns {{verb: "ask" | "close" | "talk" | "show" | "away"} | {verb: "again", round: number} | null} null for turning to the
 * next slide
 */
export function nextCommand({ poll, results = [] }) {
  if (!poll) return handedIn(results) ? null : { verb: "ask" };
  if (poll.phase === "asking") return { verb: "close" };
  if (poll.phase === "talking") return { verb: "again", round: 2 };
  if (poll.phase === "shown") return isPutAway(poll) ? { verb: "away" } : null;
  return poll.kind === "choice" && poll.round === 1 ? { verb: "talk" } : { verb: "show" };
}
