/** A line of a width in pixels, whatever the distance; ends fade where asked. */
import * as THREE from "../vendor/three.js";

const VERTEX = /* glsl */ `
  attribute vec3 before; attribute vec3 after; attribute float side; attribute float share;
  uniform vec2 screen; uniform float width; varying float along;
  void main() {
    vec4 here = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    vec4 last = projectionMatrix * modelViewMatrix * vec4(before, 1.0);
    vec4 next = projectionMatrix * modelViewMatrix * vec4(after, 1.0);
    vec2 way = (next.xy / max(next.w, 1e-4) - last.xy / max(last.w, 1e-4)) * screen;
    vec2 across = length(way) > 1e-6 ? normalize(vec2(-way.y, way.x)) : vec2(0.0, 1.0);
    here.xy += across * side * width / screen * here.w;
    along = share;
    gl_Position = here;
  }`;
const FRAGMENT = /* glsl */ `
  uniform vec3 tone; uniform float strength; uniform float fade; uniform float dashes; varying float along;
  void main() {
    float ends = fade > 0.0 ? smoothstep(0.0, fade, along) * smoothstep(0.0, fade, 1.0 - along) : 1.0;
    if (dashes > 0.0 && fract(along * dashes) > 0.4) discard;
    gl_FragColor = vec4(tone, strength * ends);
    #include <colorspace_fragment>
  }`;

export class Ribbon {
  /** @param {THREE.Object3D} parent @param {{width?: number, strength?: number, fade?: number, dashes?: number, order?: number, onTop?: boolean}} [options] */
  constructor(parent, options = {}) {
    this.parent = parent;
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      depthTest: !options.onTop,
      side: THREE.DoubleSide,
      uniforms: {
        screen: { value: new THREE.Vector2(1, 1) },
        width: { value: options.width ?? 1.5 },
        tone: { value: new THREE.Color() },
        strength: { value: options.strength ?? 1 },
        fade: { value: options.fade ?? 0 },
        dashes: { value: options.dashes ?? 0 },
      },
    });
    this.geometry = new THREE.BufferGeometry();
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = options.order ?? 4;
    this.size = 0;
    parent.add(this.mesh);
  }

  /** @param {ArrayLike<number>} points  (n, 3) */
  setPoints(points) {
    const n = Math.floor(points.length / 3);
    this.mesh.visible = n > 1;
    if (n < 2) return;
    if (n !== this.size) this.allot(n);
    const [here, last, next] = ["position", "before", "after"].map(
      (name) => /** @type {Float32Array} */ (this.geometry.getAttribute(name).array),
    );
    for (let i = 0; i < n; i++) {
      const a = Math.max(0, i - 1) * 3,
        b = Math.min(n - 1, i + 1) * 3;
      for (let c = 0; c < 3; c++) {
        const k = i * 6 + c;
        here[k] = here[k + 3] = points[i * 3 + c];
        last[k] = last[k + 3] = points[a + c];
        next[k] = next[k + 3] = points[b + c];
      }
    }
    for (const name of ["position", "before", "after"]) this.geometry.getAttribute(name).needsUpdate = true;
  }

  /** @param {number} n */
  allot(n) {
    this.size = n;
    this.geometry.dispose();
    this.geometry = new THREE.BufferGeometry();
    for (const name of ["position", "before", "after"])
      this.geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(n * 6), 3));
    this.geometry.setAttribute(
      "side",
      new THREE.BufferAttribute(
        Float32Array.from({ length: n * 2 }, (_, i) => (i % 2 ? 1 : -1)),
        1,
      ),
    );
    this.geometry.setAttribute(
      "share",
      new THREE.BufferAttribute(
        Float32Array.from({ length: n * 2 }, (_, i) => Math.floor(i / 2) / (n - 1)),
        1,
      ),
    );
    /** @type {number[]} */ const index = [];
    for (let i = 0; i < n - 1; i++) index.push(i * 2, i * 2 + 1, i * 2 + 2, i * 2 + 2, i * 2 + 1, i * 2 + 3);
    this.geometry.setIndex(index);
    this.mesh.geometry = this.geometry;
  }

  /** @param {THREE.Color} tone */
  setColour(tone) {
    this.material.uniforms.tone.value = tone;
  }

  /** @param {number} width @param {number} height */
  setScreen(width, height) {
    this.material.uniforms.screen.value.set(width, height);
  }

  dispose() {
    this.parent.remove(this.mesh);
    this.geometry.dispose();
    this.material.dispose();
  }
}
