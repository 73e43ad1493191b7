/**
 * The values that the page passes about. Metres, Y up, seconds, quaternions wxyz, as everywhere in Kinetune.
 *
 * @typedef {[number, number, number]} Vec3
 *
 * @typedef {Object} Skeleton
 * @property {string[]} names
 * @property {number[]} parents  -1 at a root
 * @property {{joint: number, offset: Vec3}[]} ends  end sites in the frame of their joint
 * @property {Record<string, number>} roles  "left hand" to joint
 * @property {Record<string, number[]>} groups  "left arm" to joints
 * @property {number} height  metres
 *
 * @typedef {Object} Motion
 * @property {number} frames
 * @property {number} fps
 * @property {Float32Array} positions  (frames, joints, 3) in the world
 * @property {Float32Array | null} turns  (frames, joints, 4) in the world
 * @property {Skeleton} [skeleton]  where it is not that of the edited motion
 *
 * @typedef {Object} Contact  a foot that stands
 * @property {"left" | "right"} side
 * @property {number} start  first frame
 * @property {number} end  last frame, itself included
 * @property {number} [slide_mm]
 *
 * @typedef {Object} TcbKey  a key of a curve
 * @property {number} x
 * @property {number} y
 * @property {number} [tension]
 * @property {number} [continuity]
 * @property {number} [bias]
 * @property {number} [id]
 * @property {string} [fixed]  what sets its value, where that is not the curve
 */
export {};
