/** What can be taken by the hand in the scene: the joint's gizmo, targets, footprints. */
import * as THREE from "../vendor/three.js";
import { TransformControls } from "../vendor/gizmo.js";
import { soleOutline } from "./footmarks.js";
import { Goals } from "./target_marks.js";
import { colour } from "./theme.js";

/**
 * @typedef {Object} Step  a footprint that can be dragged
 * @property {"left" | "right"} side
 * @property {number[]} place
 * @property {number} heading_deg
 *
 * @typedef {{step: number} | {target: string} | {tip: string} | {turn: string}} Taken  a footprint, a target, the tip of its direction, its turn
 * @typedef {"start" | "move" | "end" | "cancel"} Phase
 */

/** Nudges that follow each other within this time are one edit. */
const NUDGE_MS = 300;

export class Handles {
  /**
   * @param {THREE.Scene} scene
   * @param {THREE.PerspectiveCamera | THREE.OrthographicCamera} camera
   * @param {HTMLElement} canvas
   * @param {{onHolding: (on: boolean) => void, onDraw: () => void}} options
   */
  constructor(scene, camera, canvas, options) {
    this.scene = scene;
    this.camera = camera;
    this.group = new THREE.Group();
    this.anchor = new THREE.Object3D();
    scene.add(this.group, this.anchor);
    this.gizmo = new TransformControls(camera, canvas);
    this.gizmo.setSize(0.72);
    this.helper = this.gizmo.getHelper();
    this.helper.visible = false;
    scene.add(this.helper);
    /** @type {(phase: Phase, place: number[], turn: number[]) => void} */ this.onGizmo = () => {};
    this.holding = false;
    this.undone = false;
    this.letting = 0;
    this.gizmo.addEventListener("dragging-changed", ({ value }) => {
      this.holding = Boolean(value);
      options.onHolding(this.holding);
      this.emit(this.holding ? "start" : this.undone ? "cancel" : "end");
      this.undone = false;
    });
    this.gizmo.addEventListener("objectChange", () => {
      if (this.holding) this.emit("move");
      options.onDraw();
    });
    this.gizmo.addEventListener("change", options.onDraw);
    this.goals = new Goals(this.group, camera);
    /** @type {THREE.Mesh[]} */ this.steps = [];
    /** @type {Step[]} */ this.stepValues = [];
    this.marker = new THREE.Mesh(
      new THREE.RingGeometry(0.022, 0.028, 28),
      new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, side: THREE.DoubleSide }),
    );
    this.marker.renderOrder = 9;
    this.marker.visible = false;
    this.dots = new THREE.Points(
      new THREE.BufferGeometry(),
      new THREE.PointsMaterial({ size: 5, sizeAttenuation: false, transparent: true, opacity: 0.8 }),
    );
    this.dots.frustumCulled = false;
    this.dots.visible = false;
    scene.add(this.marker, this.dots);
    this.setTheme();
  }

  setTheme() {
    const [x, y, z] = ["--axis-x", "--axis-y", "--axis-z"].map(colour);
    this.gizmo.setColors(x, y, z, colour("--text-1"));
    this.marker.material.color = colour("--text-1");
    this.dots.material.color = colour("--ghost");
    this.goals.setTheme();
    this.setSteps(this.stepValues, this.stepScale ?? 1);
  }

  /** @param {Phase} phase */
  emit(phase) {
    const { x, y, z, w } = this.anchor.quaternion;
    this.onGizmo(phase, this.anchor.position.toArray(), [w, x, y, z]);
  }

  /** The hand takes the gizmo's drag back. */
  giveBack() {
    if (!this.gizmo.dragging) {
      clearTimeout(this.letting);
      this.holding = false;
      this.emit("cancel");
      return;
    }
    this.undone = true;
    this.gizmo.reset();
    this.gizmo.dragging = false;
  }

  /** Catch at 5 cm and 5 degrees, or run free. @param {boolean} on */
  setSnap(on) {
    this.gizmo.setTranslationSnap(on ? 0.05 : null);
    this.gizmo.setRotationSnap(on ? Math.PI / 36 : null);
  }

  /** Put the gizmo somewhere, or take it away. @param {{place: number[], turn?: number[], mode: "translate" | "rotate"} | null} where */
  setGizmo(where) {
    if (this.holding) return;
    if (!where) {
      this.gizmo.detach();
      this.helper.visible = false;
      this.setAxis(null);
      return;
    }
    this.anchor.position.fromArray(where.place);
    const [w, x, y, z] = where.turn ?? [1, 0, 0, 0];
    this.anchor.quaternion.set(x, y, z, w);
    this.gizmo.setMode(where.mode);
    this.gizmo.setSpace(where.mode === "rotate" ? "local" : "world");
    this.gizmo.attach(this.anchor);
    this.helper.visible = true;
  }

  /** Take hold without the mouse, as the keyboard does. @param {number} axis  0 to 2 @param {number} by  metres, or radians of a turn */
  nudge(axis, by) {
    const way = new THREE.Vector3().setComponent(axis, 1);
    if (!this.holding) {
      this.holding = true;
      this.emit("start");
    }
    if (this.gizmo.mode === "rotate") this.anchor.rotateOnAxis(way, by);
    else this.anchor.position.addScaledVector(way, by);
    this.emit("move");
    clearTimeout(this.letting);
    this.letting = window.setTimeout(() => {
      this.holding = false;
      this.emit("end");
    }, NUDGE_MS);
  }

  /** Show one axis of the gizmo only, or all of them. @param {number | null} axis */
  setAxis(axis) {
    this.gizmo.showX = axis === null || axis === 0;
    this.gizmo.showY = axis === null || axis === 1;
    this.gizmo.showZ = axis === null || axis === 2;
  }

  /** Show which joint is chosen. @param {number[] | null} place */
  setMarker(place) {
    this.marker.visible = place !== null;
    if (place) this.marker.position.fromArray(place);
  }

  /** Where the examples have the joint. @param {number[][]} places */
  setDots(places) {
    this.dots.visible = places.length > 0;
    if (places.length) this.dots.geometry.setAttribute("position", new THREE.Float32BufferAttribute(places.flat(), 3));
  }

  /** Footprints that can be dragged. @param {Step[]} steps @param {number} scale */
  setSteps(steps, scale) {
    for (const mesh of this.steps) {
      this.group.remove(mesh);
      mesh.geometry.dispose();
    }
    this.stepValues = steps;
    this.stepScale = scale;
    this.steps = steps.map((step, k) => {
      const outline = soleOutline(step.side, 0, 0, step.heading_deg, scale * 1.06).map(
        ([x, z]) => new THREE.Vector2(x, -z),
      );
      const mesh = new THREE.Mesh(
        new THREE.ShapeGeometry(new THREE.Shape(outline)).rotateX(-Math.PI / 2),
        new THREE.MeshBasicMaterial({
          color: colour(`--${step.side}`),
          transparent: true,
          opacity: 0.5,
          depthWrite: false,
        }),
      );
      mesh.position.set(step.place[0], step.place[1] + 0.006, step.place[2]);
      mesh.renderOrder = 2;
      mesh.userData.step = k;
      this.group.add(mesh);
      return mesh;
    });
  }

  /** The footprint or target that a ray meets. @param {THREE.Raycaster} ray @returns {{step: number} | {target: string} | {tip: string} | null} */
  pick(ray) {
    const goal = this.goals.pick(ray, this.helper.visible ? this.anchor.position : null);
    if (goal) return goal;
    const [hit] = ray.intersectObjects(this.steps);
    return hit ? { step: /** @type {number} */ (hit.object.userData.step) } : null;
  }

  /** @param {THREE.PerspectiveCamera | THREE.OrthographicCamera} camera */
  setCamera(camera) {
    this.camera = this.gizmo.camera = this.goals.camera = camera;
  }

  /** Turn flat marks to the camera. */
  face() {
    this.marker.quaternion.copy(this.camera.quaternion);
    this.marker.scale.setScalar(Math.max(0.3, this.camera.position.distanceTo(this.marker.position) / 4.2));
    this.goals.face();
  }

  dispose() {
    clearTimeout(this.letting);
    this.gizmo.detach();
    this.gizmo.dispose();
    this.goals.dispose();
    this.scene.remove(this.group, this.anchor, this.helper, this.marker, this.dots);
  }
}
