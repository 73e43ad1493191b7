/** Keys that displace the pose: a list, and a way to make one here. */
import { tcbIcon } from "../../core/curve.js";
import { fixed, plain } from "../../core/numbers.js";
import { IconButton, NumberField, Slider } from "../shell/controls.js";
import { html } from "../shell/html.js";
import { ask, patch, removeEntry, turn } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { Phase } from "../shell/controls.js" */
/** @import { Knobs, StepOf } from "../../core/answers.js" */

/** @typedef {Knobs["displace"]["keys"][number]} Key */
/** @typedef {{key: Key, index: number, frame: number, miss: number | null}} KeyRow */

/** How far a change reaches unless somebody says otherwise. */
const USUAL_S = 0.75;
/** From here on the slider lets a change reach as far as its neighbours. */
const FREE_S = 3;

/** @param {{step: StepOf<"displace">, result: store.Result}} props */
export function Displacement({ step, result }) {
  const keys = step.knobs.keys ?? [],
    frames = store.motion.value?.frames ?? 1,
    fps = store.motion.value?.fps ?? 30;
  const rows = keys
    .map((key, index) => ({
      key,
      index,
      frame: key.frame != null ? (key.frame < 0 ? frames + key.frame : key.frame) : Math.round((key.time_s ?? 0) * fps),
      miss: result.report?.misses_mm?.[index] ?? null,
    }))
    .sort((a, b) => a.frame - b.frame);
  const choose = (/** @type {KeyRow} */ row) => {
    store.chosenKey.value = row.index;
    store.playback.setPlaying(false);
    store.playback.setFrame(row.frame);
    const joint = store.skeleton.value?.names.indexOf(row.key.joint ?? "") ?? -1;
    if (joint >= 0) store.chosenJoints.value = [joint];
  };
  const remove = (/** @type {number} */ index) => removeEntry(step.id, "keys", index);
  const chosen = rows.find((row) => row.index === store.chosenKey.value);
  return html`<section class="sec" style="border-top:0;padding-top:0">
      ${
        rows.length
          ? html`<ul class="list" role="listbox" aria-label="Keys">${rows.map(
              (
                row,
              ) => html`<li class=${row === chosen ? "sel" : ""} role="option" aria-selected=${String(row === chosen)}
                  tabindex="0" style="grid-template-columns:14px 1fr 48px 64px 22px 24px" onClick=${() => choose(row)}
          onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
            if (event.key === "Enter") choose(row);
            else if (event.key === "Delete") remove(row.index);
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}>
          <svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">
            <path d="M0-5 5 0 0 5-5 0Z" fill=${row === chosen ? "var(--edited)" : "none"}
              stroke="var(--edited)" stroke-width="1.400" />
            </svg><span class="ell" title=${row.key.joint ?? ""}>${row.key.joint ? store.jointLabel(row.key.joint) : "Whole character"}</span><span class="dim">f ${row.frame}</span>
            <span style="text-align:right">${amount(row)}</span>
          <svg width="22" height="20" viewBox="0 0 22 20"
              dangerouslySetInnerHTML=${{ __html: tcbIcon({ x: 0, y: 0, ...row.key }, 11, 10, row === chosen) }}>
            </svg><${IconButton} small icon="bin" label=${`Delete key at frame ${row.frame}`} onClick=${(
              /** @type {Event} */ event,
            ) => {
              event.stopPropagation();
              remove(row.index);
            }} /></li>`,
            )}</ul>`
          : html`<div class="blank"><p><b>No keys yet</b></p>
            <p>Stop at a frame, click a joint, and drag its gizmo. The change eases in and out around that frame.</p>
            </div>`
      }</section>
    ${
      chosen
        ? html`<section class="sec"><div class="sec-h"><h3 class="grow" title=${chosen.key.joint ?? ""}>${chosen.key.joint ? store.jointLabel(chosen.key.joint) : "Whole character"}</h3>
          <span style="color:var(--edited);font-weight:600">${amount(chosen)}</span></div>
          <${Numbers} step=${step} row=${chosen} />
      ${chosen.miss !== null && chosen.miss > 1 ? html`<p class="field-error" style="color:var(--text-2)">The limb ends ${plain(chosen.miss)} mm short of that position.</p>` : null}</section>`
        : null
    }
    ${rows.length ? html`<${Reach} step=${step} />` : null}
    <section class="sec"><div class="row">
      <button class="btn sm line grow" style="justify-content:center" onClick=${keyHere}>Key here</button><kbd>K</kbd>
      </div></section>`;
}

