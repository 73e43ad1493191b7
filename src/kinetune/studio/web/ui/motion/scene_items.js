/** Targets and footprints of the chosen step, as the scene shows them and the hand moves them. */
import { plain } from "../../core/numbers.js";
import { chosenGoal, examplesOf, goalsOf, letGo, residualLabel, takeGoal } from "./target_values.js";
import { turn } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { StepOf } from "../../core/answers.js" */
/** @import { Phase } from "../shell/controls.js" */

/** @typedef {StepOf<"follow_footsteps">} Walking */
/** @typedef {{side: "left" | "right", x: number, z: number, heading_deg: number}} Footstep */

/** The ring that turns the chosen footprint. */
const FOOT = "foot";

/** @param {number} value */
const tidy = (value) => Math.round(value * 10000) / 10000;

/** Footsteps of a step: its own, or those that its path was planned as. @param {Walking} step @returns {Footstep[]} */
export function footstepsOf(step) {
  if (held?.step === step.id) return held.footsteps;
  const own = step.knobs.footsteps;
  if (own.length) return own.map((each) => ({ heading_deg: 0, ...each }));
  return (store.resultOf(step).report?.steps ?? []).map((each) => ({
    side: each.side,
    x: tidy(each.place[0]),
    z: tidy(each.place[2]),
    heading_deg: tidy(each.heading_deg),
  }));
}

/** Set the footsteps; a path gives way to them. @param {Walking} step @param {Footstep[]} footsteps @param {Phase} phase */
export function setFootsteps(step, footsteps, phase) {
  return turn(step.id, { footsteps, ...(step.knobs.path ? { path: null } : {}) }, phase, "Footsteps");
}

/** One more footstep: at a place on the floor, or a step ahead of the last. @param {Walking} step @param {number[] | null} place */
export function addFootstep(step, place) {
  const list = footstepsOf(step),
    last = list[list.length - 1] ?? { side: "right", x: -0.1, z: -0.3, heading_deg: 0 },
    side = last.side === "left" ? /** @type {const} */ ("right") : /** @type {const} */ ("left");
  const heading = (last.heading_deg * Math.PI) / 180,
    across = side === "left" ? 0.2 : -0.2;
  const made = { side, x: 0, z: 0, heading_deg: last.heading_deg };
  if (place) {
    Object.assign(made, { x: place[0], z: place[2] });
    // The figure looks where it goes: from between the feet before to between the feet then.
    const from = [last.x + (Math.cos(heading) * across) / 2, last.z - (Math.sin(heading) * across) / 2],
      to = [made.x - (Math.cos(heading) * across) / 2, made.z + (Math.sin(heading) * across) / 2];
    const far = Math.hypot(to[0] - from[0], to[1] - from[1]);
    if (far > 0.25) made.heading_deg = (Math.atan2(to[0] - from[0], to[1] - from[1]) * 180) / Math.PI;
  } else {
    made.x = last.x + Math.sin(heading) * 0.6 + Math.cos(heading) * across;
    made.z = last.z + Math.cos(heading) * 0.6 - Math.sin(heading) * across;
  }
  store.chosenItem.value = list.length;
  const tidied = { ...made, x: tidy(made.x), z: tidy(made.z), heading_deg: Math.round(made.heading_deg * 10) / 10 };
  return setFootsteps(step, [...list, tidied], "end");
}

/** What the scene shows of the chosen step. */
export function sceneItems() {
  const step = store.step.value;
  /** @type {import("../../core/target_marks.js").Target[]} */ const targets = [];
  /** @type {import("../../core/handles.js").Step[]} */ const steps = [];
  /** @type {import("../../core/labels.js").Label[]} */ const labels = [];
  /** @type {number[][]} */ let dots = [];
  if (!step?.on) return { targets, steps, labels, dots };
  const report = store.resultOf(step).report;
  if (store.isOf(step, "aim")) {
    const goals = goalsOf(step),
      chosen = chosenGoal(step);
    dots = goals[chosen] ? examplesOf(goals[chosen]) : [];
    goals.forEach((goal, index) => {
      if (!goal.mark) return;
      targets.push({ ...goal.mark, met: report?.reachable ?? true, chosen: index === chosen });
      if (index === chosen)
        labels.push({
          id: `goal ${index}`,
          place: goal.mark.place,
          text: goal.label,
          value: residualLabel(goal, report),
          tone: "--edited",
        });
    });
  } else if (store.isOf(step, "follow_footsteps")) {
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
      if (k !== store.chosenItem.value) return;
      const heading = (each.heading_deg * Math.PI) / 180;
      targets.push({
        id: FOOT,
        shape: "heading",
        place,
        way: [Math.sin(heading), 0, Math.cos(heading)],
        met: true,
        chosen: true,
      });
    });
  }
  return { targets, steps, labels, dots };
}

/** @type {{step: string, footsteps: Footstep[]} | null} */
let held = null;

/** A target or a footprint is taken by the hand. @param {import("../../core/handles.js").Taken} what @param {import("../../core/handles.js").Phase} phase @param {number[]} place  or a turn, wxyz @param {{ctrlKey: boolean}} event */
export function takeItem(what, phase, place, event) {
  const step = store.step.value;
  if (!step) return;
  if (phase === "start") {
    store.playback.setPlaying(false);
    if ("step" in what) store.chosenItem.value = what.step;
    else if (!isFoot(what)) store.chosenItem.value = Number(Object.values(what)[0]);
    return;
  }
  if (!("step" in what) && !isFoot(what)) {
    if (!store.isOf(step, "aim")) return;
    if (phase === "move") takeGoal(step, what, place, event.ctrlKey);
    else letGo(step, phase);
    store.version.value++;
    return;
  }
  if (!store.isOf(step, "follow_footsteps")) return;
  if (phase === "move") {
    const at = event.ctrlKey ? place.map((v) => Math.round(v * 20) / 20) : place,
      number = "step" in what ? what.step : store.chosenItem.value;
    const footsteps = footstepsOf(step).map((each, k) => {
      if (k !== number) return each;
      if ("step" in what) return { ...each, x: tidy(at[0]), z: tidy(at[2]) };
      const heading = (Math.atan2(place[0] - each.x, place[2] - each.z) * 180) / Math.PI;
      return { ...each, heading_deg: event.ctrlKey ? Math.round(heading / 5) * 5 : Math.round(heading * 10) / 10 };
    });
    held = { step: step.id, footsteps };
    setFootsteps(step, footsteps, "move");
    store.version.value++;
    return;
  }
  const last = held;
  held = null;
  if (last) setFootsteps(step, last.footsteps, phase);
}

/** @param {import("../../core/handles.js").Taken} what */
const isFoot = (what) => "tip" in what && what.tip === FOOT;
