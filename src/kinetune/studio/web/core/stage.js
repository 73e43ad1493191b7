/** What stands round the figure: sky, floor with a fading grid, soft shadow, lights. */
import * as THREE from "../vendor/three.js";
import { colour, measure } from "./theme.js";

const FLOOR_VERTEX = /* glsl */ `
  varying vec3 place;
  void main() { vec4 world = modelMatrix * vec4(position, 1.0); place = world.xyz; gl_Position = projectionMatrix * viewMatrix * world; }`;
const FLOOR_FRAGMENT = /* glsl */ `
  varying vec3 place;
  uniform vec3 middle; uniform vec3 far; uniform vec3 line; uniform vec2 centre; uniform float reach;
  float grid(vec2 at, float step) {
    vec2 u = at / step; vec2 w = fwidth(u); vec2 g = abs(fract(u - 0.5) - 0.5) / w;
    float thin = 1.0 - min(min(g.x, g.y), 1.0);
    return thin * clamp(1.2 - max(w.x, w.y) * 2.2, 0.0, 1.0);
  }
  void main() {
    float away = length(place.xz - centre) / reach;
    vec3 ground = mix(middle, far, smoothstep(0.0, 0.3, away) * (1.0 - smoothstep(0.3, 0.85, away)));
    float lines = max(grid(place.xz, 0.5) * 0.3, grid(place.xz, 1.0) * 0.55) * pow(max(0.0, 1.0 - away), 1.5);
    gl_FragColor = vec4(mix(ground, line, lines), 1.0 - smoothstep(0.7, 1.0, away));
    #include <colorspace_fragment>
  }`;
const SKY_FRAGMENT = /* glsl */ `
  varying vec3 place; uniform vec3 top; uniform vec3 middle; uniform vec3 bottom;
  void main() { float h = normalize(place).y; vec3 tone = mix(middle, top, smoothstep(0.0, 0.55, h)); gl_FragColor = vec4(mix(tone, bottom, smoothstep(0.0, -0.12, h)), 1.0);
    #include <colorspace_fragment>
  }`;

/** The radius of the sky, metres. */
const SKY = 60;

export class Stage {
  /** @param {THREE.Scene} scene @param {{coarse: boolean}} options */
  constructor(scene, options) {
    this.scene = scene;
    this.sky = new THREE.Mesh(
      new THREE.SphereGeometry(SKY, 24, 16),
      new THREE.ShaderMaterial({
        vertexShader: /* glsl */ `varying vec3 place; void main() { place = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
        fragmentShader: SKY_FRAGMENT,
        side: THREE.BackSide,
        depthWrite: false,
        uniforms: { top: { value: null }, middle: { value: null }, bottom: { value: null } },
      }),
    );
    this.sky.renderOrder = -3;
    this.ground = new THREE.Mesh(
      new THREE.PlaneGeometry(40, 40).rotateX(-Math.PI / 2),
      new THREE.ShaderMaterial({
        vertexShader: FLOOR_VERTEX,
        fragmentShader: FLOOR_FRAGMENT,
        transparent: true,
        depthWrite: false,
        uniforms: {
          middle: { value: null },
          far: { value: null },
          line: { value: null },
          centre: { value: new THREE.Vector2() },
          reach: { value: 11 },
        },
      }),
    );
    this.ground.renderOrder = -2;
    this.shade = new THREE.Mesh(
      new THREE.PlaneGeometry(16, 16).rotateX(-Math.PI / 2),
      new THREE.ShadowMaterial({ transparent: true, depthWrite: false }),
    );
    this.shade.receiveShadow = true;
    this.shade.renderOrder = -1;
    this.shade.visible = !options.coarse;
    this.fill = new THREE.HemisphereLight(0xffffff, 0x3c424b, 1.15);
    this.key = new THREE.DirectionalLight(0xfff6ec, 2.1);
    this.rim = new THREE.DirectionalLight(0xcfe0ff, 0.75);
    this.above = new THREE.DirectionalLight(0xffffff, 0.001); // lights nothing: its shadow lies under the body
    this.above.castShadow = !options.coarse;
    this.above.shadow.mapSize.set(1024, 1024);
    this.above.shadow.radius = 5;
    this.above.shadow.blurSamples = 16;
    this.above.shadow.bias = -0.0006;
    Object.assign(this.above.shadow.camera, { left: -1.9, right: 1.9, top: 1.9, bottom: -1.9, near: 0.5, far: 9 });
    this.floor = 0;
    this.parts = [this.sky, this.ground, this.shade, this.fill, this.key, this.key.target, this.rim];
    this.parts.push(this.rim.target, this.above, this.above.target);
    scene.add(...this.parts);
    this.setTheme();
    this.setCentre(0, 0);
  }

  setTheme() {
    const sky = this.sky.material.uniforms,
      ground = this.ground.material.uniforms;
    sky.top.value = colour("--vp-top");
    sky.middle.value = colour("--vp-mid");
    sky.bottom.value = colour("--vp-mid");
    ground.middle.value = colour("--vp-mid");
    ground.far.value = colour("--vp-floor");
    ground.line.value = colour("--vp-grid");
    const light = document.documentElement.dataset.theme === "light";
    this.shade.material.color = colour("--vp-shadow");
    this.shade.material.opacity = measure("--vp-shadow-a") * 0.9;
    this.fill.intensity = light ? 1.9 : 0.95;
    this.fill.groundColor.set(light ? 0x9aa3ae : 0x3c424b);
    this.key.intensity = light ? 1.75 : 2.5;
  }

  /** @param {number} height */
  setFloor(height) {
    this.floor = height;
    this.ground.position.y = height;
    this.shade.position.y = height + 0.002;
  }

  /** Bring light, shadow and the middle of the grid to where the figure is. @param {number} x @param {number} z @param {number} [farthest]  that the camera goes away; the sky is beyond it */
  setCentre(x, z, farthest = 0) {
    const y = this.floor;
    this.sky.scale.setScalar(Math.max(1, (2 * farthest) / SKY));
    this.ground.material.uniforms.centre.value.set(x, z);
    this.ground.position.set(x, y, z);
    this.shade.position.set(x, y + 0.002, z);
    this.sky.position.set(x, y, z);
    this.key.target.position.set(x, y + 0.6, z);
    this.key.position.set(x - 1.5, y + 5.2, z + 1.6);
    this.above.target.position.set(x, y, z);
    this.above.position.set(x - 0.35, y + 5.2, z + 0.4);
    this.rim.target.position.set(x, y + 0.9, z);
    this.rim.position.set(x + 2.4, y + 2.2, z - 2.6);
  }

  dispose() {
    this.scene.remove(...this.parts);
    for (const mesh of [this.sky, this.ground, this.shade]) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }
}
