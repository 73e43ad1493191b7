/** A character in the scene: skin, mannequin or bones on a motion, tinted by how far it departs from another. */
import * as THREE from "../vendor/three.js";
import { BoneShapes } from "./bone_shapes.js";
import { ChangeTint } from "./surface.js";
import { colour } from "./theme.js";

/** @typedef {import("./types.js").Skeleton} Skeleton */
/** @typedef {import("./types.js").Motion} Motion */
/** @typedef {import("./surface.js").Surface} Surface */
/** @typedef {"lit" | "ghost"} Look  lit: porcelain or skin; ghost: one flat grey, only where it differs */

const TINTED = /* glsl */ `
  float departs = pow(clamp(bonesChanged / fullScale, 0.0, 1.0), 0.7) * 0.88;
  diffuseColor.rgb = mix(diffuseColor.rgb, tone * min(vec3(1.0), vColor * 1.1), departs);`;
const DIFFERS = /* glsl */ `if (bonesChanged < fullScale) discard;`;
/** A ghost closer than this to the motion that it is compared with is not seen, metres. */
const SAME = 0.002;
/** As many points of a surface say how large it is. */
const LOOKED_AT = 4000;
/** How thick the body is round a bone, for the pointer: shares of its height. */
const THICK = { trunk: 0.075, limb: 0.035 };

export class Character {
  /** @param {THREE.Scene} scene @param {{look: Look, coarse: boolean, opacity?: number}} options */
  constructor(scene, options) {
    this.scene = scene;
    this.options = options;
    this.group = new THREE.Group();
    scene.add(this.group);
    /** @type {Motion | null} */ this.motion = null;
    /** @type {Motion | null} */ this.against = null;
    /** @type {Skeleton | null} */ this.skeleton = null;
    /** @type {Surface | null} */ this.surface = null;
    /** @type {THREE.SkinnedMesh[]} */ this.meshes = [];
    /** @type {THREE.Material[]} */ this.materials = [];
    this.bones = new THREE.Skeleton([]);
    this.joints = 0;
    this.now = new Float32Array(0);
    this.there = new Float32Array(0);
    this.nowTurns = new Float32Array(0);
    this.change = new Float32Array(0);
    this.offset = new THREE.Vector3();
    this.fullScale = 0.005;
    this.tinted = true;
    this.tint = new ChangeTint();
    this.plain = this.lit(null);
    this.boneShapes = new BoneShapes(this.group, this.plain);
    this.showsBones = false;
    this.setTheme();
  }

  /** @param {Surface["materials"][number] | null} of */
  lit(of) {
    if (this.options.look === "ghost")
      return new THREE.MeshBasicMaterial({ transparent: true, opacity: this.options.opacity ?? 0.34 });
    const own = { vertexColors: of !== null, map: of?.picture ?? null };
    return this.options.coarse
      ? new THREE.MeshLambertMaterial(own)
      : new THREE.MeshStandardMaterial({ ...own, roughness: this.surface?.body === "skin" ? 0.75 : 0.5 });
  }

  setTheme() {
    const ghost = this.options.look === "ghost";
    this.tint.uniforms.tone.value = colour("--edited-fill");
    const base = colour(ghost ? "--ghost" : "--fig-hi");
    /** @type {THREE.MeshBasicMaterial} */ (this.plain).color = base;
    this.materials.forEach((material, k) => {
      const own = this.surface?.body === "skin" && !ghost ? this.surface.materials[k]?.colour : base;
      if ("color" in material && own) /** @type {THREE.MeshBasicMaterial} */ (material).color = own;
    });
  }

  /** @param {Skeleton} skeleton @param {number} height */
  setSkeleton(skeleton, height) {
    this.skeleton = skeleton;
    this.height = height;
    this.joints = skeleton.names.length;
    this.now = new Float32Array(this.joints * 3);
    this.there = new Float32Array(this.joints * 3);
    this.nowTurns = new Float32Array(this.joints * 4);
    this.change = new Float32Array(this.joints);
    this.boneShapes.setSkeleton(skeleton, height);
    this.setSurface(null);
  }

