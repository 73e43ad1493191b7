/** From where the scene is seen: perspective or orthographic, named views, framing, and a camera that goes along. */
import * as THREE from "../vendor/three.js";
import { OrbitControls } from "../vendor/orbit.js";
import { LITE, calm } from "./theme.js";

/** @typedef {import("./types.js").Skeleton} Skeleton */
/** @typedef {import("./types.js").Motion} Motion */
/** @typedef {"front" | "side" | "top" | "back" | "free"} NamedView */
/** @typedef {{top: number, bottom: number}} Edges  shares of the picture's height that are covered */

const FIELD_DEG = 31.5;
/** So far away the camera goes from a person, metres. */
const FARTHEST = 30;
/** The share of the picture's height that a figure fills at most. */
const FILL = 0.68;
/** The share of what the tools and cards at the edges leave free. */
const FREE = 0.92;
/** From the figure to the camera, seen with its back to -Z. @type {Record<NamedView, [number, number, number]>} */
const WAYS = {
  front: [0, 0.06, 1],
  side: [1, 0.06, 0],
  back: [0, 0.06, -1],
  top: [0, 1, 0.001],
  free: [0.8, 0.2, 0.56],
};

export class CameraRig {
  /** @param {HTMLElement} canvas @param {{onChange: () => void, onCamera: (camera: THREE.PerspectiveCamera | THREE.OrthographicCamera) => void}} options */
  constructor(canvas, options) {
    this.options = options;
    this.perspective = new THREE.PerspectiveCamera(FIELD_DEG, 1, 0.05, 5 * FARTHEST);
    this.orthographic = new THREE.OrthographicCamera(-1, 1, 1, -1, -60, 150);
    /** @type {THREE.PerspectiveCamera | THREE.OrthographicCamera} */ this.camera = this.perspective;
    this.camera.position.set(2.3, 1.55, 3.6);
    this.aspect = 1;
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.enableDamping = !calm() && !LITE;
    this.orbit.dampingFactor = 0.18;
    this.orbit.minDistance = 0.4;
    this.orbit.maxDistance = FARTHEST;
    this.orbit.target.set(0, 0.85, 0);
    this.orbit.addEventListener("change", options.onChange);
    this.orbit.addEventListener("start", () => {
      this.named = "free";
      this.untouched = false;
    });
    /** @type {NamedView} */ this.named = "free";
    this.untouched = true;
    this.follow = true;
    this.centre = new THREE.Vector2();
  }

  get isOrthographic() {
    return this.camera === this.orthographic;
  }

  /** @param {boolean} on */
  setOrthographic(on) {
    if (on === this.isOrthographic) return;
    const { target } = this.orbit,
      from = this.camera,
      tall = on ? 2 * Math.tan((FIELD_DEG * Math.PI) / 360) * from.position.distanceTo(target) : this.tall();
    const way = from.position.clone().sub(target).normalize();
    this.camera = on ? this.orthographic : this.perspective;
    const distance = on ? 12 : tall / (2 * Math.tan((FIELD_DEG * Math.PI) / 360));
    this.camera.position.copy(target).addScaledVector(way, distance);
    this.orbit.object = this.camera;
    if (on) this.setTall(tall);
    this.resize(this.aspect);
    this.orbit.update();
    this.options.onCamera(this.camera);
    this.options.onChange();
  }

  /** The height that the orthographic camera shows, metres. */
  tall() {
    return (this.orthographic.top - this.orthographic.bottom) / this.orthographic.zoom;
  }

  /** @param {number} metres */
  setTall(metres) {
    const { orthographic } = this;
    orthographic.zoom = 1;
    orthographic.top = metres / 2;
    orthographic.bottom = -metres / 2;
    orthographic.right = (metres / 2) * this.aspect;
    orthographic.left = -orthographic.right;
    orthographic.updateProjectionMatrix();
  }

  /** @param {number} aspect */
  resize(aspect) {
    this.aspect = aspect;
    this.perspective.aspect = aspect;
    this.perspective.updateProjectionMatrix();
    const half = (this.orthographic.top - this.orthographic.bottom) / 2;
    this.orthographic.right = half * aspect;
    this.orthographic.left = -half * aspect;
    this.orthographic.updateProjectionMatrix();
  }

  /** Look at the figure from a side of its body. @param {NamedView} view @param {number} heading  radians, of the body @param {THREE.Box3} box @param {Edges} edges */
  look(view, heading, box, edges) {
    this.lookAlong(new THREE.Vector3(...WAYS[view]).applyAxisAngle(new THREE.Vector3(0, 1, 0), heading), box, edges);
    this.named = view;
  }

  /** Look from a direction of the world. @param {THREE.Vector3} way @param {THREE.Box3} box @param {Edges} edges */
  lookAlong(way, box, edges) {
    this.named = "free";
    this.camera.position.copy(this.orbit.target).addScaledVector(way.normalize(), 5);
    this.frame(box, edges);
  }

  /** Bring a box into the picture, between what covers its edges. @param {THREE.Box3} box @param {Edges} edges */
  frame(box, { top, bottom }) {
    if (box.isEmpty()) return;
    this.untouched = true;
    const way = this.camera.position.clone().sub(this.orbit.target).normalize(),
      centre = box.getCenter(new THREE.Vector3()),
      size = box.getSize(new THREE.Vector3());
    const wide = Math.hypot(size.x, size.z),
      level = Math.hypot(way.x, way.z),
      high = size.y * level + wide * (1 - level);
    const tall = Math.max(high / Math.min(FILL, FREE * (1 - top - bottom)), wide / (this.aspect * 0.85), 0.3);
    centre.y -= 0.5 * (bottom - top) * tall * level;
    this.orbit.target.copy(centre);
    const distance = tall / (2 * Math.tan((FIELD_DEG * Math.PI) / 360)) + (wide / 2) * level;
    this.orbit.maxDistance = Math.max(FARTHEST, 2 * distance); // a file in another unit may hold a giant
    this.perspective.far = 5 * this.orbit.maxDistance;
    this.perspective.updateProjectionMatrix();
    this.camera.position.copy(centre).addScaledVector(way, this.isOrthographic ? 12 : distance);
    if (this.isOrthographic) this.setTall(tall);
    this.orbit.update();
    this.options.onChange();
  }

  /** Go along with the figure. @param {Motion} motion @param {number} joints @param {number} frame */
  keepUp(motion, joints, frame) {
    const [x, z] = smoothWay(motion, joints, frame);
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
  }

  dispose() {
    this.orbit.dispose();
  }
}

/** Which way a body faces at a frame, radians about the vertical. @param {Skeleton} skeleton @param {Motion} motion @param {number} frame */
export function headingOf(skeleton, motion, frame) {
  const { roles } = skeleton,
    left = roles["left upper leg"] ?? roles["left upper arm"],
    right = roles["right upper leg"] ?? roles["right upper arm"];
  if (left === undefined || right === undefined) return 0;
  const row = Math.min(motion.frames - 1, Math.max(0, Math.round(frame))) * skeleton.names.length,
    p = motion.positions;
  return Math.atan2(-(p[(row + left) * 3 + 2] - p[(row + right) * 3 + 2]), p[(row + left) * 3] - p[(row + right) * 3]);
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
