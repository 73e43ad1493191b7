/** The faders of an equalizer: one for each octave that matters, the slowest bands together as the posture. */
import { hertz } from "./numbers.js";

/** @typedef {{number: number, hz: number, gain: number, rms_deg: number}} BandFacts */
/**
 * One fader.
 * @typedef {Object} Column
 * @property {number[]} numbers  of its bands
 * @property {number} hz  the centre of its fastest band
 * @property {string} text  its frequency, for the eye
 * @property {string} name  what moves at that pace
 * @property {string} label  for screen readers
 * @property {number} rms  of all its bands together
 * @property {number} strongest  the number of its band that moves most
 */

/** Slower than this is how somebody stands rather than what they do. */
const POSTURE_HZ = 0.35;
const MOST = 9;
const NAMES = /** @type {[number, string][]} */ ([
  [POSTURE_HZ, "Posture"],
  [0.75, "Sway"],
  [1.5, "Step"],
  [3, "Swing"],
  [6, "Accent"],
  [12, "Snap"],
  [40, "Jitter"],
  [Infinity, "Noise"],
]);

/** From the slowest to the fastest; nine at most, whatever the length and the rate of the clip. @param {BandFacts[]} bands @returns {Column[]} */
export function columnsOf(bands) {
  const sorted = [...bands].sort((a, b) => a.hz - b.hz),
    slow = sorted.filter(({ hz }) => hz <= POSTURE_HZ),
    groups = [...(slow.length ? [slow] : []), ...sorted.slice(slow.length).map((band) => [band])];
  while (groups.length > MOST) groups.push([...groups.splice(-2, 1)[0], ...groups.splice(-1, 1)[0]]);
  return groups.map((group) => {
    const hz = group[group.length - 1].hz,
      slowest = group[0].hz,
      posture = hz <= POSTURE_HZ;
    return {
      numbers: group.map(({ number }) => number),
      hz,
      text: posture ? `≤${hertz(hz)}` : group.length > 1 ? `≥${hertz(slowest)}` : hertz(hz),
      name: NAMES.find(([most]) => slowest <= most)?.[1] ?? "",
      label: posture ? "posture" : `${hertz(group.length > 1 ? slowest : hz)} hertz`,
      rms: Math.hypot(...group.map(({ rms_deg }) => rms_deg)),
      strongest: group.reduce((best, band) => (band.rms_deg > best.rms_deg ? band : best)).number,
    };
  });
}
