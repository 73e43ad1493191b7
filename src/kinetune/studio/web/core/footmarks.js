/** Feet on the floor: prints where they stand, marks where they slide, and prints that can be dragged. */
import * as THREE from "../vendor/three.js";
import { Ribbon } from "./ribbon.js";
import { colour } from "./theme.js";

/**
 * @typedef {Object} Print
 * @property {"left" | "right"} side
 * @property {number} start
 * @property {number} stop  one after the last frame
 * @property {number[]} place
 * @property {number} heading_deg  0 ahead (+Z), positive to the left
 */

/** Outline of a right foot, ahead is +u, metres. */
export const SOLE = [
  [-0.125, 0],
  [-0.115, -0.026],
  [-0.08, -0.034],
  [-0.02, -0.028],
  [0.04, -0.038],
  [0.085, -0.046],
  [0.12, -0.036],
  [0.138, -0.008],
  [0.134, 0.022],
  [0.11, 0.042],
  [0.07, 0.043],
  [0.02, 0.031],
  [-0.03, 0.03],
  [-0.08, 0.034],
  [-0.113, 0.026],
];

/**
 * The outline as smooth points on the floor, (n, 2) of x and z.
 * @param {"left" | "right"} side
 * @param {number} x
 * @param {number} z
 * @param {number} headingDeg
 * @param {number} [scale]
 */
export function soleOutline(side, x, z, headingDeg, scale = 1) {
  const heading = (headingDeg * Math.PI) / 180,
    s = Math.sin(heading),
    c = Math.cos(heading),
    mirror = side === "left" ? -1 : 1;
  const corners = SOLE.map(([u, v]) => [u * scale, v * mirror * scale]);
  /** @type {number[][]} */ const points = [];
  corners.forEach((a, i) => {
    const z0 = corners[(i + corners.length - 1) % corners.length],
      b = corners[(i + 1) % corners.length];
    const from = [(z0[0] + a[0]) / 2, (z0[1] + a[1]) / 2],
      to = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    for (let k = 0; k < 3; k++) {
      const t = k / 3;
      const [u, v] = [0, 1].map((j) => (1 - t) ** 2 * from[j] + 2 * t * (1 - t) * a[j] + t * t * to[j]);
      points.push([x + u * s - v * c, z + u * c + v * s]);
    }
  });
  return points;
}

