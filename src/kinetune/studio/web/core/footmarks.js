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

export class Footmarks {
  /** @param {THREE.Scene} scene */
  constructor(scene) {
    this.scene = scene;
    this.group = new THREE.Group();
    scene.add(this.group);
    /** @type {Print[]} */ this.prints = [];
    /** @type {{side: "left" | "right", start: number, stop: number, slide: number, points: number[]}[]} */ this.slides =
      [];
    /** @type {{fill: THREE.Mesh, rim: THREE.LineLoop, print: Print}[]} */ this.shapes = [];
    /** @type {{ribbon: Ribbon, start: number, stop: number, side: string}[]} */ this.smears = [];
    this.floor = 0;
    this.scale = 1;
  }

  /** @param {Print[]} prints @param {number} floor @param {number} scale  of the figure against an adult */
  setPrints(prints, floor, scale) {
    this.clear();
    this.prints = prints;
    this.floor = floor;
    this.scale = scale;
    this.shapes = prints.map((print) => {
      const outline = soleOutline(print.side, print.place[0], print.place[2], print.heading_deg, scale);
      const fill = new THREE.Mesh(
        flatShape(outline),
        new THREE.MeshBasicMaterial({ transparent: true, depthWrite: false }),
      );
      const rim = new THREE.LineLoop(
        new THREE.BufferGeometry().setFromPoints(outline.map(([x, z]) => new THREE.Vector3(x, 0, z))),
        new THREE.LineDashedMaterial({ transparent: true, depthWrite: false, dashSize: 0.02, gapSize: 0 }),
      );
      rim.computeLineDistances();
      fill.position.y = rim.position.y = print.place[1] + 0.004;
      fill.renderOrder = rim.renderOrder = 1;
      this.group.add(fill, rim);
      return { fill, rim, print };
    });
    this.setTheme();
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
    for (const { fill, rim, print } of this.shapes) {
      /** @type {THREE.MeshBasicMaterial} */ (fill.material).color = colour(`--${print.side}`);
      /** @type {THREE.LineDashedMaterial} */ (rim.material).color = colour(`--${print.side}-ink`);
    }
    for (const { ribbon, side } of this.smears) ribbon.setColour(colour(`--${side}-ink`));
  }

  /** Past prints are faint, standing ones strong, coming ones dashed. @param {number} frame */
  setFrame(frame) {
    for (const { fill, rim, print } of this.shapes) {
      const past = frame >= print.stop,
        now = !past && frame >= print.start;
      /** @type {THREE.Material} */ (fill.material).opacity = now ? 0.45 : past ? 0.18 : 0.05;
      const line = /** @type {THREE.LineDashedMaterial} */ (rim.material);
      line.opacity = now ? 1 : past ? 0.6 : 0.9;
      line.gapSize = now || past ? 0 : 0.016;
    }
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

  clear() {
    for (const { fill, rim } of this.shapes) {
      this.group.remove(fill, rim);
      fill.geometry.dispose();
      rim.geometry.dispose();
      /** @type {THREE.Material} */ (fill.material).dispose();
      /** @type {THREE.Material} */ (rim.material).dispose();
    }
    this.shapes = [];
  }

  dispose() {
    this.clear();
    this.setSlides([]);
    this.scene.remove(this.group);
  }
}

/** @param {number[][]} outline  (n, 2) of x and z */
function flatShape(outline) {
  const shape = new THREE.Shape(outline.map(([x, z]) => new THREE.Vector2(x, -z)));
  return new THREE.ShapeGeometry(shape).rotateX(-Math.PI / 2);
}
