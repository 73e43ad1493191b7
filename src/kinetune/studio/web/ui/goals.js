/** What an aim step aims at: its targets as values, as marks in the scene, and under the hand. */
import { plain } from "../core/numbers.js";
import { turn } from "./session.js";
import * as store from "./store.js";

/** @typedef {"at" | "line" | "facing" | "turned" | "heading_deg" | "look_at"} Kind */
/** @typedef {{joint: string, frame: number | number[], priority: number, relative_to?: string | null, axis?: string | null} & Record<string, any>} Target  as recipes have it */
/**
 * A target with what the page knows of it.
 * @typedef {Object} Goal
 * @property {Kind} kind
 * @property {Target} target
 * @property {string} words
 * @property {{id: string, shape: any, place: number[], way?: number[], turn?: number[], from?: number[]} | null} mark  none for one that is told relative to a joint
 * @property {any} told  what the report says of it
 */

/** What may be asked of a joint: words of a button, of a sentence, an icon. @type {Record<Kind, {text: string, words: string, icon: string}>} */
export const KINDS = {
  at: { text: "Point", words: "at a point", icon: "target" },
  line: { text: "Line", words: "on a line", icon: "curve" },
  facing: { text: "Direction", words: "points that way", icon: "out" },
  turned: { text: "Turn", words: "turned as set", icon: "rotate" },
  heading_deg: { text: "Heading", words: "heads that way", icon: "cursor" },
  look_at: { text: "Look at", words: "looks at a point", icon: "eye" },
};
const SHAPES = /** @type {const} */ ({
  at: "point",
  line: "line",
  facing: "arrow",
  turned: "turn",
  heading_deg: "heading",
  look_at: "look",
});
const ORDER = /** @type {Kind[]} */ (Object.keys(KINDS));
/** The knobs that are the short way to say one joint's targets. */
export const SHORT = [
  "joint",
  "at",
  "line",
  "facing",
  "angle_deg",
  "axis",
  "turned",
  "look_at",
  "frame",
  "relative_to",
  "offset",
];

/** @param {number} value */
const tidy = (value) => Math.round(value * 10000) / 10000;

/** @param {number[]} v */
export function unit(v) {
  const length = Math.hypot(...v) || 1;
  return v.map((x) => x / length);
}

/** @param {Target} target @returns {Kind} */
export const kindOf = (target) => ORDER.find((kind) => target[kind] !== null && target[kind] !== undefined) ?? "at";

/** All targets of a step in the order of its report; those that the short knobs say come first. @param {store.Step} step @returns {Target[]} */
export function targetsOf({ knobs, id }) {
  const { joint, frame, relative_to, offset, axis, angle_deg } = knobs,
    common = { joint, frame: frame ?? -1, relative_to, offset, priority: 1 };
  /** @type {Target[]} */ const found = [];
  for (const kind of /** @type {const} */ (["at", "line", "facing", "turned", "look_at"]))
    if (Array.isArray(knobs[kind]))
      found.push({
        ...common,
        [kind]: knobs[kind],
        ...(kind === "facing" ? { axis, angle_deg } : kind === "look_at" ? { axis } : {}),
      });
  found.push(...(knobs.targets ?? []));
  if (held?.step === id && held.index < found.length) found[held.index] = held.target;
  return found;
}

/** Set them all; what was said the short way is said in the list from then on. @param {store.Step} step @param {Target[]} targets @param {"move" | "end" | "cancel"} [phase] @param {string} [label] */
export function setTargets(step, targets, phase = "end", label = "Targets") {
  const kept = targets.map((target) =>
    Object.fromEntries(Object.entries(target).filter(([, value]) => value !== null && value !== undefined)),
  );
  const short = Object.fromEntries(SHORT.filter((name) => step.set.includes(name)).map((name) => [name, null]));
  return turn(step.id, { ...short, targets: kept }, phase, label);
}

