// Tokenizer of the search: synonyms, stop words and stemming, for queries and texts alike.

/** Stop words. */
const STOP_WORDS = new Set(
  (
    "a about after all also am an and any are as at be been being best better between but by can cannot could did do does doing done " +
    "else even ever explain explained for from get gets give go good had has have help how i if in instead into is isn it its just know leave like " +
    "make makes me mean means more most much my need needed needs no nor not of on one only or other our over please really same " +
    "should so some still such t tell than that the their them then there these they thing this those to too understand up us use " +
    "used using versus very vs was we well were what whats when where which while who why will with work works would yes you your"
  ).split(" "),
);

/** Spelling variants and synonyms; all become the first of their row. */
const SYNONYMS = [
  ["finalnorm", "(?:final|last)-(?:layer-?|rms-?)?norm(?:s|alization)?"],
  ["preln", "pre-?ln", "pre-?norms?", "pre-?layer-?norm(?:alization)?"],
  ["postln", "post-?ln", "post-?norms?", "post-?layer-?norm(?:alization)?"],
  ["layernorm", "layer-?norms?", "layer-?normali[sz](?:ation|e|ed|ing)", "ln"],
  ["batchnorm", "batch-?norms?", "batch-?normali[sz](?:ation|e|ed|ing)", "bn"],
  ["groupnorm", "group-?norms?", "group-?normali[sz]ation", "gn"],
  ["instancenorm", "instance-?norms?", "instance-?normali[sz]ation"],
  ["rmsnorm", "rms-?norms?", "root-mean-square-(?:layer-)?norm(?:alization)?"],
  ["qknorm", "(?:qk|query-key|q-k)-?(?:layer-?)?norm(?:s|alization)?"],
  ["choose", "which-norm", "choos(?:e|es|ing)", "choice-of-norm"],
  ["warmup", "warm-?ups?", "warming-up"],
  ["unit", "neurons?", "units?", "features?"],
  ["case", "cases?", "examples?", "samples?", "data-?points?"],
  ["replace", "replac(?:e|es|ed|ing)", "swap(?:s|ped|ping)?", "exchang(?:e|es|ed|ing)", "substitut(?:e|es|ed|ing)", "convert(?:s|ed|ing)?"],
  ["halfprecision", "half-precision", "fp16", "float16", "bf16", "bfloat16", "mixed-precision", "16-bit", "low-precision"],
  ["diverge", "diverg(?:e|es|ed|ing|ence)", "instabilit(?:y|ies)", "unstable", "blow(?:s|ing)?-up", "nans?", "crash(?:es|ed)?", "fail(?:s|ed|ure|ures|ing)?"],
  ["explode", "explod(?:e|es|ed|ing)", "explosions?"],
  ["vanish", "vanish(?:es|ed|ing)?", "disappear(?:s|ed|ing)?"],
  ["epsilon", "eps", "ε"],
  ["gain", "gains?", "gamma", "γ"],
  ["bias", "bias(?:es)?", "beta", "β"],
  ["variance", "variances?", "var", "std", "standard-deviations?"],
  ["recurrent", "rnns?", "recurren(?:t|ce)", "lstms?", "grus?"],
  ["convolutional", "cnns?", "conv(?:s|nets?)?", "convolution(?:s|al)?", "images?", "pictures?", "vision"],
  ["inference", "test-time", "eval(?:uation)?", "inference", "deploy(?:ment|ed)?"],
  ["fast", "fast(?:er|est)?", "speed(?:s|up)?", "slow(?:er)?", "cheap(?:er)?", "expensive", "overhead", "costs?", "time"],
  ["gpu", "gpus?", "graphics-cards?"],
  ["device", "devices?", "workers?", "multi-gpu", "distributed", "sync", "data-parallel(?:ism)?"],
  ["parallel", "(?:tensor|model)-parallel(?:ism)?"],
  ["llm", "llms?", "language-models?"],
  ["average", "averages?", "running-(?:mean|statistics?|stats)", "moving-averages?"],
  ["rate", "learning-rates?", "lr", "step-sizes?"],
  ["padding", "pad(?:s|ded|ding)?", "variable-length", "different-lengths"],
  ["position", "positions?", "place(?:s|d|ment|ments)?"],
  ["program", "programs?", "code", "implement(?:s|ed|ation)?", "pytorch", "numpy", "jax", "from-scratch"],
  ["smooth", "smooth(?:er|ness|s)?", "curvature", "landscape"],
];
/** One group per row, to find which matched. */
const SYNONYM_PATTERNS = SYNONYMS.map(([name, ...variants]) => `(${[name, ...variants].join("|").replaceAll("-", "[- ]")})`);
const SYNONYM_REGEX = new RegExp(`(?<![\\p{L}\\p{N}])(?:${SYNONYM_PATTERNS.join("|")})(?![\\p{L}\\p{N}])`, "gu");
/** Suffixes to strip, longer ones first. */
const SUFFIXES = /(?:izations?|ations?|ized|izes?|izing|ize|ences?|ances?|ments?|ings?|ers?|ed|ies|es|ly|s|e|y)$/u;
const MIN_STEM = 3;

/**
 * Return the stemmed terms of a text.
 * @param {string} text
 */
export function tokenize(text) {
  const normalized = text.toLowerCase().replace(SYNONYM_REGEX, (_, ...groups) => SYNONYMS[groups.findIndex((way) => way !== undefined)][0]);
  return (normalized.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word)).map(stem).flatMap(withHypernym);
}

/** Add the general term: a LayerNorm is a norm. @param {string} word */
function withHypernym(word) {
  return /.norm$/.test(word) ? [word, "norm"] : [word];
}

/** Strip the suffix of a word, unless too little remains. @param {string} word */
function stem(word) {
  const short = word.replace(SUFFIXES, "");
  return short.length >= MIN_STEM ? short : word;
}

/**
 * Return whether two words differ by one inserted, deleted, replaced, or two swapped letters.
 * @param {string} one
 * @param {string} other
 */
export function isWithinOneEdit(one, other) {
  if (Math.abs(one.length - other.length) > 1) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const [left, right] = [one.slice(at), other.slice(at)];
  return (
    left.slice(1) === right.slice(1) ||
    left.slice(1) === right ||
    left === right.slice(1) ||
    (left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2))
  );
}
