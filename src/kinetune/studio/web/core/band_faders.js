/** The equalizer's faders: one for each band from posture to jitter, with solo and mute. */
import { make } from "./dom.js";
import { Fader } from "./fader.js";
import { gainText, gainToShare, hertz, shareToGain } from "./numbers.js";

/** @typedef {{number: number, hz: number, gain: number, muted: boolean, solo: boolean, rms: number}} Band */

export class BandFaders {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    host.classList.add("desk");
    host.setAttribute("role", "group");
    host.setAttribute("aria-label", "Bands");
    /** @type {Map<number, {column: HTMLElement, value: HTMLElement, fader: Fader, solo: HTMLElement, mute: HTMLElement}>} */ this.columns =
      new Map();
    /** @type {(band: number, gain: number, phase: "move" | "end" | "cancel") => void} */ this.onGain = () => {};
    /** @type {(band: number, add: boolean) => void} */ this.onSolo = () => {};
    /** @type {(band: number) => void} */ this.onMute = () => {};
    this.layout = "";
    host.addEventListener("keydown", (event) => this.key(event));
  }

  /** Bands from the slowest to the fastest. @param {Band[]} bands */
  setBands(bands) {
    const layout = bands.map((band) => `${band.number} ${band.hz}`).join();
    if (layout !== this.layout) this.build(bands);
    this.layout = layout;
    for (const { number, gain, muted, solo } of bands) {
      const column = this.columns.get(number);
      if (!column) continue;
      column.fader.setValue(gain);
      this.mark(number, gain);
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
        make("div", { style: "height: 20px" }),
        make("div", { class: "scale" }, marks),
        make("div", { class: "dim", style: "font-size: 10px; margin-top: 7px" }, ["Hz"]),
      ]),
    );
    bands.forEach(({ number, hz }) => {
      const value = make("div", { class: "val" }),
        column = make("div", { class: "band" }, [value]);
      const name = `${hertz(hz)} hertz`;
      const fader = new Fader(column, {
        label: `${name} band gain`,
        scale: {
          toShare: gainToShare,
          toValue: shareToGain,
          neutral: 1,
          silent: 0,
          text: (gain) => `${name}, ${gain.toFixed(2)} times`,
        },
      });
      fader.element.dataset.band = String(number);
      const solo = make("button", { "aria-label": `Solo ${name}`, "aria-pressed": "false", tabindex: -1 }, ["S"]);
      const mute = make("button", { "aria-label": `Mute ${name}`, "aria-pressed": "false", tabindex: -1 }, ["M"]);
      solo.addEventListener("click", (event) => this.onSolo(number, event.shiftKey));
      mute.addEventListener("click", () => this.onMute(number));
      fader.onValue = (gain, phase) => {
        this.mark(number, gain);
        this.onGain(number, gain, phase);
      };
      column.append(make("div", { class: "hz" }, [hertz(hz)]), make("div", { class: "sm2" }, [solo, mute]));
      this.host.append(column);
      this.columns.set(number, { column, value, fader, solo, mute });
    });
  }

  /** Write a gain above its fader. @param {number} number @param {number} gain */
  mark(number, gain) {
    const column = this.columns.get(number);
    if (!column) return;
    column.value.textContent = gainText(gain);
    column.column.classList.toggle("edited", Math.abs(gain - 1) > 0.004);
  }

  /** The bands' signals, (bands, points, 2), and how strong each is. @param {{number: number, rms: number}[]} bands @param {Float32Array} signals @param {number} points */
  setSignals(bands, signals, points) {
    const most = Math.max(1e-9, ...bands.map(({ rms }) => rms));
    bands.forEach(({ number, rms }, k) => {
      const swing = 0.2 + 0.62 * Math.sqrt(Math.max(0, rms / most));
      this.columns.get(number)?.fader.setSignal(signals.subarray(k * points * 2, (k + 1) * points * 2), swing);
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const faders = [...this.columns.entries()],
      at = faders.findIndex(([, { fader }]) => fader.element === document.activeElement);
    if (at < 0 || event.ctrlKey || event.metaKey) return;
    if (event.key.toLowerCase() === "s") this.onSolo(faders[at][0], event.shiftKey);
    else if (event.key.toLowerCase() === "m") this.onMute(faders[at][0]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  dispose() {
    for (const { fader } of this.columns.values()) fader.dispose();
    this.host.replaceChildren();
  }
}
