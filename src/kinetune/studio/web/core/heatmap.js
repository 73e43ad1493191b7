/** The warp matrix: how unlike two poses are, and the path of corresponding frames through it. */
import { pathOf, safe } from "./dom.js";
import { onTheme, token } from "./theme.js";

export class Heatmap {
  /** @param {HTMLElement} host @param {{rows: string, columns: string}} options  what the axes are */
  constructor(host, options) {
    this.host = host;
    this.options = options;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "heat";
    this.svg = /** @type {SVGSVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    this.svg.setAttribute("role", "img");
    host.append(this.canvas, this.svg);
    /** @type {{heat: Float32Array, rows: number, columns: number, path: Float32Array, frames: [number, number]} | null} */ this.facts =
      null;
    this.frame = 0;
    this.stops = [onTheme(() => this.paint())];
    this.sizes = new ResizeObserver(() => this.paint());
    this.sizes.observe(host);
  }

  /** @param {{heat: Float32Array, rows: number, columns: number, path: Float32Array, frames: [number, number]}} facts */
  setFacts(facts) {
    this.facts = facts;
    this.paint();
  }

  /** @param {string} rows @param {string} columns */
  setNames(rows, columns) {
    this.options = { rows, columns };
    this.paint();
  }

  /** @param {number} frame  of this clip */
  setFrame(frame) {
    this.frame = frame;
    this.paintPath();
  }

  paint() {
    if (!this.facts) return;
    const { heat, rows, columns } = this.facts,
      context = this.canvas.getContext("2d");
    if (!context || !rows || !columns) return;
    this.canvas.width = columns;
    this.canvas.height = rows;
    const picture = context.createImageData(columns, rows);
    const sorted = Float32Array.from(heat).sort(),
      low = sorted[0],
      high = sorted[Math.floor(sorted.length * 0.97)];
    const tones = ["--heat-0", "--heat-1", "--heat-2", "--heat-3"].map((name) => rgb(token(name)));
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < columns; c++) {
        const share = Math.min(1, Math.max(0, (heat[r * columns + c] - low) / (high - low || 1))) * 3,
          k = Math.min(2, Math.floor(share));
        const i = ((rows - 1 - r) * columns + c) * 4;
        for (let j = 0; j < 3; j++) picture.data[i + j] = tones[k][j] + (tones[k + 1][j] - tones[k][j]) * (share - k);
        picture.data[i + 3] = 255;
      }
    }
    context.putImageData(picture, 0, 0);
    this.paintPath();
  }

  paintPath() {
    if (!this.facts) return;
    const { path, frames } = this.facts,
      width = this.host.clientWidth,
      height = this.host.clientHeight;
    const left = 26,
      bottom = 22,
      w = width - left - 6,
      h = height - bottom - 6;
    const X = (/** @type {number} */ f) => left + (f / Math.max(1, frames[0] - 1)) * w,
      Y = (/** @type {number} */ f) => 6 + h - (f / Math.max(1, frames[1] - 1)) * h;
    Object.assign(this.canvas.style, { left: `${left}px`, top: "6px", width: `${w}px`, height: `${h}px` });
    const points = [];
    for (let i = 0; i < path.length; i += 2) points.push([X(path[i]), Y(path[i + 1])]);
    let at = 0;
    while (at + 2 < path.length && path[at] < this.frame) at += 2;
    const here = points[at / 2] ?? [left, 6 + h];
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("aria-label", `Warp of ${this.options.columns} onto ${this.options.rows}`);
    this.svg.innerHTML = `<path d="${pathOf(points)}" fill="none" stroke="var(--panel)" stroke-width="5" stroke-opacity=".7"/><path d="${pathOf(points)}" fill="none" stroke="var(--edited)" stroke-width="2"/>
      <path d="M${here[0]} 6V${6 + h}M${left} ${here[1]}H${left + w}" stroke="var(--text-1)" stroke-opacity=".55" stroke-dasharray="2 3"/><circle cx="${here[0]}" cy="${here[1]}" r="5" fill="var(--edited)" stroke="var(--text-1)" stroke-width="1.500"/>
      <text x="${left + w / 2}" y="${height - 6}" font-size="10" text-anchor="middle" fill="var(--text-2)">${safe(this.options.columns)}, frames</text><text transform="translate(14 ${6 + h / 2}) rotate(-90)" font-size="10" text-anchor="middle" fill="var(--text-2)">${safe(this.options.rows)}</text>
      <text x="${left + w}" y="${height - 6}" font-size="10" text-anchor="end" fill="var(--text-3)">${frames[0]}</text><text x="${left + 4}" y="17" font-size="10" fill="var(--text-1)" paint-order="stroke" stroke="var(--panel)" stroke-width="3" stroke-opacity=".6">${frames[1]}</text>`;
  }

  dispose() {
    this.sizes.disconnect();
    for (const stop of this.stops) stop();
    this.canvas.remove();
    this.svg.remove();
  }
}

/** @param {string} hex */
function rgb(hex) {
  return [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16));
}
