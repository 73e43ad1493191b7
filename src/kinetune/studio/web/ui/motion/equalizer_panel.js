/** The equalizer: faders, presets, gain over time, joints. */
import { columnsOf } from "../../core/band_columns.js";
import { BandFaders } from "../../core/band_faders.js";
import { Chip, Core, Icon, IconButton, Popover, Slider } from "../shell/controls.js";
import { html, useEffect, useRef, useState } from "../shell/html.js";
import { GroupMap, JointPicker, groupLabel } from "./joint_picker.js";
import { OverTime } from "./value_over_time.js";
import { ask, turn } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { Phase } from "../shell/controls.js" */
/** @import { BandLine, BandsAnswer, Knobs, StepOf } from "../../core/answers.js" */

const LEGEND = html`<span class="row dim" style="gap:12px"><span class="row" style="gap:5px"><svg width="12" height="6">
  <path d="M0 3h12" stroke="var(--ghost)" stroke-width="1.500" /></svg>original</span><span class="row" style="gap:5px">
  <svg width="12" height="6"><path d="M0 3h12" stroke="var(--edited)" stroke-width="1.500" /></svg>edited</span>
  </span>`;

/** Behind the faders, no more than so many seconds around the playhead are drawn: of a longer part, only a block would show. */
const DRAWN_S = 8;

/**
 * How the bands of all joints, or of one group, are set.
 * @typedef {{gains?: number[] | Record<string, number> | null, gains_hz?: Record<string, number> | null, preset?: string | null, solo?: number[] | null, mute?: number[] | null, gain_keys?: Record<string, number[][]>}} Setting
 */

/** @param {Knobs["equalize"]} knobs @param {string | null} group @returns {Setting} */
function settingOf(knobs, group) {
  if (group === null) return /** @type {Setting} */ (knobs);
  const own = /** @type {number[] | Setting | undefined} */ (knobs.groups[group]);
  return Array.isArray(own) ? { gains: own } : (own ?? {});
}

