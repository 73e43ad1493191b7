/** The check-up of a clip: what was found, each with its remedy and what that would change. */
import { plain } from "../../core/numbers.js";
import { Icon } from "../shell/controls.js";
import { goTo, whereIs } from "../shell/findings.js";
import { html, useEffect, useState } from "../shell/html.js";
import { ask, oneGesture } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { CheckLine, RemedyLine } from "../../core/answers.js" */

/** The step that a remedy has added. @param {RemedyLine} remedy */
const stepOf = (remedy) =>
  store.steps.value.find(
    (step) => step.op === remedy.op && step.on && Object.keys(remedy.knobs).every((name) => step.set.includes(name)),
  ) ?? null;

/** Add the operation of a remedy where it belongs, or read the file otherwise. @param {RemedyLine} remedy @param {RemedyLine[]} all @param {{gesture?: string, label?: string}} [gesture] */
async function take(remedy, all, gesture = {}) {
  const { value: doc } = store.motionDoc;
  store.checking.value = true; // a step that is added would take its place
  if (remedy.op === null) {
    const { path = null, reading = {} } = doc?.source ?? {};
    return ask("source.set", { source: { path, reading: { ...reading, ...remedy.reading } } });
  }
  const earlier = all.filter(({ order }) => order < remedy.order).map(stepOf),
    at = Math.max(0, ...earlier.map((step) => store.steps.value.findIndex(({ id }) => id === step?.id) + 1));
  return ask("step.add", { op: remedy.op, knobs: remedy.knobs, at, ...gesture });
}

export function Checkup() {
  const { value: doc } = store.motionDoc,
    source = doc?.source,
    [lines, setLines] = useState(/** @type {CheckLine[] | null} */ (null)),
    [after, setAfter] = useState(/** @type {Record<string, number | null>} */ ({}));
  useEffect(() => {
    let live = true;
    setLines(null);
    setAfter({});
    const load = async () => {
      const answer = await ask("checkup", {}, "checkup");
      if (!live || !answer) return;
      setLines(answer.lines);
      for (const { kind, remedies } of answer.lines) {
        if (!live || !remedies[0]?.op) continue; // one by one: a newer question would replace the one before it
        const tried = await ask("remedy", { kind }, "remedy");
        if (live && tried) setAfter((known) => ({ ...known, [kind]: tried.value }));
      }
    };
    if (source) void load();
    return () => {
      live = false;
    };
  }, [doc?.doc, source?.label, JSON.stringify(source?.reading)]);
  if (!lines || !source)
    return html`<aside class="insp" aria-label="Inspector: check-up" data-region><div class="ititle"><div class="grow">
      <h2>Check-up</h2><p>${source?.label ?? ""}</p></div></div><p class="blank" aria-busy="true">Checking the motion…</p></aside>`;
  const mending = lines.filter(({ remedies }) => remedies[0]?.op),
    asked = lines.filter(({ remedies }) => remedies.length && !remedies[0].op),
    known = lines.filter(({ remedies }) => !remedies.length),
    all = mending.map(({ remedies }) => remedies[0]),
    open = all.filter((remedy) => !stepOf(remedy));
  const fixAll = async () => {
    const once = new Map(open.map((remedy) => [JSON.stringify([remedy.op, remedy.knobs]), remedy])); // findings may share one
    const gesture = oneGesture(`Check-up: ${open.length} remedies`);
    for (const remedy of [...once.values()].sort((x, y) => x.order - y.order)) await take(remedy, all, gesture);
  };
  const things = `${open.length} ${open.length === 1 ? "thing" : "things"} to mend`;
  return html`<aside class="insp checkup" aria-label="Inspector: check-up" data-region>
    <div class="ititle"><div class="grow"><h2>Check-up</h2>
      <p>${source.label}, ${source.frames} ${source.frames === 1 ? "frame" : "frames"} at ${plain(source.fps)} fps, ${source.joints} joints</p></div></div>
    <section class="sec" style="border-top:0;padding-top:0"><div class="row verdict"><b class="grow">${open.length ? things : "Nothing to mend"}</b>
      ${open.length > 1 ? html`<button class="btn primary sm" onClick=${fixAll}>Fix all ${open.length}</button>` : null}</div></section>
    <ul class="checks" aria-label="To mend">${mending.map((line) => html`<${Mend} line=${line} after=${after[line.kind]} all=${all} />`)}</ul>
    ${
      asked.length
        ? html`<ul class="checks" aria-label="Questions">${asked.map(
            (line) => html`<li data-finding=${line.kind}><b>${line.title}</b><p>${line.message}</p>
        <div class="chips">${line.remedies.map((remedy) => html`<button class="chip" onClick=${() => take(remedy, all)}>${remedy.label}</button>`)}</div></li>`,
          )}</ul>`
        : null
    }
    ${
      known.length
        ? html`<section class="sec"><div class="sec-h"><h3 class="grow">Worth knowing</h3></div>
      <ul class="checks quiet">${known.map((line) => html`<li data-finding=${line.kind}><b>${line.title}</b><p>${line.message}</p>${line.frame === null ? null : html`<${Where} line=${line} />`}</li>`)}</ul></section>`
        : null
    }
    <section class="sec"><p class="dim">Add an operation on the left, or drag a fader: every change shows at once.</p>
      <button class="btn line" style="margin-top:8px" onClick=${() => {
        store.adding.value = true;
      }}>Add operation</button></section></aside>`;
}

/** A finding that an operation mends: what it measures now, and what it would. @param {{line: CheckLine, after: number | null | undefined, all: RemedyLine[]}} props */
function Mend({ line, after, all }) {
  const [remedy] = line.remedies,
    step = stepOf(remedy),
    value = (/** @type {number | null | undefined} */ v) =>
      v == null
        ? ""
        : `${plain(v)}${line.unit === "frames" ? (v === 1 ? " frame" : " frames") : line.unit ? ` ${line.unit}` : ""}`;
  const change = html`<span class="change">${value(line.was)}${after === undefined ? null : html` → <b class=${(after ?? 0) < (line.was ?? 0) ? "good" : "same"}>${value(after)}</b>`}</span>`;
  if (step)
    return html`<li class="done" data-finding=${line.kind}><${Icon} name="check" /><span class="grow">${line.title}</span>${change}
      <button class="btn sm" aria-label=${`Undo: ${remedy.label}`} onClick=${() => ask("step.remove", { step: step.id })}>Undo</button></li>`;
  return html`<li data-finding=${line.kind}><div class="row"><b class="grow">${line.title}</b>
      <button class="btn sm line" onClick=${() => take(remedy, all)}>${remedy.label}</button></div>
    <p>${line.message}</p><div class="row">${change}<span class="grow"></span>${line.frame === null ? null : html`<${Where} line=${line} />`}</div></li>`;
}

/** Leads to the frame. @param {{line: CheckLine}} props */
const Where = ({ line }) =>
  html`<button class="btn sm" onClick=${() => goTo(line.frame)}>${whereIs(line.frame)}</button>`;
