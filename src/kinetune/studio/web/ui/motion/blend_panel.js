/** Align and blend: the warp matrix with its path, timing, weights, weights of single bands. */
import { Fader } from "../../core/fader.js";
import { Heatmap } from "../../core/heatmap.js";
import { hertz, plain } from "../../core/numbers.js";
import { Chip, Choice, Core, Icon, Slider } from "../shell/controls.js";
import { html, useEffect, useState } from "../shell/html.js";
import { chooseFiles } from "../shell/file_import.js";
import { OverTime } from "./value_over_time.js";
import { ask, turn } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { Phase } from "../shell/controls.js" */
/** @import { BandLine, Knobs, StepOf, WarpAnswer } from "../../core/answers.js" */

/** @param {{step: StepOf<"blend"> | StepOf<"align">, result: store.Result}} props */
export function Blend({ step, result }) {
  const blending = store.isOf(step, "blend"),
    knobs = /** @type {Knobs["blend"] & Knobs["align"]} */ (step.knobs),
    knob = blending ? "other" : "to",
    other = knobs[knob] ?? (blending ? knobs.others?.[0] : null);
  const [warp, setWarp] = useState(/** @type {WarpAnswer | null} */ (null));
  const at = store.steps.value.findIndex((each) => each.id === step.id);
  const { weight: _w, weights: _ws, bands: _b, amount: _a, ...timing } = knobs;
  const ready = result.state === "done";
  useEffect(() => {
    if (!other || !ready) {
      setWarp(null);
      return;
    }
    ask("warp", { step: step.id, size: 160 }, "warp").then((answer) => {
      if (answer) setWarp(answer);
    });
  }, [
    step.id,
    other,
    ready,
    JSON.stringify([timing, store.steps.value.slice(0, at).map(({ op, on, knobs }) => [op, on, knobs])]),
  ]);
  if (!other)
    return html`<${AskForClip} title=${step.title}
        onClip=${(/** @type {string} */ name) => turn(step.id, { [knob]: name })} />`;
  const amount = knobs[blending ? "weight" : "amount"] ?? 0.5,
    first = store.motionDoc.value?.source?.label.replace(/^sample /, "") ?? "",
    keyed = blending && (knobs.weight_keys ?? []).length > 0;
  const shape = warp?.arrays.find((array) => array.name === "heat")?.shape;
  return html`<section class="sec" style="border-top:0;padding-top:0">
      <div class="row" style="margin-bottom:8px"><span class="grow dim">With</span>
        <${Choice} label="Other clip" value=${other}
          options=${(store.motionDoc.value?.inputs ?? []).map((input) => ({ value: input.name, text: input.name }))}
          onValue=${(/** @type {string} */ name) => turn(step.id, { [knob]: name })} />
        </div>
      ${
        shape
          ? html`<${Core} className="well heatwell" watch=${[warp, store.frame.value]}
              make=${(/** @type {HTMLElement} */ host) => new Heatmap(host, { rows: other, columns: first })} update=${(
                /** @type {Heatmap} */ map,
              ) => {
                const facts = {
                  heat: warp.data.heat,
                  rows: shape[0],
                  columns: shape[1],
                  path: warp.data.path,
                  frames: warp.frames,
                };
                map.frame =
                  (store.frame.value / Math.max(1, (store.motion.value?.frames ?? 2) - 1)) * (warp.frames[0] - 1);
                if (map.facts?.heat !== facts.heat) {
                  map.options = { rows: other, columns: first };
                  map.setFacts(facts);
                } else map.paintPath();
              }} /><div class="cap2"><span>Cost ${plain(warp.cost)} a frame</span>
              <span>Steepest ${steepest(warp.data.path)} : 1</span></div>`
          : html`<div class="well heatwell blank"><p class="dim">${ready ? "Comparing the clips…" : "The clips are not aligned yet."}</p></div>`
      }</section>
    <section class="sec"><div class="sec-h"><h3 class="grow">${blending ? "Blend" : "Timing"}</h3>
      <span style=${`font-weight:600;color:var(--${amount || keyed ? "edited" : "text-2"})`}>${keyed ? "over time" : `${Math.round(amount * 100)} %`}</span>
      </div>
      <${Slider} label=${blending ? "Blend" : "Timing"} value=${amount} min=${0} max=${1} neutral=${0} disabled=${keyed}
          text=${(/** @type {number} */ v) => `${Math.round(v * 100)} percent towards ${other}`}
          onValue=${(/** @type {number} */ value, /** @type {Phase} */ phase) => turn(step.id, { [blending ? "weight" : "amount"]: Math.round(value * 1000) / 1000 }, phase, blending ? "Blend weight" : "Timing")} />
      <div class="cap2" style="margin-top:2px"><span class="ell">${first}</span><span class="ell">${other}</span></div>
        </section>
    ${blending ? html`<${Timing} step=${step} weight=${amount} first=${first} other=${other} />` : null}
    ${blending ? html`<${BandWeights} step=${step} weight=${amount} />` : null}
    ${blending ? html`<${WeightOverTime} step=${step} />` : null}`;
}

