/** Between the signals and the viewport: what is shown, what is picked, what is dragged. */
import { plain } from "../../core/numbers.js";
import { effect } from "../shell/html.js";
import { chosenGoal, goalsOf } from "./target_values.js";
import { dressed } from "./character_bodies.js";
import { addFootstep, sceneItems, takeItem } from "./scene_items.js";
import { cancel, commit, link } from "../shell/session.js";
import * as store from "../shell/store.js";
import { turnBetween } from "./quaternions.js";

/** @import { Print } from "../../core/footmarks.js" */

/** @param {import("../../core/viewport.js").Viewport} viewport @returns {() => void} */
export function wireScene(viewport) {
  let skeletonShown = /** @type {typeof store.skeleton.value} */ (null),
    framed = "",
    itemsShown = 0;
  const stops = [
    effect(() => {
      const skeleton = store.skeleton.value,
        original = store.original.value;
      if (!skeleton || !original) return;
      const same = skeleton.names.join() === original.skeleton?.names.join();
      if (skeleton !== skeletonShown) viewport.setSkeleton(skeleton);
      viewport.setOriginal(original, same ? skeleton : (original.skeleton ?? skeleton));
      skeletonShown = skeleton;
      viewport.setPathJoints(pathJoints());
    }),
    effect(() => {
      const motion = store.motion.value;
      if (!motion || !skeletonShown) return;
      viewport.setMotion(motion);
      const doc = store.doc.peek()?.doc ?? "";
      if (framed !== doc) {
        framed = doc;
        viewport.drawn().then(() => viewport.look("free"));
      }
    }),
    dressed(viewport),
    effect(() => {
      store.version.value;
      const { targets, steps, dots } = sceneItems(),
        count = targets.length + steps.length + dots.length;
      viewport.handles.setDots(dots);
      viewport.handles.goals.setTargets(targets);
      viewport.handles.setSteps(steps, (store.skeleton.value?.height ?? 1.75) / 1.75);
      if (count || itemsShown) viewport.draw();
      itemsShown = count;
    }),
    effect(() => {
      store.version.value;
      store.origins.value;
      placeGizmo(viewport);
      viewport.touch(store.largestChange.value); // last: it draws at once, and what is drawn then is not drawn again
    }),
    effect(() => viewport.setFloor(store.floor.value)),
    effect(() => viewport.setShown(store.shown.value)),
    effect(() => viewport.setCompare(store.compare.value)),
    effect(() => viewport.setPathJoints(pathJoints())),
    effect(() => showContacts(viewport)),
    effect(() => {
      store.frame.value;
      store.tool.value;
      store.chosenJoints.value;
      store.chosenStep.value;
      store.chosenItem.value;
      placeGizmo(viewport);
    }),
  ];
  viewport.originOf = store.originOf;
  viewport.onPick = (joint, event) => {
    const now = store.chosenJoints.value,
      step = store.step.value,
      walking = store.tool.value === "steps" && store.isOf(step, "follow_footsteps") ? step : null;
    const floor = joint === null && walking?.on ? viewport.onFloor(event) : null;
    if (floor && walking) {
      addFootstep(walking, floor);
      return;
    }
    if (joint === null) store.chosenJoints.value = [];
    else if (event.shiftKey)
      store.chosenJoints.value = now.includes(joint) ? now.filter((each) => each !== joint) : [...now, joint];
    else store.chosenJoints.value = [joint];
  };
  viewport.onTake = (what, phase, place, event) => takeItem(what, phase, place, event);
  viewport.handles.onGizmo = (phase, place, turn) => takeGizmo(viewport, phase, place, turn);
  viewport.onDraw = () => {
    const [joint] = store.chosenJoints.value;
    viewport.handles.setMarker(joint === undefined ? null : viewport.placeOf(joint));
    viewport.labels.setLabels(labelsOf(viewport));
  };
  return () => {
    for (const stop of stops) stop();
  };
}

/** The chosen joints, or both hands. */
function pathJoints() {
  const skeleton = store.skeleton.value;
  if (!skeleton) return [];
  if (store.chosenJoints.value.length) return store.chosenJoints.value;
  const left = skeleton.roles["left hand"];
  return left === undefined ? [] : [left];
}

/** @param {import("../../core/viewport.js").Viewport} viewport */
function showContacts(viewport) {
  const contacts = store.quality.value?.contacts?.is,
    skeleton = store.skeleton.value,
    motion = store.motion.value;
  if (!contacts || !skeleton || !motion) {
    viewport.marks.setPrints([], 0, 1);
    viewport.marks.setSlides([]);
    return;
  }
  viewport.marks.setPrints(/** @type {Print[]} */ (contacts.footprints), store.floor.value, skeleton.height / 1.75);
  const joints = skeleton.names.length;
  const slides = contacts.feet.flatMap((foot) =>
    foot.intervals
      .map(([start, stop, slide]) => ({ start, stop, slide: slide ?? 0 }))
      .filter(({ slide }) => slide > 10)
      .map(({ start, stop, slide }) => {
        const points = [];
        for (let f = start; f < Math.min(stop, motion.frames); f++) {
          const i = (f * joints + foot.joint) * 3;
          points.push(motion.positions[i], store.floor.value + 0.006, motion.positions[i + 2]);
        }
        return { side: /** @type {"left" | "right"} */ (foot.side), start, stop, slide, points };
      }),
  );
  viewport.marks.setSlides(slides);
  viewport.marks.setScreen(viewport.size.width, viewport.size.height);
  viewport.draw();
}

