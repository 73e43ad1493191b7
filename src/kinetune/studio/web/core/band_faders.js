/** The equalizer's faders: one for each band from posture to jitter, with solo and mute. */
import { make } from "./dom.js";
import { Fader } from "./fader.js";
import { gainText, gainToShare, shareToGain } from "./numbers.js";

/** @typedef {import("./band_columns.js").Column & {gain: number, muted: boolean, solo: boolean}} Band */

export class BandFaders {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    host.classList.add("desk");
    host.setAttribute("role", "group");
    host.setAttribute("aria-label", "Bands");
    /** @type {Map<string, {band: Band, column: HTMLElement, value: HTMLElement, fader: Fader, solo: HTMLElement, mute: HTMLElement}>} */ this.columns =
      new Map();
    /** @type {(bands: number[], gain: number, phase: "move" | "end" | "cancel") => void} */ this.onGain = () => {};
    /** @type {(bands: number[], add: boolean) => void} */ this.onSolo = () => {};
    /** @type {(bands: number[]) => void} */ this.onMute = () => {};
    this.layout = "";
    /** @type {Float32Array | null} */ this.signals = null;
    host.addEventListener("keydown", (event) => this.key(event));
  }

  /** Bands from the slowest to the fastest. @param {Band[]} bands */
  setBands(bands) {
    const layout = bands.map((band) => `${band.numbers} ${band.text}`).join();
    if (layout !== this.layout) this.build(bands);
    this.layout = layout;
    for (const band of bands) {
      const { label, gain, muted, solo } = band,
        column = this.columns.get(label);
      if (!column) continue;
      column.band = band;
      column.fader.setValue(gain);
      this.mark(label, gain);
      column.column.classList.toggle("muted", muted);
      column.mute.setAttribute("aria-pressed", String(muted));
      column.solo.setAttribute("aria-pressed", String(solo));
    }
  }

  /** @param {Band[]} bands */
  build(bands) {
    for (const { fader } of this.columns.values()) fader.dispose();
    this.columns.clear();
    this.host.replaceChildren();
    this.host.style.gridTemplateColumns = `18px repeat(${bands.length}, minmax(0, 1fr))`;
    const marks = [
      [1, "4"],
      [0.75, "2"],
      [0.5, "1"],
      [0.25, "½"],
      [0, "0"],
    ].map(([share, text]) =>
      make("span", { style: `top: calc(12px + (100% - 24px) * ${1 - Number(share)})` }, [String(text)]),
    );
    this.host.append(
      make("div", { "aria-hidden": "true" }, [
        make("div", { style: "height: 36px" }),
        make("div", { class: "scale" }, marks),
        make("div", { class: "dim", style: "font-size: 10px; margin-top: 7px" }, ["Hz"]),
      ]),
    );
    bands.forEach((band, k) => {
      const { label, text, name: pace } = band;
      const value = make("div", { class: "val" }),
        column = make("div", { class: "band", title: `${pace}, ${text} Hz` }, [
          make("div", { class: "pace" }, [bands[k - 1]?.name === pace ? "" : pace]),
          value,
        ]);
      const fader = new Fader(column, {
        label: `${label} band gain`,
        scale: {
          toShare: gainToShare,
          toValue: shareToGain,
          neutral: 1,
          silent: 0,
          text: (gain) => `${label}, ${gain.toFixed(2)} times`,
        },
      });
      fader.element.dataset.band = String(band.numbers[0]);
      const solo = make("button", { "aria-label": `Solo ${label}`, "aria-pressed": "false", tabindex: -1 }, ["S"]);
      const mute = make("button", { "aria-label": `Mute ${label}`, "aria-pressed": "false", tabindex: -1 }, ["M"]);
      solo.addEventListener("click", (event) => this.onSolo(band.numbers, event.shiftKey));
      mute.addEventListener("click", () => this.onMute(band.numbers));
      fader.onValue = (gain, phase) => {
        this.mark(label, gain);
        this.onGain(band.numbers, gain, phase);
      };
      column.append(make("div", { class: "hz" }, [text]), make("div", { class: "sm2" }, [solo, mute]));
      this.host.append(column);
      this.columns.set(label, { band, column, value, fader, solo, mute });
    });
    this.signals = null;
    for (const { fader } of this.columns.values()) fader.measure();
  }

  /** Write a gain above its fader. @param {string} label @param {number} gain */
  mark(label, gain) {
    const column = this.columns.get(label);
    if (!column) return;
    column.value.textContent = gainText(gain);
    column.column.classList.toggle("edited", Math.abs(gain - 1) > 0.004);
  }

  /** The signals of all bands by number, (bands, points, 2); a fader shows its strongest. @param {Float32Array} signals @param {number} points */
  setSignals(signals, points) {
    if (signals === this.signals) return;
    this.signals = signals;
    const columns = [...this.columns.values()],
      most = Math.max(1e-9, ...columns.map(({ band }) => band.rms));
    for (const { band, fader } of columns) {
      const swing = 0.2 + 0.62 * Math.sqrt(Math.max(0, band.rms / most)),
        k = band.strongest;
      fader.setSignal(signals.subarray(k * points * 2, (k + 1) * points * 2), swing);
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const found = [...this.columns.values()].find(({ fader }) => fader.element === document.activeElement);
    if (!found || event.ctrlKey || event.metaKey) return;
    if (event.key.toLowerCase() === "s") this.onSolo(found.band.numbers, event.shiftKey);
    else if (event.key.toLowerCase() === "m") this.onMute(found.band.numbers);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  dispose() {
    for (const { fader } of this.columns.values()) fader.dispose();
    this.host.replaceChildren();
  }
}
