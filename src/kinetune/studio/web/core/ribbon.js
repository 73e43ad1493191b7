/** A line of a width in pixels, whatever the distance; ends fade where asked. */
import * as THREE from "../vendor/three.js";

const VERTEX = /* glsl */ `
  attribute vec3 before; attribute vec3 after;
  uniform vec2 screen; uniform float width; uniform float count; varying float along;
  void main() {
    vec4 here = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    vec4 last = projectionMatrix * modelViewMatrix * vec4(before, 1.0);
    vec4 next = projectionMatrix * modelViewMatrix * vec4(after, 1.0);
    vec2 way = (next.xy / max(next.w, 1e-4) - last.xy / max(last.w, 1e-4)) * screen;
    vec2 across = length(way) > 1e-6 ? normalize(vec2(-way.y, way.x)) : vec2(0.0, 1.0);
    here.xy += across * (gl_VertexID % 2 == 0 ? -1.0 : 1.0) * width / screen * here.w;
    along = float(gl_VertexID / 2) / (count - 1.0);
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
        count: { value: 0 },
      },
    });
    this.geometry = new THREE.BufferGeometry();
    this.rows = new THREE.InterleavedBuffer(new Float32Array(0), 3);
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = options.order ?? 4;
    this.room = 0;
    parent.add(this.mesh);
  }

  /** @param {ArrayLike<number>} points  (n, 3) */
  setPoints(points) {
    const n = Math.floor(points.length / 3);
    this.mesh.visible = n > 1;
    if (n < 2) return;
    const rows = n > this.room ? this.allot(2 ** Math.ceil(Math.log2(n))) : this.rows,
      { array } = rows;
    for (let i = -1; i <= n; i++) {
      const from = Math.min(n - 1, Math.max(0, i)) * 3,
        k = (i + 1) * 6;
      for (let c = 0; c < 3; c++) array[k + c] = array[k + 3 + c] = points[from + c];
    }
    rows.clearUpdateRanges();
    rows.addUpdateRange(0, (n + 2) * 6);
    rows.needsUpdate = true;
    this.material.uniforms.count.value = n;
    this.geometry.setDrawRange(0, (n - 1) * 6);
  }

  /** Make room. Each point is there twice, for both sides of the line; one before the first and one after the last let the attributes share a buffer. @param {number} room */
  allot(room) {
    this.room = room;
    this.geometry.dispose();
    this.geometry = new THREE.BufferGeometry();
    this.rows = new THREE.InterleavedBuffer(new Float32Array((room + 2) * 6), 3);
    this.rows.setUsage(THREE.DynamicDrawUsage);
    for (const [k, name] of ["before", "position", "after"].entries())
      this.geometry.setAttribute(name, new THREE.InterleavedBufferAttribute(this.rows, 3, k * 6));
    /** @type {number[]} */ const index = [];
    for (let i = 0; i < room - 1; i++) index.push(i * 2, i * 2 + 1, i * 2 + 2, i * 2 + 2, i * 2 + 1, i * 2 + 3);
    this.geometry.setIndex(index);
    this.geometry.boundingSphere = new THREE.Sphere(); // nothing is sorted or culled by it
    this.mesh.geometry = this.geometry;
    return this.rows;
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
