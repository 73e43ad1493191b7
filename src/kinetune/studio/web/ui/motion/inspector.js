/** The panel of the chosen operation. */
import { plain } from "../../core/numbers.js";
import { Note, NumberField, Segments, Switch } from "../shell/controls.js";
import { copyRecipe } from "../shell/export_menu.js";
import { AskForClip, Blend } from "./blend_panel.js";
import { Checkup } from "./checkup_panel.js";
import { Displacement } from "./displace_panel.js";
import { Equalizer } from "./equalizer_panel.js";
import { Footsteps } from "./footsteps_panel.js";
import { SHORT } from "./target_values.js";
import { Findings } from "../shell/findings.js";
import { html } from "../shell/html.js";
import { Knobs } from "./control_rows.js";
import { ContactsResult, CycleResult, Result } from "./result_panels.js";
import { Physics } from "./physics_panel.js";
import { addStep, ask, cancelJob, turn } from "../shell/session.js";
import { Retargeting } from "./retarget_panel.js";
import { Shaping } from "./shape_panel.js";
import { Splicing } from "./splice_panel.js";
import { reset } from "./operation_stack.js";
import * as store from "../shell/store.js";
import { Targets } from "./targets_panel.js";

/** The timeline is where tracks are edited. */
const Arranged = () =>
  html`<section class="sec" style="border-top:0;padding-top:0">
    <p class="dim">Trim, move and overlap the clips on the timeline. Where two overlap, the earlier fades into the later.</p>
    </section>`;

/** Panels made for one operation, and the knobs that they show themselves. @type {Record<string, {panel: Function, covers: string[]}>} */
const PANELS = {
  equalize: {
    panel: Equalizer,
    covers: ["gains", "gains_hz", "preset", "solo", "mute", "joints", "gain_keys", "groups", "amount"],
  },
  align: { panel: Blend, covers: ["to", "amount"] },
  blend: { panel: Blend, covers: ["other", "weight", "bands", "weight_keys", "timing"] },
  shape: { panel: Shaping, covers: ["curve"] },
  displace: { panel: Displacement, covers: ["keys", "falloff_s"] },
  arrange: { panel: Arranged, covers: ["clips", "tracks"] },
  filter_dynamics: { panel: Physics, covers: [] },
  aim: { panel: Targets, covers: ["others", "targets", ...SHORT] },
  retarget: { panel: Retargeting, covers: ["map"] },
  follow_footsteps: { panel: Footsteps, covers: ["footsteps"] },
  loop: { panel: CycleResult, covers: ["cycles", "in_place"] },
  plant_feet: { panel: ContactsResult, covers: ["amount"] },
  splice: { panel: Splicing, covers: ["second", "leave_s", "enter_s"] },
};

const KEEP_FEET = "keep_feet";

export function Inspector() {
  const step = store.step.value,
    wanted = store.declared(store.wanting.value);
  if (wanted)
    return html`<aside class="insp" aria-label=${`Inspector: ${wanted.title}`} data-region><div class="ititle">
      <div class="grow"><h2>${wanted.title}</h2><p>${wanted.summary}</p></div>
      <button class="btn sm line" onClick=${() => {
        store.wanting.value = "";
      }}>Cancel</button></div><${AskForClip} title=${wanted.title} onClip=${() => addStep(wanted.op)} /></aside>`;
  if (!step || store.checking.value) return html`<${Checkup} />`;
  const operation = store.declared(step.op),
    special = PANELS[step.op] ?? null,
    result = store.resultOf(step);
  const feet = operation?.knobs.some(({ name }) => name === KEEP_FEET),
    covers = [...(special?.covers ?? []), ...(feet ? [KEEP_FEET] : [])];
  const covered = covers.map((name) => store.faults.value[`${step.id} ${name}`]).find(Boolean);
  const fault = result.error ?? store.faults.value[step.id] ?? covered;
  return html`<aside class="insp" aria-label=${`Inspector: ${step.title}`} data-region key=${step.id}>
    <div class="ititle"><div class="grow"><h2>${step.title}</h2><p>${operation?.summary ?? ""}</p></div>
      <button class="btn sm line" onClick=${() => reset(step)}>Reset</button></div>
    ${
      fault
        ? html`<section class="sec" style="border-top:0;padding-top:0">
      <${Note} message=${fault} more="The steps below it run without it." actions=${[{ text: "Undo", onClick: () => ask("undo") }]} />
      </section>`
        : null
    }
    ${result.report?.findings?.length ? html`<section class="sec" style="border-top:0;padding-top:0"><${Findings} findings=${result.report.findings} /></section>` : null}
    ${result.state === "waiting" || result.state === "running" ? html`<${Run} step=${step} />` : null}
    ${feet ? html`<${KeepFeet} step=${step} />` : null}
    ${operation?.takes_region ? html`<${WhereInTime} step=${step} />` : null}
    ${special ? html`<${special.panel} step=${step} result=${result} />` : html`<${Result} />`}
    ${operation ? html`<${Knobs} step=${step} operation=${operation} skip=${covers} title=${special ? "More" : ""} />` : null}
    <section class="sec" style="margin-top:auto"><div class="row"><span class="dim grow">Copy as</span>
      <button class="btn sm line" onClick=${() => copyRecipe("yaml")}>Recipe</button>
      <button class="btn sm line" onClick=${() => copyRecipe("python")}>Python</button>
      <button class="btn sm line" onClick=${() => copyRecipe("cli")}>Command</button></div></section>
  </aside>`;
}

