/** The gizmo by the keyboard: X, Y or Z chooses an axis, then arrows move or turn along it. */
import * as store from "../shell/store.js";
import { viewport } from "./viewport_panel.js";

const AXES = ["x", "y", "z"];
/** Metres and degrees for one press; a fifth with Shift. */
const MOVE_M = 0.01,
  TURN_DEG = 2;

/** @type {number | null} */
let axis = null;

/** Whether a key was for the gizmo. @param {KeyboardEvent} event */
export function nudgeKey(event) {
  const handles = viewport?.handles;
  if (!handles?.helper.visible || !(/** @type {Element} */ (event.target).closest?.(".view"))) {
    axis = null;
    return false;
  }
  const named = AXES.indexOf(event.key.toLowerCase());
  if (named >= 0) {
    axis = axis === named ? null : named;
    handles.setAxis(axis);
    viewport?.draw();
    return true;
  }
  if (axis === null) return false;
  if (event.key === "Escape") {
    axis = null;
    handles.setAxis(null);
    viewport?.draw();
    return true;
  }
  const way = /** @type {Record<string, number>} */ ({ ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 })[
    event.key
  ];
  if (!way) return false;
  store.playback.setPlaying(false);
  const fine = event.shiftKey ? 0.2 : 1;
  handles.nudge(axis, way * fine * (handles.gizmo.mode === "rotate" ? (TURN_DEG * Math.PI) / 180 : MOVE_M));
  return true;
}
