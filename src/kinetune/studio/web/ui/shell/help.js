/** All keys on one page, and the messages that come up at the bottom left. */
import { Icon } from "./controls.js";
import { html, useLayoutEffect, useRef } from "./html.js";
import * as store from "./store.js";
import { cancelJob } from "./session.js";

const SHEET = /** @type {Record<string, string[][]>} */ ({
  Play: [
    ["Play or pause", "Space"],
    ["One frame", "← →"],
    ["One second", "Shift ← →"],
    ["Start, end", "Home End"],
    ["Loop", "L"],
    ["Marker", "M"],
    ["Region, show it", "Shift Drag", "Z"],
    ["Move clip, trim, reach", "Alt ← →"],
  ],
  Look: [
    ["Frame character", "F"],
    ["Orbit, pan", "Drag", "Shift Drag"],
    ["Hold for original", "Alt"],
    ["Front, side, top, free", "1 3 7 5"],
    ["Orthographic", "9"],
    ["Wipe, side by side", "W", "D"],
    ["Ghost, onion skin", "H", "O"],
    ["Theme", "Shift T"],
  ],
  Edit: [
    ["Undo, redo", "Ctrl Z", "Ctrl Shift Z"],
    ["Add operation", "A"],
    ["Turn operation off", "0"],
    ["Duplicate", "Ctrl D"],
    ["Save, export, film", "Ctrl S", "Ctrl E", "Shift E"],
    ["Next region", "F6"],
  ],
  Faders: [
    ["Move", "↑ ↓"],
    ["Fine", "Shift ↑ ↓"],
    ["Large step", "PgUp PgDn"],
    ["Reset, silent", "Home", "End"],
    ["Solo, mute", "S", "M"],
  ],
  Curves: [
    ["Open, fold", "C"],
    ["Next key", "Tab"],
    ["Move keys", "← → ↑ ↓"],
    ["Several keys, all", "Drag", "Ctrl A"],
    ["Copy, paste at playhead", "Ctrl C", "Ctrl V"],
    ["Enlarge, move values", "Wheel", "Shift Wheel"],
    ["Tension, continuity, bias", "T", "C", "B"],
    ["Less, more", "[ ]"],
    ["Delete keys", "Del"],
  ],
  Drawings: [
    ["Play or stop the film", "Space"],
    ["Next, last drawing", "→", "End"],
    ["Film, match, shape", "F", "M", "S"],
    ["Move a control point", "← → ↑ ↓"],
    ["Remove a key, a matched point", "Del"],
    ["Move a key drawing", "Alt ← →"],
  ],
  Joints: [
    ["Select, move, rotate", "V", "G", "R"],
    ["Target", "T"],
    ["Hold hand or foot here", "N"],
    ["Footprints", "P"],
    ["Parent, child", "[ ]"],
    ["Nudge along an axis", "X Y Z ← →"],
    ["Set key here", "K"],
  ],
});

export function Help() {
  const box = useRef(/** @type {HTMLElement | null} */ (null)),
    open = store.helping.value;
  // Before anything else can happen: a key that follows at once is meant for the sheet.
  useLayoutEffect(() => {
    if (!open) return;
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    box.current?.focus();
    return () => before?.focus();
  }, [open]);
  if (!open) return null;
  const close = () => {
    store.helping.value = false;
  };
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation(); // what lies behind the sheet has no keys meanwhile
    if (event.key === "Escape" || event.key === "?") close();
    if (event.key !== "Tab") return;
    event.preventDefault();
    box.current?.querySelector("button")?.focus();
  };
  return html`<div class="shade" onClick=${close}>
    <article class="pan dialog" ref=${box} role="dialog" aria-modal="true" aria-label="Keyboard" tabindex="-1"
      onClick=${(/** @type {Event} */ event) => event.stopPropagation()} onKeyDown=${onKeyDown}>
    <div class="ititle" style="padding:16px 14px 4px 20px"><div class="grow"><h2>Keyboard</h2></div>
      <button class="btn sm" onClick=${close}>Close <kbd>Esc</kbd></button></div>
    <div class="keys">${Object.entries(SHEET).map(
      ([title, rows]) => html`<section>
      <h3>${title}</h3>${rows.map(
        ([name, ...keys]) => html`<div><span>${name}</span>
      <span>${keys.map(
        (combination, k) =>
          html`${
            k
              ? html`<i style="width:4px">
      </i>`
              : null
          }${combination.split(" ").map((cap) => html`<kbd>${cap}</kbd>`)}`,
      )}</span></div>`,
      )}</section>`,
    )}</div>
      </article></div>`;
}

/** @param {store.Job} job */
const stopped = ({ job }) => store.stopping.value.includes(job);

export function Toasts() {
  const toast = store.toast.value;
  const jobs = Object.values(store.jobs.value).filter((job) => job.doc === store.doc.value?.doc && !job.step);
  if (!toast && !jobs.length) return null;
  return html`<div class="toasts">
    ${jobs.map(
      (job) => html`<div class="toast" role="status"><span class="spin"></span>
      <span class="grow">${stopped(job) ? "Stopping…" : `${job.text}${job.share === null ? "…" : `, ${Math.round(job.share * 100)} %`}`}</span>
      ${job.share === null ? null : html`<button class="btn sm" disabled=${stopped(job)} onClick=${() => cancelJob(job)}>Cancel</button>`}</div>`,
    )}
    ${
      toast
        ? html`<div class=${`toast ${toast.kind ?? ""}`} role=${toast.kind === "bad" ? "alert" : "status"}>
          <${Icon} name=${toast.icon ?? (toast.kind === "bad" ? "warn" : toast.kind === "good" ? "check" : "key")} />
          <span class="grow">${toast.text}</span>${toast.action ? html`<button class="btn sm" onClick=${toast.action.onClick}>${toast.action.text}</button>` : null}<button class="btn sm" onClick=${() => {
            store.toast.value = null;
          }}>Close</button></div>`
        : null
    }</div>`;
}
