/** Drawings as paths, two of them side by side, with the points that correspond and the points that can be dragged. */
import { follow, safe } from "./dom.js";

/**
 * @typedef {{start: number, count: number, closed: boolean}} ContourFacts
 * @typedef {{name: string, fill: string | null, stroke: string | null, stroke_width?: number, contours: ContourFacts[]}} LayerFacts
 * @typedef {{t: number, view_box: number[], layers: LayerFacts[]}} FrameFacts
 * @typedef {[number[], number[]]} Pin  the same point in both drawings
 * @typedef {{which: number, control: Float32Array, curve: Float32Array | null, closed: boolean}} Control  points to drag
 */

/** The path of some curves. @param {ContourFacts[]} contours @param {Float32Array} points @param {(x: number, y: number) => number[]} place */
export function contourPath(contours, points, place) {
  return contours
    .map(({ start, count, closed }) => {
      let d = "";
      for (let i = start; i < start + count; i++) {
        const [x, y] = place(points[i * 2], points[i * 2 + 1]);
        d += `${i === start ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
      }
      return d + (closed ? "Z" : "");
    })
    .join("");
}

/** How a view box is fitted into a box of pixels. @param {number[]} viewBox @param {{x: number, y: number, width: number, height: number}} box */
export function fitted([x, y, w, h], box) {
  const scale = Math.min(box.width / Math.max(w, 1e-9), box.height / Math.max(h, 1e-9));
  const left = box.x + (box.width - w * scale) / 2 - x * scale,
    top = box.y + (box.height - h * scale) / 2 - y * scale;
  return {
    scale,
    to: (/** @type {number} */ px, /** @type {number} */ py) => [left + px * scale, top + py * scale],
    from: (/** @type {number} */ px, /** @type {number} */ py) => [(px - left) / scale, (py - top) / scale],
  };
}

/** A drawing as markup. @param {FrameFacts} frame @param {Float32Array} points @param {{x: number, y: number, width: number, height: number}} box @param {{tone?: string, own?: boolean, outline?: boolean, chosen?: number}} how */
export function drawingMarkup(frame, points, box, { tone, own, outline, chosen }) {
  const { to, scale } = fitted(frame.view_box, box);
  return frame.layers
    .map((layer, k) => {
      const strong = chosen === undefined || chosen === k;
      const fill = outline ? "none" : own ? (layer.fill ?? "none") : "var(--paper)",
        stroke = own ? (layer.stroke ?? "none") : (tone ?? "var(--ink)");
      const width = own ? Math.max(0.6, (layer.stroke_width ?? 1) * scale) : strong ? 1.8 : 1.2;
      return `<path data-layer="${k}" d="${contourPath(layer.contours, points, to)}" fill="${safe(fill ?? "none")}" fill-opacity="${own ? 1 : strong ? 0.9 : 0.6}" fill-rule="evenodd" stroke="${safe(stroke)}" stroke-width="${width.toFixed(2)}" stroke-opacity="${strong ? 1 : 0.6}" stroke-linejoin="round"/>`;
    })
    .join("");
}

export class ContourEditor {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    this.svg = /** @type {SVGSVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", "Two drawings");
    this.svg.style.touchAction = "none";
    host.append(this.svg);
    /** @type {{frames: FrameFacts[], points: Float32Array, names: string[]} | null} */ this.keys = null;
    /** @type {Pin[]} */ this.pins = [];
    this.chosen = { which: 0, layer: 0, contour: 0 };
    /** @type {"match" | "shape"} */ this.tool = "match";
    /** Rows of four: a point and what it becomes. @type {ArrayLike<number> | null} */ this.matches = null;
    /** @type {Control | null} */ this.control = null;
    this.chosenPin = -1;
    /** @type {(pins: Pin[], phase: "move" | "end" | "cancel") => void} */ this.onPins = () => {};
    /** @type {(which: number, layer: number, contour: number) => void} */ this.onChoose = () => {};
    /** @type {(index: number, by: number[], phase: "move" | "end" | "cancel") => void} */ this.onPoint = () => {};
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      const pin = /** @type {SVGElement | null} */ (/** @type {Element} */ (event.target).closest("[data-pin]"));
      if (pin)
        this.setPins(
          this.pins.filter((_, k) => k !== Number(pin.dataset.pin)),
          "end",
        );
    });
    this.sizes = new ResizeObserver(() => this.paint());
    this.sizes.observe(host);
  }

  /** @param {{keys: {frames: FrameFacts[], points: Float32Array, names: string[]} | null, pins: Pin[], matches?: ArrayLike<number> | null, chosen: {which: number, layer: number, contour: number}, tool: "match" | "shape", control: Control | null}} facts */
  setFacts(facts) {
    Object.assign(this, facts);
    this.paint();
  }

  /** Where each drawing is. @param {number} which */
  box(which) {
    const { clientWidth: width, clientHeight: height } = this.host,
      half = width / 2;
    return { x: which * half + 24, y: 84, width: half - 48, height: height - 136 };
  }

  /** @param {number} which */
  fit(which) {
    const frame = this.keys?.frames[which];
    return frame ? fitted(frame.view_box, this.box(which)) : null;
  }

  /** @param {{clientX: number, clientY: number}} event */
  local(event) {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** The point of a drawing nearest to a place, and its curve. @param {number} which @param {number[]} at  pixels @param {number} [only]  a layer */
  nearest(which, at, only) {
    const fit = this.fit(which),
      keys = this.keys;
    if (!fit || !keys) return null;
    let best = Infinity,
      found = /** @type {{point: number[], layer: number, contour: number} | null} */ (null);
    keys.frames[which].layers.forEach((layer, k) => {
      if (only !== undefined && only !== k) return;
      layer.contours.forEach(({ start, count, closed }, contour) => {
        for (let i = 0; i < (closed ? count : count - 1); i++) {
          const [here, next] = [start + i, start + ((i + 1) % count)].map((n) => [
              keys.points[n * 2],
              keys.points[n * 2 + 1],
            ]),
            p = fit.to(here[0], here[1]),
            q = fit.to(next[0], next[1]);
          const way = [q[0] - p[0], q[1] - p[1]],
            long = way[0] ** 2 + way[1] ** 2;
          const share = long ? Math.min(1, Math.max(0, ((at[0] - p[0]) * way[0] + (at[1] - p[1]) * way[1]) / long)) : 0;
          const away = Math.hypot(p[0] + share * way[0] - at[0], p[1] + share * way[1] - at[1]);
          if (away < best) {
            best = away;
            const point = [0, 1].map((k) => here[k] + share * (next[k] - here[k]));
            found = { point, layer: k, contour };
          }
        }
      });
    });
    return found ? { .../** @type {{point: number[], layer: number, contour: number}} */ (found), away: best } : null;
  }

  /** @param {Pin[]} pins @param {"move" | "end" | "cancel"} phase */
  setPins(pins, phase) {
    this.pins = pins;
    this.paint();
    this.onPins(pins, phase);
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0 || !this.keys) return;
    const target = /** @type {Element} */ (event.target),
      at = this.local(event),
      which = at[0] < this.host.clientWidth / 2 ? 0 : 1;
    const point = /** @type {SVGElement | null} */ (target.closest("[data-point]")),
      pin = /** @type {SVGElement | null} */ (target.closest("[data-pin]"));
    const layer = /** @type {SVGElement | null} */ (target.closest("[data-layer]"));
    if (point && this.control) return this.dragPoint(Number(point.dataset.point), event);
    if (pin) return this.dragPin(Number(pin.dataset.pin), Number(pin.dataset.side), event);
    if (this.tool === "shape") {
      // A press on a line takes that curve; one inside a shape the nearest curve of it.
      const line = this.nearest(which, at),
        curve = line && line.away <= 8 ? line : layer ? this.nearest(which, at, Number(layer.dataset.layer)) : null;
      if (curve) this.onChoose(which, curve.layer, curve.contour);
      return undefined;
    }
    const near = this.nearest(which, at);
    if (layer && (!near || near.away > 14)) return this.onChoose(which, Number(layer.dataset.layer), 0);
    if (near && near.away <= 14 && this.keys.frames.length > 1) {
      const before = this.pins,
        other = this.nearest(1 - which, [at[0] + (which ? -1 : 1) * (this.host.clientWidth / 2), at[1]]);
      const made = /** @type {Pin} */ (
        which === 0 ? [near.point, other?.point ?? near.point] : [other?.point ?? near.point, near.point]
      );
      this.chosenPin = before.length;
      this.pins = [...before, made];
      this.dragPin(before.length, 1 - which, event, before);
      this.setPins(this.pins, "move");
    }
    return undefined;
  }

  /** @param {number} k @param {number} side @param {PointerEvent} event @param {Pin[]} [before] */
  dragPin(k, side, event, before = this.pins) {
    this.chosenPin = k;
    this.paint();
    follow(this.svg, event, {
      move: (move) => {
        const near = this.nearest(side, this.local(move));
        if (!near) return;
        this.setPins(
          this.pins.map((each, i) =>
            i === k ? /** @type {Pin} */ (side === 0 ? [near.point, each[1]] : [each[0], near.point]) : each,
          ),
          "move",
        );
      },
      end: () => this.setPins(this.pins, "end"),
      // A press that does not move makes a pin where both drawings are nearest; Escape takes it back.
      cancel: (released) => {
        if (before === this.pins) return;
        if (released && before.length < this.pins.length) this.setPins(this.pins, "end");
        else this.setPins(before, "cancel");
      },
    });
  }

  /** @param {number} index @param {PointerEvent} event */
  dragPoint(index, event) {
    const which = this.control?.which ?? 0,
      fit = this.fit(which),
      from = this.local(event);
    if (!fit) return;
    let by = [0, 0];
    follow(this.svg, event, {
      move: (move) => {
        const to = this.local(move),
          a = fit.from(from[0], from[1]),
          b = fit.from(to[0], to[1]);
        by = [b[0] - a[0], b[1] - a[1]];
        this.onPoint(index, by, "move");
      },
      end: () => this.onPoint(index, by, "end"),
      cancel: () => {
        if (by[0] || by[1]) this.onPoint(index, by, "cancel");
      },
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { pin, point } = /** @type {SVGElement} */ (event.target).dataset;
    const by = /** @type {Record<string, number[]>} */ ({
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    })[event.key];
    if (pin !== undefined && (event.key === "Delete" || event.key === "Backspace"))
      this.setPins(
        this.pins.filter((_, k) => k !== Number(pin)),
        "end",
      );
    else if (point !== undefined && by)
      this.onPoint(
        Number(point),
        by.map((v) => v / (this.fit(this.control?.which ?? 0)?.scale ?? 1)),
        "end",
      );
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  paint() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width < 20 || height < 20) return;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    let o = `<defs><pattern id="dots" width="24" height="24" patternUnits="userSpaceOnUse"><circle cx="12" cy="12" r=".8" fill="var(--line-2)"/></pattern></defs><rect width="${width}" height="${height}" fill="url(#dots)"/>`;
    const keys = this.keys;
    if (!keys) {
      this.svg.innerHTML = o;
      return;
    }
    keys.frames.forEach((frame, which) => {
      o += drawingMarkup(frame, keys.points, this.box(which), {
        tone: which ? "var(--edited)" : "var(--ghost)",
        chosen: this.tool === "match" || which === this.chosen.which ? this.chosen.layer : -1,
      });
      const curve = which === this.chosen.which ? frame.layers[this.chosen.layer]?.contours[this.chosen.contour] : null;
      if (curve && this.tool === "shape")
        o += `<path d="${contourPath([curve], keys.points, /** @type {ReturnType<typeof fitted>} */ (this.fit(which)).to)}" fill="none" stroke="var(--text-1)" stroke-width="1.6" pointer-events="none"/>`;
      o += `<text x="${which ? width - 22 : 22}" y="74" font-size="11" text-anchor="${which ? "end" : "start"}" fill="${which ? "var(--edited)" : "var(--text-2)"}">${safe(keys.names[which] ?? "")}</text>`;
    });
    const a = this.fit(0),
      b = this.fit(1);
    if (this.tool === "match" && a && b) {
      const { matches } = this;
      for (let i = 0; matches && i < matches.length; i += 4) {
        const p = a.to(matches[i], matches[i + 1]),
          q = b.to(matches[i + 2], matches[i + 3]);
        o += `<path class="found" d="M${p}C${p[0] + 60} ${p[1]} ${q[0] - 60} ${q[1]} ${q}" fill="none" stroke="var(--text-3)" stroke-opacity=".35" pointer-events="none"/>`;
      }
      this.pins.forEach(([from, to], k) => {
        const p = a.to(from[0], from[1]),
          q = b.to(to[0], to[1]),
          on = k === this.chosenPin;
        o += `<path d="M${p}C${p[0] + 60} ${p[1]} ${q[0] - 60} ${q[1]} ${q}" fill="none" stroke="${on ? "var(--text-1)" : "var(--text-3)"}" stroke-width="${on ? 1.4 : 1}" stroke-opacity="${on ? 1 : 0.6}" pointer-events="none"/>`;
        for (const [side, at] of /** @type {[number, number[]][]} */ ([
          [0, p],
          [1, q],
        ]))
          o += `<g data-pin="${k}" data-side="${side}" data-arrows tabindex="0" role="button" aria-label="Matched point ${k + 1}, ${side ? "second" : "first"} drawing" style="cursor: move"><circle cx="${at[0]}" cy="${at[1]}" r="11" fill="transparent"/><circle cx="${at[0]}" cy="${at[1]}" r="3.600" fill="${on && side ? "var(--edited)" : "var(--inset)"}" stroke="${on ? "var(--text-1)" : side ? "var(--edited)" : "var(--ghost)"}" stroke-width="1.500"/></g>`;
      });
    }
    const control = this.control,
      fit = control ? this.fit(control.which) : null;
    if (this.tool === "shape" && control && fit) {
      const place = (/** @type {Float32Array} */ list) =>
        Array.from({ length: list.length / 2 }, (_, i) => fit.to(list[i * 2], list[i * 2 + 1]));
      const points = place(control.control);
      if (control.curve)
        o += `<path d="M${place(control.curve)
          .map((p) => `${p[0].toFixed(1)} ${p[1].toFixed(1)}`)
          .join(
            "L",
          )}${control.closed ? "Z" : ""}" fill="none" stroke="var(--text-2)" stroke-dasharray="3 3" pointer-events="none"/>`;
      points.forEach((p, k) => {
        o += `<g data-point="${k}" data-arrows tabindex="0" role="slider" aria-label="Control point ${k + 1} of ${points.length}" aria-valuenow="${control.control[k * 2].toFixed(1)}" aria-valuetext="${control.control[k * 2].toFixed(1)} across, ${control.control[k * 2 + 1].toFixed(1)} down" style="cursor: move"><circle cx="${p[0]}" cy="${p[1]}" r="12" fill="transparent"/><path d="M${p[0]} ${p[1] - 5.5}l5.500 5.500l-5.500 5.500l-5.500-5.500z" fill="var(--inset)" stroke="var(--text-1)" stroke-width="1.500"/></g>`;
      });
    }
    const focused = /** @type {SVGElement | null} */ (this.svg.querySelector(":focus")),
      kept =
        focused?.dataset.point !== undefined
          ? `[data-point="${focused.dataset.point}"]`
          : focused?.dataset.pin !== undefined
            ? `[data-pin="${focused.dataset.pin}"][data-side="${focused.dataset.side}"]`
            : "";
    this.svg.innerHTML = o;
    if (kept) /** @type {HTMLElement | null} */ (this.svg.querySelector(kept))?.focus();
  }

  dispose() {
    this.sizes.disconnect();
    this.svg.remove();
  }
}
