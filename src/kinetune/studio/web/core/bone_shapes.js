/** Bones and joints as simple solids, for a look at the skeleton itself and until a surface has come. */
import * as THREE from "../vendor/three.js";

/** @typedef {import("./types.js").Skeleton} Skeleton */

const UP = new THREE.Vector3(0, 1, 0);

export class BoneShapes {
  /** @param {THREE.Group} group @param {THREE.Material} material */
  constructor(group, material) {
    this.group = group;
    this.material = material;
    /** @type {THREE.InstancedMesh | null} */ this.bones = null;
    /** @type {THREE.InstancedMesh | null} */ this.balls = null;
    /** @type {number[]} */ this.parents = [];
    this.size = 0.02;
    this.bone = new THREE.ConeGeometry(1, 1, 6).translate(0, 0.5, 0);
    this.ball = new THREE.SphereGeometry(1, 10, 8);
  }

  /** @param {Skeleton} skeleton @param {number} height */
  setSkeleton(skeleton, height) {
    this.clear();
    this.parents = skeleton.parents;
    this.size = Math.max(0.004, height * 0.011);
    this.bones = new THREE.InstancedMesh(this.bone, this.material, this.parents.length);
    this.balls = new THREE.InstancedMesh(this.ball, this.material, this.parents.length);
    for (const mesh of [this.bones, this.balls]) {
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      this.group.add(mesh);
    }
  }

  /** @param {boolean} on */
  setVisible(on) {
    for (const mesh of [this.bones, this.balls]) if (mesh) mesh.visible = on;
  }

  /** @param {Float32Array} now  positions of the joints */
  setPose(now) {
    if (!this.bones || !this.balls) return;
    const place = new THREE.Vector3(),
      end = new THREE.Vector3(),
      turn = new THREE.Quaternion(),
      size = new THREE.Vector3(),
      matrix = new THREE.Matrix4();
    this.parents.forEach((parent, joint) => {
      end.fromArray(now, joint * 3);
      this.balls?.setMatrixAt(joint, matrix.makeScale(this.size, this.size, this.size).setPosition(end));
      if (parent < 0) matrix.makeScale(0, 0, 0);
      else {
        place.fromArray(now, parent * 3);
        const along = end.clone().sub(place),
          length = along.length();
        turn.setFromUnitVectors(UP, along.divideScalar(length || 1));
        matrix.compose(place, turn, size.set(this.size, length, this.size));
      }
      this.bones?.setMatrixAt(joint, matrix);
    });
    this.bones.instanceMatrix.needsUpdate = true;
    this.balls.instanceMatrix.needsUpdate = true;
  }

  clear() {
    for (const mesh of [this.bones, this.balls]) {
      if (!mesh) continue;
      this.group.remove(mesh);
      mesh.dispose();
    }
    this.bones = this.balls = null;
  }

  dispose() {
    this.clear();
    this.bone.dispose();
    this.ball.dispose();
  }
}
