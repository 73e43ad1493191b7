/** The figure on its stage: camera, playback, original beside edit, picking. */
import * as THREE from "../vendor/three.js";
import { CameraRig, headingOf } from "./camera_rig.js";
import { Character } from "./character.js";
import { Footmarks } from "./footmarks.js";
import { Forces } from "./forces.js";
import { Handles } from "./handles.js";
import { Labels } from "./labels.js";
import { Paths } from "./paths.js";
import { pointing } from "./scene_pointer.js";
import { Stage } from "./stage.js";
import { LITE, onTheme } from "./theme.js";

/** @typedef {import("./types.js").Skeleton} Skeleton */
/** @typedef {import("./types.js").Motion} Motion */
/** @typedef {{ghost: boolean, onion?: boolean, paths: boolean, contacts: boolean, forces: boolean}} Shown */
/** @typedef {"a" | "b" | "wipe" | "beside"} Compare */
/** @typedef {"skin" | "mannequin" | "bones"} Body */

/** Poses before and after that onion skin shows, in seconds, and how dense they are. */
const ONION = [
  [-0.6, 0.16],
  [-0.4, 0.23],
  [-0.2, 0.32],
  [0.2, 0.32],
  [0.4, 0.23],
];

/** A host of fewer pixels shows its switches without their names. */
const NARROW = 800;

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
    this.rig = new CameraRig(this.canvas, {
      onChange: () => this.draw(),
      onCamera: (camera) => this.handles.setCamera(camera),
    });
    this.stage = new Stage(this.scene, { coarse: LITE });
    this.edited = new Character(this.scene, { look: "lit", coarse: LITE });
    this.plain = new Character(this.scene, { look: "lit", coarse: LITE });
    this.ghost = new Character(this.scene, { look: "ghost", coarse: LITE });
    this.onion = ONION.map(([, opacity]) => new Character(this.scene, { look: "ghost", coarse: LITE, opacity }));
    this.plain.setTinted(false);
    /** @type {import("./surface.js").Surface[]} */ this.surfaces = [];
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
    /** @type {Compare} */ this.compare = "b";
    /** The frame of the original that belongs to a frame of the edit. @type {(frame: number) => number} */
    this.originOf = (frame) => frame;
    this.wipe = 0.5;
    this.size = { width: 1, height: 1 };
    this.peeking = false;
    this.changed = false;
    this.stale = true;
    this.renders = 0;
    this.painted = 0;
    this.ticked = 0;
    /** @type {(() => void)[]} */ this.waiting = [];
    /** @type {(joint: number | null, event: PointerEvent) => void} */ this.onPick = () => {};
    /** @type {(what: import("./handles.js").Taken, phase: import("./handles.js").Phase, place: number[], event: {ctrlKey: boolean}) => void} */ this.onTake =
      () => {};
    /** @type {() => void} */ this.onDraw = () => {};
    /** @type {() => void} */ this.onView = () => {};
    this.stops = [playback.onFrame(() => this.draw()), onTheme(() => this.setTheme()), pointing(this)];
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(host);
    this.resize();
    this.tick = this.tick.bind(this);
    this.request = requestAnimationFrame(this.tick);
  }

  get camera() {
    return this.rig.camera;
  }

  get orbit() {
    return this.rig.orbit;
  }

  get centre() {
    return this.rig.centre;
  }

  get figures() {
    return [this.edited, this.plain, this.ghost, ...this.onion];
  }

  setTheme() {
    for (const part of [this.stage, ...this.figures, this.paths, this.marks, this.forces, this.handles])
      part.setTheme();
    this.draw();
  }

  /** @param {Skeleton} skeleton  of the edited motion */
  setSkeleton(skeleton) {
    this.skeleton = skeleton;
    for (const figure of this.figures) if (figure !== this.plain) figure.setSkeleton(skeleton, skeleton.height);
    this.handles.setGizmo(null);
  }

  /** What is drawn round the bones of the edited motion, and of the original. @param {import("./surface.js").Surface | null} edited @param {import("./surface.js").Surface | null} [original]  the same if left out */
  setSurfaces(edited, original = edited) {
    for (const figure of this.figures) figure.setSurface(figure === this.plain ? original : edited);
    for (const old of this.surfaces) if (old !== edited && old !== original) old.dispose();
    this.surfaces = [edited, original].flatMap((each) => each ?? []);
    if (this.rig.untouched) this.drawn().then(() => this.rig.untouched && this.frameFigure());
    else this.draw();
  }

  /** @param {boolean} on */
  showBones(on) {
    for (const figure of this.figures) figure.showBones(on);
    this.draw();
  }

  /** @param {Motion} motion @param {Skeleton} skeleton  its joints */
  setOriginal(motion, skeleton) {
    this.original = motion;
    if (this.plain.skeleton !== skeleton) this.plain.setSkeleton(skeleton, skeleton.height);
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
    for (const figure of this.onion) figure.setMotion(this.motion, null);
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

  /** @param {Compare} compare */
  setCompare(compare) {
    const beside = compare === "beside";
    if (beside !== (this.compare === "beside")) {
      const away = new THREE.Vector3(-1, 0, 0).transformDirection(this.camera.matrixWorld).setY(0).normalize();
      this.plain.offset.copy(away).multiplyScalar(beside ? (this.skeleton?.height ?? 1.75) * 0.6 : 0);
    }
    const before = this.compare;
    this.compare = compare;
    this.draw();
    if (beside !== (before === "beside")) this.drawn().then(() => this.frameFigure());
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

  /** Look at the figure from a side of its body. @param {import("./camera_rig.js").NamedView} view */
  look(view) {
    const motion = this.fitting();
    if (!motion || !this.skeleton) return;
    this.rig.look(view, headingOf(this.skeleton, motion, this.playback.frame), this.box(), this.edges());
    this.onView();
  }

  /** Look along an axis of the world, from its positive end or its negative one. @param {"x" | "y" | "z"} axis @param {number} sign */
  lookAlong(axis, sign) {
    const way = new THREE.Vector3(axis === "x" ? sign : 0, axis === "y" ? sign : 0, axis === "z" ? sign : 0.0005);
    this.rig.lookAlong(way, this.box(), this.edges());
    this.onView();
  }

  /** @param {boolean} on */
  setOrthographic(on) {
    this.rig.setOrthographic(on);
    this.onView();
  }

  /** @param {boolean} on */
  setFollow(on) {
    this.rig.follow = on;
    this.onView();
  }

  /** The motion that is shown; null while one of other joints is on its way. */
  fitting() {
    const motion = this.motion ?? this.original,
      joints = this.skeleton?.names.length ?? 0;
    return motion && motion.positions.length === motion.frames * joints * 3 ? motion : null;
  }

  /** What the figures fill. */
  box() {
    const box = new THREE.Box3();
    for (const figure of this.compare === "beside" ? [this.edited, this.plain] : [this.edited]) figure.fill(box);
    return box;
  }

  /** Bring the whole figure into view. */
  frameFigure() {
    this.rig.frame(this.box(), this.edges());
  }

  /** What tools and cards cover at the top and at the bottom, as shares of the height. */
  edges() {
    const { top, bottom, height } = this.host.getBoundingClientRect(),
      covers = (/** @type {string} */ selector) =>
        [...this.host.querySelectorAll(selector)].map((e) => e.getBoundingClientRect());
    return {
      top: Math.max(0, ...covers("[data-covers=top]").map((box) => box.bottom - top)) / height,
      bottom: Math.max(0, ...covers("[data-covers=bottom]").map((box) => bottom - box.top)) / height,
    };
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
    if (!LITE || now - this.ticked > 120) {
      this.ticked = now;
      this.playback.tick(now);
    }
    this.orbit.update();
    if (!this.stale) return;
    this.paintNow();
  }

  /** Draw now. */
  paint() {
    this.painted = performance.now();
    const frame = this.playback.frame,
      origin = this.originOf(frame);
    const solo = this.peeking || this.compare === "a",
      beside = this.compare === "beside" && !this.peeking;
    const motion = this.fitting();
    if (motion && this.skeleton) {
      this.rig.keepUp(motion, this.skeleton.names.length, frame);
      this.stage.setCentre(this.centre.x, this.centre.y, this.orbit.maxDistance);
    }
    const { shown } = this;
    this.edited.setVisible(!solo && this.motion !== null);
    this.ghost.setVisible(shown.ghost && !solo && this.changed && this.compare !== "wipe" && !beside);
    this.plain.setVisible(solo || beside || this.compare === "wipe");
    this.onion.forEach((figure, k) => {
      figure.setVisible(Boolean(shown.onion) && !solo && motion !== null);
      if (motion && figure.group.visible) figure.setFrame(frame + ONION[k][0] * motion.fps);
    });
    if (this.edited.group.visible || solo) this.edited.setFrame(frame, origin);
    if (this.ghost.group.visible) this.ghost.setFrame(origin, frame);
    if (this.plain.group.visible) this.plain.setFrame(origin);
    this.paths.setVisible(shown.paths);
    this.marks.setVisible(shown.contacts);
    this.forces.setVisible(shown.forces);
    this.paths.setFrame(frame, this.stage.floor, this.changed ? origin : null);
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

  resize() {
    const { clientWidth: width, clientHeight: height } = this.host; // read here only: the page is laid out for it
    if (!width || !height) return;
    this.size = { width, height };
    this.host.toggleAttribute("data-narrow", width < NARROW);
    this.renderer.setPixelRatio(LITE ? 0.4 : Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.rig.resize(width / height);
    this.paths.setScreen(width, height);
    this.marks.setScreen(width, height);
    this.paint();
    if (this.rig.untouched && this.fitting()) this.drawn().then(() => this.rig.untouched && this.frameFigure());
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
      ...this.figures,
      this.stage,
      this.rig,
    ])
      part.dispose();
    for (const surface of this.surfaces) surface.dispose();
    this.renderer.dispose();
    this.canvas.remove();
  }
}