/** @param {{step: StepOf<"equalize">}} props */
export function Equalizer({ step }) {
  const { knobs } = step,
    id = step.id;
  const [loaded, setLoaded] = useState(/** @type {BandsAnswer | null} */ (null));
  const [chosen, setChosen] = useState(/** @type {number | null} */ (null));
  const [begun, setBegun] = useState(/** @type {string | null} */ (null));
  const [picked, setGroup] = useState(/** @type {string | null} */ (null));
  const held = useRef(/** @type {number[] | null} */ (null));
  const group = picked !== null && knobs.groups?.[picked] ? picked : null,
    setting = settingOf(knobs, group);
  const before = store.steps.value
    .slice(
      0,
      store.steps.value.findIndex((each) => each.id === id),
    )
    .map((each) => [each.id, each.on, each.knobs]);
  const joints = group ?? knobs.joints;
  useEffect(() => {
    const { frames = 0, fps = 30 } = store.motion.value ?? {},
      most = Math.round(DRAWN_S * fps),
      start = Math.round(Math.max(0, Math.min(store.playback.frame - most / 2, frames - most)));
    const part = frames > most ? { start, stop: start + most } : {};
    let live = true;
    const load = async () => {
      const answer = await ask("bands", { step: id, points: 160, ...part, ...(joints ? { joints } : {}) }, "bands");
      if (!live) return;
      if (answer) setLoaded(answer);
      else if (!store.trouble.value) setTimeout(() => live && load(), 400); // the studio was busy, or away for a moment
    };
    load();
    return () => {
      live = false;
    };
  }, [id, JSON.stringify([before, joints, knobs.preset]), store.motionDoc.value?.source?.label]);
  if (!loaded)
    return html`<section class="sec" style="border-top:0"><div class="desk-wait" aria-busy="true"></div></section>`;
  const now = () => /** @type {Knobs["equalize"]} */ (store.steps.value.find((each) => each.id === id)?.knobs ?? knobs);
  const set = (/** @type {Setting} */ change, /** @type {Phase} */ phase = "end", /** @type {string} */ label = "") => {
    if (group === null) return turn(id, change, phase, label);
    const { preset: _, ...own } = /** @type {Setting} */ ({ ...settingOf(now(), group), ...change });
    const kept = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null));
    return turn(id, { groups: { ...now().groups, [group]: kept } }, phase, label);
  };
  const count = loaded.bands.length,
    gains = gainsOf(setting, loaded.bands);
  const list = columnsOf(loaded.bands).map((column) => ({
    ...column,
    gain: meanGain(column.numbers.map((number) => gains[number] ?? 1)),
    muted: column.numbers.every((number) => setting.mute?.includes(number)),
    solo: column.numbers.every((number) => setting.solo?.includes(number)),
  }));
  const busiest = list.reduce(
    (best, each) =>
      Math.abs(Math.log2(Math.max(0.06, each.gain))) > Math.abs(Math.log2(Math.max(0.06, best.gain))) ? each : best,
    list[Math.floor(list.length / 2)],
  );
  const shown = list.find(({ numbers }) => chosen !== null && numbers.includes(chosen)) ?? busiest;
  const { choices, labels } = store.declared("equalize")?.knobs.find(({ name }) => name === "preset") ?? {},
    presets = (choices ?? []).map((value, k) => ({ value, text: labels?.[k] ?? value }));
  const points = loaded.data.signals.length / 2 / Math.max(1, count);
  const where = group === null ? "Equalizer" : `${groupLabel(group)}`;
  const setGain = (/** @type {number[]} */ numbers, /** @type {number} */ gain, /** @type {Phase} */ phase) => {
    const here = gainsOf(settingOf(now(), group), loaded.bands);
    const next = held.current ?? Array.from({ length: count }, (_, k) => here[k] ?? 1);
    for (const number of numbers) next[number] = Math.round(gain * 1000) / 1000;
    held.current = phase === "move" ? next : null;
    setChosen(numbers[0]);
    if (setting.preset) setBegun(setting.preset);
    const column = list.find((each) => each.numbers === numbers || each.numbers[0] === numbers[0]);
    set(
      { ...byFrequency(next, loaded.bands), ...(setting.preset ? { preset: null } : {}) },
      phase,
      `${where} ${column?.label === "posture" ? "posture" : `${column?.text} Hz`} gain`,
    );
  };
  const choosePreset = (/** @type {string} */ preset) => {
    setBegun(null);
    return turn(
      id,
      { gains: null, gains_hz: null, preset },
      "end",
      `Equalizer: ${presets.find(({ value }) => value === preset)?.text}`,
    );
  };
  const flat = !setting.preset && list.every(({ gain, muted, solo }) => Math.abs(gain - 1) < 0.005 && !muted && !solo);
  return html`<section class="sec" style="border-top:0;padding-top:0"><div class="chips" role="group" aria-label="Presets">
      <${Chip} text="Flat" pressed=${flat} onClick=${() => {
        setBegun(null);
        set({ gains: null, gains_hz: null, preset: null, mute: null, solo: null });
      }} />
      ${
        group === null
          ? presets.map(
              ({ value, text }) =>
                html`<${Chip} text=${begun === value && !flat ? `${text}, changed` : text} label=${text} pressed=${setting.preset === value}
                chosen=${begun === value && !flat} onClick=${() => choosePreset(value)} />`,
            )
          : html`<${Chip} text="Same as whole body" onClick=${() => set(byFrequency(gainsOf(settingOf(now(), null), loaded.bands), loaded.bands))} />`
      }</div>
      ${
        group === null
          ? html`<div class="row amount"><span>Amount</span>
        <${Slider} label="Amount" value=${knobs.amount} min=${0} max=${1.5} neutral=${1} text=${percent}
          onValue=${(/** @type {number} */ value, /** @type {Phase} */ phase) => turn(id, { amount: Math.round(value * 100) / 100 }, phase)} />
        <output>${percent(knobs.amount)}</output></div>`
          : null
      }</section>
    <section class="sec"><div class="sec-h"><h3 class="grow">Bands</h3>${LEGEND}</div>
      <${GroupTabs} step=${step} group=${group} onGroup=${setGroup} />
      <${Core} key=${group ?? ""} watch=${[JSON.stringify(list), loaded]}
          make=${(/** @type {HTMLElement} */ host) => new BandFaders(host)} update=${(
            /** @type {BandFaders} */ faders,
          ) => {
            faders.onGain = setGain;
            faders.onMute = (numbers) => set({ mute: toggled(setting.mute, numbers, true) });
            faders.onSolo = (numbers, add) => set({ solo: toggled(setting.solo, numbers, add) });
            faders.setBands(list);
            faders.setSignals(loaded.data.signals, points);
          }} /></section>
    <${GainOverTime} key=${`${group} ${shown.numbers[0]}`} keys=${setting.gain_keys?.[shown.numbers[0]] ?? []} column=${shown}
        onKeys=${(/** @type {number[][]} */ rows, /** @type {Phase} */ phase) => {
          const others = Object.entries(setting.gain_keys ?? {}).filter(([n]) => !shown.numbers.includes(Number(n))),
            keyed = rows.length ? shown.numbers.map((number) => [number, rows]) : [];
          set({ gain_keys: Object.fromEntries([...others, ...keyed]) }, phase, `${where} gain over time`);
        }} />
    <section class="sec"><div class="sec-h"><h3 class="grow">Joints</h3><span class="dim">change, rms mm</span></div>
      <${JointPicker} value=${knobs.joints} onValue=${(/** @type {string[] | null} */ value) => turn(id, { joints: value })} />
      </section>`;
}