/** @param {store.Step} step @param {number} index @param {Partial<Target>} change @param {"move" | "end" | "cancel"} [phase] @param {string} [label] */
export function setTarget(step, index, change, phase = "end", label) {
  const targets = targetsOf(step).map((target, k) => (k === index ? { ...target, ...change } : target));
  return setTargets(step, /** @type {Target[]} */ (targets), phase, label);
}

/** Which target is chosen. @param {store.Step} step */
export function chosenGoal(step) {
  return Math.min(Math.max(0, store.chosenItem.value), targetsOf(step).length - 1);
}

/** @param {store.Step} step @returns {Goal[]} */
export function goalsOf(step) {
  const report = store.resultOf(step).report?.targets ?? [],
    targets = targetsOf(step);
  return targets.map((target, index) => {
    const kind = kindOf(target);
    return {
      kind,
      target,
      words: `${capital(target.joint)} ${KINDS[kind].words}`,
      mark: target.relative_to ? null : markOf(target, kind, targets, String(index)),
      told: report[index] ?? null,
    };
  });
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {Target} target @param {Kind} kind @param {Target[]} all @param {string} id */
function markOf(target, kind, all, id) {
  const value = target[kind],
    shape = SHAPES[kind];
  if (kind === "at") return { id, shape, place: value };
  if (kind === "line") return { id, shape, place: value.slice(0, 3), way: unit(value.slice(3)) };
  if (kind === "look_at") return { id, shape, place: value, from: jointPlace(target) };
  const place = baseOf(target, all);
  if (kind === "facing") return { id, shape, place, way: unit(value) };
  if (kind === "turned") return { id, shape, place, turn: value };
  const heading = (value * Math.PI) / 180;
  return { id, shape, place, way: [Math.sin(heading), 0, Math.cos(heading)] };
}

/** Where a joint shall be that is turned: at its point, if it has one, else where it is. @param {Target} target @param {Target[]} all @returns {number[]} */
function baseOf(target, all) {
  const at = all.find((other) => Array.isArray(other.at) && other.joint === target.joint && !other.relative_to);
  return at ? at.at : jointPlace(target);
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
function jointTurn(target) {
  const turns = store.motion.value?.turns,
    count = store.skeleton.value?.names.length ?? 0,
    i = (frameOf(target) * count + Math.max(0, jointOf(target))) * 4;
  return turns ? unit(Array.from(turns.subarray(i, i + 4))) : [1, 0, 0, 0];
}

/** Which way the bone of a joint runs at the aimed frame: to what hangs on it. @param {Target} target @returns {number[]} */
function jointWay(target) {
  const skeleton = store.skeleton.value,
    joint = jointOf(target),
    [w, x, y, z] = jointTurn(target);
  if (!skeleton || joint < 0) return [0, 0, 1];
  const here = jointPlace(target),
    sum = [0, 0, 0];
  skeleton.parents.forEach((parent, child) => {
    if (parent !== joint) return;
    const there = jointPlace({ ...target, joint: skeleton.names[child] });
    unit(there.map((v, k) => v - here[k])).forEach((v, k) => {
      sum[k] += v;
    });
  });
  for (const end of skeleton.ends) {
    if (end.joint !== joint) continue;
    const [a, b, c] = end.offset,
      t = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
    const turned = [
      a + w * t[0] + y * t[2] - z * t[1],
      b + w * t[1] + z * t[0] - x * t[2],
      c + w * t[2] + x * t[1] - y * t[0],
    ];
    unit(turned).forEach((v, k) => {
      sum[k] += v;
    });
  }
  return Math.hypot(...sum) > 1e-6 ? unit(sum).map(tidy) : [0, 0, 1];
}

/** Where the figure looks at the aimed frame, degrees from +Z towards +X. @param {Target} target */
function figureHeading(target) {
  const roles = store.skeleton.value?.roles ?? {},
    left = roles["left upper leg"] ?? roles["left upper arm"],
    right = roles["right upper leg"] ?? roles["right upper arm"];
  if (left === undefined || right === undefined) return 0;
  const names = store.skeleton.value?.names ?? [],
    [a, b] = [left, right].map((joint) => jointPlace({ ...target, joint: names[joint] }));
  return Math.round((Math.atan2(b[2] - a[2], a[0] - b[0]) * 180) / Math.PI);
}

/** A target of some kind for a joint, where the joint is now. @param {Kind} kind @param {{joint: string, frame: number | number[], priority: number}} common @returns {Target} */
export function targetHere(kind, common) {
  const place = jointPlace(common),
    heading = (figureHeading(common) * Math.PI) / 180,
    ahead = [place[0] + 0.6 * Math.sin(heading), place[1], place[2] + 0.6 * Math.cos(heading)];
  const value = {
    at: place,
    line: [...place, 0, 1, 0],
    facing: jointWay(common),
    turned: jointTurn(common),
    heading_deg: figureHeading(common),
    look_at: ahead.map(tidy),
  }[kind];
  return { ...common, [kind]: value };
}

/** How near a goal was met, as a number with its unit. @param {Goal} goal */
export function residual({ told }) {
  if (!told) return "";
  if (told.error_mm == null) return `${plain(told.error_deg ?? 0)}°`;
  return told.error_mm >= 100 ? `${plain(told.error_mm / 10)} cm` : `${plain(told.error_mm)} mm`;
}

/** The same with words, where it lies outside. @param {Goal} goal @param {any} report */
export function residualWords(goal, report) {
  const { kind, told, target } = goal;
  const outside = report && !report.reachable && target.priority > 0 && told?.error_mm >= 5;
  return outside && (kind === "at" || kind === "line") ? `outside by ${plain(told.error_mm / 10)} cm` : residual(goal);
}

/** A target under the hand, shown where the hand has it. @type {{step: string, index: number, target: Target} | null} */
let held = null;

/** The hand moves a target, the tip of its direction, or its turn. @param {store.Step} step @param {{target: string} | {tip: string} | {turn: string}} what @param {number[]} place  or a turn, wxyz @param {boolean} snap */
export function takeGoal(step, what, place, snap) {
  const index = Number(Object.values(what)[0]),
    targets = targetsOf(step),
    target = targets[index];
  if (!target) return;
  const kind = kindOf(target);
  const change = "turn" in what ? { turned: unit(place) } : moved(kind, target, targets, place, "tip" in what, snap);
  held = { step: step.id, index, target: { ...target, ...change } };
  setTargets(step, targetsOf(step), "move");
}

/** @param {Kind} kind @param {Target} target @param {Target[]} all @param {number[]} place @param {boolean} tip @param {boolean} snap */
function moved(kind, target, all, place, tip, snap) {
  if (!tip) {
    const at = place.map((v) => tidy(snap ? Math.round(v * 20) / 20 : v));
    return { [kind]: kind === "line" ? [...at, ...target.line.slice(3)] : at };
  }
  const base = kind === "line" ? target.line.slice(0, 3) : baseOf(target, all);
  const way = unit(place.map((v, k) => v - base[k]));
  let heading = Math.atan2(way[0], way[2]),
    climb = Math.asin(Math.min(1, Math.max(-1, way[1])));
  if (snap) [heading, climb] = [heading, climb].map((angle) => (Math.round((angle * 36) / Math.PI) * Math.PI) / 36);
  if (kind === "heading_deg") return { heading_deg: Math.round((heading * 1800) / Math.PI) / 10 };
  const level = Math.cos(climb),
    turned = [Math.sin(heading) * level, Math.sin(climb), Math.cos(heading) * level].map(tidy);
  return kind === "line" ? { line: [...target.line.slice(0, 3), ...turned] } : { [kind]: turned };
}

/** The hand lets go, or takes it back. @param {store.Step} step @param {"end" | "cancel"} phase */
export function letGo(step, phase) {
  const last = held;
  if (!last) return;
  const targets = targetsOf(step);
  held = null;
  setTargets(step, targets, phase, `Target: ${last.target.joint}`);
}
