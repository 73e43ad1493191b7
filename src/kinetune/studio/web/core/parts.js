/** Which shapes a skeleton is drawn with: a porcelain mannequin where roles are known, tapered bones elsewhere. */
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
 * The parts of a figure. The motion tells which way feet and head point in their own frames.
 * @param {Skeleton} skeleton
 * @param {Motion} motion
 * @param {boolean} coarse
 * @returns {Part[]}
 */
export function figureParts(skeleton, motion, coarse) {
  const body = new Body(skeleton, motion);
  const fine = coarse ? 1 : 3, small = coarse ? 1 : 2;
  /** @type {Part[]} */
  const parts = [];
  const used = new Set();
  const s = body.scale;
  /** @param {string} name @param {[Spot | null, number][]} spheres @param {number[]} joints @param {number} [detail] */
  const add = (name, spheres, joints, detail = fine) => {
    const known = spheres.filter(([spot]) => spot !== null).map(([spot, radius]) => ({ spot: /** @type {Spot} */ (spot), radius: radius * s }));
    if (known.length > 1 || name === "head") parts.push({ name, spheres: known, joints, pick: joints[0], detail });
  };
  const { at } = body;
  const hips = at("hips"), chest = at("chest"), neck = at("neck") ?? at("head"), head = at("head");
  if (hips && chest) {
    const waist = between(hips, chest, 0.36), belly = between(hips, chest, 0.72);
    const ribs = SIDES.flatMap((side) => {
      const arm = at(`${side} upper arm`);
      return arm ? [/** @type {[Spot, number]} */ ([between(chest, arm, 0.42), 0.098])] : [];
    });
    add("pelvis", [[at("left upper leg"), 0.084], [at("right upper leg"), 0.084], [waist, 0.094], [hips, 0.108]], [hips.joint]);
    add("belly", [[waist, 0.098], [hips, 0.1], [chest, 0.09]], [at("spine")?.joint ?? hips.joint]);
    add("torso", [[belly, 0.106], [chest, 0.116], ...ribs, [at("left upper arm"), 0.056], [at("right upper arm"), 0.056], [neck, 0.046]], [chest.joint]);
    for (const joint of body.between(hips.joint, chest.joint)) used.add(joint);
    for (const role of ["hips", "spine", "chest", "neck", "head", "left collar", "right collar", "left upper arm", "right upper arm", "left upper leg", "right upper leg"]) {
      const spot = at(role);
      if (spot) for (const joint of body.chainToTrunk(spot.joint)) used.add(joint);
    }
  }
  if (head && neck) {
    add("neck", [[neck, 0.046], [head, 0.05]], [neck.joint]);
    const skull = body.skull();
    add("head", [[skull.centre, 0.094], [skull.brow, 0.083], [skull.jaw, 0.058]], [head.joint]);
    parts[parts.length - 1].face = skull.ahead;
    used.add(head.joint);
  }
  for (const side of SIDES) {
    const [upperArm, lowerArm, hand] = ["upper arm", "lower arm", "hand"].map((part) => at(`${side} ${part}`));
    const [upperLeg, lowerLeg, foot] = ["upper leg", "lower leg", "foot"].map((part) => at(`${side} ${part}`));
    if (upperArm && lowerArm) add(`${side} upper arm`, [[upperArm, 0.052], [lowerArm, 0.04]], [lowerArm.joint, upperArm.joint]);
    if (lowerArm && hand) add(`${side} forearm`, [[lowerArm, 0.04], [hand, 0.029]], [hand.joint, lowerArm.joint]);
    if (hand) {
      const fingers = body.children(hand.joint);
      if (fingers.length > 1) {
        add(`${side} palm`, [[hand, 0.026], ...fingers.map((joint) => /** @type {[Spot, number]} */ ([{ joint }, 0.014]))], [hand.joint], small);
        for (const joint of fingers) used.add(joint);
      } else add(`${side} hand`, [[hand, 0.028], [body.tip(hand.joint, 0.6), 0.034], [body.tip(hand.joint, 1), 0.022]], [hand.joint], small);
      used.add(hand.joint);
    }
    if (upperLeg && lowerLeg) add(`${side} thigh`, [[upperLeg, 0.077], [lowerLeg, 0.056]], [lowerLeg.joint, upperLeg.joint]);
    if (lowerLeg && foot) add(`${side} shin`, [[lowerLeg, 0.055], [foot, 0.037]], [foot.joint, lowerLeg.joint]);
    if (foot) {
      const sole = body.sole(side);
      add(`${side} foot`, [[foot, 0.037], [sole.heel, 0.033], [sole.ball, 0.033]], [foot.joint]);
      add(`${side} toes`, [[sole.ball, 0.032], [sole.tip, 0.023]], [at(`${side} toes`)?.joint ?? foot.joint]);
    }
    for (const spot of [lowerArm, hand, lowerLeg, foot, at(`${side} toes`)]) if (spot) for (const joint of body.chainToTrunk(spot.joint)) used.add(joint);
  }
  skeleton.parents.forEach((parent, joint) => {
    if (parent >= 0 && !used.has(joint)) {
      const radius = Math.min(0.05, Math.max(0.009, 0.13 * body.length(joint))) / s;
      add(skeleton.names[joint], [[{ joint: parent }, radius], [{ joint }, radius * 0.8]], [joint], small);
    }
  });
  for (const { joint, offset } of skeleton.ends) {
    if (used.has(joint)) continue;
    const radius = Math.min(0.04, Math.max(0.008, 0.13 * Math.hypot(...offset))) / s;
    add(`${skeleton.names[joint]} end`, [[{ joint }, radius], [{ joint, offset }, radius * 0.7]], [joint], small);
  }
  return parts;
}