/** Whether feet that stand still stand after the edit, and how far they slide now. @param {{step: store.Step}} props */
function KeepFeet({ step }) {
  const slide = store.quality.value?.measures.find(({ name }) => name === "foot_slide_mm")?.is;
  return html`<section class="sec" style="border-top:0;padding-top:0"><div class="row"><span class="grow">Keep feet planted</span>
    <span class="dim">${slide == null ? "" : `slide ${plain(slide)} mm`}</span>
    <${Switch} label="Keep feet planted" on=${Boolean(step.knobs[KEEP_FEET])} onValue=${(/** @type {boolean} */ on) => turn(step.id, { [KEEP_FEET]: on })} /></div></section>`;
}

/** The whole clip, or a region of it: the one that is chosen on the timeline, or two seconds round the playhead. @param {{step: store.Step}} props */
function WhereInTime({ step }) {
  const own = store.ownRegion(step),
    { fps, frames } = store.playback;
  const rounded = (/** @type {number} */ s) => Math.round(s * 1000) / 1000;
  const here = () => {
    const now = store.frame.peek() / fps; // when it is asked for: the panel is not drawn for every frame
    return {
      start_s: rounded(Math.max(0, now - 1)),
      stop_s: rounded(Math.min((frames - 1) / fps, now + 1)),
      ease_s: 0.3,
    };
  };
  const set = (/** @type {string} */ where) => {
    if (own && where === "whole") store.region.value = own; // for the way back
    turn(step.id, { region: where === "whole" ? null : (own ?? store.region.value ?? here()) }, "end", "Region");
  };
  return html`<section class="sec" style="border-top:0;padding-top:0"><div class="row"><span class="grow">Where in time</span>
    <${Segments} small label="Where in time" value=${own ? "region" : "whole"} onValue=${set}
      options=${[
        { value: "whole", text: "Whole clip" },
        { value: "region", text: "Region" },
      ]} /></div>
    ${
      own
        ? html`<div class="row" style="margin-top:6px"><span class="grow dim">${plain(own.start_s)} to ${plain(own.stop_s)} s</span>
      <div style="width:112px"><${NumberField} label="Ease" mark="Ease" unit="s" value=${own.ease_s ?? 0.3} min=${0} max=${100} step=${0.05} neutral=${0.3} onValue=${(/** @type {number | null} */ value, /** @type {import("../shell/controls.js").Phase} */ phase) => turn(step.id, { region: { ...own, ease_s: value ?? 0.3 } }, phase, "Ease")} /></div></div>`
        : null
    }</section>`;
}

/** A step that takes its time: begin, progress, cancel. @param {{step: store.Step}} props */
function Run({ step }) {
  const job = Object.values(store.jobs.value).find((each) => each.step === step.id);
  if (!job)
    return html`<section class="sec" style="border-top:0;padding-top:0"><div class="row">
      <span class="grow dim">Not computed yet.</span>
      <button class="btn primary sm" onClick=${() => ask("run", { step: step.id })}>Run</button></div></section>`;
  const share = Math.round((job.share ?? 0) * 100),
    stopping = store.stopping.value.includes(job.job),
    left = job.left_s != null ? `, about ${Math.max(1, Math.round(job.left_s))} s left` : "",
    progress = stopping ? "Stopping…" : `${job.text.charAt(0).toUpperCase()}${job.text.slice(1)}${left}`;
  return html`<section class="sec" style="border-top:0;padding-top:0"><div class="row" style="margin-bottom:6px">
    <span class="spin" aria-hidden="true"></span><span class="grow">${progress}</span>
    <button class="btn sm line" disabled=${stopping} onClick=${() => cancelJob(job)}>Cancel</button></div>
    <div class="bar" role="progressbar" aria-valuenow=${share} aria-valuemin="0" aria-valuemax="100"
        aria-valuetext=${progress}>
      <b style=${`width:${share}%`}></b></div></section>`;
}
