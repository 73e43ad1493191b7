/** The curves of the chosen joint under the timeline, with the keys that displace it. */
import { CurveEditor } from "../../core/curve.js";
import { fixed } from "../../core/numbers.js";
import { Core, IconButton, NumberField } from "../shell/controls.js";
import { html, useEffect, useState } from "../shell/html.js";
import { ask, cancel, patch } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { StepOf } from "../../core/answers.js" */
/** @import { Phase } from "../shell/controls.js" */

const AXES = ["X", "Y", "Z"];

/** @typedef {StepOf<"displace">} Displacing */
/** @typedef {{raw: Displacing["knobs"]["keys"][number], index: number, frame: number}} JointKey */
/** @typedef {{frames: Float32Array, was: Float32Array | null, is: Float32Array, points: number, swing: number[]}} Signal */

export function Drawer() {
  const skeleton = store.skeleton.value,
    open = store.drawerOpen.value;
  const [axis, setAxis] = useState(0);
  const joint = chosenJoint();
  const name = joint === null || !skeleton ? "" : skeleton.names[joint],
    label = joint === null ? "" : store.jointLabel(joint);
  const step = displacing(name),
    keys = step ? keysOf(step, name) : [];
  const signal = useSignalOf(name, open);
  const selected = keys.findIndex(
    ({ index }) => index === store.chosenKey.value && step?.id === store.chosenStep.value,
  );
  const key = keys[selected];
  const folded = name
    ? `${label}: ${keys.length} ${keys.length === 1 ? "key" : "keys"}.  Press C to open.`
    : "Press C to open curves.";
  return html`<div class="drawer-h"><div class="row"><strong class="grow" style="font-weight:600">Curves</strong>
    <span class="dim when-open ell" style="font-size:11px" title=${name}>${label || "no joint chosen"}</span>
    <${IconButton} small icon="down" label="Open or fold curves" keys="C" onClick=${() => {
      store.drawerOpen.value = !open;
    }} /></div>
      <ul class="chan" role="radiogroup" aria-label="Axis">${
        name
          ? AXES.map(
              (each, k) =>
                html`<li class=${k === axis ? "sel" : ""} role="radio" aria-checked=${String(k === axis)} tabindex="0"
                    onClick=${() => setAxis(k)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
                      if (event.key === "Enter" || event.key === " ") {
                        event.preventDefault();
                        event.stopPropagation();
                        setAxis(k);
                      }
                    }}><span class="sw8" style=${k === axis ? "background:var(--edited)" : ""}></span>
                  <span class="grow ell" title=${name}>Rotation ${each}</span>
                  <span class="dim">${signal ? `${fixed(signal.swing[k], 0)}°` : ""}</span></li>`,
            )
          : html`<li>Click a joint to see its curves.</li>`
      }</ul>
      <div class="tcb" aria-label="Selected key">${
        /** @type {const} */ (["tension", "continuity", "bias"]).map(
          (
            which,
          ) => html`<${NumberField} label=${which.charAt(0).toUpperCase() + which.slice(1)} mark=${which.charAt(0).toUpperCase()} value=${key ? (key.raw[which] ?? 0) : null} optional unset="" min=${-1} max=${1} step=${0.05} neutral=${0}
        onValue=${(/** @type {number | null} */ value, /** @type {Phase} */ phase) => {
          if (key && step) patch(step.id, ["keys", key.index, which], value ?? 0, phase, `Key ${which}`);
        }} />`,
        )
      }</div></div>
    <div class="drawer" data-collapsed=${folded}>${open ? html`<${Curve} name=${name} axis=${axis} step=${step} keys=${keys} selected=${selected} signal=${signal} />` : null}</div>`;
}

/** The chosen joint, or the one that the chosen key displaces. */
function chosenJoint() {
  const skeleton = store.skeleton.value;
  if (!skeleton) return null;
  if (store.chosenJoints.value.length) return store.chosenJoints.value[0];
  const step = store.step.value;
  if (store.isOf(step, "displace")) {
    const key = step.knobs.keys[Math.max(0, store.chosenKey.value)];
    const found = key?.joint ? skeleton.names.indexOf(key.joint) : -1;
    if (found >= 0) return found;
  }
  return skeleton.roles["left upper arm"] ?? null;
}

/** The displacement step that holds keys of a joint: the chosen one, or the last. @param {string} name */
function displacing(name) {
  const all = store.steps.value.filter((step) => store.isOf(step, "displace")).filter(({ on }) => on);
  const chosen = store.step.value;
  if (store.isOf(chosen, "displace")) return chosen;
  return (
    [...all].reverse().find((step) => step.knobs.keys.some((key) => key.joint === name)) ?? all[all.length - 1] ?? null
  );
}

/** @param {Displacing} step @param {string} name @returns {JointKey[]} */
function keysOf(step, name) {
  const fps = store.motion.value?.fps ?? 30,
    frames = store.motion.value?.frames ?? 1;
  return (step.knobs.keys ?? [])
    .flatMap((raw, index) => {
      if (raw.joint !== name) return [];
      const frame = raw.frame != null ? (raw.frame < 0 ? frames + raw.frame : raw.frame) : (raw.time_s ?? 0) * fps;
      return [{ raw, index, frame }];
    })
    .sort((a, b) => a.frame - b.frame);
}

