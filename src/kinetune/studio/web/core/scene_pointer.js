/** The pointer in the scene. */
import * as THREE from "../vendor/three.js";

/** Clicks pick joints; drags on targets, tips of directions and footprints move them, and Escape takes a drag back. @param {import("./viewport.js").Viewport} view @returns {() => void} */
export function pointing(view) {
  const { handles } = view;
  /** @type {{x: number, y: number} | null} */ let down = null;
  /** @type {{what: {step: number} | {target: string} | {tip: string}, plane: THREE.Plane} | null} */ let taken = null;
  /** @param {{step: number} | {target: string} | {tip: string}} what */
  const placeOf = (what) => {
    if ("step" in what) return handles.steps[what.step].position;
    if ("tip" in what) return handles.goals.tipOf(what.tip) ?? new THREE.Vector3();
    return handles.goals.marks.get(what.target)?.group.position ?? new THREE.Vector3();
  };
  /** @param {PointerEvent} event */
  const press = (event) => {
    if (event.button !== 0 || handles.holding || (handles.helper.visible && handles.gizmo.axis)) return;
    down = { x: event.clientX, y: event.clientY };
    const what = handles.pick(view.ray(event));
    if (!what) return;
    const place = placeOf(what);
    const normal = "step" in what ? new THREE.Vector3(0, 1, 0) : view.camera.getWorldDirection(new THREE.Vector3());
    taken = { what, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, place) };
    view.orbit.enabled = false;
    view.canvas.setPointerCapture(event.pointerId);
    view.onTake(what, "start", place.toArray(), event);
  };
  /** @param {PointerEvent} event */
  const catching = (event) => handles.setSnap(event.ctrlKey);
  /** @param {PointerEvent} event */
  const drag = (event) => {
    if (!taken) {
      if (event.buttons === 0) view.canvas.style.cursor = handles.pick(view.ray(event)) ? "grab" : "";
      return;
    }
    const ray = view.ray(event),
      { what } = taken;
    const hit =
      "tip" in what
        ? handles.goals.dragTip(what.tip, ray)
        : ray.ray.intersectPlane(taken.plane, new THREE.Vector3())?.toArray();
    if (hit) view.onTake(what, "move", hit, event);
    view.draw();
  };
  /** @param {"end" | "cancel"} phase @param {{ctrlKey: boolean}} event */
  const letGo = (phase, event) => {
    if (!taken) return;
    view.onTake(taken.what, phase, [], event);
    taken = null;
    view.orbit.enabled = true;
    view.draw();
  };
  /** @param {PointerEvent} event */
  const release = (event) => {
    if (taken) letGo("end", event);
    else if (down && event.target === view.canvas && Math.hypot(event.clientX - down.x, event.clientY - down.y) < 4)
      view.onPick(view.edited.pick(view.ray(event)), event);
    down = null;
  };
  /** @param {KeyboardEvent} event */
  const key = (event) => {
    if (event.key !== "Escape") return;
    if (taken) letGo("cancel", event);
    else if (handles.holding) handles.giveBack();
    else return;
    down = null;
    event.stopPropagation();
  };
  view.canvas.addEventListener("pointerdown", press, true);
  addEventListener("pointermove", catching, true);
  view.canvas.addEventListener("pointermove", drag);
  view.canvas.addEventListener("pointerup", release);
  addEventListener("keydown", key, true);
  return () => {
    view.canvas.removeEventListener("pointerdown", press, true);
    removeEventListener("pointermove", catching, true);
    view.canvas.removeEventListener("pointermove", drag);
    view.canvas.removeEventListener("pointerup", release);
    removeEventListener("keydown", key, true);
  };
}
