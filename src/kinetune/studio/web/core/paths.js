/** The ways of chosen joints through space round the playhead: original in grey, edited in the accent. */
import * as THREE from "../vendor/three.js";
import { Ribbon } from "./ribbon.js";
import { colour } from "./theme.js";

/** @typedef {import("./types.js").Motion} Motion */

/** As many dots lie on a path at most: about one every tenth of a second, for 0.55 s to both sides of the playhead. */
const DOTS = 20;

export class Paths {
  /** @param {THREE.Scene} scene */
  constructor(scene) {
    this.group = new THREE.Group();
    this.scene = scene;
    scene.add(this.group);
    /** @type {number[]} */ this.joints = [];
    this.count = 0;
    /** @type {Motion | null} */ this.edited = null;
    /** @type {Motion | null} */ this.original = null;
    /** @type {{joint: number, was: Ribbon, is: Ribbon}[]} */ this.lines = [];
    this.way = new Ribbon(this.group, { width: 1.2, strength: 0.6, dashes: 90, fade: 0.1, order: 1 });
    this.spots = new THREE.BufferAttribute(new Float32Array(0), 3);
    this.dots = new THREE.Points(
      new THREE.BufferGeometry(),
      new THREE.PointsMaterial({
        size: 4.5,
        sizeAttenuation: false,
        transparent: true,
        opacity: 0.85,
        depthWrite: false,
      }),
    );
    this.dots.frustumCulled = false;
    this.group.add(this.dots);
    this.screen = [1, 1];
    this.setTheme();
  }

  /** @param {number[]} joints @param {number} count  joints of the skeleton */
  setJoints(joints, count) {
    for (const line of this.lines) {
      line.was.dispose();
      line.is.dispose();
    }
    this.joints = joints;
    this.count = count;
    this.spots = new THREE.BufferAttribute(new Float32Array(3 * DOTS * Math.max(1, joints.length)), 3);
    this.dots.geometry.dispose();
    this.dots.geometry = new THREE.BufferGeometry().setAttribute("position", this.spots);
    this.dots.geometry.setDrawRange(0, 0);
    this.lines = joints.map((joint) => ({
      joint,
      was: new Ribbon(this.group, { width: 1.2, strength: 0.55, fade: 0.18 }),
      is: new Ribbon(this.group, { width: 1.6, strength: 0.85, fade: 0.18 }),
    }));
    this.setTheme();
    this.setScreen(this.screen[0], this.screen[1]);
  }

  /** @param {Motion | null} edited @param {Motion | null} original */
  setMotion(edited, original) {
    this.edited = edited;
    this.original = original;
  }

  setTheme() {
    for (const { was, is } of this.lines) {
      was.setColour(colour("--ghost"));
      is.setColour(colour("--edited"));
    }
    this.way.setColour(colour("--text-3"));
    this.dots.material.color = colour("--edited");
  }

  /** @param {number} width @param {number} height */
  setScreen(width, height) {
    this.screen = [width, height];
    for (const ribbon of [this.way, ...this.lines.flatMap(({ was, is }) => [was, is])]) ribbon.setScreen(width, height);
  }

  /** @param {number} frame @param {number} floor @param {number | null} origin  the frame of the original; null where the edit does not differ from it */
  setFrame(frame, floor, origin) {
    const motion = this.edited;
    if (!motion || !this.group.visible) return;
    let marks = 0;
    for (const { joint, was, is } of this.lines) {
      const now = this.stretch(motion, joint, frame, 0.7);
      is.setPoints(now);
      if (this.original && origin !== null) was.setPoints(this.stretch(this.original, joint, origin, 0.7));
      else was.setPoints([]);
      const gap = Math.max(1, Math.round(motion.fps / 10));
      const first = Math.max(0, Math.ceil(frame - motion.fps * 0.55));
      for (
        let f = first + ((gap - (first % gap)) % gap);
        f <= Math.min(motion.frames - 1, frame + motion.fps * 0.55);
        f += gap
      )
        this.spots.array.set(place(motion, this.count, joint, f), 3 * marks++);
    }
    this.spots.needsUpdate = true;
    this.dots.geometry.setDrawRange(0, marks);
    const root = this.stretch(motion, 0, frame, 3);
    for (let i = 1; i < root.length; i += 3) root[i] = floor + 0.003;
    this.way.setPoints(root);
  }

  /** @param {Motion} motion @param {number} joint @param {number} frame @param {number} seconds */
  stretch(motion, joint, frame, seconds) {
    const first = Math.max(0, Math.floor(frame - seconds * motion.fps)),
      last = Math.min(motion.frames - 1, Math.ceil(frame + seconds * motion.fps));
    const step = Math.max(1, Math.floor((last - first) / 160));
    const points = new Float32Array(3 * (Math.floor((last - first) / step) + 1));
    for (let f = first, k = 0; f <= last; f += step, k += 3) points.set(place(motion, this.count, joint, f), k);
    return points;
  }

  /** @param {boolean} on */
  setVisible(on) {
    this.group.visible = on;
  }

  dispose() {
    this.setJoints([], 0);
    this.way.dispose();
    this.scene.remove(this.group);
  }
}

/** @param {Motion} motion @param {number} count @param {number} joint @param {number} frame */
function place(motion, count, joint, frame) {
  const i = (frame * count + joint) * 3;
  return motion.positions.subarray(i, i + 3);
}