/** How far from a key its influence ends; at the right end, at the next key. @param {{step: StepOf<"displace">}} props */
function Reach({ step }) {
  const given = step.knobs.falloff_s ?? null,
    value = given === null ? FREE_S : Math.min(FREE_S, given);
  const reach = (/** @type {number} */ v) => (v >= FREE_S ? "to the next key" : `${plain(v)} s`);
  return html`<section class="sec"><div class="row"><span style="width:64px">Reach</span>
    <${Slider} label="Reach" value=${value} min=${0.05} max=${FREE_S} neutral=${USUAL_S} step=${0.05} text=${reach}
      onValue=${(/** @type {number} */ v, /** @type {Phase} */ phase) =>
        turn(step.id, { falloff_s: v >= FREE_S ? null : Math.round(v * 100) / 100 }, phase, "Reach")} />
    <output style="width:96px;text-align:right">${reach(value)}</output></div></section>`;
}

/** What a key changes. */
const KINDS = { to: "position", move: "move", euler: "rotation", rotate: "rotation" };

/** The numbers of a key, to type. @param {{step: StepOf<"displace">, row: KeyRow}} props */
function Numbers({ step, row }) {
  const { key, index } = row,
    which = key.to ? "to" : key.move ? "move" : key.euler ? "euler" : "rotate",
    values = key[which] ?? [0, 0, 0];
  const unit = which === "to" || which === "move" ? "m" : "°";
  return html`<div class="tcb">${["X", "Y", "Z"].map(
    (axis, k) =>
      html`<${NumberField} label=${`${KINDS[which]} ${axis}`} mark=${axis} unit=${unit} value=${values[k]} onValue=${(
        /** @type {number | null} */ value,
        /** @type {Phase} */ phase,
      ) =>
        patch(
          step.id,
          ["keys", index, which],
          values.map((v, i) => (i === k ? (value ?? 0) : v)),
          phase,
          "Displacement key",
        )} />`,
  )}</div>
    <div class="tcb" style="margin-top:6px">${/** @type {const} */ (["tension", "continuity", "bias"]).map((name) => html`<${NumberField} label=${name} mark=${name.charAt(0).toUpperCase()} value=${key[name] ?? 0} min=${-1} max=${1} step=${0.05} neutral=${0} onValue=${(/** @type {number | null} */ value, /** @type {Phase} */ phase) => patch(step.id, ["keys", index, name], value ?? 0, phase, `Key ${name}`)} />`)}</div>`;
}

/** @param {KeyRow} row */
function amount({ key }) {
  const size = (/** @type {number[]} */ v) => Math.hypot(...v);
  if (key.move) return `${plain(size(key.move) * 100)} cm`;
  if (key.to) return "to a point";
  if (key.rotate?.length === 3) return `${fixed(size(key.rotate), 1)}°`;
  if (key.euler) return `${fixed(size(key.euler), 1)}°`;
  return "";
}

/** A key of the chosen joint at this frame that changes nothing yet. */
export async function keyHere() {
  const skeleton = store.skeleton.value,
    [joint] = store.chosenJoints.value;
  if (!skeleton) return;
  if (joint === undefined) {
    store.trouble.value = { message: "No joint is chosen. Click a joint of the character, then set the key." };
    return;
  }
  const chosen = store.isOf(store.step.value, "displace") ? { step: store.step.value.id } : {};
  const done = await ask("pose", {
    ...chosen,
    frame: store.frame.value,
    joint: skeleton.names[joint],
    rotate: [0, 0, 0],
  });
  if (done) {
    store.chosenStep.value = done.step;
    store.chosenKey.value = done.key;
    store.tool.value = "rotate";
  }
}
