/** Forces from the floor as arrows, and the cones that friction allows them to lie in. */
import * as THREE from "../vendor/three.js";
import { colour } from "./theme.js";

/**
 * @typedef {Object} FloorForces
 * @property {number} frames
 * @property {number} points
 * @property {Float32Array} places  (frames, points, 3)
 * @property {Float32Array} forces  (frames, points, 3) newtons
 * @property {number} mu
 * @property {number} weight  newtons
 */

const UP = new THREE.Vector3(0, 1, 0);

export class Forces {
  /** @param {THREE.Scene} scene */
  constructor(scene) {
    this.scene = scene;
    this.group = new THREE.Group();
    this.group.visible = false;
    scene.add(this.group);
    /** @type {FloorForces | null} */ this.data = null;
    /** @type {{shaft: THREE.Mesh, head: THREE.Mesh, cone: THREE.Mesh}[]} */ this.arrows = [];
    this.shaft = new THREE.CylinderGeometry(0.008, 0.008, 1, 10).translate(0, 0.5, 0);
    this.head = new THREE.ConeGeometry(0.026, 0.07, 14).translate(0, 0.035, 0);
    this.arrow = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.95 });
    this.outside = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.95 });
    this.cone = new THREE.MeshBasicMaterial({
      transparent: true,
      opacity: 0.1,
      side: THREE.DoubleSide,
      depthWrite: false,
    });
    this.setTheme();
  }

  setTheme() {
    this.arrow.color = colour("--good");
    this.outside.color = colour("--bad");
    this.cone.color = colour("--text-1");
  }

  /** @param {FloorForces | null} data */
  setForces(data) {
    for (const { shaft, head, cone } of this.arrows) {
      this.group.remove(shaft, head, cone);
      cone.geometry.dispose();
    }
    this.data = data;
    this.arrows = Array.from({ length: data?.points ?? 0 }, () => {
      const tall = 0.42,
        wide = tall * (data?.mu ?? 1);
      const made = {
        shaft: new THREE.Mesh(this.shaft, this.arrow),
        head: new THREE.Mesh(this.head, this.arrow),
        cone: new THREE.Mesh(
          new THREE.ConeGeometry(wide, tall, 28, 1, true).rotateX(Math.PI).translate(0, tall / 2, 0),
          this.cone,
        ),
      };
      this.group.add(made.shaft, made.head, made.cone);
      return made;
    });
  }

  /** @param {number} frame */
  setFrame(frame) {
    const data = this.data;
    if (!data || !this.group.visible) return;
    const row = Math.min(data.frames - 1, Math.max(0, Math.round(frame))) * data.points * 3;
    const force = new THREE.Vector3(),
      place = new THREE.Vector3();
    let strongest = 0,
      largest = 1;
    for (let k = 0; k < data.points; k++) {
      const size = Math.hypot(...data.forces.subarray(row + k * 3, row + k * 3 + 3));
      if (size > largest) {
        largest = size;
        strongest = k;
      }
    }
    this.arrows.forEach(({ shaft, head, cone }, k) => {
      force.fromArray(data.forces, row + k * 3);
      place.fromArray(data.places, row + k * 3);
      const newtons = force.length(),
        shown = newtons > 1;
      shaft.visible = head.visible = shown;
      cone.visible = shown && k === strongest;
      if (!shown) return;
      const length = Math.max(0.03, (newtons / data.weight) * 0.75);
      const level = Math.hypot(force.x, force.z);
      shaft.material = head.material = level > data.mu * Math.max(0, force.y) + 1 ? this.outside : this.arrow;
      force.normalize();
      shaft.position.copy(place);
      shaft.quaternion.setFromUnitVectors(UP, force);
      shaft.scale.set(1, length, 1);
      head.position.copy(place).addScaledVector(force, length);
      head.quaternion.copy(shaft.quaternion);
      cone.position.copy(place);
    });
  }

  /** @param {boolean} on */
  setVisible(on) {
    this.group.visible = on;
  }

  dispose() {
    this.setForces(null);
    this.scene.remove(this.group);
    for (const thing of [this.shaft, this.head, this.arrow, this.outside, this.cone]) thing.dispose();
  }
}
