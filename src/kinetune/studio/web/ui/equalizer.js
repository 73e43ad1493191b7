/** The equalizer: faders, presets, gain over time, joints. */
import { CurveEditor } from "../core/curve.js";
import { Desk } from "../core/desk.js";
import { hertz } from "../core/numbers.js";
import { Chip, Core } from "./controls.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { JointPicker } from "./joints.js";
import { ask, turn } from "./session.js";
import * as store from "./store.js";

const LEGEND = html`<span class="row dim" style="gap:12px"><span class="row" style="gap:5px"><svg width="12" height="6">
  <path d="M0 3h12" stroke="var(--ghost)" stroke-width="1.500" /></svg>original</span><span class="row" style="gap:5px">
  <svg width="12" height="6"><path d="M0 3h12" stroke="var(--edited)" stroke-width="1.500" /></svg>edited</span>
  </span>`;

/** @param {{step: store.Step}} props */
export function Equalizer({ step }) {
  const { knobs } = step,
    id = step.id;
  const [told, setTold] = useState(/** @type {any} */ (null));
  const [band, setBand] = useState(/** @type {number | null} */ (null));
  const held = useRef(/** @type {number[] | null} */ (null));
  const before = store.steps.value
    .slice(
      0,
      store.steps.value.findIndex((each) => each.id === id),
    )
    .map((each) => [each.id, each.on, each.knobs]);
  useEffect(() => {
    ask("bands", { step: id, points: 160, ...(knobs.joints ? { joints: knobs.joints } : {}) }, "bands").then(
      (answer) => {
        if (answer) setTold(answer);
      },
    );
  }, [id, JSON.stringify([before, knobs.joints]), store.doc.value.source?.words]);
  if (!told)
    return html`<section class="sec" style="border-top:0"><div class="desk-wait" aria-busy="true"></div></section>`;
  const bands = [...told.bands].sort((a, b) => a.hz - b.hz),
    count = told.bands.length;
  const gains = gainsOf(knobs, told.bands);
  const list = bands.map(({ number, hz, rms_deg }) => ({
    number,
    hz,
    rms: rms_deg ?? 1,
    gain: gains[number] ?? 1,
    muted: knobs.mute?.includes(number),
    solo: knobs.solo?.includes(number),
  }));
  const busiest = list.reduce(
    (best, each) =>
      Math.abs(Math.log2(Math.max(0.06, each.gain))) > Math.abs(Math.log2(Math.max(0.06, best.gain))) ? each : best,
    list[Math.floor(list.length / 2)],
  );
  const shown = list.find(({ number }) => number === band) ?? busiest;
  const presets = store.declared("equalize")?.knobs.find(({ name }) => name === "preset")?.choices ?? [];
  const points = told.data.signals.length / 2 / Math.max(1, count);
  const setGain = (/** @type {number} */ number, /** @type {number} */ gain, /** @type {any} */ phase) => {
    const now = gainsOf(store.steps.value.find((each) => each.id === id)?.knobs ?? knobs, told.bands);
    const next = held.current ?? Array.from({ length: count }, (_, k) => now[k] ?? 1);
    next[number] = Math.round(gain * 1000) / 1000;
    held.current = phase === "move" ? next : null;
    setBand(number);
    turn(
      id,
      { gains: [...next], ...(knobs.preset ? { preset: null } : {}) },
      phase,
      `Equalizer ${hertz(list.find((each) => each.number === number)?.hz ?? 0)} Hz gain`,
    );
  };
  return html`<section class="sec" style="border-top:0;padding-top:0"><div class="chips" role="group" aria-label="Presets">
      <${Chip} text="Flat" pressed=${!knobs.preset && list.every(({ gain }) => Math.abs(gain - 1) < 0.005)}
          onClick=${() => turn(id, { gains: null, preset: null, mute: null, solo: null })} />
      ${presets.map((preset) => html`<${Chip} text=${preset.charAt(0).toUpperCase() + preset.slice(1)} pressed=${knobs.preset === preset} onClick=${() => turn(id, { gains: null, preset })} />`)}</div>
        </section>
    <section class="sec"><div class="sec-h"><h3 class="grow">Bands</h3>${LEGEND}</div>
      <${Core} watch=${[JSON.stringify(list), told]} make=${(/** @type {HTMLElement} */ host) => new Desk(host)} update=${(
        /** @type {Desk} */ desk,
      ) => {
        desk.onGain = setGain;
        desk.onMute = (number) => turn(id, { mute: toggled(knobs.mute, number, true) });
        desk.onSolo = (number, add) => turn(id, { solo: toggled(knobs.solo, number, add) });
        desk.setBands(list);
        desk.setSignals(
          told.bands.map((/** @type {any} */ each) => ({ number: each.number, rms: each.rms_deg ?? 1 })),
          told.data.signals,
          points,
        );
      }} /></section>
    <${GainOverTime} step=${step} band=${shown} />
    <section class="sec"><div class="sec-h"><h3 class="grow">Joints</h3><span class="dim">change, rms mm</span></div>
      <${JointPicker} value=${knobs.joints} onValue=${(/** @type {any} */ joints) => turn(id, { joints })} />
      </section>`;
}

