/** The curve editor: keys on a spline, with tension, continuity and bias, over the real signal. */
import { follow, pathOf, safe } from "./dom.js";
import { clamp, fixed } from "./numbers.js";
import { slopes, tcbPoints } from "./tcb.js";

/** @typedef {import("./types.js").TcbKey} TcbKey */
/** @typedef {"left" | "right" | "top" | "bottom"} Edge  of the frame round several keys */
/** @typedef {{id: number, name: string, tone: string, keys: TcbKey[], signal: [number, number][]}} Channel  another curve, to look at and to choose */
/**
 * @typedef {Object} CurveView
 * @property {[number, number]} x  shown from, to
 * @property {[number, number]} y
 * @property {{at: number, text: string}[]} [marks]  horizontal lines with labels
 * @property {number[]} [columns]  vertical lines
 * @property {string} [xUnit]
 * @property {string} [yUnit]
 * @property {number} [xStep]  what a nudge to the side is
 * @property {number} [yStep]
 */

export class CurveEditor {
  /** @param {HTMLElement} host @param {{label: string, icons?: boolean, fixedEnds?: boolean, plain?: boolean, many?: boolean}} options  plain: keys without tension, continuity and bias; many: several keys may be chosen, moved, scaled and copied, and values zoomed */
  constructor(host, options) {
    this.host = host;
    this.options = options;
    this.svg = /** @type {SVGSVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", options.label);
    host.append(this.svg);
    /** @type {TcbKey[]} */ this.keys = [];
    this.selected = -1;
    /** All keys that are chosen, by their places. @type {Set<number>} */ this.chosen = new Set();
    /** @type {Channel[]} */ this.channels = [];
    /** The values in view, where they are zoomed. @type {[number, number] | null} */ this.values = null;
    /** A box that is being drawn, in pixels. @type {[number, number, number, number] | null} */ this.box = null;
    /** @type {CurveView} */ this.view = { x: [0, 1], y: [-1, 1] };
    /** @type {{was: [number, number][], is: [number, number][]} | null} */ this.signal = null;
    /** @type {[number, number][] | null} */ this.exact = null;
    /** @type {[number, number][] | null} */ this.reference = null;
    this.now = 0;
    /** @type {(keys: TcbKey[], selected: number, phase: "move" | "end" | "cancel") => void} */ this.onKeys = () => {};
    /** @type {(selected: number) => void} */ this.onSelect = () => {};
    /** @type {(channel: number) => void} */ this.onChannel = () => {};
    /** @type {(keys: TcbKey[]) => void} */ this.onCopy = () => {};
    /** @type {() => void} */ this.onPaste = () => {};
    this.letter = "tension";
    if (options.many) {
      this.svg.setAttribute("tabindex", "-1");
      this.svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    }
    this.svg.addEventListener("dblclick", (event) => this.double(event));
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      const key = /** @type {Element} */ (event.target).closest("[data-key]");
      if (key) this.remove(Number(/** @type {SVGElement} */ (key).dataset.key));
    });
    this.svg.addEventListener("keydown", (event) => this.pressKey(event));
    this.sizes = new ResizeObserver(() => this.paint());
    this.sizes.observe(host);
  }

  /** @param {TcbKey[]} keys */
  setKeys(keys) {
    if (keys.length !== this.keys.length) this.chosen.clear();
    this.keys = keys.map((key) => ({ ...key }));
    this.exact = null;
    if (this.selected >= keys.length) this.selected = -1;
    this.paint();
  }

  /** @param {CurveView} view */
  setView(view) {
    this.view = view;
    this.paint();
  }

  /** What the curve acts on, before and after. @param {{was: [number, number][], is: [number, number][]} | null} signal */
  setSignal(signal) {
    this.signal = signal;
    this.paint();
  }

  /** The curve as the server works it out. @param {[number, number][] | null} points */
  setExact(points) {
    this.exact = points;
    this.paint();
  }

  /** A dashed line to compare with. @param {[number, number][] | null} points */
  setReference(points) {
    this.reference = points;
    this.paint();
  }

  /** @param {number} x */
  setNow(x) {
    this.now = x;
  }

  /** @param {number} selected */
  setSelected(selected) {
    this.selected = selected;
    this.paint();
  }

  get size() {
    return { width: this.host.clientWidth, height: this.host.clientHeight };
  }

  /** @param {number} x */
  toX(x) {
    const [a, b] = this.view.x;
    return ((x - a) / (b - a || 1)) * this.size.width;
  }

  /** The values in view. @returns {[number, number]} */
  get range() {
    return this.values ?? this.view.y;
  }

  /** Show values enlarged, or all of them. @param {[number, number] | null} values */
  setValues(values) {
    this.values = values;
    this.paint();
  }

  /** The wheel enlarges values round the pointer, and with Shift moves them. @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const [low, high] = this.range,
      [, middle] = this.at(event),
      by = event.deltaY || event.deltaX;
    if (event.shiftKey) {
      const shift = (by / this.size.height) * (high - low);
      return this.setValues([low - shift, high - shift]);
    }
    const factor = clamp(Math.exp(by * 0.0016), 0.5, 2);
    if ((high - low) * factor < 0.05 || (high - low) * factor > 4000) return undefined;
    return this.setValues([middle - (middle - low) * factor, middle + (high - middle) * factor]);
  }

  /** @param {number} y */
  toY(y) {
    const [a, b] = this.range,
      foot = this.options.icons ? 26 : 6;
    return this.size.height - foot - ((y - a) / (b - a || 1)) * (this.size.height - foot - 8);
  }

  /** @param {{clientX: number, clientY: number}} event @returns {[number, number]} */
  at(event) {
    const box = this.svg.getBoundingClientRect(),
      foot = this.options.icons ? 26 : 6;
    const [x0, x1] = this.view.x,
      [y0, y1] = this.range;
    return [
      x0 + ((event.clientX - box.left) / box.width) * (x1 - x0),
      y0 + ((box.bottom - foot - event.clientY) / (box.height - foot - 8)) * (y1 - y0),
    ];
  }

  /** @param {MouseEvent} event */
  double(event) {
    const hit = /** @type {Element} */ (event.target).closest("[data-key]");
    if (hit) {
      const key = this.keys[Number(/** @type {SVGElement} */ (hit).dataset.key)];
      Object.assign(key, { tension: 0, continuity: 0, bias: 0 });
      this.emit("end");
      return;
    }
    const [x, y] = this.at(event);
    this.add(x, y);
  }

  /** @param {number} x @param {number} y */
  add(x, y) {
    const key = { x, y, tension: 0, continuity: 0, bias: 0 };
    this.keys = [...this.keys, key].sort((a, b) => a.x - b.x);
    this.selected = this.keys.indexOf(key);
    this.onSelect(this.selected);
    this.emit("end");
  }

  /** @param {number} index */
  remove(index) {
    if (index < 0 || index >= this.keys.length) return;
    if (this.options.fixedEnds && (index === 0 || index === this.keys.length - 1)) return;
    const gone = this.chosen.has(index) ? this.chosen : new Set([index]);
    this.keys = this.keys.filter((_, k) => !gone.has(k));
    this.chosen = new Set();
    this.selected = -1;
    this.onSelect(-1);
    this.emit("end");
  }

  /** @param {"move" | "end" | "cancel"} phase */
  emit(phase) {
    this.exact = null;
    this.paint();
    this.onKeys(
      this.keys.map((key) => ({ ...key })),
      this.selected,
      phase,
    );
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    const target = /** @type {Element} */ (event.target);
    const key = /** @type {SVGElement | null} */ (target.closest("[data-key]")),
      handle = /** @type {SVGElement | null} */ (target.closest("[data-handle]")),
      edge = /** @type {SVGElement | null} */ (target.closest("[data-edge]")),
      channel = /** @type {SVGElement | null} */ (target.closest("[data-channel]"));
    if (edge) return this.scale(/** @type {Edge} */ (edge.dataset.edge), event);
    if (channel) return this.onChannel(Number(channel.dataset.channel));
    if (!key && !handle) return this.options.many ? this.drawBox(event) : undefined;
    const before = this.keys.map((each) => ({ ...each }));
    const index = key ? Number(key.dataset.key) : this.selected;
    if (key && event.shiftKey && this.options.many) {
      if (!this.chosen.delete(index)) this.chosen.add(index);
    } else if (!this.chosen.has(index)) this.chosen = new Set([index]);
    this.selected = index;
    this.onSelect(index);
    this.paint();
    /** @type {HTMLElement | null} */ (this.svg.querySelector(`[data-key="${index}"]`))?.focus();
    const out = handle?.dataset.handle === "out",
      from = this.at(event),
      several = !handle && this.chosen.size > 1;
    return follow(this.svg, event, {
      move: (move) => {
        if (handle) this.turn(index, out, move);
        else if (several) {
          const [x, y] = this.at(move);
          this.shift(before, x - from[0], move.shiftKey ? 0 : y - from[1]);
        } else this.drag(index, move);
        this.emit("move");
      },
      end: () => this.emit("end"),
      cancel: () => {
        const moved = JSON.stringify(before) !== JSON.stringify(this.keys);
        this.keys = before;
        this.paint();
        if (moved) this.emit("cancel");
      },
    });
  }

  /** Choose the keys in a box. @param {PointerEvent} event */
  drawBox(event) {
    const page = this.svg.getBoundingClientRect(),
      x = event.clientX - page.left,
      y = event.clientY - page.top;
    this.svg.focus();
    const done = () => {
      this.box = null;
      this.paint();
      this.onSelect(this.selected);
    };
    follow(this.svg, event, {
      move: (move) => {
        const [a, b] = [x, move.clientX - page.left].sort((p, q) => p - q),
          [c, d] = [y, move.clientY - page.top].sort((p, q) => p - q);
        this.box = [a, c, b, d];
        this.chosen = new Set(
          this.keys.flatMap((key, k) => {
            const [kx, ky] = [this.toX(key.x), this.toY(key.y)];
            return kx >= a && kx <= b && ky >= c && ky <= d ? [k] : [];
          }),
        );
        this.selected = Math.max(-1, ...this.chosen);
        this.paint();
      },
      end: done,
      cancel: () => {
        this.chosen.clear();
        this.selected = -1;
        done();
      },
    });
  }

  /** Move the chosen keys together, as far as their neighbours let them. @param {TcbKey[]} before @param {number} dx @param {number} dy */
  shift(before, dx, dy) {
    const gap = this.view.xStep ?? (this.view.x[1] - this.view.x[0]) / 500;
    let [least, most] = [-Infinity, Infinity];
    for (const k of this.chosen) {
      if (before[k - 1] && !this.chosen.has(k - 1)) least = Math.max(least, before[k - 1].x + gap - before[k].x);
      if (before[k + 1] && !this.chosen.has(k + 1)) most = Math.min(most, before[k + 1].x - gap - before[k].x);
      least = Math.max(least, -before[k].x);
    }
    const by = clamp(dx, Math.min(0, least), Math.max(0, most));
    for (const k of this.chosen) {
      this.keys[k].x = before[k].x + by;
      if (!before[k].fixed) this.keys[k].y = before[k].y + dy;
    }
  }

  /** Where the chosen keys are: left, right, low, high. */
  get frame() {
    const keys = [...this.chosen].flatMap((k) => this.keys[k] ?? []),
      xs = keys.map(({ x }) => x),
      ys = keys.map(({ y }) => y);
    return { left: Math.min(...xs), right: Math.max(...xs), bottom: Math.min(...ys), top: Math.max(...ys) };
  }

  /** Scale the chosen keys by an edge of their frame; the opposite edge stays. @param {Edge} edge @param {PointerEvent} event */
  scale(edge, event) {
    const before = this.keys.map((key) => ({ ...key })),
      frame = this.frame,
      across = edge === "left" || edge === "right",
      held = { left: frame.right, right: frame.left, top: frame.bottom, bottom: frame.top }[edge],
      gap = this.view.xStep ?? (this.view.x[1] - this.view.x[0]) / 500;
    const fits = () =>
      this.keys.every((key, k) => !k || key.x - this.keys[k - 1].x >= 0.99 * gap) && this.keys[0].x >= 0;
    follow(this.svg, event, {
      move: (move) => {
        const at = this.at(move)[across ? 0 : 1],
          wide = frame[edge] - held || 1e-9,
          factor = across ? Math.max(0.05, (at - held) / wide) : (at - held) / wide;
        const last = this.keys;
        this.keys = before.map((key, k) =>
          !this.chosen.has(k)
            ? key
            : across
              ? { ...key, x: held + (key.x - held) * factor }
              : { ...key, y: key.fixed ? key.y : held + (key.y - held) * factor },
        );
        if (!fits()) this.keys = last;
        this.emit("move");
      },
      end: () => this.emit("end"),
      cancel: (released) => {
        this.keys = before;
        this.paint();
        if (!released) this.emit("cancel");
      },
    });
  }

  /** @param {number} index @param {PointerEvent} event */
  drag(index, event) {
    const [x, y] = this.at(event),
      keys = this.keys,
      gap = this.view.xStep ?? (this.view.x[1] - this.view.x[0]) / 500;
    const end = this.options.fixedEnds && (index === 0 || index === keys.length - 1);
    const snapped = event.ctrlKey && this.view.xStep ? Math.round(x / this.view.xStep) * this.view.xStep : x;
    if (!end)
      keys[index].x = clamp(
        snapped,
        keys[index - 1] ? keys[index - 1].x + gap : this.view.x[0],
        keys[index + 1] ? keys[index + 1].x - gap : this.view.x[1],
      );
    if (!keys[index].fixed) keys[index].y = y;
  }

  /** A handle's length is tension, its tilt bias, and with Alt one side alone is continuity. @param {number} index @param {boolean} out @param {PointerEvent} event */
  turn(index, out, event) {
    const key = this.keys[index],
      reach = Math.abs(event.clientX - (this.svg.getBoundingClientRect().left + this.toX(key.x)));
    if (event.altKey) {
      key.continuity = clamp(Math.round((reach / 38 - 1) * (out ? 100 : -100)) / 100, -1, 1);
      return;
    }
    key.tension = clamp(Math.round((1 - reach / 38) * 100) / 100, -1, 1);
    const [, y] = this.at(event),
      last = this.keys[index - 1],
      next = this.keys[index + 1];
    if (!last || !next) return;
    const middle = key.y,
      lean =
        (out ? y - middle : middle - y) /
        Math.max(1e-9, Math.abs(next.y - last.y) / 2 || (this.view.y[1] - this.view.y[0]) / 8);
    key.bias = clamp(Math.round(lean * -50) / 100, -1, 1);
  }

  /** @param {KeyboardEvent} event */
  pressKey(event) {
    if (this.options.many && (event.ctrlKey || event.metaKey)) return this.clipboard(event);
    const index = Number(/** @type {SVGElement} */ (event.target).dataset.key ?? this.selected),
      key = this.keys[index];
    if (!key || event.ctrlKey || event.metaKey) return undefined;
    const fine = event.shiftKey ? 0.2 : 1,
      step = { x: this.view.xStep ?? 0.01, y: this.view.yStep ?? (this.view.y[1] - this.view.y[0]) / 100 };
    const names = /** @type {Record<string, string>} */ ({ t: "tension", c: "continuity", b: "bias" });
    const moves = /** @type {Record<string, [number, number]>} */ ({
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    });
    if (moves[event.key] && this.chosen.size > 1 && this.chosen.has(index)) {
      const before = this.keys.map((each) => ({ ...each }));
      this.shift(before, moves[event.key][0] * step.x, moves[event.key][1] * step.y * fine);
    } else if (moves[event.key]) {
      const last = this.keys[index - 1],
        next = this.keys[index + 1];
      key.x = clamp(
        key.x + moves[event.key][0] * step.x,
        last ? last.x + step.x : -Infinity,
        next ? next.x - step.x : Infinity,
      );
      if (!key.fixed) key.y += moves[event.key][1] * step.y * fine;
    } else if (names[event.key]) this.letter = names[event.key];
    else if (event.key === "[" || event.key === "]") {
      const shaped = /** @type {Record<string, number>} */ (/** @type {unknown} */ (key));
      shaped[this.letter] = clamp(
        Math.round(((shaped[this.letter] ?? 0) + (event.key === "]" ? 0.1 : -0.1) * fine) * 100) / 100,
        -1,
        1,
      );
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.remove(index);
      event.preventDefault();
      event.stopPropagation();
      return undefined;
    } else return undefined;
    event.preventDefault();
    event.stopPropagation();
    this.selected = index;
    this.onSelect(index);
    this.emit("end");
    /** @type {HTMLElement | null} */ (this.svg.querySelector(`[data-key="${index}"]`))?.focus();
    return undefined;
  }

  /** All keys, copy and paste. @param {KeyboardEvent} event */
  clipboard(event) {
    const letter = event.key.toLowerCase();
    if (letter === "a") this.chosen = new Set(this.keys.keys());
    else if (letter === "c")
      this.onCopy(this.keys.filter((_, k) => this.chosen.has(k) || (!this.chosen.size && k === this.selected)));
    else if (letter === "v") this.onPaste();
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.paint();
  }

  paint() {
    const { width, height } = this.size;
    if (width < 10 || height < 40) return;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.toggleAttribute("data-arrows", this.chosen.size > 0); // the arrows then move keys, not the playhead
    const { view } = this,
      X = this.toX.bind(this),
      Y = this.toY.bind(this);
    let o = (view.columns ?? []).map((x) => `<path d="M${X(x)} 0V${height}" stroke="var(--line)"/>`).join("");
    for (const { at, text } of this.values ? this.grades(this.values) : (view.marks ?? []))
      o += `<path d="M0 ${Y(at)}H${width}" stroke="var(--line${at === 0 ? "-2" : ""})"/><text x="6" y="${Y(at) - 4}" font-size="10" fill="var(--text-3)">${safe(text)}</text>`;
    /** @param {[number, number][]} points */
    const place = (points) => points.map(([x, y]) => [X(x), Y(y)]);
    if (this.reference)
      o += `<path d="${pathOf(place(this.reference))}" fill="none" stroke="var(--ghost)" stroke-dasharray="3 3" stroke-opacity=".8"/>`;
    if (this.signal) {
      const was = place(this.signal.was),
        is = place(this.signal.is);
      const end = Math.min(was.at(-1)?.[0] ?? -1, is.at(-1)?.[0] ?? -1), // one may be longer than the other
        both = (/** @type {number[][]} */ points) => points.filter(([x]) => x <= end);
      if (was.length && is.length)
        o += `<path d="${pathOf([...both(was), ...both(is).reverse()], true)}" fill="var(--edited)" fill-opacity=".09"/>`;
      o += `<path d="${pathOf(was)}" fill="none" stroke="var(--ghost)" stroke-opacity=".75" stroke-width="1.2"/><path d="${pathOf(is)}" fill="none" stroke="var(--edited)" stroke-opacity=".5" stroke-width="1.2"/>`;
    }
    for (const { id, name, tone, keys, signal } of this.channels) {
      const line = place(keys.length ? tcbPoints(keys) : []);
      o += `<g data-channel="${id}" style="cursor: pointer"><title>${safe(name)}</title><path d="${pathOf(place(signal))}" fill="none" stroke="${tone}" stroke-opacity=".45"/><path d="${pathOf(line)}" fill="none" stroke="${tone}" stroke-width="1.500" stroke-dasharray="5 3"/>${keys.map(({ x, y }) => `<circle cx="${X(x)}" cy="${Y(y)}" r="12" fill="transparent"/><circle cx="${X(x)}" cy="${Y(y)}" r="3" fill="var(--inset)" stroke="${tone}"/>`).join("")}</g>`;
    }
    const curve = place(this.exact ?? tcbPoints(this.keys));
    if (curve.length) {
      const ends = this.options.fixedEnds ? curve : [[0, curve[0][1]], ...curve, [width, curve[curve.length - 1][1]]];
      o += `<path d="${pathOf(ends)}" fill="none" stroke="var(--edited)" stroke-width="2"/>`;
    }
    this.keys.forEach((key, i) => {
      o += this.keyMarkup(key, i, X(key.x), Y(key.y), height);
    });
    if (this.box) {
      const [a, c, b, d] = this.box;
      o += `<rect x="${a}" y="${c}" width="${b - a}" height="${d - c}" fill="var(--text-1)" fill-opacity=".06" stroke="var(--text-2)" stroke-dasharray="3 2" pointer-events="none"/>`;
    } else if (this.options.many && this.chosen.size > 1) o += this.frameMarkup(X, Y);
    const held = /** @type {SVGElement | null} */ (this.svg.querySelector(":focus"))?.dataset.key;
    this.svg.innerHTML = o;
    if (held) /** @type {HTMLElement | null} */ (this.svg.querySelector(`[data-key="${held}"]`))?.focus();
  }

  /** Lines for values that are enlarged. @param {[number, number]} range */
  grades([low, high]) {
    const size = [0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 45, 90, 180, 360].find((each) => (high - low) / each < 5) ?? 720,
      sign = this.view.yUnit === "degrees" ? "°" : "",
      marks = [];
    for (let v = Math.ceil(low / size) * size; v <= high; v += size)
      marks.push({ at: v, text: `${fixed(v, size < 1 ? 2 : 0)}${sign}` });
    return marks;
  }

  /** A frame round the chosen keys; its edges scale them. @param {(x: number) => number} X @param {(y: number) => number} Y */
  frameMarkup(X, Y) {
    const { left, right, top, bottom } = this.frame,
      [a, b, c, d] = [X(left) - 14, X(right) + 14, Y(top) - 14, Y(bottom) + 14],
      [x, y] = [(a + b) / 2, (c + d) / 2];
    const grip = (
      /** @type {Edge} */ edge,
      /** @type {number} */ gx,
      /** @type {number} */ gy,
      /** @type {string} */ what,
    ) =>
      `<g data-edge="${edge}" style="cursor: ${what === "time" ? "ew" : "ns"}-resize"><title>Scale ${what}</title><rect x="${gx - 12}" y="${gy - 12}" width="24" height="24" fill="transparent"/><rect x="${gx - 3.5}" y="${gy - 3.5}" width="7" height="7" rx="1.500" fill="var(--inset)" stroke="var(--text-1)"/></g>`;
    return `<rect x="${a}" y="${c}" width="${b - a}" height="${d - c}" fill="none" stroke="var(--text-2)" stroke-dasharray="3 2" pointer-events="none"/>${grip("left", a, y, "time")}${grip("right", b, y, "time")}${grip("top", x, c, "values")}${grip("bottom", x, d, "values")}`;
  }

  /** @param {TcbKey} key @param {number} i @param {number} x @param {number} y @param {number} height */
  keyMarkup(key, i, x, y, height) {
    const on = i === this.selected || this.chosen.has(i),
      alone = i === this.selected && this.chosen.size < 2,
      { xUnit = "", yUnit = "" } = this.view;
    let o = "";
    if (this.options.icons)
      o += `<path d="M${x} ${y + 8}V${height - 24}" stroke="${on ? "var(--text-2)" : "var(--line-2)"}" stroke-dasharray="2 3"/>${tcbIcon(key, x, height - 14, on)}`;
    if (alone && !this.options.plain && !key.fixed) {
      const [into, out] = slopes(this.keys, i),
        px = this.size.width / (this.view.x[1] - this.view.x[0]),
        py = this.toY(0) - this.toY(1);
      const tilt = (/** @type {number} */ slope) => clamp((slope * py) / px, -1.2, 1.2),
        long = 38 * (1 - (key.tension ?? 0) * 0.6);
      const ends = [
        [x - long, y + tilt(into) * long, "in"],
        [x + long, y - tilt(out) * long, "out"],
      ];
      o += `<path d="M${ends[0][0]} ${ends[0][1]}L${x} ${y}L${ends[1][0]} ${ends[1][1]}" fill="none" stroke="var(--text-2)"/>`;
      for (const [hx, hy, which] of ends)
        o += `<g data-handle="${which}" style="cursor: grab"><circle cx="${hx}" cy="${hy}" r="11" fill="transparent"/><circle cx="${hx}" cy="${hy}" r="3.500" fill="var(--inset)" stroke="var(--text-1)" stroke-width="1.300"/></g>`;
    }
    const said = `${fixed(key.x)} ${xUnit}, ${key.fixed ? `${key.fixed}, ` : ""}${fixed(key.y, 1)} ${yUnit}`;
    const name = `${key.fixed ? `${key.fixed.charAt(0).toUpperCase()}${key.fixed.slice(1)} key` : "Key"} ${i + 1} of ${this.keys.length}`;
    // A key that brings a joint to a point, or moves it, is no number of this curve: square, and only its time moves.
    const mark = key.fixed
      ? `<rect x="${x - 5.5}" y="${y - 5.5}" width="11" height="11" rx="2"`
      : `<path d="M${x} ${y - 6.5}L${x + 6.5} ${y}L${x} ${y + 6.5}L${x - 6.5} ${y}Z"`;
    o += `<g class="k" data-key="${i}" data-arrows role="slider" tabindex="0" aria-label="${name}" aria-valuenow="${key.y.toFixed(3)}" aria-valuetext="${safe(said)}" style="cursor: move"><circle cx="${x}" cy="${y}" r="12" fill="transparent"/>${mark} fill="${on ? "var(--edited)" : "var(--inset)"}" stroke="${on ? "var(--text-1)" : "var(--edited)"}" stroke-width="1.600"/>${key.fixed ? `<title>${safe(name)}: moved by inverse kinematics</title>` : ""}</g>`;
    return o;
  }

  dispose() {
    this.sizes.disconnect();
    this.svg.remove();
  }
}

/** Three bars for tension, continuity and bias: a desk in miniature. @param {TcbKey} key @param {number} x @param {number} y @param {boolean} on */
export function tcbIcon({ tension = 0, continuity = 0, bias = 0 }, x, y, on) {
  const tone = on ? "var(--edited)" : "var(--text-2)";
  const bars = [tension, continuity, bias].map((v, i) => {
    const h = Math.max(1, Math.abs(v) * 6.2 + (v ? 1 : 0));
    return `<rect x="${x - 6.5 + i * 5}" y="${v > 0 ? y - h : v < 0 ? y : y - 0.5}" width="3" height="${h}" fill="${v ? tone : "var(--line-control)"}"/>`;
  });
  return `<g><title>Tension ${tension}, continuity ${continuity}, bias ${bias}</title><rect x="${x - 9.5}" y="${y - 8.5}" width="19" height="17" rx="3" fill="var(--raised)" stroke="${on ? "var(--text-1)" : "var(--line-2)"}"/>${bars.join("")}</g>`;
}