/** @param {Spot} a @param {Spot} b @param {number} share @returns {Spot} */
const between = (a, b, share) => ({ joint: a.joint, other: b.joint, share });

/** What a skeleton and a motion tell of a body's proportions. */
class Body {
  /** @param {Skeleton} skeleton @param {Motion} motion */
  constructor(skeleton, motion) {
    this.skeleton = skeleton;
    this.motion = motion;
    this.count = skeleton.names.length;
    const leg = (this.reach("left lower leg") + this.reach("left foot")) || (this.reach("right lower leg") + this.reach("right foot"));
    this.scale = leg > 0 ? leg / 0.86 : Math.max(0.05, this.height() / 1.7);
    this.at = this.at.bind(this);
  }

  /** @param {string} role @returns {Spot | null} */
  at(role) {
    const joint = this.skeleton.roles[role];
    return joint === undefined ? null : { joint };
  }

  /** The bone above the joint of a role. @param {string} role */
  reach(role) {
    const joint = this.skeleton.roles[role];
    return joint === undefined ? 0 : this.length(joint);
  }

  /** The length of the bone above a joint. @param {number} joint */
  length(joint) {
    const parent = this.skeleton.parents[joint];
    return parent < 0 ? 0 : Math.hypot(...minus(this.place(0, joint), this.place(0, parent)));
  }

  height() {
    let low = Infinity, high = -Infinity;
    for (let joint = 0; joint < this.count; joint++) {
      const y = this.place(0, joint)[1];
      low = Math.min(low, y);
      high = Math.max(high, y);
    }
    return high - low;
  }

  /** @param {number} frame @param {number} joint */
  place(frame, joint) {
    const i = (frame * this.count + joint) * 3, p = this.motion.positions;
    return [p[i], p[i + 1], p[i + 2]];
  }

  /** A world vector at a frame, told in the frame of a joint. @param {number} frame @param {number} joint @param {number[]} v */
  inFrameOf(frame, joint, v) {
    const t = this.motion.turns;
    if (!t) return v;
    const i = (frame * this.count + joint) * 4;
    return turned([t[i], -t[i + 1], -t[i + 2], -t[i + 3]], v);
  }

  /** @param {number} joint */
  children(joint) {
    return this.skeleton.parents.flatMap((parent, child) => (parent === joint ? [child] : []));
  }

  /** @param {number} top @param {number} joint */
  between(top, joint) {
    const found = [];
    for (let j = joint; j >= 0 && j !== top; j = this.skeleton.parents[j]) found.push(j);
    return found;
  }

  /** A joint and those above it, up to the hips or the root. @param {number} joint */
  chainToTrunk(joint) {
    return [joint, ...this.between(this.skeleton.roles.hips ?? -1, joint)];
  }

  /** Part of the way to the end of a last bone. @param {number} joint @param {number} share @returns {Spot} */
  tip(joint, share) {
    const end = this.skeleton.ends.find((site) => site.joint === joint);
    const child = this.children(joint)[0];
    if (child !== undefined) return { joint, other: child, share };
    if (end && Math.hypot(...end.offset) > 1e-4) return { joint, offset: end.offset.map((v) => v * share) };
    const parent = this.skeleton.parents[joint];
    const along = minus(this.place(0, joint), this.place(0, parent));
    const length = Math.hypot(...along) || 1;
    return { joint, offset: this.inFrameOf(0, joint, along.map((v) => (v / length) * 0.1 * this.scale * share)) };
  }

