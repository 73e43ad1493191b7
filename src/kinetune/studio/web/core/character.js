/** The mannequin: limbs of porcelain, tinted by how far they depart from the original. */
import * as THREE from "../vendor/three.js";
import { ball, writeHull } from "./hulls.js";
import { bodyShapes } from "./body_shapes.js";
import { turned } from "./proportions.js";
import { colour } from "./theme.js";

/** @typedef {import("./types.js").Skeleton} Skeleton */
/** @typedef {import("./types.js").Motion} Motion */

const EDGE = /* glsl */ `
  uniform float width;
  void main() {
    vec4 place = modelViewMatrix * vec4(position, 1.0);
    place.xyz += normalize(normalMatrix * normal) * width * -place.z;
    gl_Position = projectionMatrix * place;
  }`;
const EDGE_COLOUR = /* glsl */ `uniform vec3 tone; uniform float strength; void main() { gl_FragColor = vec4(tone, strength); }`;

export class Character {
  /**
   * @param {THREE.Scene} scene
   * @param {{ghost: boolean, coarse: boolean}} options
   */
  constructor(scene, options) {
    this.scene = scene;
    this.options = options;
    this.group = new THREE.Group();
    this.group.renderOrder = options.ghost ? 2 : 0;
    scene.add(this.group);
    /** @type {Motion | null} */ this.motion = null;
    /** @type {Motion | null} */ this.against = null;
    /** @type {import("./body_shapes.js").Part[]} */ this.parts = [];
    /** @type {number[]} */ this.starts = [];
    this.joints = 0;
    this.now = new Float32Array(0);
    this.nowTurns = new Float32Array(0);
    this.change = new Float32Array(0);
    this.fullScale = 0.005;
    this.tinted = true;
    this.geometry = new THREE.BufferGeometry();
    this.porcelain = options.coarse
      ? new THREE.MeshLambertMaterial({ vertexColors: true })
      : new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.46 });
    this.edge = new THREE.ShaderMaterial({
      vertexShader: EDGE,
      fragmentShader: EDGE_COLOUR,
      side: THREE.BackSide,
      transparent: true,
      uniforms: { width: { value: 0.0011 }, tone: { value: new THREE.Color() }, strength: { value: 0.75 } },
    });
    this.veil = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.3, depthFunc: THREE.LessEqualDepth });
    this.depth = new THREE.MeshBasicMaterial({
      colorWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
    });
    this.porcelainTones = { low: new THREE.Color(), high: new THREE.Color() };
    this.meshes = options.ghost
      ? [this.mesh(this.depth, 2), this.mesh(this.veil, 3)]
      : [this.mesh(this.porcelain, 0), this.mesh(this.edge, 1)];
    if (!options.ghost) this.meshes[0].castShadow = !options.coarse;
    this.setTheme();
  }

  /** @param {THREE.Material} material @param {number} order */
  mesh(material, order) {
    const made = new THREE.Mesh(this.geometry, material);
    made.frustumCulled = false;
    made.renderOrder = order;
    this.group.add(made);
    return made;
  }

  setTheme() {
    this.porcelainTones = { low: colour("--fig-hi"), high: colour("--edited-fill") };
    this.edge.uniforms.tone.value = colour("--fig-edge");
    this.veil.color = colour("--ghost");
    this.paint(true);
  }

  /** @param {Skeleton} skeleton @param {Motion} motion  the original, whole: it shows the proportions */
  setSkeleton(skeleton, motion) {
    this.joints = skeleton.names.length;
    this.parts = bodyShapes(skeleton, motion, this.options.coarse);
    this.now = new Float32Array(this.joints * 3);
    this.nowTurns = new Float32Array(this.joints * 4);
    this.change = new Float32Array(this.joints);
    /** @type {number[]} */ const index = [];
    this.starts = [];
    let count = 0;
    for (const part of this.parts) {
      const { triangles, count: points } = ball(part.detail);
      for (const corner of triangles) index.push(corner + count);
      this.starts.push(count);
      count += points;
    }
    const normals = new Float32Array(count * 3);
    this.parts.forEach((part, k) => normals.set(ball(part.detail).directions, this.starts[k] * 3));
    this.geometry.dispose();
    this.geometry = new THREE.BufferGeometry();
    this.geometry.setIndex(index);
    this.geometry.setAttribute(
      "position",
      new THREE.BufferAttribute(new Float32Array(count * 3), 3).setUsage(THREE.DynamicDrawUsage),
    );
    this.geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
    this.geometry.setAttribute(
      "color",
      new THREE.BufferAttribute(new Float32Array(count * 3).fill(1), 3).setUsage(THREE.DynamicDrawUsage),
    );
    for (const mesh of this.meshes) mesh.geometry = this.geometry;
    this.painted = new Float32Array(this.parts.length).fill(-1);
    this.balls = new Float32Array(Math.max(1, ...this.parts.map((part) => part.spheres.length)) * 4);
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
    this.paint(true);
  }

  /** @param {boolean} on */
  setVisible(on) {
    this.group.visible = on;
  }

  /** Show a frame, between two where it has a fraction. @param {number} frame */
  setFrame(frame) {
    const motion = this.motion;
    if (!motion || !this.parts.length || motion.frames === 0) return;
    const { joints, now } = this;
    sampleRow(motion.positions, motion.frames, joints * 3, frame, now);
    if (motion.turns) {
      const nearest = Math.min(motion.frames - 1, Math.max(0, Math.round(frame)));
      this.nowTurns.set(motion.turns.subarray(nearest * joints * 4, (nearest + 1) * joints * 4));
      sampleTurns(motion.turns, motion.frames, joints, frame, this.nowTurns);
    }
    this.measureChange(frame);
    const attribute = /** @type {THREE.BufferAttribute} */ (this.geometry.getAttribute("position"));
    const out = /** @type {Float32Array} */ (attribute.array);
    const balls = /** @type {Float32Array} */ (this.balls);
    this.parts.forEach((part, k) => {
      const hidden = this.options.ghost && Math.max(...part.joints.map((joint) => this.change[joint])) < 0.002;
      part.spheres.forEach(({ spot, radius }, i) => {
        this.place(spot, balls, i * 4);
        balls[i * 4 + 3] = hidden ? 0 : radius;
      });
      writeHull(ball(part.detail).directions, balls, hidden ? 1 : part.spheres.length, out, this.starts[k] * 3);
    });
    attribute.needsUpdate = true;
    this.paint(false);
  }

  /** @param {import("./body_shapes.js").Spot} spot @param {Float32Array} out @param {number} at */
  place(spot, out, at) {
    const { now, nowTurns } = this,
      j = spot.joint * 3;
    let x = now[j],
      y = now[j + 1],
      z = now[j + 2];
    if (spot.other !== undefined) {
      const o = spot.other * 3,
        share = spot.share ?? 0;
      x += (now[o] - x) * share;
      y += (now[o + 1] - y) * share;
      z += (now[o + 2] - z) * share;
    }
    if (spot.offset) {
      const q = spot.joint * 4;
      const v = this.motion?.turns
        ? turned([nowTurns[q], nowTurns[q + 1], nowTurns[q + 2], nowTurns[q + 3]], spot.offset)
        : spot.offset;
      x += v[0];
      y += v[1];
      z += v[2];
    }
    out[at] = x;
    out[at + 1] = y;
    out[at + 2] = z;
  }

  /** How far each joint is from the other motion at this frame. @param {number} frame */
  measureChange(frame) {
    const { against, joints, change, now } = this;
    change.fill(0);
    if (!against || against.frames === 0 || against.positions.length !== against.frames * joints * 3) return;
    const row = Math.min(against.frames - 1, Math.max(0, Math.round(frame))) * joints * 3;
    const mine = this.motion,
      own = mine ? Math.min(mine.frames - 1, Math.max(0, Math.round(frame))) * joints * 3 : 0;
    const p = mine ? mine.positions : now;
    for (let j = 0; j < joints; j++) {
      const i = row + j * 3,
        k = own + j * 3;
      change[j] = Math.hypot(
        p[k] - against.positions[i],
        p[k + 1] - against.positions[i + 1],
        p[k + 2] - against.positions[i + 2],
      );
    }
  }

  /** Colour the parts that changed their tint. @param {boolean} all */
  paint(all) {
    const attribute = /** @type {THREE.BufferAttribute | undefined} */ (this.geometry.getAttribute("color"));
    if (!attribute || this.options.ghost || !this.painted) return;
    const { low, high } = this.porcelainTones,
      tone = new THREE.Color();
    let touched = false;
    this.parts.forEach((part, k) => {
      const most = Math.max(...part.joints.map((joint) => this.change[joint]));
      const tint = this.tinted ? Math.round(Math.min(1, most / this.fullScale) * 48) / 48 : 0;
      const painted = /** @type {Float32Array} */ (this.painted);
      if (!all && painted[k] === tint && !part.face) return;
      painted[k] = tint;
      touched = true;
      tone.copy(low).lerp(high, tint * 0.86);
      const { count, directions } = ball(part.detail),
        end = this.starts[k] + count;
      if (part.face && this.motion?.turns) {
        const q = part.pick * 4,
          [x, y, z] = turned(Array.from(this.nowTurns.subarray(q, q + 4)), part.face);
        for (let i = 0; i < count; i++) {
          const along = directions[i * 3] * x + directions[i * 3 + 1] * y + directions[i * 3 + 2] * z;
          const shade = 1 - 0.42 * Math.min(1, Math.max(0, (along - 0.66) / 0.14));
          attribute.setXYZ(this.starts[k] + i, tone.r * shade, tone.g * shade, tone.b * shade);
        }
        return;
      }
      for (let i = this.starts[k]; i < end; i++) attribute.setXYZ(i, tone.r, tone.g, tone.b);
    });
    if (touched) attribute.needsUpdate = true;
  }

  /** The joint whose part a ray meets first. @param {THREE.Raycaster} ray */
  pick(ray) {
    if (!this.parts.length) return null;
    this.geometry.computeBoundingSphere();
    const [hit] = ray.intersectObject(this.meshes[0]);
    if (!hit || hit.face == null) return null;
    const corner = hit.face.a;
    let k = this.starts.findIndex((start) => start > corner);
    if (k < 0) k = this.starts.length;
    const part = this.parts[k - 1];
    const reach = (/** @type {number} */ joint) =>
      hit.point.distanceTo(new THREE.Vector3().fromArray(this.now, joint * 3));
    return [...part.joints].sort((a, b) => reach(a) - reach(b))[0];
  }

  dispose() {
    this.scene.remove(this.group);
    this.geometry.dispose();
    for (const material of [this.porcelain, this.edge, this.veil, this.depth]) material.dispose();
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
