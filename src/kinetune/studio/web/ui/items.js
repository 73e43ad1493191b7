/** Targets and footprints of the chosen step, as the scene shows them and the hand moves them. */
import { plain } from "../core/numbers.js";
import { turn } from "./session.js";
import * as store from "./store.js";

/**
 * A thing that a step aims at.
 * @typedef {Object} Goal
 * @property {"at" | "line" | "facing" | "look_at"} kind
 * @property {string} words
 * @property {number[]} place  where its handle is
 * @property {number[]} [direction]
 * @property {any} told  what the report says of it
 */

const WORDS = { at: "at a point", line: "on a line", facing: "points that way", look_at: "looks at a point" };
const FAR = 0.35;

/** @param {number} value */
const tidy = (value) => Math.round(value * 10000) / 10000;

/** What an aim step aims at, in the order of its report. @param {store.Step} step @returns {Goal[]} */
export function goalsOf(step) {
  const { knobs } = step,
    report = store.resultOf(step).report?.targets ?? [];
  /** @type {Goal[]} */ const goals = [];
  let told = 0;
  for (const kind of /** @type {const} */ (["at", "line", "facing", "turned", "look_at"])) {
    const value = knobs[kind];
    if (!Array.isArray(value)) continue;
    const entry = report[told++] ?? null;
    if (kind === "turned") continue;
    const here = knobs.at ?? knobs.line?.slice(0, 3) ?? jointPlace(step);
    const place =
      held?.step === step.id && held.kind === kind
        ? held.place
        : kind === "facing"
          ? here.map((/** @type {number} */ v, /** @type {number} */ k) => v + unit(value)[k] * FAR)
          : value.slice(0, 3);
    goals.push({
      kind,
      words: `${knobs.joint} ${WORDS[kind]}`,
      place,
      direction: kind === "line" ? value.slice(3) : undefined,
      told: entry,
    });
  }
  return goals;
}

/** Where the aimed joint is at the aimed frame. @param {store.Step} step */
export function jointPlace(step) {
  const skeleton = store.skeleton.value,
    motion = store.motion.value;
  if (!skeleton || !motion) return [0, 1, 0];
  const joint =
    skeleton.roles[String(step.knobs.joint).toLowerCase()] ?? Math.max(0, skeleton.names.indexOf(step.knobs.joint));
  const frame = Math.min(
    motion.frames - 1,
    Math.max(0, step.knobs.frame < 0 ? motion.frames + step.knobs.frame : (step.knobs.frame ?? 0)),
  );
  const i = (frame * skeleton.names.length + joint) * 3;
  return Array.from(motion.positions.subarray(i, i + 3), tidy);
}

/** @param {number[]} v */
function unit(v) {
  const length = Math.hypot(...v) || 1;
  return v.map((x) => x / length);
}

/** Footsteps of a step: its own, or those that its path was planned as. @param {store.Step} step @returns {{side: "left" | "right", x: number, z: number, heading_deg: number}[]} */
export function footstepsOf(step) {
  if (held?.step === step.id && held.footsteps) return held.footsteps;
  const own = step.knobs.footsteps ?? [];
  if (own.length) return own;
  return (store.resultOf(step).report?.steps ?? []).map((/** @type {any} */ each) => ({
    side: each.side,
    x: tidy(each.place[0]),
    z: tidy(each.place[2]),
    heading_deg: tidy(each.heading_deg),
  }));
}

/** Set the footsteps; a path gives way to them. @param {store.Step} step @param {any[]} footsteps @param {"move" | "end" | "cancel"} phase */
export function setFootsteps(step, footsteps, phase) {
  return turn(step.id, { footsteps, ...(step.knobs.path ? { path: null } : {}) }, phase, "Footsteps");
}

/** What the scene shows of the chosen step. */
export function sceneItems() {
  const step = store.step.value;
  /** @type {import("../core/handles.js").Target[]} */ const targets = [];
  /** @type {import("../core/handles.js").Step[]} */ const steps = [];
  /** @type {import("../core/labels.js").Label[]} */ const labels = [];
  /** @type {number[][]} */ let dots = [];
  if (!step?.on) return { targets, steps, labels, dots };
  const report = store.resultOf(step).report;
  if (step.op === "aim") {
    dots = report?.examples ?? [];
    for (const goal of goalsOf(step)) {
      targets.push({ id: goal.kind, place: goal.place, reachable: report?.reachable ?? true, line: goal.direction });
      labels.push({
        id: `goal ${goal.kind}`,
        place: goal.place,
        text: goal.words,
        value: residual(goal, report),
        tone: "--edited",
      });
    }
  } else if (step.op === "follow_footsteps") {
    footstepsOf(step).forEach((each, k) => {
      const place = [each.x, store.floor.value, each.z];
      steps.push({ side: each.side, place, heading_deg: each.heading_deg });
      const error = report?.steps?.[k]?.error_mm ?? 0;
      labels.push({
        id: `step ${k}`,
        place,
        text: error > 20 ? `${k + 1}, off by ${plain(error)} mm` : String(k + 1),
        tone: `--${each.side}-ink`,
        kind: "bare foot",
      });
    });
  }
  return { targets, steps, labels, dots };
}

/** How near a goal was met. @param {Goal} goal @param {any} report */
export function residual({ kind, told }, report) {
  if (kind === "at" && report && !report.reachable && report.outside_cm > 0.05)
    return `outside by ${plain(report.outside_cm)} cm`;
  if (!told) return "";
  return told.error_mm != null ? `${plain(told.error_mm)} mm` : `${plain(told.error_deg ?? 0)}°`;
}

/** @type {{step: string, kind: string, place: number[], footsteps?: any[]} | null} */
let held = null;

/** The knob that puts a goal at a place. @param {store.Step} step @param {Goal["kind"]} kind @param {number[]} place */
export function goalKnob(step, kind, place) {
  const at = place.map(tidy);
  if (kind === "line") return { line: [...at, ...step.knobs.line.slice(3)] };
  if (kind !== "facing") return { [kind]: at };
  const from = step.knobs.at ?? step.knobs.line?.slice(0, 3) ?? jointPlace(step);
  return { facing: unit(place.map((v, k) => v - from[k])).map(tidy) };
}

/** A target or a footprint is taken by the hand. @param {{step: number} | {target: string}} what @param {import("../core/handles.js").Phase} phase @param {number[]} place @param {{ctrlKey: boolean}} event */
export function takeItem(what, phase, place, event) {
  const step = store.step.value;
  if (!step) return;
  if (phase === "start") {
    store.playback.setPlaying(false);
    if ("step" in what) store.chosenItem.value = what.step;
    return;
  }
  if (phase === "move") {
    const at = event.ctrlKey ? place.map((v) => Math.round(v * 20) / 20) : place;
    if ("step" in what) {
      const footsteps = footstepsOf(step).map((each, k) =>
        k === what.step ? { ...each, x: tidy(at[0]), z: tidy(at[2]) } : each,
      );
      held = { step: step.id, kind: "step", place: at, footsteps };
      setFootsteps(step, footsteps, "move");
    } else {
      held = { step: step.id, kind: what.target, place: at };
      turn(step.id, goalKnob(step, /** @type {Goal["kind"]} */ (what.target), at), "move");
    }
    store.version.value++;
    return;
  }
  const last = held;
  held = null;
  if (!last) return;
  if (last.footsteps) setFootsteps(step, last.footsteps, "end");
  else
    turn(
      step.id,
      goalKnob(step, /** @type {Goal["kind"]} */ (last.kind), last.place),
      "end",
      `Target: ${step.knobs.joint}`,
    );
}
