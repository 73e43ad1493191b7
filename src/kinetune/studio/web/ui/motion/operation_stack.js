/** The list of operations: add, order, switch, duplicate, remove. */
import { duration, gainToShare, plain, readable, unitSign } from "../../core/numbers.js";
import { follow } from "../../core/dom.js";
import { Icon, MenuItem, Popover, Slider, Switch } from "../shell/controls.js";
import { copyRecipe, saveRecipe } from "../shell/export_menu.js";
import { html, useRef, useState } from "../shell/html.js";
import { chooseFiles } from "../shell/file_import.js";
import { addStep, ask, knobsHere, moveStep, removeStep, toggleStep, turn } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { FieldEvent, Phase } from "../shell/controls.js" */

export function Stack() {
  const { value: doc } = store.motionDoc,
    steps = store.steps.value;
  const [drop, setDrop] = useState(-1);
  const [said, setSaid] = useState("");
  const active = steps.filter(({ on }) => on).length;
  const move = (/** @type {store.Step} */ step, /** @type {number} */ to) => {
    const from = steps.indexOf(step),
      place = Math.max(0, Math.min(steps.length - 1, to));
    if (from === place) return;
    setSaid(`${step.title}, now ${place + 1} of ${steps.length}`);
    moveStep(step.id, place);
  };
  return html`<nav class="stack" aria-label="Operations" data-region data-drop="stack">
    <div class="ph">
      <h2 class="grow">Operations</h2>${store.spent.value === null ? null : html`<span class="dim" style="font-size:11px" title="Time the server took for the last change">${duration(store.spent.value)}</span>`}
      <${Popover} label="Recipe: save, open, copy as Python or command">
        <${MenuItem} icon="save" text="Save recipe" hint="Ctrl S" onClick=${saveRecipe} />
        <${MenuItem} icon="open" text="Open recipe" onClick=${() => chooseFiles("stack")} />
        <${MenuItem} icon="copy" text="Copy as recipe" onClick=${() => copyRecipe("yaml")} />
          <${MenuItem} icon="copy" text="Copy as Python" onClick=${() => copyRecipe("python")} />
          <${MenuItem} icon="copy" text="Copy as command line" onClick=${() => copyRecipe("cli")} /><//></div>
    <div class="ops">
      <button class=${`io${store.checking.value ? " on" : ""}`} title="Check-up" onClick=${() => {
        store.checking.value = true;
      }}><span class="pin"></span><span class="sr">Check-up of </span>
        <span class="grow ell" style="color:var(--text-1)">${doc?.source?.label ?? "…"}</span>
        <span class="dim">${doc?.source ? `${plain(doc.source.fps)} fps` : ""}<span
          class="hide-narrow">${doc?.source ? `, ${doc.source.frames} frames` : ""}</span>
        </span></button>
      <div class="wire"></div>
      <ol>${[
        ...steps.map(
          (step, k) =>
            html`<${Card} key=${step.id} step=${step} index=${k} drop=${drop === k} onDrop=${setDrop} onMove=${move} />`,
        ),
        drop === steps.length ? html`<div class="drop" key="drop"></div>` : null,
      ]}</ol>
      ${steps.length ? null : html`<p class="empty">Nothing is changed yet.</p>`}
      <div class="io out"><span class="pin"></span><span class="grow" style="color:var(--text-1)">Result</span>
        <span class="dim">${steps.length ? `${active} of ${steps.length} active` : "as it was read"}</span></div>
      ${steps.length ? null : html`<${Starts} />`}
    </div>
    <${AddMenu} />
    <span class="sr" role="status">${said}</span>
  </nav>`;
}

/** Where most edits begin. */
const STARTS = /** @type {const} */ ([
  ["equalize", "curve", "Equalize", "Livelier, calmer, steadier"],
  ["blend", "copy", "Blend", "Mix with a second clip"],
  ["hold", "target", "Hold in place", "Pin a hand or a foot"],
  ["follow_footsteps", "foot", "Follow footsteps", "Walk along another path"],
  ["retarget", "body", "Retarget", "Put it on your character"],
]);

function Starts() {
  return html`<h3 class="pop-h">Good places to start</h3><ul class="starts">${STARTS.filter(([op]) =>
    store.declared(op),
  ).map(
    ([op, icon, title, text]) => html`<li><button class="item op-item" onClick=${() => addStep(op, knobsHere(op))}>
      <${Icon} name=${icon} /><span class="grow"><b>${title}</b><span>${text}</span></span></button></li>`,
  )}</ul>`;
}

