/** Convex hulls of spheres, by their support function: one way to shape every limb, whatever its pose. */

/**
 * @typedef {Object} Ball  a unit sphere of directions
 * @property {Float32Array} directions  (count, 3)
 * @property {number[]} triangles
 * @property {number} count
 */

/** @type {Map<number, Ball>} */
const BALLS = new Map();

/**
 * An icosahedron whose faces are split `detail` times: 12, 42, 162 or 642 directions.
 * @param {number} detail
 * @returns {Ball}
 */
export function ball(detail) {
  const known = BALLS.get(detail);
  if (known) return known;
  const t = (1 + Math.sqrt(5)) / 2;
  const points = [
    [-1, t, 0],
    [1, t, 0],
    [-1, -t, 0],
    [1, -t, 0],
    [0, -1, t],
    [0, 1, t],
    [0, -1, -t],
    [0, 1, -t],
    [t, 0, -1],
    [t, 0, 1],
    [-t, 0, -1],
    [-t, 0, 1],
  ].map(unit);
  let faces = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
  ];
  for (let level = 0; level < detail; level++) {
    /** @type {Map<string, number>} */
    const middles = new Map();
    /** @param {number} a @param {number} b */
    const middle = (a, b) => {
      const name = a < b ? `${a} ${b}` : `${b} ${a}`;
      let found = middles.get(name);
      if (found === undefined) {
        found = points.push(unit(points[a].map((v, i) => v + points[b][i]))) - 1;
        middles.set(name, found);
      }
      return found;
    };
    faces = faces.flatMap(([a, b, c]) => {
      const ab = middle(a, b),
        bc = middle(b, c),
        ca = middle(c, a);
      return [
        [a, ab, ca],
        [b, bc, ab],
        [c, ca, bc],
        [ab, bc, ca],
      ];
    });
  }
  const made = { directions: Float32Array.from(points.flat()), triangles: faces.flat(), count: points.length };
  BALLS.set(detail, made);
  return made;
}

/** @param {number[]} v */
function unit(v) {
  const length = Math.hypot(...v);
  return v.map((x) => x / length);
}

/**
 * Write the hull of some spheres: for every direction the farthest point among them.
 * @param {Float32Array} directions  (count, 3)
 * @param {Float32Array} spheres  (n, 4): centre and radius
 * @param {number} n
 * @param {Float32Array} out
 * @param {number} at  first float in `out`
 */
export function writeHull(directions, spheres, n, out, at) {
  for (let i = 0; i < directions.length; i += 3) {
    const x = directions[i],
      y = directions[i + 1],
      z = directions[i + 2];
    let best = -Infinity,
      chosen = 0;
    for (let k = 0; k < n * 4; k += 4) {
      const reach = spheres[k] * x + spheres[k + 1] * y + spheres[k + 2] * z + spheres[k + 3];
      if (reach > best) {
        best = reach;
        chosen = k;
      }
    }
    const r = spheres[chosen + 3];
    out[at + i] = spheres[chosen] + r * x;
    out[at + i + 1] = spheres[chosen + 1] + r * y;
    out[at + i + 2] = spheres[chosen + 2] + r * z;
  }
}
