/** The pointer in the scene. */
import * as THREE from "../vendor/three.js";

/** Clicks pick joints; drags on targets and footprints move them. @param {import("./viewport.js").Viewport} view @returns {() => void} */
export function pointing(view) {
  /** @type {{x: number, y: number} | null} */ let down = null;
  /** @type {{what: {step: number} | {target: string}, plane: THREE.Plane} | null} */ let taken = null;
  /** @param {PointerEvent} event */
  const press = (event) => {
    if (event.button !== 0 || view.handles.holding || (view.handles.helper.visible && view.handles.gizmo.axis)) return;
    down = { x: event.clientX, y: event.clientY };
    const what = view.handles.pick(view.ray(event));
    if (!what) return;
    const place =
      "step" in what
        ? view.handles.steps[what.step].position
        : /** @type {{dot: THREE.Mesh}} */ (view.handles.targets.get(what.target)).dot.position;
    const normal = "step" in what ? new THREE.Vector3(0, 1, 0) : view.camera.getWorldDirection(new THREE.Vector3());
    taken = { what, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, place) };
    view.orbit.enabled = false;
    view.canvas.setPointerCapture(event.pointerId);
    view.onTake(what, "start", place.toArray(), event);
  };
  /** @param {PointerEvent} event */
  const drag = (event) => {
    if (!taken) return;
    const hit = view.ray(event).ray.intersectPlane(taken.plane, new THREE.Vector3());
    if (hit) view.onTake(taken.what, "move", hit.toArray(), event);
    view.draw();
  };
  /** @param {PointerEvent} event */
  const release = (event) => {
    if (taken) {
      view.onTake(taken.what, "end", [], event);
      taken = null;
      view.orbit.enabled = true;
    } else if (down && event.target === view.canvas && Math.hypot(event.clientX - down.x, event.clientY - down.y) < 4) {
      view.onPick(view.edited.pick(view.ray(event)), event);
    }
    down = null;
  };
  view.canvas.addEventListener("pointerdown", press, true);
  view.canvas.addEventListener("pointermove", drag);
  view.canvas.addEventListener("pointerup", release);
  return () => {
    view.canvas.removeEventListener("pointerdown", press, true);
    view.canvas.removeEventListener("pointermove", drag);
    view.canvas.removeEventListener("pointerup", release);
  };
}
