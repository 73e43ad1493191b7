/** What an aim step aims at: its targets as values, as marks in the scene, and under the hand. */
import { plain } from "../../core/numbers.js";
import { Reference, figureHeading, jointPlace, jointTurn, jointWay, tidy, unit } from "./target_joints.js";
import { turn } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { Phase } from "../shell/controls.js" */
/** @import { StepOf, TargetReport } from "../../core/answers.js" */

/** @typedef {"at" | "line" | "facing" | "turned" | "heading_deg" | "look_at"} Kind */
/** @typedef {import("./target_joints.js").Target} Target */
/** @typedef {import("../../core/target_marks.js").Target} Mark */
/**
 * A target with what the page knows of it.
 * @typedef {Object} Goal
 * @property {Kind} kind
 * @property {Target} target
 * @property {string} label
 * @property {{id: string, shape: Mark["shape"], place: number[], way?: number[], turn?: number[], from?: number[]} | null} mark  in the world; none for one that is relative to an unknown joint
 * @property {TargetReport | null} outcome  what the report says of it
 */

/** What may be asked of a joint: the text of a button, a phrase for a label, an icon. @type {Record<Kind, {text: string, phrase: string, icon: string}>} */
export const KINDS = {
  at: { text: "Point", phrase: "at a point", icon: "target" },
  line: { text: "Line", phrase: "on a line", icon: "curve" },
  facing: { text: "Direction", phrase: "points that way", icon: "out" },
  turned: { text: "Rotation", phrase: "rotated as set", icon: "rotate" },
  heading_deg: { text: "Heading", phrase: "heads that way", icon: "cursor" },
  look_at: { text: "Look at", phrase: "looks at a point", icon: "eye" },
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

/** @param {Target} target @returns {Kind} */
export const kindOf = (target) => ORDER.find((kind) => target[kind] !== null && target[kind] !== undefined) ?? "at";

/** The numbers that say a target; none for a heading, which is one angle. @param {Target} target @param {Kind} kind @returns {number[]} */
export const numbersOf = (target, kind) => (kind === "heading_deg" ? null : target[kind]) ?? [];

/** A heading as a direction. @param {Target} target */
function headingWay({ heading_deg }) {
  const heading = ((heading_deg ?? 0) * Math.PI) / 180;
  return [Math.sin(heading), 0, Math.cos(heading)];
}

/** All targets of a step in the order of its report; those that the short knobs say come first. @param {StepOf<"aim">} step @returns {Target[]} */
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
  found.push(...knobs.targets.map((target) => ({ joint, frame: -1, priority: 1, ...target })));
  if (held?.step === id && held.index < found.length) found[held.index] = held.target;
  return found;
}

/** Set them all; what was said the short way is said in the list from then on. @param {StepOf<"aim">} step @param {Target[]} targets @param {Phase} [phase] @param {string} [label] */
export function setTargets(step, targets, phase = "end", label = "Targets") {
  const kept = targets.map((target) =>
    Object.fromEntries(Object.entries(target).filter(([, value]) => value !== null && value !== undefined)),
  );
  const short = Object.fromEntries(SHORT.filter((name) => step.set.includes(name)).map((name) => [name, null]));
  return turn(step.id, { ...short, targets: kept }, phase, label);
}

/** @param {StepOf<"aim">} step @param {number} index @param {Partial<Target>} change @param {Phase} [phase] @param {string} [label] */
export function setTarget(step, index, change, phase = "end", label) {
  const targets = targetsOf(step).map((target, k) => (k === index ? { ...target, ...change } : target));
  return setTargets(step, /** @type {Target[]} */ (targets), phase, label);
}

/** Which target is chosen. @param {StepOf<"aim">} step */
export function chosenGoal(step) {
  return Math.min(Math.max(0, store.chosenItem.value), targetsOf(step).length - 1);
}

/** @param {StepOf<"aim">} step @returns {Goal[]} */
export function goalsOf(step) {
  const report = store.resultOf(step).report?.targets ?? [],
    targets = targetsOf(step);
  return targets.map((target, index) => {
    const kind = kindOf(target);
    return {
      kind,
      target,
      label: `${store.jointLabel(target.joint)} ${KINDS[kind].phrase}`,
      mark: markOf(target, kind, targets, String(index)),
      outcome: report[index] ?? null,
    };
  });
}

/** @param {Target} target @param {Kind} kind @param {Target[]} all @param {string} id @returns {Goal["mark"]} */
function markOf(target, kind, all, id) {
  const value = numbersOf(target, kind),
    shape = SHAPES[kind],
    seen = Reference.of(target);
  if (!seen) return null;
  if (kind === "at") return { id, shape, place: seen.placeOut(value) };
  if (kind === "line")
    return { id, shape, place: seen.placeOut(value.slice(0, 3)), way: seen.wayOut(unit(value.slice(3))) };
  if (kind === "look_at") return { id, shape, place: seen.placeOut(value), from: jointPlace(target) };
  const place = baseOf(target, all);
  if (kind === "facing") return { id, shape, place, way: seen.wayOut(unit(value)) };
  if (kind === "turned") return { id, shape, place, turn: seen.turnOut(value) };
  const way = seen.wayOut(headingWay(target));
  // Seen from a joint, "level" is not level: the tip is free, and its heading counts.
  return { id, shape: target.relative_to ? "arrow" : shape, place, way };
}

