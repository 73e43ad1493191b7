/** Joints at the frame that a target names: where they are, how they are turned, and a target seen from one of them. */
import * as store from "../shell/store.js";
import { after, back, turned } from "./quaternions.js";

/**
 * A target as recipes have it; one of the first six says what is aimed at.
 * @typedef {Object} Target
 * @property {number[] | null} [at]
 * @property {number[] | null} [line]
 * @property {number[] | null} [facing]
 * @property {number[] | null} [turned]
 * @property {number | null} [heading_deg]
 * @property {number[] | null} [look_at]
 * @property {string} joint
 * @property {number | number[]} frame
 * @property {number} priority
 * @property {string | null} [relative_to]
 * @property {string | null} [axis]
 * @property {number | null} [angle_deg]
 * @property {number[] | null} [offset]
 */

/** @param {number} value */
export const tidy = (value) => Math.round(value * 10000) / 10000;

/** @param {number[]} v */
export function unit(v) {
  const length = Math.hypot(...v) || 1;
  return v.map((x) => x / length);
}

/** The joint that a target names, -1 for none. @param {Target} target */
export function jointOf({ joint }) {
  const skeleton = store.skeleton.value;
  if (!skeleton) return -1;
  const named = skeleton.names.indexOf(joint);
  return named >= 0 ? named : (skeleton.roles[String(joint).toLowerCase()] ?? -1);
}

/** The frame at which a target holds; the last of several. @param {Target} target */
export function frameOf({ frame }) {
  const last = (store.motion.value?.frames ?? 1) - 1,
    at = Array.isArray(frame) ? frame[frame.length - 1] : (frame ?? -1);
  return Math.min(last, Math.max(0, at < 0 ? last + 1 + at : at));
}

/** Where the aimed joint is at the aimed frame. @param {Target} target @returns {number[]} */
export function jointPlace(target) {
  const motion = store.motion.value,
    count = store.skeleton.value?.names.length ?? 0,
    i = (frameOf(target) * count + Math.max(0, jointOf(target))) * 3;
  return motion ? Array.from(motion.positions.subarray(i, i + 3), tidy) : [0, 1, 0];
}

/** How the aimed joint is turned at the aimed frame, wxyz. @param {Target} target @returns {number[]} */
export function jointTurn(target) {
  const turns = store.motion.value?.turns,
    count = store.skeleton.value?.names.length ?? 0,
    i = (frameOf(target) * count + Math.max(0, jointOf(target))) * 4;
  return turns ? unit(Array.from(turns.subarray(i, i + 4))) : [1, 0, 0, 0];
}

/** Which way the bone of a joint runs at the aimed frame: to what hangs on it. @param {Target} target @returns {number[]} */
export function jointWay(target) {
  const skeleton = store.skeleton.value,
    joint = jointOf(target);
  if (!skeleton || joint < 0) return [0, 0, 1];
  const here = jointPlace(target),
    turn = jointTurn(target),
    sum = [0, 0, 0];
  const add = (/** @type {number[]} */ way) =>
    unit(way).forEach((v, k) => {
      sum[k] += v;
    });
  skeleton.parents.forEach((parent, child) => {
    if (parent === joint) add(jointPlace({ ...target, joint: skeleton.names[child] }).map((v, k) => v - here[k]));
  });
  for (const end of skeleton.ends) if (end.joint === joint) add(turned(turn, end.offset));
  return Math.hypot(...sum) > 1e-6 ? unit(sum).map(tidy) : [0, 0, 1];
}

/** Where the figure looks at the aimed frame, degrees from +Z towards +X. @param {Target} target */
export function figureHeading(target) {
  const roles = store.skeleton.value?.roles ?? {},
    left = roles["left upper leg"] ?? roles["left upper arm"],
    right = roles["right upper leg"] ?? roles["right upper arm"];
  if (left === undefined || right === undefined) return 0;
  const names = store.skeleton.value?.names ?? [],
    [a, b] = [left, right].map((joint) => jointPlace({ ...target, joint: names[joint] }));
  return Math.round((Math.atan2(b[2] - a[2], a[0] - b[0]) * 180) / Math.PI);
}

/**
 * What a target is given in: the world, or the frame of a joint. It takes places, directions and turns out into the
 * world, and back in.
 */
export class Reference {
  /** @param {number[]} place @param {number[]} turn  wxyz */
  constructor(place, turn) {
    this.place = place;
    this.turn = turn;
  }

  /** The reference of a target; none where its joint is unknown. @param {Target} target @returns {Reference | null} */
  static of(target) {
    if (!target.relative_to) return new Reference([0, 0, 0], [1, 0, 0, 0]);
    const base = { ...target, joint: target.relative_to };
    return jointOf(base) < 0 ? null : new Reference(jointPlace(base), jointTurn(base));
  }

  /** @param {number[]} place */
  placeOut(place) {
    return turned(this.turn, place).map((v, k) => v + this.place[k]);
  }

  /** @param {number[]} place */
  placeIn(place) {
    return this.wayIn(place.map((v, k) => v - this.place[k]));
  }

  /** @param {number[]} way */
  wayOut(way) {
    return turned(this.turn, way);
  }

  /** @param {number[]} way */
  wayIn(way) {
    return turned(back(this.turn), way);
  }

  /** @param {number[]} turn */
  turnOut(turn) {
    return after(this.turn, turn);
  }

  /** @param {number[]} turn */
  turnIn(turn) {
    return unit(after(back(this.turn), turn));
  }
}
