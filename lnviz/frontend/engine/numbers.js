// Number formatting and parsing. The rules are those of `lnviz/number_format.py`; both are tested with the same
// examples.

/**
 * Format a number: commas separate thousands; with significant digits, values below a thousandth or of a million and
 * more (after rounding) use a power of ten.
 * @param {number} value
 * @param {string} format decimal places ("2"), of its percent ("1%"); significant digits without ("g3") or with zeros
 * at the end ("p3"), as many as it takes ("g"), or of the number whose base-10 logarithm the value is ("d3"); with "c"
 * (ceiling) or "f" (floor) at the end ("g2c"), rounded up or down
 * @returns {string}
 */
export function formatNumber(value, format = "2") {
  if (/.[cf]$/.test(format)) {
    const plain = format.slice(0, -1);
    return formatNumber(roundToward(format.endsWith("c") ? 1 : -1, value, plain), plain);
  }
  if (format.endsWith("%")) return `${formatNumber(100 * value, format.slice(0, -1))}%`;
  if (format.startsWith("d")) return formatNumber(10 ** value, `g${format.slice(1)}`);
  if (Number.isNaN(value)) return "undefined";
  if (!Number.isFinite(value)) return value > 0 ? "infinity" : "minus infinity";
  const [kind, digits] = [format[0], format.slice(1)];
  if (kind !== "g" && kind !== "p") return withMinusSign(value.toFixed(Number(format)));
  const [mantissa, exponent] = value.toExponential(digits ? Number(digits) - 1 : undefined).split("e");
  const power = Number(exponent);
  const shown = kind === "g" ? mantissa.replace(/\.?0+$/, "") : mantissa;
  if (power < -3 || power >= 6) return `${withMinusSign(shown)} × 10${superscript(power)}`;
  const decimals = (shown.split(".")[1]?.length ?? 0) - power;
  return withMinusSign(Number(`${mantissa}e${power}`).toFixed(Math.max(0, decimals)));
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * Parse a typed number as `formatNumber` writes it: with a decimal point, commas between thousands, and times a power of
 * ten; or with a decimal comma, where it cannot separate thousands; or a fraction such as 1/3, or a percentage. NaN for
 * other texts.
 * @param {string} text
 * @param {string} [unit] may follow the number, in place of a percent sign that divides by 100
 * @returns {number}
 */
export function parseNumber(text, unit = "") {
  const plain = text.trim().replace(/^[−–]/, "-").replace(/ ?[×x] ?10(⁻?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/, (_, sign, power) => `e${sign && "-"}${[...power].map((digit) => SUPERSCRIPTS.indexOf(digit)).join("")}`);
  if (unit && plain.endsWith(unit)) return parseNumber(plain.slice(0, -unit.length));
  if (plain.endsWith("%")) return parseNumber(plain.slice(0, -1)) / 100;
  const [numerator, denominator, ...more] = plain.split("/");
  if (denominator !== undefined) return more.length || parseNumber(denominator) === 0 ? NaN : parseNumber(numerator) / parseNumber(denominator);
  const digits = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?(e[+-]?\d+)?$/i.test(plain) ? plain.replaceAll(",", "") : plain.replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits) ? Number(digits) : NaN;
}

/**
 * Round a number up or down to what a format shows. Six significant digits count as exact, as many as float32 has.
 * @param {1 | -1} direction
 * @param {number} value
 * @param {string} format
 * @returns {number}
 */
function roundToward(direction, value, format) {
  if (!Number.isFinite(value)) return value;
  if (format.endsWith("%")) return roundToward(direction, 100 * value, format.slice(0, -1)) / 100;
  if (format.startsWith("d")) return Math.log10(roundToward(direction, 10 ** value, `g${format.slice(1)}`));
  const exact = Number(value.toPrecision(6));
  const isSignificant = /^[gp]/.test(format);
  const digits = Number(isSignificant ? format.slice(1) : format);
  const nearest = Number(isSignificant ? exact.toPrecision(digits) : exact.toFixed(digits));
  if (direction * (nearest - exact) >= 0) return nearest;
  const places = isSignificant ? digits - 1 - Number(exact.toExponential().split("e")[1]) : digits;
  return nearest + direction * 10 ** -places;
}

/** Format a power of ten's exponent. @param {number} power */
function superscript(power) {
  return [...String(power)].map((c) => (c === "-" ? "⁻" : SUPERSCRIPTS[Number(c)])).join("");
}

/** Add a minus sign, except to zero, and separate thousands. @param {string} text */
function withMinusSign(text) {
  const [whole, part] = text.replace("-", "").split(".");
  const digits = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? `.${part}` : "");
  return text.startsWith("-") && /[1-9]/.test(digits) ? `−${digits}` : digits;
}
