/** Kochanek-Bartels splines as they are drawn under the hand; the server works out the ones that count. */
/** @typedef {import("./types.js").TcbKey} TcbKey */

/**
 * Slopes before and after a key, in units of y over x.
 * @param {TcbKey[]} keys
 * @param {number} i
 * @returns {[number, number]}
 */
export function slopes(keys, i) {
  const key = keys[i],
    last = keys[i - 1],
    next = keys[i + 1];
  const { tension: t = 0, continuity: c = 0, bias: b = 0 } = key;
  const before = last ? (key.y - last.y) / (key.x - last.x) : null,
    after = next ? (next.y - key.y) / (next.x - key.x) : null;
  if (before === null && after === null) return [0, 0];
  if (before === null || after === null) {
    const only = /** @type {number} */ (before ?? after) * (1 - t);
    return [only, only];
  }
  const h0 = key.x - last.x,
    h1 = next.x - key.x;
  // Weights of the neighbouring chords: the nearer neighbour counts more, so that uneven keys make no bumps.
  const w0 = (2 * h1) / (h0 + h1),
    w1 = (2 * h0) / (h0 + h1);
  const into = ((1 - t) * ((1 + b) * (1 - c) * w0 * before + (1 - b) * (1 + c) * w1 * after)) / 2;
  const out = ((1 - t) * ((1 + b) * (1 + c) * w0 * before + (1 - b) * (1 - c) * w1 * after)) / 2;
  return [into, out];
}

/**
 * Points along the curve, (n, 2).
 * @param {TcbKey[]} keys
 * @param {number} [pieces]  of each segment
 */
export function tcbPoints(keys, pieces = 24) {
  /** @type {[number, number][]} */ const points = [];
  for (let i = 0; i < keys.length - 1; i++) {
    const a = keys[i],
      b = keys[i + 1],
      width = b.x - a.x;
    const m0 = slopes(keys, i)[1] * width,
      m1 = slopes(keys, i + 1)[0] * width;
    for (let k = i ? 1 : 0; k <= pieces; k++) {
      const u = k / pieces,
        u2 = u * u,
        u3 = u2 * u;
      points.push([
        a.x + width * u,
        (2 * u3 - 3 * u2 + 1) * a.y + (u3 - 2 * u2 + u) * m0 + (3 * u2 - 2 * u3) * b.y + (u3 - u2) * m1,
      ]);
    }
  }
  if (keys.length === 1) points.push([keys[0].x, keys[0].y]);
  return points;
}

/** The curve at an x, held beyond its ends. @param {[number, number][]} points @param {number} x */
export function tcbAt(points, x) {
  if (!points.length) return 0;
  if (x <= points[0][0]) return points[0][1];
  for (let i = 1; i < points.length; i++) {
    if (points[i][0] >= x) {
      const [a, b] = [points[i - 1], points[i]];
      return a[1] + ((b[1] - a[1]) * (x - a[0])) / (b[0] - a[0] || 1);
    }
  }
  return points[points.length - 1][1];
}
