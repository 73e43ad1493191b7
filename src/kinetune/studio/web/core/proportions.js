/** How a body is built, read off its skeleton and its motion: lengths, where the face is, where soles are. */

/** @typedef {import("./types.js").Skeleton} Skeleton */
/** @typedef {import("./types.js").Motion} Motion */
/** @typedef {import("./body_shapes.js").Spot} Spot */

/** What a skeleton and a motion show of a body's proportions. */
export class Body {
  /** @param {Skeleton} skeleton @param {Motion} motion */
  constructor(skeleton, motion) {
    this.skeleton = skeleton;
    this.motion = motion;
    this.count = skeleton.names.length;
    const leg =
      this.reach("left lower leg") + this.reach("left foot") ||
      this.reach("right lower leg") + this.reach("right foot");
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
    let low = Infinity,
      high = -Infinity;
    for (let joint = 0; joint < this.count; joint++) {
      const y = this.place(0, joint)[1];
      low = Math.min(low, y);
      high = Math.max(high, y);
    }
    return high - low;
  }

  /** @param {number} frame @param {number} joint */
  place(frame, joint) {
    const i = (frame * this.count + joint) * 3,
      p = this.motion.positions;
    return [p[i], p[i + 1], p[i + 2]];
  }

  /** A world vector at a frame, in the frame of a joint. @param {number} frame @param {number} joint @param {number[]} v */
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
    return {
      joint,
      offset: this.inFrameOf(
        0,
        joint,
        along.map((v) => (v / length) * 0.1 * this.scale * share),
      ),
    };
  }

  /** Where the head is round, and where the face is. */
  skull() {
    const joint = this.skeleton.roles.head,
      frames = this.motion.frames;
    const up = this.tip(joint, 1);
    let axis = up.offset ?? [0, 0.2 * this.scale, 0];
    if (up.other !== undefined) axis = this.inFrameOf(0, joint, minus(this.place(0, up.other), this.place(0, joint)));
    const tall = Math.hypot(...axis) || 1;
    const height = Math.min(0.26, Math.max(0.17, tall / this.scale)) * this.scale;
    axis = axis.map((v) => v / tall);
    const face = [0, 0, 0];
    for (let k = 0; k < 16; k++) {
      const frame = Math.floor((k / 16) * frames);
      this.inFrameOf(frame, joint, this.facing(frame)).forEach((v, i) => {
        face[i] += v;
      });
    }
    const along = face.reduce((sum, v, i) => sum + v * axis[i], 0);
    const ahead = unit(face.map((v, i) => v - along * axis[i]));
    /** @param {number} rise @param {number} forth @returns {Spot} */
    const spot = (rise, forth) => ({
      joint,
      offset: axis.map((v, i) => v * rise * height + ahead[i] * forth * this.scale),
    });
    return { centre: spot(0.56, 0.008), brow: spot(0.6, 0.03), jaw: spot(0.2, 0.048), ahead };
  }

  /** Which way the body faces. @param {number} frame */
  facing(frame) {
    const { roles } = this.skeleton;
    const left = roles["left upper leg"] ?? roles["left upper arm"],
      right = roles["right upper leg"] ?? roles["right upper arm"];
    if (left === undefined || right === undefined) return [0, 0, 1];
    const [x, , z] = minus(this.place(frame, left), this.place(frame, right));
    return unit([-z, 0, x]);
  }

  /** Heel, ball and tip of a foot, found where it stands flattest. @param {string} side */
  sole(side) {
    const foot = this.skeleton.roles[`${side} foot`],
      toes = this.skeleton.roles[`${side} toes`];
    let frame = 0,
      lowest = Infinity;
    const step = Math.max(1, Math.floor(this.motion.frames / 400));
    for (let f = 0; f < this.motion.frames; f += step) {
      const y = this.place(f, foot)[1] + (toes === undefined ? 0 : this.place(f, toes)[1]);
      if (y < lowest - 1e-4) {
        lowest = y;
        frame = f;
      }
    }
    const s = this.scale,
      ankle = this.place(frame, foot);
    const ahead = toes === undefined ? this.facing(frame) : unit(flat(minus(this.place(frame, toes), ankle)));
    const drop =
      toes === undefined
        ? 0.06 * s
        : Math.max(0.02 * s, Math.min(0.09 * s, ankle[1] - this.place(frame, toes)[1] + 0.012 * s));
    /** @param {number} forth @param {number} down @returns {Spot} */
    const beside = (forth, down) => ({
      joint: foot,
      offset: this.inFrameOf(frame, foot, [ahead[0] * forth * s, -down, ahead[2] * forth * s]),
    });
    const heel = beside(-0.05, drop);
    if (toes === undefined) return { heel, ball: beside(0.13, drop), tip: beside(0.2, drop) };
    return {
      heel,
      ball: { joint: toes },
      tip: {
        joint: toes,
        offset: this.inFrameOf(frame, toes, [ahead[0] * 0.075 * s, -0.008 * s, ahead[2] * 0.075 * s]),
      },
    };
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
  const a = 2 * (y * v[2] - z * v[1]),
    b = 2 * (z * v[0] - x * v[2]),
    c = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * a + y * c - z * b, v[1] + w * b + z * a - x * c, v[2] + w * c + x * b - y * a];
}