/** @param {import("../../core/viewport.js").Viewport} viewport */
function labelsOf(viewport) {
  /** @type {import("../../core/labels.js").Label[]} */ const labels = [];
  const frame = store.playback.frame;
  if (store.shown.value.contacts) {
    for (const slide of viewport.marks.slides) {
      if (frame < slide.start || frame >= slide.stop) continue;
      labels.push({
        id: `slide ${slide.side} ${slide.start}`,
        place: slide.points.slice(-3),
        text: `slides ${plain(slide.slide)} mm`,
        tone: `--${slide.side}-ink`,
        kind: "bare",
      });
    }
    for (const print of viewport.marks.prints) {
      if (Math.abs(print.place[0] - viewport.centre.x) + Math.abs(print.place[2] - viewport.centre.y) > 3) continue;
      const back = (print.heading_deg * Math.PI) / 180;
      labels.push({
        id: `print ${print.side} ${print.start}`,
        place: [print.place[0] - Math.sin(back) * 0.19, print.place[1], print.place[2] - Math.cos(back) * 0.19],
        text: print.side === "left" ? "L" : "R",
        tone: `--${print.side}-ink`,
        kind: "bare foot",
      });
    }
  }
  const [joint] = store.chosenJoints.value,
    skeleton = store.skeleton.value;
  if (joint !== undefined && skeleton)
    labels.push({
      id: "joint",
      place: viewport.placeOf(joint),
      text: store.jointLabel(joint),
      value: changeText(viewport, joint),
      tone: "--edited",
    });
  for (const item of sceneItems().labels) labels.push(item);
  return labels;
}

/** @param {import("../../core/viewport.js").Viewport} viewport @param {number} joint */
function changeText(viewport, joint) {
  const change = viewport.edited.change[joint] ?? 0;
  return change < 0.0005 ? "" : change < 0.1 ? `${plain(change * 1000)} mm` : `${plain(change * 100)} cm`;
}

/** The chosen target as the scene shows it. */
function aimedMark() {
  const step = store.step.value;
  return store.isOf(step, "aim") && step.on ? (goalsOf(step)[chosenGoal(step)]?.mark ?? null) : null;
}

/** @param {import("../../core/viewport.js").Viewport} viewport */
function placeGizmo(viewport) {
  const tool = store.tool.value,
    [joint] = store.chosenJoints.value;
  const mark = tool === "target" ? aimedMark() : null;
  if (mark) {
    if (!viewport.handles.holding) {
      const { shape, place, turn } = mark;
      if (shape === "turn") viewport.handles.setGizmo({ place, turn, mode: "rotate" });
      else if (shape === "arrow" || shape === "heading") viewport.handles.setGizmo(null);
      else viewport.handles.setGizmo({ place, mode: "translate" });
    }
    viewport.draw();
    return;
  }
  const editing =
    (tool === "move" || tool === "rotate") && joint !== undefined && !store.playing.value && viewport.motion;
  if (!editing) {
    if (viewport.handles.helper.visible) viewport.draw();
    viewport.handles.setGizmo(null);
    return;
  }
  if (viewport.handles.holding) return;
  viewport.edited.setFrame(store.playback.frame);
  viewport.handles.setGizmo({
    place: viewport.placeOf(joint),
    turn: tool === "rotate" ? viewport.turnOf(joint) : undefined,
    mode: tool === "rotate" ? "rotate" : "translate",
  });
  viewport.draw();
}

/** @type {{joint: number, frame: number, step: string | null, turn: number[]} | null} */
let held = null;

/** A pose is displaced by the gizmo: previewed under the hand, one step of undo. @param {import("../../core/viewport.js").Viewport} viewport @param {import("../../core/handles.js").Phase} phase @param {number[]} place @param {number[]} turn */
function takeGizmo(viewport, phase, place, turn) {
  const mark = store.tool.value === "target" ? aimedMark() : null;
  if (mark) {
    const turning = mark.shape === "turn";
    takeItem(turning ? { turn: mark.id } : { target: mark.id }, phase, turning ? turn : place, { ctrlKey: false });
    return;
  }
  const [joint] = store.chosenJoints.value;
  if (joint === undefined) return;
  if (phase === "start") {
    store.playback.setPlaying(false);
    const chosen = store.step.value;
    held = {
      joint,
      frame: Math.round(store.playback.frame),
      step: chosen && store.isOf(chosen, "displace") ? chosen.id : null,
      turn,
    };
    return;
  }
  if (!held) return;
  const { frame, step } = held;
  const base = {
    doc: store.doc.value?.doc,
    frame,
    joint: store.skeleton.value?.names[joint],
    ...(step ? { step } : {}),
  };
  if (phase === "move") {
    const what =
      store.tool.value === "rotate" ? { rotate: turnBetween(held.turn, turn), axes: "world" } : { to: place };
    poseSoon({ ...base, ...what, drag: true });
  } else if (phase === "end") {
    flushPose();
    commit(`${store.tool.value === "rotate" ? "Rotate" : "Move"} ${store.jointName(joint)}`);
    held = null;
  } else cancel();
}

/** @type {Record<string, unknown> | null} */
let pose = null;
let asking = false;

/** One question at a time, the newest wins. @param {Record<string, unknown>} message */
function poseSoon(message) {
  pose = message;
  if (!asking) flushPose();
}

async function flushPose() {
  if (!pose) return;
  const message = pose;
  pose = null;
  asking = true;
  try {
    const done = await link.ask("pose", message);
    if (done.step && !held?.step) {
      if (held) held.step = done.step;
      store.chosenStep.value = done.step;
    }
    if (done.key !== undefined) store.chosenKey.value = done.key;
  } catch (error) {
    store.trouble.value = { message: /** @type {Error} */ (error).message };
  }
  asking = false;
  if (pose) flushPose();
}
