/** A clip as a small moving skeleton on a canvas. */

/**
 * @typedef {{parents: number[], tip_parents: number[], rest: number, poses_fps: number, height: number, data: Record<string, Float32Array>}} Poses
 */

/** Seen from a little aside and above. */
const ASIDE = 0.5,
  ABOVE = 0.12;

/** A colour of the page. @param {string} name */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * Draw the pose at a moment; poses in between are mixed.
 * @param {HTMLCanvasElement} canvas @param {Poses} poses @param {number} at  in poses, from 0
 * @param {{over?: boolean, tone?: string, left?: number}} [how]  over what is there; in one colour; how far from the left, 0 to 1
 */
export function drawPose(canvas, poses, at, { over, tone, left = 0.5 } = {}) {
  const { parents, tip_parents: ends, height } = poses,
    { positions, tips } = poses.data,
    joints = parents.length,
    count = positions.length / joints / 3;
  const ratio = Math.min(2, devicePixelRatio || 1),
    width = Math.round(canvas.clientWidth * ratio),
    tall = Math.round(canvas.clientHeight * ratio);
  if (!width || !tall || !count) return;
  if (canvas.width !== width || canvas.height !== tall) Object.assign(canvas, { width, height: tall });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  if (!over) context.clearRect(0, 0, width, tall);
  const first = Math.max(0, Math.min(count - 1, Math.floor(at))),
    next = Math.min(count - 1, first + 1),
    share = Math.max(0, Math.min(1, at - first));
  const size = Math.max(height, 0.5),
    scale = (0.78 * tall) / size;
  /** @param {Float32Array} list @param {number} each @param {number} k @returns {[number, number, number]} */
  const seen = (list, each, k) => {
    const [x, y, z] = [0, 1, 2].map((c) => {
      const a = list[(first * each + k) * 3 + c],
        b = list[(next * each + k) * 3 + c];
      return a + share * (b - a);
    });
    const across = x * Math.cos(ASIDE) - z * Math.sin(ASIDE),
      near = x * Math.sin(ASIDE) + z * Math.cos(ASIDE);
    return [width * left + across * scale, tall * 0.9 - (y - ABOVE * near) * scale, near];
  };
  const points = parents.map((_, k) => seen(positions, joints, k)),
    bones = parents.flatMap((parent, k) => (parent < 0 ? [] : [[points[parent], points[k]]]));
  ends.forEach((parent, k) => bones.push([points[parent], seen(tips, ends.length, k)]));
  bones.sort((a, b) => a[0][2] + a[1][2] - b[0][2] - b[1][2]);
  const floor = points.reduce((low, point) => Math.max(low, point[1]), 0);
  context.fillStyle = colour("--vp-shadow");
  context.globalAlpha = 0.28;
  context.beginPath();
  context.ellipse(width * left, Math.min(tall - 4, floor + 2), tall * 0.2, tall * 0.035, 0, 0, Math.PI * 2);
  context.fill();
  context.globalAlpha = 1;
  context.lineCap = "round";
  for (const [from, to] of bones) {
    const long = Math.hypot(to[0] - from[0], to[1] - from[1]),
      near = (from[2] + to[2]) / 2 / size;
    context.strokeStyle = colour(tone ?? (near < -0.06 ? "--pose-far" : near > 0.06 ? "--pose-near" : "--pose-mid"));
    context.lineWidth = tall * (long < 0.035 * tall ? 0.022 : long < 0.1 * tall ? 0.05 : 0.042);
    context.beginPath();
    context.moveTo(from[0], from[1]);
    context.lineTo(to[0], to[1]);
    context.stroke();
  }
}
