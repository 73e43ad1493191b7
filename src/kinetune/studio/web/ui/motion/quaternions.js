/** Turns as people read them: rotation vectors in degrees for unit quaternions wxyz. */

/** One turn after another. @param {number[]} second @param {number[]} first @returns {number[]} wxyz */
export function after([a, b, c, d], [w, x, y, z]) {
  return [
    a * w - b * x - c * y - d * z,
    a * x + b * w + c * z - d * y,
    a * y - b * z + c * w + d * x,
    a * z + b * y - c * x + d * w,
  ];
}

/** The turn that takes one back. @param {number[]} turn */
export const back = ([w, x, y, z]) => [w, -x, -y, -z];

/** The turn from one orientation to another as a rotation vector in degrees. @param {number[]} from @param {number[]} to */
export const turnBetween = (from, to) => toVector(after(to, back(from)));

/** @param {number[]} turn  wxyz @returns {number[]} degrees */
export function toVector(turn) {
  const q = turn[0] < 0 ? turn.map((v) => -v) : turn,
    size = Math.hypot(q[1], q[2], q[3]),
    angle = 2 * Math.atan2(size, q[0]);
  const scale = size > 1e-9 ? ((angle / size) * 180) / Math.PI : 0;
  return [q[1] * scale, q[2] * scale, q[3] * scale];
}

/** @param {number[]} vector  degrees @returns {number[]} wxyz */
export function fromVector(vector) {
  const angle = (Math.hypot(...vector) * Math.PI) / 180;
  if (angle < 1e-9) return [1, 0, 0, 0];
  const scale = (Math.sin(angle / 2) * Math.PI) / 180 / angle;
  return [Math.cos(angle / 2), ...vector.map((v) => v * scale)];
}

/** A vector turned by a quaternion wxyz. @param {number[]} q @param {number[]} v */
export function turned(q, v) {
  const [w, x, y, z] = q;
  const a = 2 * (y * v[2] - z * v[1]),
    b = 2 * (z * v[0] - x * v[2]),
    c = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * a + y * c - z * b, v[1] + w * b + z * a - x * c, v[2] + w * c + x * b - y * a];
}