/** @param {{step: store.Step, index: number, drop: boolean, onDrop: (at: number) => void, onMove: (step: store.Step, to: number) => void}} props */
function Card({ step, index, drop, onDrop, onMove }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const on = store.chosenStep.value === step.id && !store.checking.value,
    result = store.resultOf(step);
  const fault = result.error ?? store.faults.value[step.id];
  const choose = () => {
    store.wanting.value = "";
    store.checking.value = store.reviewing.value = false;
    store.chosenStep.value = step.id;
    store.chosenKey.value = -1;
    store.chosenItem.value = -1;
  };
  const grab = (/** @type {PointerEvent} */ event) => {
    const element = host.current;
    if (!element || event.button !== 0) return;
    event.preventDefault();
    const top = event.clientY,
      cards = [.../** @type {HTMLElement} */ (element.parentElement).querySelectorAll(":scope > .op")];
    let to = index;
    element.classList.add("lifted");
    const rest = () => {
      element.classList.remove("lifted");
      element.style.transform = "";
      onDrop(-1);
    };
    follow(element, event, {
      move: (move) => {
        element.style.transform = `translateY(${move.clientY - top}px)`;
        to = cards.filter(
          (card) => card !== element && card.getBoundingClientRect().top + card.clientHeight / 2 < move.clientY,
        ).length;
        onDrop(to >= index ? to + 1 : to);
      },
      end: () => {
        rest();
        onMove(step, to);
      },
      cancel: rest,
    });
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.target !== event.currentTarget) return;
    const cards = [
      .../** @type {HTMLElement} */ (/** @type {HTMLElement} */ (event.currentTarget).parentElement).querySelectorAll(
        ".op",
      ),
    ];
    const by = /** @type {Record<string, number>} */ ({ ArrowUp: -1, ArrowDown: 1 })[event.key];
    if (by && event.altKey) {
      onMove(step, index + by);
      queueMicrotask(() => host.current?.focus()); // what is moved on the page loses the focus
    } else if (by) /** @type {HTMLElement | undefined} */ (cards[index + by])?.focus();
    else if (event.key === "Enter") choose();
    else if (event.key === "0") toggleStep(step.id);
    else if (event.key === "Delete" || event.key === "Backspace") removeStep(step.id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return html`${drop ? html`<div class="drop"></div>` : null}<li ref=${host} class=${`op${on ? " on" : ""}${step.on ? "" : " off"}`} tabindex="0"
      aria-current=${on ? "true" : undefined}
      aria-label=${`${step.title}, ${index + 1} of ${store.steps.value.length}${step.on ? "" : ", off"}`}
      onFocus=${() => {}} onClick=${choose} onKeyDown=${key} data-step=${step.op}>
    <div class="op-h"><span class="grab" onPointerDown=${grab}><${Icon} name="grip" style="width:12px;stroke-width:2" />
      </span>
      <${Switch} label=${step.title} on=${step.on}
        onValue=${() => toggleStep(step.id)} />
      <span class="name ell">${step.title}</span>
        <span class="sum">${fault ? html`<span style="color:var(--bad)">needs attention</span>` : summary(step, result)}</span>
      ${
        on
          ? html`<${Popover} label=${`${step.title}: more`}>
        <${MenuItem} icon="copy" text="Duplicate" hint="Ctrl D" onClick=${() => ask("step.duplicate", { step: step.id })} />
        <${MenuItem} icon="undo" text="Reset to neutral" onClick=${() => reset(step)} />
        <${MenuItem} icon="bin" text="Remove" hint="Del" onClick=${() => removeStep(step.id)} />
        <//>`
          : html`<span class="chev" aria-hidden="true"><${Icon} name="right" size=${12} /></span>`
      }</div>
    ${fault ? html`<p class="op-fault" role="alert">${fault}</p>` : null}
    ${on && !fault ? html`<${CardBody} step=${step} />` : null}
  </li>`;
}

/** What the chosen card shows of itself. @param {{step: store.Step}} props */
function CardBody({ step }) {
  const usual = (/** @type {string} */ name) =>
    JSON.stringify(store.declared(step.op)?.knobs.find((knob) => knob.name === name)?.default);
  const set = step.set
    .filter((name) => JSON.stringify(step.knobs[name]) !== usual(name) && name !== "amount" && !isCompound(step, name))
    .slice(0, 3);
  const gains = store.isOf(step, "equalize") ? step.knobs.gains : null;
  const amount = store.declared(step.op)?.knobs.find(({ name }) => name === "amount");
  if (!set.length && !gains?.length && !amount) return null;
  const label = (/** @type {string} */ name) =>
    store.declared(step.op)?.knobs.find((knob) => knob.name === name)?.label ?? (name === "region" ? "In time" : name);
  return html`<div class="body">
    ${
      gains?.length
        ? html`<div class="minibars" style=${`grid-template-columns:repeat(${gains.length},1fr)`} aria-hidden="true">${[
            ...gains,
          ]
            .reverse()
            .map((gain) => {
              const p = gainToShare(gain ?? 1) - 0.5;
              return html`<span style="height:34px;position:relative">
                <b style=${`position:absolute;left:1px;right:1px;border-radius:1px;${p >= 0 ? "bottom:17px" : "top:17px"};height:${Math.max(1, Math.abs(p) * 34).toFixed(1)}px;background:${Math.abs(p) > 0.01 ? "var(--edited)" : "var(--line-control)"}`}>
                </b></span>`;
            })}</div>`
        : null
    }
    ${amount ? html`<${Amount} step=${step} most=${Math.min(amount.max ?? 1.5, 1.5)} />` : null}
    ${set.map(
      (name) => html`<div class="prm"><span class="ell">${label(name)}</span>
      <span class="ell" style="color:var(--text-1);grid-column:2/4">${knobText(step, name)}</span></div>`,
    )}</div>`;
}

/** Whether only the panel can show it: lists, tables and curves. @param {store.Step} step @param {string} name */
const isCompound = (step, name) =>
  ["list", "keys", "gains", "objects", "object", "table", "curve"].includes(
    store.declared(step.op)?.knobs.find((knob) => knob.name === name)?.widget ?? "",
  );

/** How much of the edit there is. @param {{step: store.Step, most: number}} props */
function Amount({ step, most }) {
  const value = Number(step.knobs.amount ?? 1),
    text = (/** @type {number} */ share) => `${Math.round(share * 100)} %`;
  return html`<div class="prm"><span>Amount</span><${Slider} label=${`Amount of ${step.title}`} value=${value} min=${0} max=${most} neutral=${1} text=${text}
      onValue=${(/** @type {number} */ next, /** @type {Phase} */ phase) => turn(step.id, { amount: Math.round(next * 100) / 100 }, phase, `${step.title}: amount`)} /><output>${text(value)}</output></div>`;
}

/** @param {store.Step} step @param {string} name */
function knobText(step, name) {
  const value = step.knobs[name],
    knob = store.declared(step.op)?.knobs.find((each) => each.name === name),
    unit = unitSign(knob?.unit ?? "");
  if (typeof value === "number") return `${plain(value)}${unit && unit !== "°" ? " " : ""}${unit}`;
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value))
    return value.every((each) => typeof each !== "object") ? value.join(", ") : `${value.length}`;
  if (value === null) return knob?.unset ?? "automatic";
  const region = name === "region" ? store.ownRegion(step) : null;
  if (region) return `${plain(region.start_s)} to ${plain(region.stop_s)} s`;
  if (typeof value === "object") return Object.keys(value).join(", ");
  const chosen = knob?.labels?.[knob.choices?.indexOf(String(value)) ?? -1];
  if (chosen) return chosen;
  return name === "path" ? readable(String(value).split(":")[0]) : String(value);
}

/** One line of result. @param {store.Step} step @param {store.Result} result */
function summary(step, result) {
  if (!step.on) return "off";
  if (result.state === "waiting") return "not run yet";
  if (result.state === "running") return "running";
  const { keys, preset, footsteps } = step.knobs,
    report = result.report;
  if (report?.targets?.length) return `${plain(Math.max(...report.targets.map((target) => target.error_mm ?? 0)))} mm`;
  if (Array.isArray(keys)) return `${keys.length} ${keys.length === 1 ? "key" : "keys"}`;
  if (Array.isArray(footsteps)) return `${report?.steps?.length ?? footsteps.length}`;
  if (preset && step.set.includes("preset")) return knobText(step, "preset");
  const first = step.set.find(
    (name) => ["number", "string"].includes(typeof step.knobs[name]) && !isCompound(step, name),
  );
  return first ? knobText(step, first) : "";
}

/** @param {store.Step} step */
export async function reset(step) {
  const answer = await ask("neutral", { step: step.id });
  if (answer) await turn(step.id, answer.knobs);
}

function AddMenu() {
  const [wanted, setWanted] = useState("");
  const open = store.adding.value;
  const close = () => {
    store.adding.value = false;
    setWanted("");
  };
  const asked = wanted.toLowerCase();
  const found = store.operations.value
    .filter(
      ({ op, title, summary, comes_first }) =>
        !comes_first && `${op} ${title} ${summary}`.toLowerCase().includes(asked),
    )
    .sort((a, b) => Number(b.title.toLowerCase().startsWith(asked)) - Number(a.title.toLowerCase().startsWith(asked)));
  const add = (/** @type {store.Operation} */ operation) => {
    close();
    addStep(operation.op, knobsHere(operation.op));
  };
  return html`<${Popover} label="Add operation" up wide open=${open} onOpen=${(/** @type {boolean} */ on) => {
    store.adding.value = on;
  }} className="addop" text=${html`<${Icon} name="plus" />
    <span class="grow" style="text-align:left">Add operation</span><kbd>A</kbd>`}>
    <input class="find" placeholder="Find an operation" aria-label="Find an operation" value=${wanted} ref=${(
      /** @type {HTMLElement | null} */ input,
    ) => {
      if (input && !wanted) input.focus();
    }} onInput=${(/** @type {FieldEvent} */ event) => setWanted(event.currentTarget.value)}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
        event.stopPropagation();
        if (event.key === "Enter" && found.length) add(found[0]);
        if (event.key === "Escape") close();
      }} />
    <div class="pop-scroll">${found.map(
      (operation) => html`<button class="item op-item" role="menuitem" onClick=${() => add(operation)}>
      <span class="grow"><b>${operation.title}</b><span>${operation.summary}</span></span></button>`,
    )}
      ${found.length ? null : html`<p class="empty">No operation is called "${wanted}".</p>`}</div><//>`;
}
