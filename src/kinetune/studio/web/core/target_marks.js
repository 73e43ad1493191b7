/** Targets in the scene: a point to drag, a line or a direction whose tip turns it, rings for a whole turn. */
import * as THREE from "../vendor/three.js";
import { colour } from "./theme.js";

/**
 * @typedef {Object} Target
 * @property {string} id
 * @property {"point" | "line" | "arrow" | "heading" | "turn" | "look"} shape
 * @property {number[]} place  where it is, or where the joint is that it turns
 * @property {boolean} met
 * @property {boolean} chosen
 * @property {number[]} [way]  unit direction of a line, an arrow or a heading
 * @property {number[]} [turn]  wxyz
 * @property {number[]} [from]  the joint that looks there
 *
 * @typedef {{target: Target, key: string, group: THREE.Group, dot: THREE.Mesh | null, ring: THREE.Mesh | null, tip: THREE.Mesh | null, shaft: THREE.Line | null, far: THREE.Line | null, rings: THREE.Group | null}} Mark
 */

/** How far the tip of a direction is from its place, as a share of the distance to the camera. */
const REACH = 0.11;
const UP = new THREE.Vector3(0, 1, 0);

export class Goals {
  /** @param {THREE.Object3D} scene @param {THREE.PerspectiveCamera | THREE.OrthographicCamera} camera */
  constructor(scene, camera) {
    this.camera = camera;
    this.group = new THREE.Group();
    scene.add(this.group);
    /** @type {Map<string, Mark>} */ this.marks = new Map();
  }

  setTheme() {
    const now = [...this.marks.values()].map(({ target }) => target);
    this.setTargets([]);
    this.setTargets(now);
  }

  /** @param {Target[]} targets */
  setTargets(targets) {
    const wanted = new Map(targets.map((target) => [target.id, keyOf(target)]));
    for (const [id, mark] of this.marks) if (wanted.get(id) !== mark.key) this.remove(id);
    for (const target of targets) {
      const mark = this.marks.get(target.id) ?? this.make(target);
      mark.target = target;
      mark.group.position.fromArray(target.place);
      if (mark.rings && target.turn) {
        const [w, x, y, z] = target.turn;
        mark.rings.quaternion.set(x, y, z, w);
        mark.rings.visible = !target.chosen;
      }
      if (mark.far) {
        const way = new THREE.Vector3().fromArray(target.way ?? [0, 0, 0]),
          ends = target.from
            ? [new THREE.Vector3(), new THREE.Vector3().fromArray(target.from).sub(mark.group.position)]
            : [way.clone().multiplyScalar(-1.5), way.clone().multiplyScalar(1.5)];
        mark.far.geometry.setFromPoints(ends);
        mark.far.computeLineDistances();
      }
    }
    this.face();
  }

  /** @param {Target} target @returns {Mark} */
  make(target) {
    const tone = colour("--edited"),
      look = { depthTest: false, transparent: true };
    const flat = () => new THREE.MeshBasicMaterial({ color: tone, ...look });
    const group = new THREE.Group(),
      { shape } = target;
    /** @type {Mark} */ const mark = {
      target,
      key: keyOf(target),
      group,
      dot: null,
      ring: null,
      tip: null,
      shaft: null,
      far: null,
      rings: null,
    };
    if (shape === "point" || shape === "line" || shape === "look") {
      const tube = target.chosen ? 0.0036 : 0.0026;
      mark.ring = new THREE.Mesh(new THREE.TorusGeometry(0.045, tube, 8, target.met ? 40 : 9), flat());
      mark.dot = new THREE.Mesh(new THREE.SphereGeometry(0.014, 16, 12), flat());
      group.add(mark.ring, mark.dot);
    }
    if (shape === "line" || shape === "arrow" || shape === "heading") {
      mark.tip = new THREE.Mesh(new THREE.ConeGeometry(0.022, 0.06, 20), flat());
      mark.shaft = new THREE.Line(
        new THREE.BufferGeometry(),
        new THREE.LineBasicMaterial({ color: tone, linewidth: 2, ...look }),
      );
      group.add(mark.tip, mark.shaft);
    }
    if (shape === "heading") {
      mark.ring = new THREE.Mesh(new THREE.TorusGeometry(1, 0.006, 6, 64), flat());
      mark.ring.rotation.x = Math.PI / 2;
      /** @type {THREE.MeshBasicMaterial} */ (mark.ring.material).opacity = 0.55;
      group.add(mark.ring);
    }
    if (shape === "line") {
      mark.far = new THREE.Line(
        new THREE.BufferGeometry(),
        new THREE.LineBasicMaterial({ color: tone, opacity: 0.7, ...look }),
      );
      group.add(mark.far);
    }
    if (shape === "look") {
      mark.far = new THREE.Line(
        new THREE.BufferGeometry(),
        new THREE.LineDashedMaterial({ color: tone, opacity: 0.6, dashSize: 0.03, gapSize: 0.025, ...look }),
      );
      group.add(mark.far);
    }
    if (shape === "turn") {
      mark.rings = new THREE.Group();
      ["--axis-x", "--axis-y", "--axis-z"].forEach((axis, k) => {
        const ring = new THREE.Mesh(
          new THREE.TorusGeometry(0.1, 0.003, 6, 48),
          new THREE.MeshBasicMaterial({ color: colour(axis), ...look }),
        );
        if (k === 0) ring.rotation.y = Math.PI / 2;
        else if (k === 1) ring.rotation.x = Math.PI / 2;
        mark.rings?.add(ring);
      });
      group.add(mark.rings);
    }
    group.traverse((part) => {
      part.renderOrder = 8;
      part.frustumCulled = false;
    });
    this.group.add(group);
    this.marks.set(target.id, mark);
    return mark;
  }

