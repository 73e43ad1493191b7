/** The surface that joints bend, on the graphics card: the skin of a character, or a mannequin. */
import * as THREE from "../vendor/three.js";

/** @typedef {import("./answers.js").SkinAnswer & {data: Record<string, Float32Array>}} SkinAnswer */

/** A surface as it came from the server; characters that show it share its geometry and pictures. */
export class Surface {
  /** @param {SkinAnswer} answer */
  constructor(answer) {
    const { data } = answer,
      geometry = new THREE.BufferGeometry();
    this.body = answer.body;
    this.joints = answer.bone_joints;
    this.materials = answer.materials.map(({ colour, picture }) => ({
      colour: new THREE.Color().setRGB(...colour),
      picture: picture ? loadPicture(picture) : null,
    }));
    geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(data.triangles), 1));
    geometry.setAttribute("position", new THREE.BufferAttribute(data.points, 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(data.normals, 3));
    geometry.setAttribute("uv", new THREE.BufferAttribute(data.uv, 2));
    geometry.setAttribute("color", new THREE.BufferAttribute(data.tints, 3));
    geometry.setAttribute("skinIndex", new THREE.BufferAttribute(Uint16Array.from(data.bones), 4));
    geometry.setAttribute("skinWeight", new THREE.BufferAttribute(data.weights, 4));
    for (const { material, start, count } of answer.parts) geometry.addGroup(start, count, material);
    this.geometry = geometry;
    this.binds = this.joints.map((_, bone) => {
      const rows = data.binds.subarray(bone * 16, bone * 16 + 16); // row by row; three.js has columns
      return new THREE.Matrix4().fromArray(rows).transpose();
    });
  }

  dispose() {
    this.geometry.dispose();
    for (const { picture } of this.materials) picture?.dispose();
  }
}

/** @param {string} address */
function loadPicture(address) {
  const picture = new THREE.TextureLoader().load(address);
  picture.flipY = false;
  picture.colorSpace = THREE.SRGBColorSpace;
  picture.wrapS = picture.wrapT = THREE.RepeatWrapping;
  return picture;
}

const SHARE = /* glsl */ `
  vec4 changes = vec4(texelFetch(changeOfBone, ivec2(int(skinIndex.x), 0), 0).r, texelFetch(changeOfBone, ivec2(int(skinIndex.y), 0), 0).r,
    texelFetch(changeOfBone, ivec2(int(skinIndex.z), 0), 0).r, texelFetch(changeOfBone, ivec2(int(skinIndex.w), 0), 0).r);
  bonesChanged = dot(skinWeight, changes);`;

/** How far each bone is from where it was, blended over the skin by the weights that bend it. */
export class ChangeTint {
  constructor() {
    this.values = new Float32Array(1);
    this.uniforms = {
      changeOfBone: { value: texture(this.values) },
      fullScale: { value: 1 },
      tone: { value: new THREE.Color() },
    };
  }

  /** @param {number} bones */
  setSize(bones) {
    this.uniforms.changeOfBone.value.dispose();
    this.values = new Float32Array(bones);
    this.uniforms.changeOfBone.value = texture(this.values);
  }

  /** @param {Float32Array} change  by joint, metres @param {number[]} joints  of the bones */
  set(change, joints) {
    let same = true;
    for (let bone = 0; bone < joints.length; bone++) {
      const value = change[joints[bone]];
      same &&= Math.abs(value - this.values[bone]) < 1e-6;
      this.values[bone] = value;
    }
    if (!same) this.uniforms.changeOfBone.value.needsUpdate = true;
  }

  /**
   * Let a material use it.
   * @template {THREE.Material} M
   * @param {M} material
   * @param {string} colour  what becomes of the colour, in GLSL
   * @returns {M}
   */
  colouring(material, colour) {
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader =
        `uniform sampler2D changeOfBone; varying float bonesChanged;\n${shader.vertexShader}`.replace(
          "#include <skinning_vertex>",
          `#include <skinning_vertex>\n${SHARE}`,
        );
      shader.fragmentShader =
        `uniform float fullScale; uniform vec3 tone; varying float bonesChanged;\n${shader.fragmentShader}`.replace(
          "#include <color_fragment>",
          `#include <color_fragment>\n${colour}`,
        );
    };
    material.customProgramCacheKey = () => colour;
    return material;
  }

  dispose() {
    this.uniforms.changeOfBone.value.dispose();
  }
}

/** @param {Float32Array} values */
function texture(values) {
  const made = new THREE.DataTexture(values, values.length, 1, THREE.RedFormat, THREE.FloatType);
  made.needsUpdate = true;
  return made;
}
