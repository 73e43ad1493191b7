/** What can be taken by the hand in the scene: the joint's gizmo, targets, footprints. */
import * as THREE from "../vendor/three.js";
import { TransformControls } from "../vendor/gizmo.js";
import { soleOutline } from "./footmarks.js";
import { colour } from "./theme.js";

/**
 * @typedef {Object} Target
 * @property {string} id
 * @property {number[]} place
 * @property {boolean} reachable
 * @property {number[]} [line]  direction, for a line constraint
 *
 * @typedef {Object} Step  a footprint that can be dragged
 * @property {"left" | "right"} side
 * @property {number[]} place
 * @property {number} heading_deg
 *
 * @typedef {"start" | "move" | "end" | "cancel"} Phase
 */

export class Handles {
  /**
   * @param {THREE.Scene} scene
   * @param {THREE.PerspectiveCamera} camera
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
    this.gizmo.addEventListener("dragging-changed", ({ value }) => {
      this.holding = Boolean(value);
      options.onHolding(this.holding);
      this.tell(this.holding ? "start" : "end");
    });
    this.gizmo.addEventListener("objectChange", () => {
      if (this.holding) this.tell("move");
      options.onDraw();
    });
    this.gizmo.addEventListener("change", options.onDraw);
    /** @type {Map<string, {ring: THREE.Mesh, dot: THREE.Mesh, line: THREE.Line | null, target: Target}>} */ this.targets =
      new Map();
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
    this.setTargets([...this.targets.values()].map(({ target }) => target));
    this.setSteps(this.stepValues, this.stepScale ?? 1);
  }

  /** @param {Phase} phase */
  tell(phase) {
    const { x, y, z, w } = this.anchor.quaternion;
    this.onGizmo(phase, this.anchor.position.toArray(), [w, x, y, z]);
  }

  /** Put the gizmo somewhere, or take it away. @param {{place: number[], turn?: number[], mode: "translate" | "rotate"} | null} where */
  setGizmo(where) {
    if (this.holding) return;
    if (!where) {
      this.gizmo.detach();
      this.helper.visible = false;
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

  /** Take hold without the mouse, as the keyboard does. @param {number[]} by  metres */
  nudge(by) {
    this.tell("start");
    this.anchor.position.add(new THREE.Vector3().fromArray(by));
    this.tell("move");
    this.tell("end");
  }

  /** Show which joint is chosen. @param {number[] | null} place */
  setMarker(place) {
    this.marker.visible = place !== null;
    if (place) this.marker.position.fromArray(place);
  }

  /** @param {Target[]} targets */
  setTargets(targets) {
    for (const { ring, dot, line } of this.targets.values()) {
      this.group.remove(ring, dot);
      if (line) this.group.remove(line);
    }
    this.targets.clear();
    for (const target of targets) {
      const tone = colour("--edited");
      const ring = new THREE.Mesh(
        new THREE.TorusGeometry(0.045, 0.0026, 8, target.reachable ? 40 : 9),
        new THREE.MeshBasicMaterial({ color: tone, depthTest: false, transparent: true }),
      );
      const dot = new THREE.Mesh(
        new THREE.SphereGeometry(0.014, 16, 12),
        new THREE.MeshBasicMaterial({ color: tone, depthTest: false, transparent: true }),
      );
      ring.renderOrder = dot.renderOrder = 8;
      ring.position.fromArray(target.place);
      dot.position.fromArray(target.place);
      let line = null;
      if (target.line) {
        const way = new THREE.Vector3().fromArray(target.line).normalize(),
          middle = new THREE.Vector3().fromArray(target.place);
        line = new THREE.Line(
          new THREE.BufferGeometry().setFromPoints([
            middle.clone().addScaledVector(way, -1),
            middle.clone().addScaledVector(way, 1),
          ]),
          new THREE.LineBasicMaterial({ color: tone, depthTest: false, transparent: true, opacity: 0.7 }),
        );
        this.group.add(line);
      }
      this.group.add(ring, dot);
      this.targets.set(target.id, { ring, dot, line, target });
    }
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

  /** The footprint or target that a ray meets. @param {THREE.Raycaster} ray @returns {{step: number} | {target: string} | null} */
  pick(ray) {
    for (const [id, { dot }] of this.targets) {
      if (this.helper.visible && dot.position.distanceTo(this.anchor.position) < 1e-3) continue; // the gizmo has it
      const away = ray.ray.distanceToPoint(dot.position) / Math.max(0.1, this.camera.position.distanceTo(dot.position));
      if (away < 0.016) return { target: id };
    }
    const [hit] = ray.intersectObjects(this.steps);
    return hit ? { step: /** @type {number} */ (hit.object.userData.step) } : null;
  }

  /** Turn flat marks to the camera. */
  face() {
    this.marker.quaternion.copy(this.camera.quaternion);
    this.marker.scale.setScalar(Math.max(0.3, this.camera.position.distanceTo(this.marker.position) / 4.2));
    for (const { ring, dot } of this.targets.values()) {
      ring.quaternion.copy(this.camera.quaternion);
      const size = Math.max(0.3, this.camera.position.distanceTo(ring.position) / 4.2);
      ring.scale.setScalar(size);
      dot.scale.setScalar(size);
    }
  }

  dispose() {
    this.gizmo.detach();
    this.gizmo.dispose();
    this.scene.remove(this.group, this.anchor, this.helper, this.marker, this.dots);
  }
}