  /** What is shown round the bones; without one, the bones themselves. @param {Surface | null} surface */
  setSurface(surface) {
    for (const mesh of this.meshes) this.group.remove(mesh);
    for (const material of this.materials) material.dispose();
    this.bones.dispose();
    this.meshes = [];
    this.materials = [];
    this.surface = surface && surface.joints.every((joint) => joint < this.joints) ? surface : null;
    this.showBones(this.showsBones);
    if (!this.surface) return;
    const ghost = this.options.look === "ghost",
      { geometry, joints, binds, materials } = this.surface;
    this.tint.setSize(joints.length);
    this.bones = new THREE.Skeleton(
      joints.map(() => new THREE.Bone()),
      binds,
    );
    for (const bone of this.bones.bones) bone.matrixAutoUpdate = bone.matrixWorldAutoUpdate = false;
    /** @param {THREE.Material[]} made @param {number} order */
    const add = (made, order) => {
      const mesh = new THREE.SkinnedMesh(geometry, made);
      mesh.bind(this.bones, new THREE.Matrix4());
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      mesh.castShadow = !ghost && !this.options.coarse;
      this.group.add(mesh);
      this.meshes.push(mesh);
      this.materials.push(...made);
    };
    if (ghost) {
      const depth = () =>
        new THREE.MeshBasicMaterial({
          ...{ colorWrite: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 },
        });
      add(
        materials.map(() => this.tint.colouring(depth(), DIFFERS)),
        2,
      );
      add(
        materials.map(() => this.tint.colouring(this.lit(null), DIFFERS)),
        3,
      );
    } else
      add(
        materials.map((each) => {
          const made = this.tint.colouring(this.lit(each), TINTED);
          made.side = this.surface?.body === "skin" ? THREE.DoubleSide : THREE.FrontSide;
          return made;
        }),
        0,
      );
    this.setTheme();
    this.showBones(this.showsBones);
  }

  /** @param {boolean} on */
  showBones(on) {
    this.showsBones = on;
    const bones = on || !this.surface;
    this.boneShapes.setVisible(bones && this.options.look !== "ghost");
    for (const mesh of this.meshes) mesh.visible = !bones;
  }

  /** @param {Motion | null} motion @param {Motion | null} against  what the tint compares with */
  setMotion(motion, against) {
    this.motion = motion;
    this.against = against;
  }

  /** Which change, in metres, is the full tint. @param {number} metres */
  setFullScale(metres) {
    this.fullScale = Math.max(0.005, metres);
  }

  /** @param {boolean} on */
  setTinted(on) {
    this.tinted = on;
  }

  /** @param {boolean} on */
  setVisible(on) {
    this.group.visible = on;
  }

  /** Show a frame, between two where it has a fraction. @param {number} frame @param {number} [other]  the one of the motion that it is compared with */
  setFrame(frame, other = frame) {
    const motion = this.motion;
    if (!motion || !this.joints || motion.frames === 0 || motion.positions.length !== motion.frames * this.joints * 3)
      return;
    const { joints, now, nowTurns } = this;
    sampleRow(motion.positions, motion.frames, joints * 3, frame, now);
    if (motion.turns) sampleTurns(motion.turns, motion.frames, joints, frame, nowTurns);
    this.measureChange(other);
    const { x, y, z } = this.offset;
    if (x || y || z)
      for (let i = 0; i < joints * 3; i += 3) {
        now[i] += x;
        now[i + 1] += y;
        now[i + 2] += z;
      }
    if (this.showsBones || !this.surface) this.boneShapes.setPose(now);
    else this.bend(this.surface);
  }

  /** @param {Surface} surface */
  bend({ joints }) {
    const { now, nowTurns } = this,
      place = new THREE.Vector3(),
      turn = new THREE.Quaternion(),
      size = new THREE.Vector3(1, 1, 1);
    joints.forEach((joint, bone) => {
      const q = joint * 4;
      place.fromArray(now, joint * 3);
      turn.set(nowTurns[q + 1], nowTurns[q + 2], nowTurns[q + 3], nowTurns[q]);
      this.bones.bones[bone].matrixWorld.compose(place, turn, size);
    });
    this.tint.set(this.change, joints);
    const ghost = this.options.look === "ghost";
    this.tint.uniforms.fullScale.value = ghost ? (this.against ? SAME : -1) : this.tinted ? this.fullScale : 1e9;
  }

  /** Widen a box by what the character fills. @param {THREE.Box3} box */
  fill(box) {
    const at = new THREE.Vector3(),
      mesh = this.showsBones ? undefined : this.meshes[0];
    if (mesh) {
      const { position } = mesh.geometry.attributes,
        step = Math.ceil(position.count / LOOKED_AT);
      for (let k = 0; k < position.count; k += step)
        box.expandByPoint(mesh.applyBoneTransform(k, at.fromBufferAttribute(position, k)));
      return;
    }
    const bones = new THREE.Box3();
    for (let k = 0; k < this.joints; k++) bones.expandByPoint(at.fromArray(this.now, k * 3));
    const tall = bones.max.y - bones.min.y;
    bones.max.y += tall * 0.12; // the head ends above its joint, the soles below theirs
    bones.min.y -= tall * 0.05;
    box.union(bones);
  }

