/** Which shapes a skeleton is drawn with: a porcelain mannequin where roles are known, tapered bones elsewhere. */
import { Body } from "./proportions.js";

/** @typedef {import("./types.js").Skeleton} Skeleton */
/** @typedef {import("./types.js").Motion} Motion */

/**
 * A point of the body: between two joints, or beside one in its own frame.
 * @typedef {Object} Spot
 * @property {number} joint
 * @property {number} [other]  together with `share`: part of the way from joint to other
 * @property {number} [share]
 * @property {number[]} [offset]  metres in the frame of the joint
 *
 * @typedef {Object} Part
 * @property {string} name
 * @property {{spot: Spot, radius: number}[]} spheres
 * @property {number[]} joints  the joints that tint it
 * @property {number} pick  the joint that a click on it selects
 * @property {number} detail  how finely it is drawn
 * @property {number[]} [face]  which way the face looks, in the frame of the joint
 */

const SIDES = ["left", "right"];

/**
 * The parts of a figure. The motion shows which way feet and head point in their own frames.
 * @param {Skeleton} skeleton
 * @param {Motion} motion
 * @param {boolean} coarse
 * @returns {Part[]}
 */
export function bodyShapes(skeleton, motion, coarse) {
  const body = new Body(skeleton, motion);
  const fine = coarse ? 1 : 3,
    small = coarse ? 1 : 2;
  /** @type {Part[]} */
  const parts = [];
  const used = new Set();
  const s = body.scale;
  /** @param {string} name @param {[Spot | null, number][]} spheres @param {number[]} joints @param {number} [detail] */
  const add = (name, spheres, joints, detail = fine) => {
    const known = spheres
      .filter(([spot]) => spot !== null)
      .map(([spot, radius]) => ({ spot: /** @type {Spot} */ (spot), radius: radius * s }));
    if (known.length > 1 || name === "head") parts.push({ name, spheres: known, joints, pick: joints[0], detail });
  };
  const { at } = body;
  const hips = at("hips"),
    chest = at("chest"),
    neck = at("neck") ?? at("head"),
    head = at("head");
  if (hips && chest) {
    const waist = between(hips, chest, 0.36),
      belly = between(hips, chest, 0.72);
    const ribs = SIDES.flatMap((side) => {
      const arm = at(`${side} upper arm`);
      return arm ? [/** @type {[Spot, number]} */ ([between(chest, arm, 0.42), 0.098])] : [];
    });
    add(
      "pelvis",
      [
        [at("left upper leg"), 0.084],
        [at("right upper leg"), 0.084],
        [waist, 0.094],
        [hips, 0.108],
      ],
      [hips.joint],
    );
    add(
      "belly",
      [
        [waist, 0.098],
        [hips, 0.1],
        [chest, 0.09],
      ],
      [at("spine")?.joint ?? hips.joint],
    );
    add(
      "torso",
      [
        [belly, 0.106],
        [chest, 0.116],
        ...ribs,
        [at("left upper arm"), 0.056],
        [at("right upper arm"), 0.056],
        [neck, 0.046],
      ],
      [chest.joint],
    );
    for (const joint of body.between(hips.joint, chest.joint)) used.add(joint);
    for (const role of [
      "hips",
      "spine",
      "chest",
      "neck",
      "head",
      "left collar",
      "right collar",
      "left upper arm",
      "right upper arm",
      "left upper leg",
      "right upper leg",
    ]) {
      const spot = at(role);
      if (spot) for (const joint of body.chainToTrunk(spot.joint)) used.add(joint);
    }
  }
  if (head && neck) {
    add(
      "neck",
      [
        [neck, 0.046],
        [head, 0.05],
      ],
      [neck.joint],
    );
    const skull = body.skull();
    add(
      "head",
      [
        [skull.centre, 0.094],
        [skull.brow, 0.083],
        [skull.jaw, 0.058],
      ],
      [head.joint],
    );
    parts[parts.length - 1].face = skull.ahead;
    used.add(head.joint);
  }
  for (const side of SIDES) {
    const [upperArm, lowerArm, hand] = ["upper arm", "lower arm", "hand"].map((part) => at(`${side} ${part}`));
    const [upperLeg, lowerLeg, foot] = ["upper leg", "lower leg", "foot"].map((part) => at(`${side} ${part}`));
    if (upperArm && lowerArm)
      add(
        `${side} upper arm`,
        [
          [upperArm, 0.052],
          [lowerArm, 0.04],
        ],
        [lowerArm.joint, upperArm.joint],
      );
    if (lowerArm && hand)
      add(
        `${side} forearm`,
        [
          [lowerArm, 0.04],
          [hand, 0.029],
        ],
        [hand.joint, lowerArm.joint],
      );
    if (hand) {
      const fingers = body.children(hand.joint);
      if (fingers.length > 1) {
        add(
          `${side} palm`,
          [[hand, 0.026], ...fingers.map((joint) => /** @type {[Spot, number]} */ ([{ joint }, 0.014]))],
          [hand.joint],
          small,
        );
        for (const joint of fingers) used.add(joint);
      } else
        add(
          `${side} hand`,
          [
            [hand, 0.028],
            [body.tip(hand.joint, 0.6), 0.034],
            [body.tip(hand.joint, 1), 0.022],
          ],
          [hand.joint],
          small,
        );
      used.add(hand.joint);
    }
    if (upperLeg && lowerLeg)
      add(
        `${side} thigh`,
        [
          [upperLeg, 0.077],
          [lowerLeg, 0.056],
        ],
        [lowerLeg.joint, upperLeg.joint],
      );
    if (lowerLeg && foot)
      add(
        `${side} shin`,
        [
          [lowerLeg, 0.055],
          [foot, 0.037],
        ],
        [foot.joint, lowerLeg.joint],
      );
    if (foot) {
      const sole = body.sole(side);
      add(
        `${side} foot`,
        [
          [foot, 0.037],
          [sole.heel, 0.033],
          [sole.ball, 0.033],
        ],
        [foot.joint],
      );
      add(
        `${side} toes`,
        [
          [sole.ball, 0.032],
          [sole.tip, 0.023],
        ],
        [at(`${side} toes`)?.joint ?? foot.joint],
      );
    }
    for (const spot of [lowerArm, hand, lowerLeg, foot, at(`${side} toes`)])
      if (spot) for (const joint of body.chainToTrunk(spot.joint)) used.add(joint);
  }
  skeleton.parents.forEach((parent, joint) => {
    if (parent >= 0 && !used.has(joint)) {
      const radius = Math.min(0.05, Math.max(0.009, 0.13 * body.length(joint))) / s;
      add(
        skeleton.names[joint],
        [
          [{ joint: parent }, radius],
          [{ joint }, radius * 0.8],
        ],
        [joint],
        small,
      );
    }
  });
  for (const { joint, offset } of skeleton.ends) {
    if (used.has(joint)) continue;
    const radius = Math.min(0.04, Math.max(0.008, 0.13 * Math.hypot(...offset))) / s;
    add(
      `${skeleton.names[joint]} end`,
      [
        [{ joint }, radius],
        [{ joint, offset }, radius * 0.7],
      ],
      [joint],
      small,
    );
  }
  return parts;
}

/** @param {Spot} a @param {Spot} b @param {number} share @returns {Spot} */
const between = (a, b, share) => ({ joint: a.joint, other: b.joint, share });
