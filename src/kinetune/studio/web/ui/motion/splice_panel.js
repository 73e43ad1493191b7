/** Splice: which clip follows, the best moments to pass into it, and the two moments themselves. */
import { plain } from "../../core/numbers.js";
import { AskForClip } from "./blend_panel.js";
import { Chip, Choice, NumberField } from "../shell/controls.js";
import { html, useEffect, useState } from "../shell/html.js";
import { ask, turn } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { Phase } from "../shell/controls.js" */
/** @import { MomentLine, MomentsAnswer, StepOf } from "../../core/answers.js" */

/** @param {{step: StepOf<"splice">}} props */
export function Splicing({ step }) {
  const { second, leave_s, enter_s } = step.knobs,
    [found, setFound] = useState(/** @type {MomentsAnswer | null} */ (null));
  const at = store.steps.value.findIndex(({ id }) => id === step.id),
    before = JSON.stringify(store.steps.value.slice(0, at).map(({ op, on, knobs }) => [op, on, knobs]));
  useEffect(() => {
    setFound(null);
    if (!second) return undefined;
    let live = true;
    ask("moments", { step: step.id }, "moments").then((answer) => {
      if (live && answer) setFound(answer);
    });
    return () => {
      live = false;
    };
  }, [step.id, second, before, store.motionDoc.value?.source?.label]);
  if (!second)
    return html`<${AskForClip} title=${step.title} onClip=${(/** @type {string} */ name) => turn(step.id, { second: name })} />`;
  const take = (/** @type {MomentLine} */ { leave_s, enter_s }) => {
    turn(step.id, { leave_s, enter_s, event: "none", heading: "seam", tries: 1 }, "end", "Best moment");
    store.playback.setFrame(Math.round(leave_s * store.playback.fps));
  };
  const isTaken = (/** @type {MomentLine} */ moment) => leave_s === moment.leave_s && enter_s === moment.enter_s;
  /** @param {"leave_s" | "enter_s"} name @param {string} label @param {string} mark */
  const field = (name, label, mark) =>
    html`<${NumberField} label=${label} mark=${mark} unit="s" value=${step.knobs[name]} optional unset="best" min=${0} max=${86400} step=${0.05}
      onValue=${(/** @type {number | null} */ value, /** @type {Phase} */ phase) => turn(step.id, { [name]: value }, phase, label)} />`;
  return html`<section class="sec" style="border-top:0;padding-top:0"><div class="row"><span class="grow dim">Continues into</span>
      <${Choice} label="Next clip" value=${second} onValue=${(/** @type {string} */ name) => turn(step.id, { second: name })}
        options=${(store.motionDoc.value?.inputs ?? []).map(({ name }) => ({ value: name, text: name }))} /></div></section>
    <section class="sec"><div class="sec-h"><h3 class="grow">Best moments</h3>
      <${Chip} text="Automatic" chosen=${leave_s === null && enter_s === null} pressed=${leave_s === null && enter_s === null}
        onClick=${() => turn(step.id, { leave_s: null, enter_s: null, event: null, heading: null }, "end", "Automatic moment")} /></div>
      <ul class="reasons" role="list" aria-label="Best moments" aria-busy=${String(!found)}>${(
        found?.moments ?? []
      ).map(
        (moment) => html`<li><button class="item" aria-pressed=${String(isTaken(moment))} onClick=${() => take(moment)}>
          <span class="grow">${moment.leave_s.toFixed(2)} s into ${moment.enter_s.toFixed(2)} s</span>
          <span class="dim">${plain(moment.distance_cm)} cm apart</span></button></li>`,
      )}</ul>
      ${found ? null : html`<p class="dim">Comparing the clips…</p>`}
      ${found?.problem ? html`<p class="dim">${found.problem}</p>` : null}
      <div class="pair" style="margin-top:8px">${field("leave_s", "Leave this clip", "Leave")}${field("enter_s", "Enter the next clip", "Enter")}</div></section>`;
}