  /** @param {string} id */
  remove(id) {
    const mark = this.marks.get(id);
    if (!mark) return;
    this.group.remove(mark.group);
    mark.group.traverse((part) => {
      const { geometry, material } = /** @type {THREE.Mesh} */ (part);
      geometry?.dispose();
      /** @type {THREE.Material | undefined} */ (material)?.dispose();
    });
    this.marks.delete(id);
  }

  /** Marks keep their size on the screen, and rings turn to the camera. */
  face() {
    for (const { target, group, dot, ring, tip, shaft, rings } of this.marks.values()) {
      const size = Math.max(0.3, this.camera.position.distanceTo(group.position) / 4.2);
      dot?.scale.setScalar(size);
      rings?.scale.setScalar(size);
      if (ring && target.shape === "heading") ring.scale.setScalar(this.reachOf(group.position));
      else if (ring) {
        ring.quaternion.copy(this.camera.quaternion);
        ring.scale.setScalar(size);
      }
      if (tip && shaft && target.way) {
        const way = new THREE.Vector3().fromArray(target.way).normalize();
        tip.position.copy(way).multiplyScalar(this.reachOf(group.position));
        tip.quaternion.setFromUnitVectors(UP, way);
        tip.scale.setScalar(size);
        shaft.geometry.setFromPoints([new THREE.Vector3(), tip.position]);
      }
    }
  }

  /** How far the tip of a direction is from its place, metres. @param {THREE.Vector3} place */
  reachOf(place) {
    return Math.max(0.12, this.camera.position.distanceTo(place) * REACH);
  }

  /** Where the tip of a direction is. @param {string} id @returns {THREE.Vector3 | null} */
  tipOf(id) {
    const mark = this.marks.get(id);
    return mark?.tip ? mark.tip.position.clone().add(mark.group.position) : null;
  }

  /** The target or tip that a ray meets. @param {THREE.Raycaster} ray @param {THREE.Vector3 | null} taken  where the gizmo is, which goes first @returns {{target: string} | {tip: string} | null} */
  pick({ ray }, taken) {
    const near = (/** @type {THREE.Vector3} */ at) =>
      ray.distanceToPoint(at) / Math.max(0.1, this.camera.position.distanceTo(at));
    for (const id of this.marks.keys()) {
      const tip = this.tipOf(id);
      if (tip && near(tip) < 0.02) return { tip: id };
    }
    for (const [id, { group, dot, rings }] of this.marks) {
      if (taken && group.position.distanceTo(taken) < 1e-3) continue;
      if ((dot && near(group.position) < 0.016) || (rings && near(group.position) < 0.028)) return { target: id };
    }
    return null;
  }

  /** Where a dragged tip goes: on the ball round its place, or level for a heading. @param {string} id @param {THREE.Raycaster} ray @returns {number[] | null} */
  dragTip(id, { ray }) {
    const mark = this.marks.get(id),
      from = this.tipOf(id);
    if (!mark || !from) return null;
    const centre = mark.group.position;
    if (mark.target.shape === "heading") {
      const level = new THREE.Plane().setFromNormalAndCoplanarPoint(UP, centre);
      return ray.intersectPlane(level, new THREE.Vector3())?.toArray() ?? null;
    }
    const radius = this.reachOf(centre),
      middle = ray.closestPointToPoint(centre, new THREE.Vector3()),
      away = middle.distanceTo(centre);
    if (away >= radius) return middle.sub(centre).setLength(radius).add(centre).toArray();
    const depth = Math.sqrt(radius * radius - away * away);
    const [front, back] = [-depth, depth].map((by) => middle.clone().addScaledVector(ray.direction, by));
    return (front.distanceTo(from) <= back.distanceTo(from) + 1e-9 ? front : back).toArray();
  }

  dispose() {
    this.setTargets([]);
    this.group.removeFromParent();
  }
}

/** What makes a mark look different. @param {Target} target */
const keyOf = ({ shape, met, chosen }) => `${shape} ${met} ${chosen}`;
