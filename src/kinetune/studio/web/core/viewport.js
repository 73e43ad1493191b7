/** The figure on its stage: camera, playback, original beside edit, picking. */
import * as THREE from "../vendor/three.js";
import { OrbitControls } from "../vendor/orbit.js";
import { Character } from "./character.js";
import { Footmarks } from "./footmarks.js";
import { Forces } from "./forces.js";
import { Handles } from "./handles.js";
import { Labels } from "./labels.js";
import { Paths } from "./paths.js";
import { pointing } from "./scene_pointer.js";
import { Stage } from "./stage.js";
import { LITE, calm, onTheme } from "./theme.js";

/** @typedef {import("./types.js").Skeleton} Skeleton */
/** @typedef {import("./types.js").Motion} Motion */
/** @typedef {{ghost: boolean, paths: boolean, contacts: boolean, forces: boolean}} Shown */

export class Viewport {
  /** @param {HTMLElement} host @param {{playback: import("./playback.js").Playback}} options */
  constructor(host, { playback }) {
    this.host = host;
    this.playback = playback;
    this.renderer = new THREE.WebGLRenderer({ antialias: !LITE, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = !LITE;
    this.renderer.shadowMap.type = THREE.VSMShadowMap;
    this.renderer.toneMapping = THREE.NoToneMapping;
    this.canvas = this.renderer.domElement;
    this.canvas.className = "scene";
    host.prepend(this.canvas);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(31.5, 1, 0.05, 150);
    this.camera.position.set(2.3, 1.55, 3.6);
    this.orbit = new OrbitControls(this.camera, this.canvas);
    this.orbit.enableDamping = !calm();
    this.orbit.dampingFactor = 0.18;
    this.orbit.maxPolarAngle = Math.PI * 0.53;
    this.orbit.minDistance = 0.4;
    this.orbit.maxDistance = 30;
    this.orbit.target.set(0, 0.85, 0);
    this.orbit.addEventListener("change", () => this.draw());
    this.stage = new Stage(this.scene, { coarse: LITE });
    this.edited = new Character(this.scene, { ghost: false, coarse: LITE });
    this.plain = new Character(this.scene, { ghost: false, coarse: LITE });
    this.ghost = new Character(this.scene, { ghost: true, coarse: LITE });
    this.plain.setTinted(false);
    this.paths = new Paths(this.scene);
    this.marks = new Footmarks(this.scene);
    this.forces = new Forces(this.scene);
    this.labels = new Labels(host);
    this.handles = new Handles(this.scene, this.camera, this.canvas, {
      onHolding: (on) => {
        this.orbit.enabled = !on;
      },
      onDraw: () => this.draw(),
    });
    /** @type {Skeleton | null} */ this.skeleton = null;
    /** @type {Motion | null} */ this.motion = null;
    /** @type {Motion | null} */ this.original = null;
    /** @type {Shown} */ this.shown = { ghost: true, paths: true, contacts: true, forces: false };
    /** @type {"a" | "b" | "wipe"} */ this.compare = "b";
    this.wipe = 0.5;
    this.peeking = false;
    this.changed = false;
    this.follow = true;
    this.centre = new THREE.Vector2();
    this.stale = true;
    this.renders = 0;
    this.painted = 0;
    /** @type {(() => void)[]} */ this.waiting = [];
    /** @type {(joint: number | null, event: PointerEvent) => void} */ this.onPick = () => {};
    /** @type {(what: import("./handles.js").Taken, phase: import("./handles.js").Phase, place: number[], event: {ctrlKey: boolean}) => void} */ this.onTake =
      () => {};
    /** @type {() => void} */ this.onDraw = () => {};
    this.stops = [playback.onFrame(() => this.draw()), onTheme(() => this.setTheme()), pointing(this)];
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(host);
    this.resize();
    this.tick = this.tick.bind(this);
    this.request = requestAnimationFrame(this.tick);
  }

  setTheme() {
    for (const part of [
      this.stage,
      this.edited,
      this.plain,
      this.ghost,
      this.paths,
      this.marks,
      this.forces,
      this.handles,
    ])
      part.setTheme();
    this.draw();
  }

  /** @param {Skeleton} skeleton @param {Motion} original */
  setSkeleton(skeleton, original) {
    this.skeleton = skeleton;
    for (const figure of [this.edited, this.plain, this.ghost]) figure.setSkeleton(skeleton, original);
    this.handles.setGizmo(null);
    this.setOriginal(original);
  }

  /** @param {Motion} motion */
  setOriginal(motion) {
    this.original = motion;
    this.applyMotion();
  }

  /** @param {Motion} motion  the edited one; its arrays may be overwritten later, then call `touch` */
  setMotion(motion) {
    this.motion = motion;
    this.applyMotion();
  }

  applyMotion() {
    this.edited.setMotion(this.motion, this.original);
    this.ghost.setMotion(this.original, this.motion);
    this.plain.setMotion(this.original, null);
    this.paths.setMotion(this.motion, this.original);
    this.draw();
  }

  /** The arrays of the motion hold new values. @param {number} largestChange  metres */
  touch(largestChange) {
    this.changed = largestChange > 0.0005;
    this.edited.setFullScale(largestChange);
    if (this.playback.playing || performance.now() - this.painted < 8) this.draw();
    else this.paintNow(); // under the hand every millisecond counts: do not wait for the next picture
  }

  paintNow() {
    this.stale = false;
    this.paint();
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** @param {number} height */
  setFloor(height) {
    this.stage.setFloor(height);
    this.draw();
  }

  /** @param {Partial<Shown>} shown */
  setShown(shown) {
    Object.assign(this.shown, shown);
    this.draw();
  }

  /** @param {"a" | "b" | "wipe"} compare */
  setCompare(compare) {
    this.compare = compare;
    this.draw();
  }

  /** @param {number} share  of the width, from the left */
  setWipe(share) {
    this.wipe = share;
    this.draw();
  }

  /** The original for as long as a key is held. @param {boolean} on */
  setPeeking(on) {
    this.peeking = on;
    this.draw();
  }

  /** @param {number[]} joints */
  setPathJoints(joints) {
    if (this.skeleton) this.paths.setJoints(joints, this.skeleton.names.length);
    this.draw();
  }

  /** Where a joint of the shown figure is now. @param {number} joint @returns {number[]} */
  placeOf(joint) {
    return Array.from(this.edited.now.subarray(joint * 3, joint * 3 + 3));
  }

  /** How a joint of the shown figure is turned in the world, wxyz. @param {number} joint @returns {number[]} */
  turnOf(joint) {
    return this.motion?.turns ? Array.from(this.edited.nowTurns.subarray(joint * 4, joint * 4 + 4)) : [1, 0, 0, 0];
  }

  /** Look at the figure from its left, somewhat ahead. */
  lookFromTheSide() {
    const { original, skeleton } = this;
    if (!original || !skeleton) return;
    const { roles } = skeleton,
      left = roles["left upper leg"] ?? roles["left upper arm"],
      right = roles["right upper leg"] ?? roles["right upper arm"];
    let heading = 0;
    if (left !== undefined && right !== undefined) {
      const row = Math.floor(original.frames / 2) * skeleton.names.length,
        p = original.positions;
      heading = Math.atan2(
        -(p[(row + left) * 3 + 2] - p[(row + right) * 3 + 2]),
        p[(row + left) * 3] - p[(row + right) * 3],
      );
    }
    const way = new THREE.Vector3(3.3, 0.72, 2.3).applyAxisAngle(new THREE.Vector3(0, 1, 0), heading);
    this.camera.position.copy(this.orbit.target).add(way);
    this.frameFigure();
  }

  /** Bring the whole figure into view. */
  frameFigure() {
    const now = this.edited.now;
    if (!now.length) return;
    const box = new THREE.Box3().setFromArray(now);
    const tall = box.max.y - box.min.y;
    box.max.y += tall * 0.14;
    box.min.y -= tall * 0.1;
    const ball = box.getBoundingSphere(new THREE.Sphere());
    const distance = (ball.radius * 1.12) / Math.sin((this.camera.fov * Math.PI) / 360);
    const way = this.camera.position.clone().sub(this.orbit.target).normalize();
    const centre = box.getCenter(new THREE.Vector3());
    this.orbit.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(way, distance);
    this.orbit.update();
    this.draw();
  }

  /** Ask for a picture at the next opportunity. */
  draw() {
    this.stale = true;
  }

  /** Resolves after the next picture. @returns {Promise<void>} */
  drawn() {
    this.draw();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** @param {number} now */
  tick(now) {
    this.request = requestAnimationFrame(this.tick);
    this.playback.tick(now);
    this.orbit.update();
    if (!this.stale) return;
    this.paintNow();
  }

  /** Draw now. */
  paint() {
    this.painted = performance.now();
    const frame = this.playback.frame;
    const solo = this.peeking || this.compare === "a";
    this.keepUp(frame);
    const { shown } = this;
    this.edited.setVisible(!solo && this.motion !== null);
    this.ghost.setVisible(shown.ghost && !solo && this.changed && this.compare !== "wipe");
    this.plain.setVisible(solo || this.compare === "wipe");
    for (const figure of [this.edited, this.ghost, this.plain]) if (figure.group.visible) figure.setFrame(frame);
    if (solo) this.edited.setFrame(frame);
    this.paths.setVisible(shown.paths);
    this.marks.setVisible(shown.contacts);
    this.forces.setVisible(shown.forces);
    this.paths.setFrame(frame, this.stage.floor, this.changed);
    this.marks.setFrame(frame);
    this.forces.setFrame(frame);
    this.onDraw();
    this.handles.face();
    const { width, height } = this.size;
    if (this.compare === "wipe" && !this.peeking) {
      const at = Math.round(width * this.wipe);
      this.renderer.setScissorTest(true);
      this.edited.setVisible(false);
      this.renderer.setScissor(0, 0, at, height);
      this.renderer.render(this.scene, this.camera);
      this.edited.setVisible(true);
      this.plain.setVisible(false);
      this.renderer.setScissor(at, 0, width - at, height);
      this.renderer.render(this.scene, this.camera);
      this.renderer.setScissorTest(false);
    } else this.renderer.render(this.scene, this.camera);
    this.renders++;
    this.labels.draw((place) => this.project(place));
  }

  /** The camera goes along with the figure. @param {number} frame */
  keepUp(frame) {
    const motion = this.motion ?? this.original;
    if (!motion || !this.skeleton) return;
    const [x, z] = smoothWay(motion, this.skeleton.names.length, frame);
    if (this.follow) {
      const dx = x - this.centre.x,
        dz = z - this.centre.y;
      this.camera.position.x += dx;
      this.camera.position.z += dz;
      this.orbit.target.x += dx;
      this.orbit.target.z += dz;
      this.camera.updateMatrixWorld();
    }
    this.centre.set(x, z);
    this.stage.setCentre(x, z);
  }

  get size() {
    return { width: this.host.clientWidth, height: this.host.clientHeight };
  }

  resize() {
    const { width, height } = this.size;
    if (!width || !height) return;
    this.renderer.setPixelRatio(LITE ? 0.4 : Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.paths.setScreen(width, height);
    this.marks.setScreen(width, height);
    this.paint();
  }

  /** A place as pixels in the host; null behind the camera. @param {number[]} place @returns {[number, number] | null} */
  project(place) {
    const v = new THREE.Vector3().fromArray(place).project(this.camera);
    if (v.z > 1) return null;
    return [((v.x + 1) / 2) * this.size.width, ((1 - v.y) / 2) * this.size.height];
  }

  /** Where a ray through a pointer meets the floor. @param {{clientX: number, clientY: number}} at */
  onFloor(at) {
    const hit = this.ray(at).ray.intersectPlane(
      new THREE.Plane(new THREE.Vector3(0, 1, 0), -this.stage.floor),
      new THREE.Vector3(),
    );
    return hit ? hit.toArray() : null;
  }

  /** @param {{clientX: number, clientY: number}} at */
  ray({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(
      new THREE.Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2),
      this.camera,
    );
    return ray;
  }

  dispose() {
    cancelAnimationFrame(this.request);
    this.sizes.disconnect();
    for (const stop of this.stops) stop();
    for (const part of [
      this.handles,
      this.labels,
      this.forces,
      this.marks,
      this.paths,
      this.ghost,
      this.plain,
      this.edited,
      this.stage,
      this.orbit,
    ])
      part.dispose();
    this.renderer.dispose();
    this.canvas.remove();
  }
}

/** The place of the root on the floor, its steps and sways taken out. @param {Motion} motion @param {number} joints @param {number} frame */
function smoothWay(motion, joints, frame) {
  const half = Math.max(1, Math.round(motion.fps * 0.5)),
    taps = 8;
  let x = 0,
    z = 0;
  for (let k = -taps; k <= taps; k++) {
    const f = Math.min(motion.frames - 1, Math.max(0, frame + (k / taps) * half));
    const a = Math.floor(f),
      b = Math.min(motion.frames - 1, a + 1),
      u = f - a;
    const i = a * joints * 3,
      j = b * joints * 3;
    x += motion.positions[i] * (1 - u) + motion.positions[j] * u;
    z += motion.positions[i + 2] * (1 - u) + motion.positions[j + 2] * u;
  }
  return [x / (taps * 2 + 1), z / (taps * 2 + 1)];
}