/** Whose timing a blend has: that of its weight, or one of its own. @param {{step: StepOf<"blend">, weight: number, first: string, other: string}} props */
function Timing({ step, weight, first, other }) {
  const own = step.knobs.timing ?? null,
    value = own ?? weight;
  const set = (/** @type {number | null} */ timing, /** @type {Phase} */ phase) =>
    turn(step.id, { timing }, phase, "Timing");
  return html`<section class="sec"><div class="sec-h"><h3 class="grow">Timing</h3>
      <span style=${`font-weight:600;margin-right:8px;color:var(--${own === null ? "text-2" : "edited"})`}>${Math.round(value * 100)} %</span>
      <${Chip} text="As the blend" icon="link" chosen=${own === null} onClick=${() => set(own === null ? weight : null, "end")} />
      </div>
      <${Slider} label="Timing" value=${value} min=${0} max=${1} neutral=${0} quiet=${own === null}
          text=${(/** @type {number} */ v) => `${Math.round(v * 100)} percent towards ${other}`}
          onValue=${(/** @type {number} */ v, /** @type {Phase} */ phase) => set(Math.round(v * 1000) / 1000, phase)} />
      <div class="cap2" style="margin-top:2px"><span class="ell">${first}</span><span class="ell">${other}</span></div></section>`;
}

/** How much of the other clip there is through the motion: rows of seconds and weight. @param {{step: StepOf<"blend">}} props */
function WeightOverTime({ step }) {
  const keys = step.knobs.weight_keys ?? [];
  const set = (/** @type {number[][]} */ rows, /** @type {Phase} */ phase) =>
    turn(
      step.id,
      { weight_keys: rows.length ? rows : null, ...(step.set.includes("weight") ? { weight: null } : {}) },
      phase,
      "Blend over time",
    );
  return html`<section class="sec"><div class="sec-h"><h3 class="grow">Blend over time</h3>${keys.length ? html`<button class="btn sm" style="margin:-2px -8px -2px 0" onClick=${() => set([], "end")}>Clear</button>` : null}</div>
    <${OverTime} label="Blend over time" keys=${keys} most=${1} top=${1.1} neutral=${0.5} onKeys=${set} /></section>`;
}

/** How much faster one clip runs than the other at most, over a few frames of the path. @param {Float32Array} path */
function steepest(path) {
  const span = Math.min(8, path.length / 2 - 1);
  let most = 1;
  for (let i = 0; i + 2 * span < path.length; i += 2) {
    const [x, y] = [0, 1].map((k) => path[i + 2 * span + k] - path[i + k]);
    if (span > 0) most = Math.max(most, Math.max(x, y) / Math.max(1, Math.min(x, y)));
  }
  return plain(most);
}