/** The joint's real signal before and after, as rotation vectors in degrees. @param {string} name @param {boolean} open */
function useSignalOf(name, open) {
  const [signal, setSignal] = useState(/** @type {Signal | null} */ (null));
  const version = store.version.value;
  useEffect(() => {
    if (!name || !open || !store.motion.value) {
      setSignal(null);
      return undefined;
    }
    let live = true;
    const timer = setTimeout(async () => {
      const answer = await ask("curves", { joints: [name], kind: "log", points: 400 }, "curves");
      if (!live || !answer) return;
      const { is, was = null, frames } = answer.data,
        points = frames.length;
      const swing = [0, 1, 2].map((k) => {
        const row = is.subarray(k * points, (k + 1) * points);
        return Math.max(...row) - Math.min(...row);
      });
      setSignal({ frames, was: was && was.length === is.length ? was : null, is, points, swing });
    }, 120);
    return () => {
      live = false;
      clearTimeout(timer);
    };
  }, [name, open, version]);
  return signal;
}

/** @param {{name: string, axis: number, step: Displacing | null, keys: JointKey[], selected: number, signal: Signal | null}} props */
function Curve({ name, axis, step, keys, selected, signal }) {
  const fps = store.motion.value?.fps ?? 30,
    [from, to] = store.span.value;
  const shape = keys.map(({ raw, frame }) => ({
    x: frame / fps,
    y: raw.rotate?.length === 3 ? raw.rotate[axis] : (raw.euler?.[axis] ?? 0),
    tension: raw.tension ?? 0,
    continuity: raw.continuity ?? 0,
    bias: raw.bias ?? 0,
  }));
  const rows = signal
    ? { is: line(signal, signal.is, axis, fps), was: signal.was ? line(signal, signal.was, axis, fps) : [] }
    : null;
  const values = [...(rows ? [...rows.is, ...rows.was].map(([, y]) => y) : []), ...shape.map(({ y }) => y), 10, -10];
  const low = Math.min(...values),
    high = Math.max(...values),
    pad = (high - low) * 0.12;
  const grade = [5, 10, 20, 30, 45, 90].find((size) => (high - low) / size < 5) ?? 90;
  const marks = [];
  for (let v = Math.ceil(low / grade) * grade; v <= high; v += grade) marks.push({ at: v, text: `${fixed(v, 0)}°` });
  const columns = [];
  for (let s = Math.ceil(from / fps); s <= to / fps; s++) columns.push(s);
  const view = {
    x: /** @type {[number, number]} */ ([from / fps, to / fps]),
    y: /** @type {[number, number]} */ ([low - pad, high + pad]),
    marks,
    columns,
    xUnit: "seconds",
    yUnit: "degrees",
    xStep: 1 / fps,
    yStep: 1,
  };
  return html`<${Core} className="fill" watch=${[JSON.stringify([shape, view, selected, name, axis]), signal]}
    make=${(/** @type {HTMLElement} */ host) => new CurveEditor(host, { label: "Displacement curve", icons: true })}
    update=${(/** @type {CurveEditor} */ curve) => {
      curve.selected = selected;
      curve.view = view;
      curve.signal = rows;
      curve.setKeys(shape);
      curve.onSelect = (k) => {
        if (step && keys[k]) {
          store.chosenStep.value = step.id;
          store.chosenKey.value = keys[k].index;
        }
      };
      curve.onKeys = (next, k, phase) => change(name, axis, step, keys, next, k, phase, fps);
    }} />`;
}

/** @param {Signal} signal @param {Float32Array} values @param {number} axis @param {number} fps @returns {[number, number][]} */
const line = (signal, values, axis, fps) =>
  Array.from({ length: signal.points }, (_, i) => [signal.frames[i] / fps, values[axis * signal.points + i]]);

/** What the hand did to the curve, as keys of the step. @param {string} name @param {number} axis @param {Displacing | null} step @param {JointKey[]} keys @param {import("../../core/types.js").TcbKey[]} next @param {number} k @param {Phase} phase @param {number} fps */
async function change(name, axis, step, keys, next, k, phase, fps) {
  if (phase === "cancel") return cancel();
  const frames = store.motion.value?.frames ?? 1;
  if (next.length > keys.length) {
    const made = next[k],
      rotate = [0, 0, 0];
    rotate[axis] = made.y;
    const frame = Math.min(frames - 1, Math.max(0, Math.round(made.x * fps)));
    const done = await ask("pose", { ...(step ? { step: step.id } : {}), frame, joint: name, rotate, axes: "parent" });
    if (done) {
      store.chosenStep.value = done.step;
      store.chosenKey.value = done.key;
    }
    return undefined;
  }
  if (!step) return undefined;
  if (next.length < keys.length) {
    const gone = keys.find(({ frame }) => !next.some(({ x }) => Math.abs(x * fps - frame) < 0.5));
    if (gone) await ask("step.patch", { step: step.id, path: ["keys", gone.index], remove: true });
    return undefined;
  }
  const { raw, index } = keys[k] ?? {};
  if (!raw) return undefined;
  const key = next[k],
    rotate = raw.rotate?.length === 3 ? [...raw.rotate] : [0, 0, 0];
  rotate[axis] = Math.round(key.y * 1000) / 1000;
  const { time_s: _, ...kept } = raw;
  const value = {
    ...kept,
    frame: Math.min(frames - 1, Math.max(0, Math.round(key.x * fps))),
    tension: key.tension,
    continuity: key.continuity,
    bias: key.bias,
    ...(raw.euler ? { euler: rotate } : raw.to || raw.move ? {} : { rotate }),
  };
  return patch(step.id, ["keys", index], value, phase, `Key of ${store.jointName(name)}`);
}
