/** A panel made from an operation's declaration: one row for each knob. */
import { plain, unitSign } from "../../core/numbers.js";
import { Choice, Icon, NumberField, Slider, Switch } from "../shell/controls.js";
import { html, useState } from "../shell/html.js";
import { JointPicker } from "./joint_picker.js";
import { turn } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { FieldEvent, Phase } from "../shell/controls.js" */
/** @import { Json } from "../../core/answers.js" */

/** So many rows are shown at first; the others fold away. */
const FIRST = 4;

/** @param {{step: store.Step, operation: store.Operation, skip: string[], title: string}} props */
export function Knobs({ step, operation, skip, title }) {
  const rows = operation.knobs.filter(({ name }) => !skip.includes(name)),
    few = rows.length <= FIRST + 1,
    main = title ? [] : rows.filter((knob, k) => few || k < FIRST || knob.required);
  const more = rows.filter((knob) => !main.includes(knob));
  if (!rows.length)
    return title ? null : html`<section class="sec"><p class="dim">This operation has nothing to set.</p></section>`;
  return html`${main.length ? html`<section class="sec knobs">${main.map((knob) => html`<${KnobRow} key=${knob.name} step=${step} knob=${knob} />`)}</section>` : null}
    ${more.length ? html`<${Fold} title=${title || "More"} step=${step} rows=${more} />` : null}`;
}

/** Rows that are shown when asked for. @param {{title: string, step: store.Step, rows: store.Knob[]}} props */
function Fold({ title, step, rows }) {
  const [open, setOpen] = useState(false),
    changed = rows.filter(({ name }) => step.set.includes(name)).length;
  return html`<section class="sec knobs"><button class="sec-h fold" aria-expanded=${String(open)} onClick=${() => setOpen(!open)}>
      <h3 class="grow">${title}</h3><span class="dim">${changed ? `${changed} set` : ""}</span>
      <${Icon} name=${open ? "down" : "right"} size=${12} /></button>
    ${open ? rows.map((knob) => html`<${KnobRow} key=${knob.name} step=${step} knob=${knob} />`) : null}</section>`;
}

/** @param {{step: store.Step, knob: store.Knob}} props */
export function KnobRow({ step, knob }) {
  const value = step.knobs[knob.name],
    edited = step.set.includes(knob.name),
    fault = store.faults.value[`${step.id} ${knob.name}`] ?? null;
  const set = (/** @type {unknown} */ next, /** @type {Phase} */ phase = "end") =>
    turn(step.id, { [knob.name]: next }, phase);
  return html`<div class="knob" data-knob=${knob.name} title=${knob.description}>
    <span class=${`knob-name${edited ? " edited" : ""}`}>${knob.label}</span>
      <div class="knob-value">${control(step, knob, value, edited, fault, set)}</div>
    <p class="knob-hint">${knob.description}</p></div>`;
}

/** @param {store.Step} step @param {store.Knob} knob @param {Json} value @param {boolean} edited @param {string | null} fault @param {(value: unknown, phase?: Phase) => void} set */
function control(step, knob, value, edited, fault, set) {
  const { name, min, max, widget, unit, optional } = knob,
    { label } = knob;
  const error = fault ? html`<span class="field-error" role="alert">${fault}</span>` : null;
  switch (widget) {
    case "number":
    case "integer": {
      const near = min !== null && max !== null && max - min <= 12 && !optional;
      const field = html`<${NumberField} label=${label} value=${value} min=${min ?? -Infinity} max=${max ?? Infinity}
          unit=${unitSign(unit)} optional=${optional} unset=${knob.unset} whole=${widget === "integer"} neutral=${knob.default} edited=${edited}
          error=${fault} onValue=${set} />`;
      if (!near) return field;
      return html`<${Slider} label=${`${label} slider`} value=${value ?? knob.default ?? min} min=${min} max=${max}
          neutral=${typeof knob.default === "number" ? knob.default : min} step=${widget === "integer" ? 1 : undefined}
          text=${(/** @type {number} */ v) => `${plain(v)} ${unitSign(unit)}`} onValue=${set} />${field}`;
    }
    case "switch":
      return html`<${Switch} label=${label} on=${Boolean(value)} onValue=${set} />${error}`;
    case "choice":
      return html`<${Choice} label=${label} value=${value ?? ""}
          options=${[...(optional ? [{ value: "", text: knob.unset }] : []), ...(knob.choices ?? []).map((value, k) => ({ value, text: knob.labels?.[k] ?? value }))]} onValue=${(/** @type {string} */ next) => set(next === "" ? null : next)} />${error}`;
    case "joints":
      return html`<${JointPicker} value=${value} onValue=${set} compact />${error}`;
    case "input":
      return html`<${Choice} label=${label} value=${value ?? ""}
          options=${[{ value: "", text: knob.unset }, { value: "source", text: "this clip" }, ...(store.motionDoc.value?.inputs ?? []).map((input) => ({ value: input.name, text: input.name }))]} onValue=${(/** @type {string} */ next) => set(next === "" ? null : next)} />${error}`;
    case "text":
      return html`<${Text} label=${label} value=${value ?? ""} fault=${fault}
          onText=${(/** @type {string} */ text) => set(text === "" && optional ? null : text)} />`;
    default:
      return html`<${Text} label=${label} code value=${isEmpty(value) ? "" : JSON.stringify(value)} unset=${value === null ? knob.unset : "not set"} fault=${fault} onText=${(
        /** @type {string} */ text,
      ) => {
        try {
          set(text.trim() === "" ? (optional ? null : knob.default) : JSON.parse(text));
        } catch {
          store.faults.value = {
            ...store.faults.value,
            [`${step.id} ${name}`]: `${label} is a list or mapping such as ${JSON.stringify(knob.default ?? [])}. The last value is still in use.`,
          };
        }
      }} />`;
  }
}

/** @param {Json} value */
const isEmpty = (value) => value === null || (typeof value === "object" && Object.keys(value).length === 0);

/** @param {{label: string, value: string, code?: boolean, unset?: string, fault: string | null, onText: (text: string) => void}} props */
function Text({ label, value, code, unset = "", fault, onText }) {
  return html`<span class="number"><span class=${`field text${fault ? " is-error" : ""}`}>
    <input class=${code ? "mono" : ""} aria-label=${label} aria-invalid=${fault ? "true" : undefined} value=${value} placeholder=${unset}
      onChange=${(/** @type {FieldEvent} */ event) => onText(event.currentTarget.value)} onKeyDown=${(
        /** @type {FieldEvent} */ event,
      ) => {
        event.stopPropagation();
        if (event.key === "Enter") event.currentTarget.blur();
      }} /></span>${fault ? html`<span class="field-error" role="alert">${fault}</span>` : null}</span>`;
}