  /** How far each joint is now from where the other motion has it at a frame. @param {number} frame */
  measureChange(frame) {
    const { against, joints, change, now, there } = this;
    change.fill(0);
    if (!against || against.frames === 0 || against.positions.length !== against.frames * joints * 3) return;
    sampleRow(against.positions, against.frames, joints * 3, frame, there);
    for (let j = 0, i = 0; j < joints; j++, i += 3)
      change[j] = Math.hypot(now[i] - there[i], now[i + 1] - there[i + 1], now[i + 2] - there[i + 2]);
  }

  /** The joint whose bone a ray meets first. @param {THREE.Raycaster} ray */
  pick({ ray }) {
    const { skeleton, now } = this;
    if (!skeleton) return null;
    const trunk = new Set(skeleton.groups?.spine ?? []),
      tall = this.height ?? 1.75;
    for (const role of ["hips", "chest", "head"]) if (role in skeleton.roles) trunk.add(skeleton.roles[role]);
    const start = new THREE.Vector3(),
      end = new THREE.Vector3(),
      onRay = new THREE.Vector3(),
      onBone = new THREE.Vector3();
    /** @type {number | null} */ let chosen = null;
    let nearest = Infinity;
    /** @param {number} joint @param {number} other */
    const look = (joint, other) => {
      const wide = tall * (trunk.has(joint) && trunk.has(other) ? THICK.trunk : THICK.limb);
      const apart = Math.sqrt(ray.distanceSqToSegment(start, end, onRay, onBone));
      if (apart > wide) return;
      const away = onRay.distanceTo(ray.origin) + apart;
      if (away >= nearest) return;
      nearest = away;
      chosen = onBone.distanceToSquared(start) < onBone.distanceToSquared(end) ? other : joint;
    };
    skeleton.parents.forEach((parent, joint) => {
      if (parent < 0) return;
      start.fromArray(now, parent * 3);
      end.fromArray(now, joint * 3);
      look(joint, parent);
    });
    for (const { joint, offset } of skeleton.ends) {
      start.fromArray(now, joint * 3);
      const q = joint * 4,
        turn = new THREE.Quaternion(...this.nowTurns.subarray(q + 1, q + 4), this.nowTurns[q]);
      end.fromArray(offset).applyQuaternion(turn).add(start);
      look(joint, joint);
    }
    return chosen;
  }

  dispose() {
    this.setSurface(null);
    this.scene.remove(this.group);
    this.boneShapes.dispose();
    this.tint.dispose();
    this.plain.dispose();
  }
}

/** @param {Float32Array} rows @param {number} frames @param {number} width @param {number} frame @param {Float32Array} out */
export function sampleRow(rows, frames, width, frame, out) {
  const first = Math.min(frames - 1, Math.max(0, Math.floor(frame))),
    second = Math.min(frames - 1, first + 1);
  const u = Math.min(1, Math.max(0, frame - first)),
    a = first * width,
    b = second * width;
  for (let i = 0; i < width; i++) out[i] = rows[a + i] * (1 - u) + rows[b + i] * u;
}

/** @param {Float32Array} rows @param {number} frames @param {number} joints @param {number} frame @param {Float32Array} out */
function sampleTurns(rows, frames, joints, frame, out) {
  const first = Math.min(frames - 1, Math.max(0, Math.floor(frame))),
    second = Math.min(frames - 1, first + 1);
  const u = Math.min(1, Math.max(0, frame - first)),
    a = first * joints * 4,
    b = second * joints * 4;
  for (let j = 0; j < joints * 4; j += 4) {
    let dot = 0;
    for (let c = 0; c < 4; c++) dot += rows[a + j + c] * rows[b + j + c];
    const sign = dot < 0 ? -1 : 1;
    let length = 0;
    for (let c = 0; c < 4; c++) {
      out[j + c] = rows[a + j + c] * (1 - u) + sign * rows[b + j + c] * u;
      length += out[j + c] ** 2;
    }
    length = Math.sqrt(length) || 1;
    for (let c = 0; c < 4; c++) out[j + c] /= length;
  }
}