/** The whole body and the groups that have faders of their own. @param {{step: StepOf<"equalize">, group: string | null, onGroup: (group: string | null) => void}} props */
function GroupTabs({ step, group, onGroup }) {
  const groups = step.knobs.groups ?? {},
    names = Object.keys(groups);
  const add = (/** @type {string} */ name) => {
    onGroup(name);
    if (!groups[name]) turn(step.id, { groups: { ...groups, [name]: [] } }, "end", `${groupLabel(name)} faders`);
  };
  const remove = () => {
    if (group === null) return;
    const { [group]: _, ...others } = groups;
    onGroup(null);
    turn(step.id, { groups: others }, "end", `Remove ${group} faders`);
  };
  return html`<div class="row groups"><div class="chips grow"><div class="chips" role="tablist" aria-label="Joints of the faders">
      ${[null, ...names].map(
        (
          name,
        ) => html`<button class=${`chip${name === group ? " sel" : ""}`} role="tab" aria-selected=${String(name === group)}
          onClick=${() => onGroup(name)}>${name === null ? "Whole body" : groupLabel(name)}</button>`,
      )}</div>
      <${Popover} label="Faders for a group of joints" className="chip" text=${html`<span class="sr">Faders for a group of joints: </span><${Icon} name="plus" size=${12} />Group`}>
        <p class="dim" style="padding:4px 8px 0">Which joints get faders of their own?</p>
        <${GroupMap} taken=${names} onGroup=${add} /></${Popover}></div>
      ${group === null ? null : html`<${IconButton} small icon="bin" label=${`Remove the faders of ${groupLabel(group).toLowerCase()}`} onClick=${remove} />`}</div>`;
}

/** The gains of all bands, a preset's included. @param {Setting} knobs @param {BandLine[]} bands */
function gainsOf(knobs, bands) {
  const { gains } = knobs,
    keys = Object.entries(knobs.gains_hz ?? {})
      .map(([hz, gain]) => ({ octave: Math.log2(Number(hz)), gain }))
      .sort((a, b) => a.octave - b.octave);
  if (keys.length) return bands.map(({ key_hz }) => Math.round(gainAt(keys, Math.log2(key_hz)) * 1e4) / 1e4);
  if (Array.isArray(gains) && gains.length) return bands.map((_, k) => gains[k] ?? 1);
  if (gains && !Array.isArray(gains) && Object.keys(gains).length) return bands.map(({ number }) => gains[number] ?? 1);
  return knobs.preset ? bands.map(({ gain }) => gain ?? 1) : bands.map(() => 1);
}

/** The gain at a frequency: even steps between the keys, 1 again an octave beyond them. @param {{octave: number, gain: number}[]} keys @param {number} octave */
function gainAt(keys, octave) {
  const row = [{ octave: keys[0].octave - 1, gain: 1 }, ...keys, { octave: keys[keys.length - 1].octave + 1, gain: 1 }];
  const next = row.findIndex((key) => key.octave >= octave);
  if (next <= 0) return 1;
  const [a, b] = [row[next - 1], row[next]];
  return a.gain + ((octave - a.octave) / (b.octave - a.octave)) * (b.gain - a.gain);
}

/** Gains as a recipe keeps them: by frequency, so that they mean the same at any frame rate. @param {number[]} gains @param {BandLine[]} bands */
const byFrequency = (gains, bands) => ({
  gains: null,
  gains_hz: Object.fromEntries(bands.map(({ key_hz }, k) => [String(Number(key_hz.toPrecision(6))), gains[k] ?? 1])),
});

/** @param {number[] | null | undefined} list @param {number[]} numbers @param {boolean} add */
function toggled(list, numbers, add) {
  const now = list ?? [];
  if (numbers.every((number) => now.includes(number))) return now.filter((each) => !numbers.includes(each));
  return (add ? [...new Set([...now, ...numbers])] : [...numbers]).sort((a, b) => a - b);
}

/** One number for the bands of a fader: their geometric mean. @param {number[]} gains */
const meanGain = (gains) =>
  gains.every((gain) => gain === gains[0])
    ? gains[0]
    : Math.exp(gains.reduce((sum, gain) => sum + Math.log(Math.max(gain, 1e-3)), 0) / gains.length);

/** @param {number} amount */
const percent = (amount) => `${Math.round(amount * 100)} %`;

/** How the gain of a band changes through the clip: rows of seconds and gain. @param {{keys: number[][], column: {text: string, name: string, label: string}, onKeys: (rows: number[][], phase: Phase) => void}} props */
function GainOverTime({ keys, column, onKeys }) {
  return html`<section class="sec hide-short"><div class="sec-h"><h3 class="grow">Gain over time</h3>
    <span class="dim">${column.name} ${column.text} Hz</span>${keys.length ? html`<button class="btn sm" style="margin:-2px -8px -2px 0" onClick=${() => onKeys([], "end")}>Clear</button>` : null}</div>
    <${OverTime} label=${`Gain of ${column.label} over time`} keys=${keys} most=${4} top=${2.2} neutral=${1}
        onKeys=${onKeys} /></section>`;
}