  /** Where the head is round, and where the face is. */
  skull() {
    const joint = this.skeleton.roles.head, frames = this.motion.frames;
    const up = this.tip(joint, 1);
    let axis = up.offset ?? [0, 0.2 * this.scale, 0];
    if (up.other !== undefined) axis = this.inFrameOf(0, joint, minus(this.place(0, up.other), this.place(0, joint)));
    const tall = Math.hypot(...axis) || 1;
    const height = Math.min(0.26, Math.max(0.17, tall / this.scale)) * this.scale;
    axis = axis.map((v) => v / tall);
    const face = [0, 0, 0];
    for (let k = 0; k < 16; k++) {
      const frame = Math.floor((k / 16) * frames);
      this.inFrameOf(frame, joint, this.facing(frame)).forEach((v, i) => { face[i] += v; });
    }
    const along = face.reduce((sum, v, i) => sum + v * axis[i], 0);
    const ahead = unit(face.map((v, i) => v - along * axis[i]));
    /** @param {number} rise @param {number} forth @returns {Spot} */
    const spot = (rise, forth) => ({ joint, offset: axis.map((v, i) => v * rise * height + ahead[i] * forth * this.scale) });
    return { centre: spot(0.56, 0.008), brow: spot(0.6, 0.03), jaw: spot(0.2, 0.048), ahead };
  }

  /** Which way the body faces. @param {number} frame */
  facing(frame) {
    const { roles } = this.skeleton;
    const left = roles["left upper leg"] ?? roles["left upper arm"], right = roles["right upper leg"] ?? roles["right upper arm"];
    if (left === undefined || right === undefined) return [0, 0, 1];
    const [x, , z] = minus(this.place(frame, left), this.place(frame, right));
    return unit([-z, 0, x]);
  }

  /** Heel, ball and tip of a foot, found where it stands flattest. @param {string} side */
  sole(side) {
    const foot = this.skeleton.roles[`${side} foot`], toes = this.skeleton.roles[`${side} toes`];
    let frame = 0, lowest = Infinity;
    const step = Math.max(1, Math.floor(this.motion.frames / 400));
    for (let f = 0; f < this.motion.frames; f += step) {
      const y = this.place(f, foot)[1] + (toes === undefined ? 0 : this.place(f, toes)[1]);
      if (y < lowest - 1e-4) { lowest = y; frame = f; }
    }
    const s = this.scale, ankle = this.place(frame, foot);
    const ahead = toes === undefined ? this.facing(frame) : unit(flat(minus(this.place(frame, toes), ankle)));
    const drop = toes === undefined ? 0.06 * s : Math.max(0.02 * s, Math.min(0.09 * s, ankle[1] - this.place(frame, toes)[1] + 0.012 * s));
    /** @param {number} forth @param {number} down @returns {Spot} */
    const beside = (forth, down) => ({ joint: foot, offset: this.inFrameOf(frame, foot, [ahead[0] * forth * s, -down, ahead[2] * forth * s]) });
    const heel = beside(-0.05, drop);
    if (toes === undefined) return { heel, ball: beside(0.13, drop), tip: beside(0.2, drop) };
    return { heel, ball: { joint: toes }, tip: { joint: toes, offset: this.inFrameOf(frame, toes, [ahead[0] * 0.075 * s, -0.008 * s, ahead[2] * 0.075 * s]) } };
  }
}

/** @param {number[]} a @param {number[]} b */
const minus = (a, b) => a.map((v, i) => v - b[i]);
/** @param {number[]} v */
const flat = (v) => [v[0], 0, v[2]];
/** @param {number[]} v */
const unit = (v) => {
  const length = Math.hypot(...v) || 1;
  return v.map((x) => x / length);
};

/**
 * A vector turned by a quaternion wxyz.
 * @param {number[]} q
 * @param {number[]} v
 */
export function turned(q, v) {
  const [w, x, y, z] = q;
  const a = 2 * (y * v[2] - z * v[1]), b = 2 * (z * v[0] - x * v[2]), c = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * a + y * c - z * b, v[1] + w * b + z * a - x * c, v[2] + w * c + x * b - y * a];
}