/** The gains of all bands, a preset's included. @param {Record<string, any>} knobs @param {any[]} bands */
function gainsOf(knobs, bands) {
  if (Array.isArray(knobs.gains) && knobs.gains.length) return bands.map((_, k) => knobs.gains[k] ?? 1);
  if (knobs.gains && typeof knobs.gains === "object" && Object.keys(knobs.gains).length)
    return bands.map(({ number }) => knobs.gains[number] ?? 1);
  return knobs.preset ? bands.map(({ gain }) => gain ?? 1) : bands.map(() => 1);
}

/** @param {number[] | undefined} list @param {number} number @param {boolean} add */
function toggled(list, number, add) {
  const now = list ?? [];
  if (now.includes(number)) return now.filter((each) => each !== number);
  return add ? [...now, number].sort((a, b) => a - b) : [number];
}

/** How the gain of a band changes through the clip: rows of seconds and gain. @param {{step: store.Step, band: any}} props */
function GainOverTime({ step, band }) {
  const keys = step.knobs.gain_keys?.[band.number] ?? [],
    long = Math.max(0.1, ((store.motion.value?.frames ?? 2) - 1) / (store.motion.value?.fps ?? 30));
  const shape = keys.map((/** @type {number[]} */ [x, y]) => ({ x, y }));
  const tell = (/** @type {any[]} */ next, /** @type {any} */ phase) => {
    const rows = next.map(({ x, y }) => [
      Math.round(x * 1000) / 1000,
      Math.round(Math.min(4, Math.max(0, y)) * 1000) / 1000,
    ]);
    const all = { ...(step.knobs.gain_keys ?? {}) };
    if (rows.length) all[band.number] = rows;
    else delete all[band.number];
    turn(step.id, { gain_keys: all }, phase, "Equalizer gain over time");
  };
  return html`<section class="sec hide-short"><div class="sec-h"><h3 class="grow">Gain over time</h3>
    <span class="dim">${hertz(band.hz)} Hz</span>${keys.length ? html`<button class="btn sm" style="margin:-2px -8px -2px 0" onClick=${() => tell([], "end")}>Clear</button>` : null}</div>
    <${Core} className="got" watch=${[JSON.stringify([shape, long])]}
        make=${(/** @type {HTMLElement} */ host) => new CurveEditor(host, { label: `Gain of ${hertz(band.hz)} hertz over time` })} update=${(
          /** @type {CurveEditor} */ curve,
        ) => {
          curve.view = {
            x: [0, long],
            y: [0, Math.max(2.2, ...shape.map((/** @type {any} */ key) => key.y * 1.1))],
            marks: [{ at: 1, text: shape.length ? "" : "Double-click to add a point" }],
            xUnit: "seconds",
            yUnit: "times",
            xStep: 0.05,
            yStep: 0.05,
          };
          curve.onKeys = (next, _, phase) => tell(next, phase);
          curve.setKeys(shape);
        }} /></section>`;
}
