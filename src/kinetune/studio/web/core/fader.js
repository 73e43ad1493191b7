/** One vertical fader: drag, wheel, keys, double click to neutral; the signal of its band behind it. */
import { draw, follow, make } from "./dom.js";
import { clamp } from "./numbers.js";

/**
 * @typedef {Object} FaderScale
 * @property {(value: number) => number} toShare  0 at the bottom to 1 at the top
 * @property {(share: number) => number} toValue
 * @property {number} neutral
 * @property {number} silent
 * @property {(value: number) => string} text  for screen readers
 */

export class Fader {
  /**
   * @param {HTMLElement} host
   * @param {{label: string, scale: FaderScale, margin?: number}} options
   */
  constructor(host, { label, scale, margin = 12 }) {
    this.scale = scale;
    this.margin = margin;
    this.value = scale.neutral;
    /** @type {(value: number, phase: "move" | "end" | "cancel") => void} */ this.onValue = () => {};
    this.wave = draw("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
    this.was = draw("path", {
      fill: "var(--ghost)",
      "fill-opacity": 0.12,
      stroke: "var(--ghost)",
      "stroke-opacity": 0.6,
      "stroke-width": 0.9,
    });
    this.is = draw("path", { fill: "none", stroke: "var(--edited)", "stroke-opacity": 0.8, "stroke-width": 1 });
    this.wave.append(this.was, this.is);
    this.fill = make("span", { class: "fill" });
    this.cap = make("span", { class: "cap" });
    this.element = make(
      "div",
      {
        class: "fader",
        role: "slider",
        tabindex: 0,
        "aria-orientation": "vertical",
        "aria-label": label,
        "aria-valuemin": scale.silent,
        "aria-valuemax": scale.toValue(1),
      },
      [this.wave, make("span", { class: "unit" }), make("span", { class: "slot" }), this.fill, this.cap],
    );
    host.append(this.element);
    /** @type {Float32Array | null} */ this.signal = null;
    this.swing = 0;
    this.width = this.height = 0;
    this.element.addEventListener("pointerdown", (event) => this.press(event));
    this.element.addEventListener("dblclick", () => {
      this.setValue(scale.neutral);
      this.onValue(this.value, "end");
    });
    this.element.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.step(-Math.sign(event.deltaY) * (event.shiftKey ? 0.004 : 0.02));
      },
      { passive: false },
    );
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.sizes = new ResizeObserver(() => this.measure());
    this.sizes.observe(this.element);
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.element.focus({ preventScroll: true });
    const before = this.value;
    let share = this.scale.toShare(before),
      y = event.clientY;
    const travel = this.height - this.margin * 2;
    follow(this.element, event, {
      move: (move) => {
        share = clamp(share - ((move.clientY - y) * (move.shiftKey ? 0.2 : 1)) / travel, 0, 1);
        y = move.clientY;
        const neutral = this.scale.toShare(this.scale.neutral);
        let value = this.scale.toValue(share);
        if (!move.shiftKey && Math.abs(share - neutral) * travel < 3) value = this.scale.neutral;
        if (move.ctrlKey) value = Math.round(value * 2) / 2;
        this.setValue(value);
        this.onValue(value, "move");
      },
      end: () => this.onValue(this.value, "end"),
      cancel: () => {
        if (this.value !== before) {
          this.setValue(before);
          this.onValue(before, "cancel");
        }
      },
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const by = /** @type {Record<string, number>} */ ({ ArrowUp: 0.02, ArrowDown: -0.02, PageUp: 0.1, PageDown: -0.1 })[
      event.key
    ];
    if (by) this.step(by * (event.shiftKey ? 0.2 : 1));
    else if (event.key === "Home") {
      this.setValue(this.scale.neutral);
      this.onValue(this.value, "end");
    } else if (event.key === "End") {
      this.setValue(this.scale.silent);
      this.onValue(this.value, "end");
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} by  share of the travel */
  step(by) {
    this.setValue(this.scale.toValue(clamp(this.scale.toShare(this.value) + by, 0, 1)));
    this.onValue(this.value, "end");
  }

  /** Read its size: only when that may have changed, since the browser lays the page out for it. */
  measure() {
    this.width = this.element.clientWidth;
    this.height = this.element.clientHeight;
    this.paint();
  }

  /** @param {number} value */
  setValue(value) {
    if (value === this.value) return;
    this.value = value;
    this.paint();
  }

  /** Lowest and highest value in each bin, (points, 2). @param {Float32Array | null} signal @param {number} swing  half the width that the largest takes, 0 to 1 */
  setSignal(signal, swing) {
    this.signal = signal;
    this.swing = swing;
    this.paint();
  }

  paint() {
    const { element, scale, margin, width, height } = this;
    if (!height) return;
    const edited = Math.abs(this.value - scale.neutral) > 0.004;
    const at = margin + (height - margin * 2) * (1 - scale.toShare(this.value)),
      rest = margin + (height - margin * 2) * (1 - scale.toShare(scale.neutral));
    element.classList.toggle("edited", edited);
    this.cap.style.top = `${at}px`;
    this.fill.style.top = `${Math.min(at, rest)}px`;
    this.fill.style.height = `${Math.abs(at - rest)}px`;
    element.setAttribute("aria-valuenow", this.value.toFixed(2));
    element.setAttribute("aria-valuetext", scale.text(this.value) + (edited ? "" : ", unchanged"));
    this.wave.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.was.setAttribute("d", this.outline(width, height, 1));
    this.is.setAttribute("d", edited ? this.outline(width, height, this.value) : "");
  }

  /** @param {number} width @param {number} height @param {number} gain */
  outline(width, height, gain) {
    const signal = this.signal;
    if (!signal || !signal.length) return "";
    const n = signal.length / 2;
    let most = 1e-9;
    for (const value of signal) most = Math.max(most, Math.abs(value));
    const reach = ((width / 2) * this.swing * gain) / most;
    /** @param {number} value */
    const x = (value) => clamp(width / 2 + value * reach, 1, width - 1).toFixed(1);
    const down = [],
      up = [];
    for (let i = 0; i < n; i++) {
      const y = ((i / Math.max(1, n - 1)) * height).toFixed(1);
      down.push(`${x(signal[i * 2 + 1])} ${y}`);
      up.push(`${x(signal[i * 2])} ${y}`);
    }
    return `M${down.join("L")}L${up.reverse().join("L")}Z`;
  }

  dispose() {
    this.sizes.disconnect();
    this.element.remove();
  }
}