/** One fader for each band, or all of them linked. @param {{step: StepOf<"blend">, weight: number}} props */
function BandWeights({ step, weight }) {
  const [bands, setBands] = useState(/** @type {BandLine[]} */ ([]));
  useEffect(() => {
    ask("bands", { step: step.id, points: 4 }, "bands").then((answer) => {
      if (answer) setBands(answer.bands);
    });
  }, [step.id]);
  const given = /** @type {(number | null)[]} */ (step.knobs.bands),
    linked = !given.length;
  const values = bands.map((_, k) => given[k] ?? weight);
  const list = bands.map((band, k) => ({ ...band, value: values[k], k })).sort((a, b) => a.hz - b.hz);
  return html`<section class="sec"><div class="sec-h"><h3 class="grow">Blend per band</h3>
    <${Chip} text="Linked" icon="link" chosen=${linked} onClick=${() => turn(step.id, { bands: linked ? values : null })} />
    </div>
    ${
      bands.length
        ? html`<${Core} className="mini-band" style=${`grid-template-columns:repeat(${bands.length},1fr)`}
            watch=${[JSON.stringify(list)]} make=${(/** @type {HTMLElement} */ host) => new MiniFaders(host)} update=${(
              /** @type {MiniFaders} */ faders,
            ) => {
              faders.onValue = (k, value, phase) => {
                const next = [...values];
                next[k] = Math.round(value * 100) / 100;
                turn(step.id, { bands: next }, phase, "Blend per band");
              };
              faders.setBands(list);
            }} />`
        : null
    }</section>`;
}

class MiniFaders {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    /** @type {Fader[]} */ this.faders = [];
    /** @type {(k: number, value: number, phase: Phase) => void} */ this.onValue = () => {};
  }

  /** @param {{hz: number, value: number, k: number}[]} list */
  setBands(list) {
    if (list.length !== this.faders.length) {
      this.dispose();
      this.faders = list.map(({ hz, k }) => {
        const column = document.createElement("div"),
          name = `${hertz(hz)} hertz`;
        this.host.append(column);
        const fader = new Fader(column, {
          label: `${name} blend`,
          margin: 8,
          scale: {
            toShare: (v) => Math.min(1, Math.max(0, v)),
            toValue: (share) => share,
            neutral: 0,
            silent: 0,
            text: (v) => `${name}, ${Math.round(v * 100)} percent`,
          },
        });
        fader.onValue = (value, phase) => this.onValue(k, value, phase);
        const label = document.createElement("span");
        label.className = "hz";
        label.textContent = hertz(hz);
        column.append(label);
        return fader;
      });
    }
    list.forEach(({ value }, i) => this.faders[i].setValue(value));
  }

  dispose() {
    for (const fader of this.faders) fader.dispose();
    this.faders = [];
    this.host.replaceChildren();
  }
}

/** No second clip yet: choose one, and the operation goes on. @param {{title: string, onClip: (name: string) => void}} props */
export function AskForClip({ title, onClip }) {
  const samples = (store.hello.value?.samples ?? []).filter((sample) => !/-\d\d$/.test(sample.name)).slice(0, 12);
  const use = async (/** @type {{sample: string}} */ source, /** @type {string} */ name) => {
    const added = await ask("input.add", { source, name: name.replace(/[^A-Za-z0-9_-]+/g, "_") });
    if (added) onClip(added.name);
  };
  const inputs = store.motionDoc.value?.inputs ?? [];
  return html`<section class="sec blank" style="border-top:0"><span style="color:var(--text-3)"><${Icon} name="drop" />
    </span><p><b>No second clip yet</b></p>
    <p>${title} works with another clip. Choose one and it will be lined up with the first.</p>
    <div class="chips" style="justify-content:center">${inputs.map((input) => html`<${Chip} text=${input.name} onClick=${() => onClip(input.name)} />`)}${samples.map((sample) => html`<${Chip} text=${sample.name} label=${sample.name} onClick=${() => use({ sample: sample.name }, sample.name)} />`)}</div>
    <button class="btn line" onClick=${() => chooseFiles("input", onClip)}>Choose a file</button></section>`;
}