/** Where a joint should be that is rotated: at its point, if it has one, else where it is. @param {Target} target @param {Target[]} all @returns {number[]} */
function baseOf(target, all) {
  const own = all.find((other) => Array.isArray(other.at) && other.joint === target.joint);
  return (own?.at && Reference.of(own)?.placeOut(own.at)) || jointPlace(target);
}

/** The same target in the world, or as another joint sees it now. @param {Target} target @param {string | null} joint @returns {Target} */
export function seenFrom(target, joint) {
  const was = Reference.of(target),
    moved = { ...target, relative_to: joint },
    will = Reference.of(moved),
    kind = kindOf(target),
    value = numbersOf(target, kind);
  if (!was || !will) return moved;
  const place = (/** @type {number[]} */ p) => will.placeIn(was.placeOut(p)).map(tidy),
    way = (/** @type {number[]} */ v) => unit(will.wayIn(was.wayOut(v))).map(tidy);
  if (kind === "at" || kind === "look_at") return { ...moved, [kind]: place(value) };
  if (kind === "line") return { ...moved, line: [...place(value.slice(0, 3)), ...way(value.slice(3))] };
  if (kind === "facing") return { ...moved, facing: way(value) };
  if (kind === "turned") return { ...moved, turned: will.turnIn(was.turnOut(value)) };
  return { ...moved, heading_deg: headingOf(way(headingWay(target))) };
}

/** @param {number[]} way @returns {number} degrees from +Z towards +X */
const headingOf = (way) => Math.round((Math.atan2(way[0], way[2]) * 1800) / Math.PI) / 10;

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

/** Where the examples have what is aimed, in the world. @param {Goal} goal @returns {number[][]} */
export function examplesOf({ outcome, target }) {
  const seen = Reference.of(target);
  return seen ? (outcome?.examples ?? []).map((/** @type {number[]} */ place) => seen.placeOut(place)) : [];
}

/** How near a goal was met, as a number with its unit. @param {Goal} goal */
export function residual({ outcome }) {
  if (!outcome) return "";
  if (outcome.error_mm == null) return `${plain(outcome.error_deg ?? 0)}°`;
  return outcome.error_mm >= 100 ? `${plain(outcome.error_mm / 10)} cm` : `${plain(outcome.error_mm)} mm`;
}

/** The same as a label that says when it lies outside. @param {Goal} goal @param {store.Report} report */
export function residualLabel(goal, report) {
  const { kind, outcome, target } = goal;
  const error = outcome?.error_mm ?? 0,
    outside = report && !report.reachable && target.priority > 0 && error >= 5;
  return outside && (kind === "at" || kind === "line") ? `outside by ${plain(error / 10)} cm` : residual(goal);
}

/** A target under the hand, shown where the hand has it. @type {{step: string, index: number, target: Target} | null} */
let held = null;

/** The hand moves a target, the tip of its direction, or its turn. @param {StepOf<"aim">} step @param {{target: string} | {tip: string} | {turn: string}} what @param {number[]} place  or a turn, wxyz @param {boolean} snap */
export function takeGoal(step, what, place, snap) {
  const index = Number(Object.values(what)[0]),
    targets = targetsOf(step),
    target = targets[index];
  if (!target) return;
  const seen = Reference.of(target);
  if (!seen) return;
  const change =
    "turn" in what ? { turned: seen.turnIn(place) } : moved(target, seen, targets, place, "tip" in what, snap);
  held = { step: step.id, index, target: { ...target, ...change } };
  setTargets(step, targetsOf(step), "move");
}

/** @param {Target} target @param {Reference} seen @param {Target[]} all @param {number[]} place  in the world @param {boolean} tip @param {boolean} snap */
function moved(target, seen, all, place, tip, snap) {
  const kind = kindOf(target),
    line = numbersOf(target, "line");
  if (!tip) {
    const at = seen.placeIn(place).map((v) => tidy(snap ? Math.round(v * 20) / 20 : v));
    return { [kind]: kind === "line" ? [...at, ...line.slice(3)] : at };
  }
  const base = kind === "line" ? seen.placeOut(line.slice(0, 3)) : baseOf(target, all);
  const way = unit(seen.wayIn(place.map((v, k) => v - base[k])));
  let heading = Math.atan2(way[0], way[2]),
    climb = Math.asin(Math.min(1, Math.max(-1, way[1])));
  if (snap) [heading, climb] = [heading, climb].map((angle) => (Math.round((angle * 36) / Math.PI) * Math.PI) / 36);
  const level = Math.cos(climb),
    pointed = [Math.sin(heading) * level, Math.sin(climb), Math.cos(heading) * level].map(tidy);
  if (kind === "heading_deg") return { heading_deg: headingOf(pointed) };
  return kind === "line" ? { line: [...line.slice(0, 3), ...pointed] } : { [kind]: pointed };
}

/** The hand lets go, or takes it back. @param {StepOf<"aim">} step @param {"end" | "cancel"} phase */
export function letGo(step, phase) {
  const last = held;
  if (!last) return;
  const targets = targetsOf(step);
  held = null;
  setTargets(step, targets, phase, `Target: ${last.target.joint}`);
}
