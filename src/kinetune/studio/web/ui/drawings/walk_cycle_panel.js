/** A walk cycle from two key drawings: its timing, the clip it walks in step with, and which limbs are opposite. */
import { plain } from "../../core/numbers.js";
import { Choice, IconButton, NumberField, Segments, Slider, Switch } from "../shell/controls.js";
import { html } from "../shell/html.js";
import { setDrawing } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { Phase } from "../shell/controls.js" */
/** @import { DrawingDoc } from "../shell/store.js" */
/** @import { WalkCycleSettings } from "../../core/answers.js" */

const TIMING = /** @type {const} */ ([
  ["gamma_a", "Leaving", -1 / 3, "How limbs leave the first drawing: -1 from rest, 0 evenly"],
  ["gamma_b", "Arriving", 1 / 3, "How limbs arrive at the next one: 1 at rest, 0 evenly"],
]);

/** @param {{doc: DrawingDoc}} props */
export function Gait({ doc }) {
  const { gait } = doc.settings;
  const set = (
    /** @type {Partial<WalkCycleSettings>} */ change,
    /** @type {Phase} */ phase,
    /** @type {string} */ label = "Gait",
  ) => setDrawing({ gait: { ...gait, ...change } }, phase, label);
  return html`<section class="sec knobs" aria-label="Walk cycle">
    <div class="knob"><span class="knob-name">Walk cycle</span><div class="knob-value">
      <${Switch} label="Walk cycle" on=${Boolean(gait)}
        onValue=${(/** @type {boolean} */ on) => setDrawing({ gait: on ? {} : null }, "end", on ? "Walk cycle" : "No walk cycle")} />
      </div><p class="knob-hint">From the first two key drawings, a quarter of a cycle apart, and from both with left and right swapped.</p></div>
    ${
      gait
        ? html`${TIMING.map(
            ([name, title, usual, hint]) => html`<div class="knob"><span class="knob-name" title=${hint}>${title}</span>
        <div class="knob-value">
          <${Slider} label=${title} value=${gait[name] ?? usual} min=${-1} max=${1} neutral=${usual}
            text=${(/** @type {number} */ v) => `${plain(v)}: ${hint}`}
            onValue=${(/** @type {number} */ value, /** @type {Phase} */ phase) => set({ [name]: Math.abs(value - usual) < 1e-9 ? null : Math.round(value * 100) / 100 }, phase)} />
          <output>${plain(gait[name] ?? usual)}</output></div></div>`,
          )}
      ${
        gait.like
          ? null
          : html`<div class="knob"><span class="knob-name">Drawings</span><div class="knob-value"><${NumberField} label="Drawings" value=${doc.gaps[0].frames} whole min=${2} max=${240}
        onValue=${(/** @type {number} */ frames, /** @type {Phase} */ phase) => setDrawing({ frames }, phase, "Drawings")} /></div></div>`
      }
      <${InStep} gait=${gait} set=${set} /><${Pairs} doc=${doc} gait=${gait} set=${set} />`
        : null
    }</section>`;
}

/** @param {{gait: WalkCycleSettings, set: (change: Partial<WalkCycleSettings>, phase?: Phase, label?: string) => void}} props */
function InStep({ gait, set }) {
  const walks = (store.hello.value?.samples ?? []).filter(({ name }) => /walk|run|march/.test(name));
  return html`<div class="knob"><span class="knob-name">In step with</span><div class="knob-value">
      <${Choice} label="In step with" value=${gait.like ?? ""} onValue=${(/** @type {string} */ name) => set({ like: name || null })}
        options=${[{ value: "", text: "nothing: one even cycle" }, ...walks.map(({ name }) => ({ value: name, text: name }))]} />
      </div></div>
    ${
      gait.like
        ? html`<div class="knob"><span class="knob-name">Lands first</span><div class="knob-value">
      <${Segments} small label="Foot that lands at the first drawing" value=${gait.foot ?? "left"} onValue=${(/** @type {"left" | "right"} */ foot) => set({ foot })}
        options=${[
          { value: "left", text: "Left foot" },
          { value: "right", text: "Right foot" },
        ]} /></div></div>`
        : null
    }`;
}

/** Which layers are opposite limbs. @param {{doc: DrawingDoc, gait: WalkCycleSettings, set: (change: Partial<WalkCycleSettings>, phase?: Phase, label?: string) => void}} props */
function Pairs({ doc, gait, set }) {
  const names = [...new Set(doc.keys[0].layers.map((layer) => layer.name).filter(Boolean))];
  const own = gait.pairs ?? null,
    shown = Object.entries(own ?? onlyOnce(doc.keys[0].opposites ?? {}));
  const free = names.filter((name) => !shown.some(([a, b]) => a === name || b === name));
  const options = (/** @type {string} */ now) => [now, ...free].map((name) => ({ value: name, text: name }));
  const change = (/** @type {[string, string][]} */ rows) =>
    set({ pairs: rows.length ? Object.fromEntries(rows) : null }, "end", "Opposite limbs");
  return html`<div class="sec-h" style="margin-top:10px"><h3 class="grow">Opposite limbs</h3>
      ${own ? html`<button class="btn sm line" onClick=${() => set({ pairs: null })}>Find by name</button>` : html`<span class="dim">matched by name</span>`}</div>
    <ul class="pairs" aria-label="Opposite limbs">${shown.map(
      ([a, b], k) => html`<li>
        <${Choice} label=${`Limb ${k + 1}`} value=${a} options=${options(a)}
          onValue=${(/** @type {string} */ name) => change(shown.map((row, i) => (i === k ? [name, row[1]] : row)))} />
        <span class="dim" aria-hidden="true">↔</span>
        <${Choice} label=${`Opposite of ${a}`} value=${b} options=${options(b)}
          onValue=${(/** @type {string} */ name) => change(shown.map((row, i) => (i === k ? [row[0], name] : row)))} />
        <${IconButton} small icon="bin" label=${`Remove the pair ${a} and ${b}`}
          onClick=${() => change(shown.filter((_, i) => i !== k))} /></li>`,
    )}</ul>
    ${shown.length ? null : html`<p class="empty">No limbs are opposite yet. Name two layers, or call them left and right, or near and far, in the drawing.</p>`}
    ${
      free.length > 1
        ? html`<button class="btn sm line" onClick=${() => change([...shown, [String(free[0]), free[1]]])}>Add a pair</button>`
        : null
    }`;
}

/** Each pair once, whichever side named it. @param {Record<string, string>} partners @returns {Record<string, string>} */
function onlyOnce(partners) {
  /** @type {Record<string, string>} */ const found = {};
  for (const [a, b] of Object.entries(partners)) if (found[b] !== a) found[a] = b;
  return found;
}