/** Past prints are faint, standing ones strong, coming ones dashed. */
const VERTEX = /* glsl */ `
  attribute vec2 span; attribute float side; attribute float away;
  uniform float frame; uniform vec3 left; uniform vec3 right; uniform vec3 strengths;
  varying vec3 tone; varying float strength; varying float dash;
  void main() {
    bool past = frame >= span.y, now = !past && frame >= span.x;
    tone = side < 0.0 ? left : right;
    strength = now ? strengths.x : past ? strengths.y : strengths.z;
    dash = past || now ? -1.0 : away;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;
const FRAGMENT = /* glsl */ `
  varying vec3 tone; varying float strength; varying float dash;
  void main() {
    if (dash > 0.0 && mod(dash, 0.036) > 0.02) discard;
    gl_FragColor = vec4(tone, strength);
    #include <colorspace_fragment>
  }`;

/** @param {number} now @param {number} past @param {number} coming  opacities */
const material = (now, past, coming) =>
  new THREE.ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    transparent: true,
    depthWrite: false,
    side: THREE.DoubleSide,
    uniforms: {
      frame: { value: 0 },
      left: { value: new THREE.Color() },
      right: { value: new THREE.Color() },
      strengths: { value: new THREE.Vector3(now, past, coming) },
    },
  });

export class Footmarks {
  /** @param {THREE.Scene} scene */
  constructor(scene) {
    this.scene = scene;
    this.group = new THREE.Group();
    scene.add(this.group);
    /** @type {Print[]} */ this.prints = [];
    /** @type {{side: "left" | "right", start: number, stop: number, slide: number, points: number[]}[]} */ this.slides =
      [];
    // All prints are two draw calls, whatever their number.
    this.fill = new THREE.Mesh(new THREE.BufferGeometry(), material(0.45, 0.18, 0.05));
    this.rim = new THREE.LineSegments(new THREE.BufferGeometry(), material(1, 0.6, 0.9));
    for (const part of [this.fill, this.rim]) {
      part.frustumCulled = part.visible = false;
      part.renderOrder = 1;
      this.group.add(part);
    }
    /** @type {{ribbon: Ribbon, start: number, stop: number, side: string}[]} */ this.smears = [];
    this.floor = 0;
    this.scale = 1;
    this.setTheme();
  }

  /** @param {Print[]} prints @param {number} floor @param {number} scale  of the figure against an adult */
  setPrints(prints, floor, scale) {
    this.prints = prints;
    this.floor = floor;
    this.scale = scale;
    const outlines = prints.map(({ side, place, heading_deg }) =>
      soleOutline(side, place[0], place[2], heading_deg, scale),
    );
    this.show(
      this.fill,
      outlines.map((outline) => flatShape(outline)),
    );
    this.show(this.rim, outlines.map(rimOf));
  }

  /** Join a shape for each print into what is drawn. @param {THREE.Mesh | THREE.LineSegments} part @param {number[][][]} shapes  points of x, z and, on a rim, how far along it they are */
  show(part, shapes) {
    const made = new THREE.BufferGeometry();
    /** @param {string} name @param {number} size @param {(point: number[], print: Print) => number[]} of */
    const give = (name, size, of) => {
      const values = shapes.flatMap((shape, k) => shape.flatMap((point) => of(point, this.prints[k])));
      made.setAttribute(name, new THREE.Float32BufferAttribute(values, size));
    };
    give("position", 3, ([x, z], { place }) => [x, place[1] + 0.004, z]);
    give("span", 2, (_, { start, stop }) => [start, stop]);
    give("side", 1, (_, { side }) => [side === "left" ? -1 : 1]);
    give("away", 1, ([, , away = -1]) => [away]);
    part.geometry.dispose();
    part.geometry = made;
    part.visible = shapes.length > 0;
  }

  /** Ways of soles that slid while they stood. @param {{side: "left" | "right", start: number, stop: number, slide: number, points: number[]}[]} slides */
  setSlides(slides) {
    for (const { ribbon } of this.smears) ribbon.dispose();
    this.smears = slides.map(({ side, start, stop, points }) => {
      const ribbon = new Ribbon(this.group, { width: 2.5, strength: 0.9, order: 2 });
      ribbon.setPoints(points);
      ribbon.setColour(colour(`--${side}-ink`));
      return { ribbon, start, stop, side };
    });
    this.slides = slides;
  }

  setTheme() {
    for (const [part, ink] of /** @type {const} */ ([
      [this.fill, ""],
      [this.rim, "-ink"],
    ]))
      for (const side of ["left", "right"]) part.material.uniforms[side].value = colour(`--${side}${ink}`);
    for (const { ribbon, side } of this.smears) ribbon.setColour(colour(`--${side}-ink`));
  }

  /** @param {number} frame */
  setFrame(frame) {
    for (const { material } of [this.fill, this.rim]) material.uniforms.frame.value = frame;
    for (const { ribbon, start, stop } of this.smears) ribbon.mesh.visible = frame >= start && frame < stop;
  }

  /** @param {number} width @param {number} height */
  setScreen(width, height) {
    for (const { ribbon } of this.smears) ribbon.setScreen(width, height);
  }

  /** @param {boolean} on */
  setVisible(on) {
    this.group.visible = on;
  }

  dispose() {
    for (const { geometry, material } of [this.fill, this.rim]) {
      geometry.dispose();
      material.dispose();
    }
    this.setSlides([]);
    this.scene.remove(this.group);
  }
}

/** A sole as triangles: three points of x and z for each. @param {number[][]} outline  (n, 2) of x and z */
function flatShape(outline) {
  const flat = outline.map(([x, z]) => new THREE.Vector2(x, -z));
  return THREE.ShapeUtils.triangulateShape(flat, []).flatMap((corners) => corners.map((k) => outline[k]));
}

/** The outline as segments: two points of x, z and the length so far for each. @param {number[][]} outline  (n, 2) of x and z */
function rimOf(outline) {
  let long = 0;
  return outline.flatMap((a, k) => {
    const b = outline[(k + 1) % outline.length],
      from = long;
    long += Math.hypot(b[0] - a[0], b[1] - a[1]);
    return [
      [...a, from],
      [...b, long],
    ];
  });
}
