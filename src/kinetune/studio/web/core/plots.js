/** Plots of the physics panel: floor forces against the friction line, and a curve over time. */
import { pathOf } from "./dom.js";
import { fixed, plain } from "./numbers.js";

/**
 * Horizontal against vertical force, with the line that friction draws.
 * @param {{was: [number, number][], is: [number, number][], mu: number, width: number, height: number}} facts  newtons
 */
export function forcePlot({ was, is, mu, width, height }) {
  const all = [...was, ...is];
  const tall = Math.max(100, ...all.map(([, v]) => v)) * 1.08,
    wide = Math.max(50, tall * mu * 1.15, ...all.map(([h]) => Math.abs(h))) * 1.05;
  const X = (/** @type {number} */ h) => 36 + ((h + wide) / (2 * wide)) * (width - 48),
    Y = (/** @type {number} */ v) => height - 24 - (v / tall) * (height - 40);
  const edge = Math.min(tall, wide / Math.max(1e-6, mu));
  let o = `<path d="M${X(-wide)} ${Y(0)}H${X(wide)}M${X(0)} ${Y(0)}V${Y(tall)}" stroke="var(--line-2)"/><path d="M${X(-edge * mu)} ${Y(edge)}L${X(0)} ${Y(0)}L${X(edge * mu)} ${Y(edge)}Z" fill="var(--good)" fill-opacity=".07"/><path d="M${X(-edge * mu)} ${Y(edge)}L${X(0)} ${Y(0)}L${X(edge * mu)} ${Y(edge)}" fill="none" stroke="var(--text-1)" stroke-width="1.300"/>`;
  for (const [h, v] of was)
    o += `<circle cx="${X(h).toFixed(1)}" cy="${Y(v).toFixed(1)}" r="2.200" fill="none" stroke="var(--ghost)" stroke-opacity=".7"/>`;
  for (const [h, v] of is)
    o += `<circle cx="${X(h).toFixed(1)}" cy="${Y(v).toFixed(1)}" r="2.300" fill="var(--edited)" fill-opacity=".85"/>`;
  o += `<text x="${Math.min(width - 76, X(edge * mu) - 70)}" y="${Y(edge) + 12}" font-size="10" fill="var(--text-1)">friction ${fixed(mu)}</text><text x="${width - 12}" y="${height - 8}" font-size="10" text-anchor="end" fill="var(--text-3)">horizontal, N</text><text x="36" y="${height - 8}" font-size="10" fill="var(--text-3)">−${plain(wide)}</text><text x="6" y="${Y(tall) + 9}" font-size="10" fill="var(--text-3)">${plain(tall)} N</text>`;
  return o;
}

/**
 * A number over time before and after, with a dashed limit.
 * @param {{was: number[], is: number[], limit: number | null, width: number, height: number}} facts
 */
export function strip({ was, is, limit, width, height }) {
  const seen = [...was, ...is].filter(Number.isFinite).sort((a, b) => a - b);
  const most = Math.max(1e-6, (limit ?? 0) * 1.2, seen[Math.floor(seen.length * 0.98)] ?? 0);
  const Y = (/** @type {number} */ v) => height - 4 - Math.min(1.05, v / most) * (height - 10);
  const line = (/** @type {number[]} */ values) =>
    values.map((v, i) => [(i / Math.max(1, values.length - 1)) * width, Y(Number.isFinite(v) ? v : 0)]);
  const after = line(is);
  let o = limit === null ? "" : `<path d="M0 ${Y(limit)}H${width}" stroke="var(--text-1)" stroke-dasharray="4 3"/>`;
  o += `<path d="${pathOf(line(was))}" fill="none" stroke="var(--ghost)" stroke-width="1.200"/>`;
  if (after.length)
    o += `<path d="${pathOf(after)}L${width} ${height}L0 ${height}Z" fill="var(--edited)" fill-opacity=".12"/><path d="${pathOf(after)}" fill="none" stroke="var(--edited)" stroke-width="1.600"/>`;
  if (limit !== null)
    o += `<rect x="${width - 34}" y="${Y(limit) - 8}" width="34" height="16" fill="var(--inset)"/><text x="${width - 6}" y="${Y(limit) + 3.5}" font-size="10" text-anchor="end" fill="var(--text-1)">${fixed(limit)}</text>`;
  return o;
}
