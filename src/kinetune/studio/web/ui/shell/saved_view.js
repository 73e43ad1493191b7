/** What a document looked like: camera, frame, loop, chosen things and open panels, saved with it and restored. */
import * as parts from "../drawings/drawing_selection.js";
import { link } from "./session.js";
import * as store from "./store.js";
import { viewport } from "../motion/viewport_panel.js";

/**
 * What is saved with a document; the first four belong to drawings.
 * @typedef {Object} SavedView
 * @property {{key: number, layer: number, contour: number}} [chosen]
 * @property {string} [tool]
 * @property {number} [detail]
 * @property {number} [moment]
 * @property {number} [frame]
 * @property {[number, number] | null} [loop]
 * @property {boolean} [looping]
 * @property {number} [speed]
 * @property {string} [step]
 * @property {number[]} [joints]
 * @property {import("../../core/viewport.js").Shown} [shown]
 * @property {import("../../core/viewport.js").Compare} [compare]
 * @property {import("../../core/viewport.js").Body} [body]
 * @property {{orthographic: boolean, follow: boolean}} [seen]
 * @property {boolean} [drawer]
 * @property {number[] | null} [camera]
 */

const PACE = 350;
/** What was sent to the server last, by key. @type {Record<string, string>} */
let sent = {};
let of = "";
/** A camera that waits until the figure is there. @type {number[] | null} */
let camera = null;

/** @returns {SavedView} */
function now() {
  if (store.kind.value === "drawing")
    return {
      chosen: parts.chosen.value,
      tool: parts.tool.value,
      detail: parts.detail.value,
      ...(parts.playing.value ? {} : { moment: parts.moment.value }),
    };
  const { playback } = store;
  return {
    ...(playback.playing ? {} : { frame: Math.round(playback.frame) }),
    loop: playback.range,
    looping: playback.looping,
    speed: playback.speed,
    step: store.chosenStep.value,
    joints: store.chosenJoints.value,
    shown: store.shown.value,
    compare: store.compare.value,
    body: store.body.value,
    seen: { orthographic: store.seen.value.orthographic, follow: store.seen.value.follow },
    drawer: store.drawerOpen.value,
    ...(camera ? {} : { camera: seenFrom() }),
  };
}

/** Camera and target as seen from the figure's place on the floor. */
function seenFrom() {
  if (!viewport) return null;
  const { position } = viewport.camera,
    { target } = viewport.orbit,
    { x, y: z } = viewport.centre;
  return [position.x - x, position.y, position.z - z, target.x - x, target.y, target.z - z].map(
    (v) => Math.round(v * 1000) / 1000,
  );
}

/** Put the camera back, once there is a figure to look at. */
function place() {
  if (!camera || !viewport?.motion || viewport.renders < 2) return;
  const { x, y: z } = viewport.centre,
    [px, py, pz, tx, ty, tz] = camera;
  viewport.camera.position.set(px + x, py, pz + z);
  viewport.orbit.target.set(tx + x, ty, tz + z);
  viewport.rig.untouched = false;
  viewport.orbit.update();
  viewport.draw();
  camera = null;
}

/** Show a document as it was left. @param {string} doc @param {SavedView} view */
export function restore(doc, view) {
  of = doc;
  sent = {};
  for (const [name, value] of Object.entries(view)) sent[name] = JSON.stringify(value);
  camera = Array.isArray(view.camera) && view.camera.length === 6 ? view.camera : null;
  if (view.chosen) parts.chosen.value = view.chosen;
  parts.tool.value = view.tool === "shape" || view.tool === "match" ? view.tool : "film";
  if (view.detail) parts.detail.value = view.detail;
  parts.moment.value = view.moment ?? 0;
  if (view.step) store.chosenStep.value = view.step;
  if (Array.isArray(view.joints)) store.chosenJoints.value = view.joints;
  store.shown.value = { ...store.shown.value, forces: false, ...view.shown };
  store.compare.value = view.compare ?? "b";
  store.body.value = view.body ?? "skin";
  viewport?.setOrthographic(Boolean(view.seen?.orthographic));
  viewport?.setFollow(view.seen?.follow ?? true);
  if (typeof view.drawer === "boolean") store.drawerOpen.value = view.drawer;
  if (typeof view.looping === "boolean") store.playback.setLooping(view.looping);
  if (view.speed) store.playback.setSpeed(view.speed);
  wanted = { frame: view.frame, loop: view.loop };
}

/** Frame and loop, which fit once the clip is there. @type {{frame?: number, loop?: [number, number] | null}} */
let wanted = {};

function settle() {
  if (!store.motion.value || store.motion.value.frames !== store.playback.frames) return;
  if (wanted.frame !== undefined) store.playback.setFrame(wanted.frame);
  if (wanted.loop) store.playback.setRange(wanted.loop);
  wanted = {};
}

/** Whether the server has everything. */
export const isRemembered = () =>
  !camera && Object.entries(now()).every(([name, value]) => sent[name] === JSON.stringify(value));

/** Send what has changed to the server, a few times a second. */
export function remember() {
  setInterval(() => {
    const doc = store.doc.value?.doc;
    if (!doc || doc !== of || store.doc.value?.pending || store.connection.value !== "open") return;
    place();
    settle();
    if (camera || wanted.frame !== undefined || wanted.loop) return;
    /** @type {Record<string, unknown>} */ const set = {};
    for (const [name, value] of Object.entries(now())) {
      const text = JSON.stringify(value);
      if (text === sent[name]) continue;
      sent[name] = text;
      set[name] = value;
    }
    if (Object.keys(set).length) link.say("view", { doc, set });
  }, PACE);
}
