/** How numbers are written: short, with units, a true minus. */

/** @param {number} value @param {number} [digits] */
export function fixed(value, digits = 2) {
  const text = Math.abs(value).toFixed(digits);
  return (value < 0 && Number(text) !== 0 ? "−" : "") + text;
}

/** As few digits as tell it apart. @param {number} value */
export function plain(value) {
  if (!Number.isFinite(value)) return "unknown";
  const size = Math.abs(value);
  if (size >= 1000) return fixed(value, 0);
  const text = fixed(value, size >= 100 ? 0 : size >= 10 ? 1 : 2);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** @param {number} hz */
export const hertz = (hz) =>
  (hz >= 9.5 ? hz.toFixed(0) : hz >= 0.95 ? hz.toFixed(1) : hz.toFixed(2))
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");

/** Seconds as minutes, seconds and thousandths. @param {number} seconds */
export function clock(seconds) {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - minutes * 60).toFixed(3).padStart(6, "0")}`;
}

/** How long something took: milliseconds up to a second. @param {number} ms */
export const duration = (ms) => (ms < 1000 ? `${ms.toFixed(1)} ms` : `${plain(ms / 1000)} s`);

/** What a unit of a knob is called beside a number. @param {string} unit */
export function unitSign(unit) {
  return /** @type {Record<string, string>} */ ({ 1: "", deg: "°", "1/s": "fps", "1 or deg": "" })[unit] ?? unit;
}

/** A name in code as people read it: "dead_beat" to "Dead beat". @param {string} name */
export function readable(name) {
  const text = name.replace(/_(hz|s|m|deg|mm)$/, "").replace(/_/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {number} value @param {number} least @param {number} most */
export const clamp = (value, least, most) => Math.min(most, Math.max(least, value));

/** A row of values, read between two of them. @param {Float32Array} row @param {number} at */
export function between(row, at) {
  const first = Math.floor(clamp(at, 0, row.length - 1)),
    share = clamp(at - first, 0, 1);
  return row[first] + share * (row[Math.min(row.length - 1, first + 1)] - row[first]);
}

/** Gain to the place of a fader's cap, 0 at the bottom: 0, ½, 1, 2, 4 evenly spaced. @param {number} gain */
export const gainToShare = (gain) => (gain <= 0.0625 ? 0 : clamp(0.5 + Math.log2(gain) / 4, 0, 1));

/** @param {number} share */
export const shareToGain = (share) => (share <= 0.01 ? 0 : 2 ** ((share - 0.5) * 4));

/** @param {number} gain */
export const gainText = (gain) =>
  gain === 0
    ? "0"
    : `×${fixed(gain, 2)
        .replace(/(\.\d)0$/, "$1")
        .replace(/\.0$/, "")}`;
