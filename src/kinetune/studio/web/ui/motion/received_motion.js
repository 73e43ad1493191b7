/** Motion as it arrives: windows are written into the arrays that are playing, wholes take their place. */
import { sampleRow } from "../../core/character.js";
import * as store from "../shell/store.js";
/** @import { MotionAnswer, OriginalAnswer } from "../../core/answers.js" */

/** @typedef {import("../../core/types.js").Motion} Motion */

/** @param {OriginalAnswer} answer */
export function takeOriginal(answer) {
  store.original.value = {
    frames: answer.frames,
    fps: answer.fps,
    positions: answer.data.positions,
    turns: answer.data.rotations ?? null,
    skeleton: { names: answer.names, parents: answer.parents, ends: [], roles: {}, groups: {}, height: 1.75 },
  };
  store.floor.value = 0;
}

/** @param {MotionAnswer} answer */
export function takeMotion(answer) {
  const { frames, fps, start, stop, part, data } = answer;
  const joints = store.skeleton.value?.names.length ?? 0,
    before = store.motion.value;
  if (!joints || !data.positions) return;
  if (part === "whole") {
    store.motion.value = { frames, fps, positions: data.positions, turns: data.rotations ?? null };
    store.pending.value = null;
  } else {
    let motion = before;
    if (!motion || motion.frames !== frames || motion.fps !== fps) {
      motion = grown(before, frames, fps, joints, Boolean(data.rotations));
      store.motion.value = motion;
    }
    motion.positions.set(data.positions, start * joints * 3);
    if (data.rotations && motion.turns) motion.turns.set(data.rotations, start * joints * 4);
    store.pending.value = stop - start < frames ? [0, frames] : null;
  }
  store.spent.value = answer.evaluate_ms ?? null;
  store.floor.value = answer.floor ?? 0;
  if (store.playback.frames !== frames || store.playback.fps !== fps) store.playback.setClip(frames, fps);
  store.largestChange.value =
    answer.change_mm != null
      ? answer.change_mm / 1000
      : farthest(
          /** @type {Motion} */ (store.motion.value),
          store.original.value,
          joints,
          part === "window" ? [start, stop] : null,
        );
  store.version.value++;
}

/** Arrays for another number of frames, begun with what is known. @param {Motion | null} before @param {number} frames @param {number} fps @param {number} joints @param {boolean} turns @returns {Motion} */
function grown(before, frames, fps, joints, turns) {
  const made = {
    frames,
    fps,
    positions: new Float32Array(frames * joints * 3),
    turns: turns ? new Float32Array(frames * joints * 4) : null,
  };
  if (!before || before.positions.length % (joints * 3)) return made;
  for (let f = 0; f < frames; f++) {
    const from = Math.min(before.frames - 1, f);
    made.positions.set(before.positions.subarray(from * joints * 3, (from + 1) * joints * 3), f * joints * 3);
    if (made.turns && before.turns)
      made.turns.set(before.turns.subarray(from * joints * 4, (from + 1) * joints * 4), f * joints * 4);
  }
  return made;
}

/** How far the joint that moved most is from where the original has it at the same moment, for up to 240 frames of a part, metres. @param {Motion} motion @param {Motion} original @param {number} joints @param {[number, number]} part */
export function changesOf(motion, original, joints, [from, to]) {
  const step = Math.max(1, Math.floor((to - from) / 240)),
    there = new Float32Array(joints * 3),
    changes = [];
  for (let f = from; f < Math.min(to, motion.frames); f += step) {
    const origin = store.originOf(f);
    if (origin > original.frames - 1) break;
    sampleRow(original.positions, original.frames, joints * 3, origin, there);
    let most = 0;
    for (let i = 0, k = f * joints * 3; i < joints * 3; i += 3, k += 3)
      most = Math.max(
        most,
        Math.hypot(
          motion.positions[k] - there[i],
          motion.positions[k + 1] - there[i + 1],
          motion.positions[k + 2] - there[i + 2],
        ),
      );
    changes.push(most);
  }
  return changes;
}

/** The largest distance of a joint from the original, over some of the frames. @param {Motion} motion @param {Motion | null} original @param {number} joints @param {[number, number] | null} window */
function farthest(motion, original, joints, window) {
  if (!original || original.positions.length !== original.frames * joints * 3) return 0;
  const found = Math.max(0, ...changesOf(motion, original, joints, window ?? [0, motion.frames]));
  return window ? Math.max(found, Math.min(store.largestChange.value, found * 2)) : found;
}
