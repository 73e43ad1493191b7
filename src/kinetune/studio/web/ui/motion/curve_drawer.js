/** The curves of the chosen joint under the timeline, with the keys that displace it. */
import { CurveEditor } from "../../core/curve.js";
import { fixed } from "../../core/numbers.js";
import { Core, IconButton, NumberField } from "../shell/controls.js";
import { html, useEffect, useState } from "../shell/html.js";
import { addStep, ask, cancel, patch, turn } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { StepOf } from "../../core/answers.js" */
/** @import { Phase } from "../shell/controls.js" */

const AXES = ["X", "Y", "Z"];
const TONES = ["var(--axis-x)", "var(--axis-y)", "var(--axis-z)"];
/** How a key may pass its value, by name. @type {Record<string, {tension: number, continuity: number, bias: number}>} */
const PASSES = {
  Smooth: { tension: 0, continuity: 0, bias: 0 },
  Flat: { tension: 1, continuity: 0, bias: 0 },
  Corner: { tension: 0, continuity: -1, bias: 0 },
};

/** Keys that were copied, with the frames between them and the first. @type {{raw: Displacing["knobs"]["keys"][number], after: number}[]} */
let copied = [];
/** @type {CurveEditor | null} */
let editor = null;

/** @typedef {StepOf<"displace">} Displacing */
/** @typedef {{raw: Displacing["knobs"]["keys"][number], index: number, frame: number}} JointKey */
/** @typedef {{frames: Float32Array, is: Float32Array, wasFrames: Float32Array, was: Float32Array | null, swing: number[]}} Signal  of the frames in view: those of the source on their own where the edit has another length */

export function Drawer() {
  const skeleton = store.skeleton.value,
    open = store.drawerOpen.value;
  const [axis, setAxis] = useState(0);
  const [more, setMore] = useState(/** @type {number[]} */ ([]));
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
    <span class="dim when-open ell" style="font-size:11px" title=${name}>${label || "no joint selected"}</span>
    <${IconButton} small icon="down" label="Open or fold curves" keys="C" onClick=${() => {
      store.drawerOpen.value = !open;
    }} /></div>
      <ul class="chan" aria-label="Channels">${
        name
          ? AXES.map(
              (each, k) =>
                html`<li class=${k === axis ? "sel" : ""}>
                  <button class="see" aria-pressed=${String(k === axis || more.includes(k))} disabled=${k === axis}
                      aria-label=${`Show rotation ${each}`} title=${`Show rotation ${each} too`}
                      onClick=${() => setMore(more.includes(k) ? more.filter((other) => other !== k) : [...more, k])}>
                    <span class="sw8" style=${k === axis ? "background:var(--edited)" : more.includes(k) ? `background:${TONES[k]}` : ""}></span></button>
                  <button class="grow row" aria-pressed=${String(k === axis)} title=${name} onClick=${() => setAxis(k)}>
                    <span class="grow ell">Rotation ${each}</span>
                    <span class="dim">${signal ? `${fixed(signal.swing[k], 0)}°` : ""}</span></button></li>`,
            )
          : html`<li>Click a joint to see its curves.</li>`
      }</ul>
      <div class="passes" role="group" aria-label="Shape at the selected keys">${Object.entries(PASSES).map(
        ([text, bend]) =>
          html`<button class="btn sm" disabled=${!key} onClick=${() => passAs(step, keys, bend)}>${text}</button>`,
      )}<button class="btn sm" title="Show all values; the wheel enlarges them" onClick=${() => editor?.setValues(null)}>Fit</button></div>
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
    <div class="drawer" data-collapsed=${folded}>${open ? html`<${Curve} name=${name} axis=${axis} more=${more} onAxis=${setAxis} step=${step} keys=${keys} selected=${selected} signal=${signal} />` : null}</div>`;
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

/** Over how many frames all of them are asked for at once; of longer clips, those in view. */
const WHOLE = 400;

/** The joint's real signal before and after, as rotation vectors in degrees. @param {string} name @param {boolean} open */
function useSignalOf(name, open) {
  const [signal, setSignal] = useState(/** @type {Signal | null} */ (null));
  const version = store.version.value,
    frames = store.motion.value?.frames ?? 0,
    view = store.span.value,
    [start, stop] =
      frames > WHOLE ? [Math.max(0, Math.floor(view[0])), Math.min(frames, Math.ceil(view[1]) + 1)] : [0, frames];
  useEffect(() => {
    if (!name || !open || !store.motion.value) {
      setSignal(null);
      return undefined;
    }
    let live = true;
    const timer = setTimeout(async () => {
      const answer = await ask("curves", { joints: [name], kind: "log", points: 1600, start, stop }, "curves");
      if (!live || !answer) return;
      const { is, was = null, frames, was_frames: wasFrames = frames } = answer.data;
      const swing = [0, 1, 2].map((k) => {
        const row = is.subarray(k * frames.length, (k + 1) * frames.length);
        return Math.max(...row) - Math.min(...row);
      });
      setSignal({ frames, is, wasFrames, was, swing });
    }, 120);
    return () => {
      live = false;
      clearTimeout(timer);
    };
  }, [name, open, version, start, stop]);
  return signal;
}

/** A key on the curve of one axis. One that moves the joint by inverse kinematics has no number there: it stands where the motion went. @param {JointKey} key @param {number} axis @param {Signal | null} signal @param {number} fps @returns {import("../../core/types.js").TcbKey} */
function onCurve({ raw, index, frame }, axis, signal, fps) {
  const moved = raw.to ? "position" : raw.move ? "move" : undefined;
  return {
    x: frame / fps,
    y: moved ? displaced(signal, axis, frame) : raw.rotate?.length === 3 ? raw.rotate[axis] : (raw.euler?.[axis] ?? 0),
    tension: raw.tension ?? 0,
    continuity: raw.continuity ?? 0,
    bias: raw.bias ?? 0,
    id: index,
    ...(moved ? { fixed: moved } : {}),
  };
}

/** How far an edit has turned the joint about an axis at a frame. @param {Signal | null} signal @param {number} axis @param {number} frame */
function displaced(signal, axis, frame) {
  if (!signal?.was || signal.wasFrames !== signal.frames) return 0;
  const points = signal.frames.length,
    at = signal.frames.findIndex((each) => each >= frame),
    k = axis * points + (at < 0 ? points - 1 : at);
  return signal.is[k] - signal.was[k];
}

/** @param {{name: string, axis: number, more: number[], onAxis: (axis: number) => void, step: Displacing | null, keys: JointKey[], selected: number, signal: Signal | null}} props */
function Curve({ name, axis, more, onAxis, step, keys, selected, signal }) {
  const fps = store.motion.value?.fps ?? 30,
    [from, to] = store.span.value;
  const shape = keys.map((key) => onCurve(key, axis, signal, fps));
  const rows = signal
    ? {
        is: line(signal.frames, signal.is, axis, fps),
        was: signal.was ? line(signal.wasFrames, signal.was, axis, fps) : [],
      }
    : null;
  const channels = more
    .filter((k) => k !== axis)
    .map((k) => ({
      id: k,
      name: `Rotation ${AXES[k]}`,
      tone: TONES[k],
      keys: keys.map((key) => onCurve(key, k, signal, fps)),
      signal: signal ? line(signal.frames, signal.is, k, fps) : [],
    }));
  const values = [
    ...(rows ? [...rows.is, ...rows.was].map(([, y]) => y) : []),
    ...channels.flatMap((each) => [...each.signal.map(([, y]) => y), ...each.keys.map(({ y }) => y)]),
    ...shape.map(({ y }) => y),
    ...[10, -10],
  ];
  const low = Math.min(...values),
    high = Math.max(...values),
    pad = (high - low) * 0.12;
  const grade = [5, 10, 20, 30, 45, 90].find((size) => (high - low) / size < 5) ?? 90;
  const marks = [];
  for (let v = Math.ceil(low / grade) * grade; v <= high; v += grade) marks.push({ at: v, text: `${fixed(v, 0)}°` });
  const columns = [],
    apart = [1, 2, 5, 10, 30, 60, 120, 300, 600].find((seconds) => (to - from) / fps / seconds < 20) ?? 1200;
  for (let s = Math.ceil(from / fps / apart) * apart; s <= to / fps; s += apart) columns.push(s);
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
  useEffect(() => editor?.setValues(null), [name]);
  return html`<${Core} className="fill" watch=${[JSON.stringify([shape, view, selected, name, axis, more]), signal]}
    make=${(/** @type {HTMLElement} */ host) => {
      editor = new CurveEditor(host, { label: "Displacement curve", icons: true, many: true });
      return editor;
    }}
    update=${(/** @type {CurveEditor} */ curve) => {
      curve.selected = selected;
      curve.view = view;
      curve.signal = rows;
      curve.channels = channels;
      curve.setKeys(shape);
      curve.onSelect = (k) => {
        if (step && keys[k]) {
          store.chosenStep.value = step.id;
          store.chosenKey.value = keys[k].index;
        }
      };
      curve.onChannel = onAxis;
      curve.onCopy = (some) => copy(keys, some);
      curve.onPaste = () => void paste(name, step);
      curve.onKeys = (next, k, phase) => change(name, axis, step, keys, next, k, phase, fps);
    }} />`;
}

/** @param {Float32Array} frames @param {Float32Array} values @param {number} axis @param {number} fps @returns {[number, number][]} */
const line = (frames, values, axis, fps) =>
  Array.from(frames, (frame, i) => [frame / fps, values[axis * frames.length + i]]);

/** @param {JointKey[]} keys @param {import("../../core/types.js").TcbKey[]} some */
function copy(keys, some) {
  const taken = keys.filter(({ index }) => some.some(({ id }) => id === index)),
    first = Math.min(...taken.map(({ frame }) => frame));
  if (taken.length) copied = taken.map(({ raw, frame }) => ({ raw, after: Math.round(frame - first) }));
}

/** The copied keys at the playhead, of the joint that is shown; a key that is there already gives way. @param {string} name @param {Displacing | null} step */
async function paste(name, step) {
  const last = (store.motion.value?.frames ?? 1) - 1,
    made = copied
      .map(({ raw: { time_s: _, ...raw }, after }) => ({ ...raw, joint: name, frame: store.frame.value + after }))
      .filter(({ frame }) => frame <= last);
  if (!made.length) return;
  if (!step) {
    await addStep("displace", { keys: made });
    return;
  }
  const stays = step.knobs.keys.filter((raw) => raw.joint !== name || !made.some(({ frame }) => frame === raw.frame));
  turn(step.id, { keys: [...stays, ...made] }, "end", made.length === 1 ? "Paste key" : `Paste ${made.length} keys`);
}

/** Let the chosen keys pass smoothly, flat or as a corner. @param {Displacing | null} step @param {JointKey[]} keys @param {{tension: number, continuity: number, bias: number}} bend */
function passAs(step, keys, bend) {
  if (!step) return;
  const some = editor?.chosen.size ? [...editor.chosen].flatMap((k) => keys[k]?.index ?? []) : [store.chosenKey.value];
  const all = step.knobs.keys.map((raw, k) => (some.includes(k) ? { ...raw, ...bend } : raw));
  turn(step.id, { keys: all }, "end", "Shape at keys");
}

/** What the hand did to the curve, as keys of the step. @param {string} name @param {number} axis @param {Displacing | null} step @param {JointKey[]} keys @param {import("../../core/types.js").TcbKey[]} next @param {number} k @param {Phase} phase @param {number} fps */
async function change(name, axis, step, keys, next, k, phase, fps) {
  if (phase === "cancel") return cancel();
  const frames = store.motion.value?.frames ?? 1,
    at = (/** @type {number} */ x) => Math.min(frames - 1, Math.max(0, Math.round(x * fps)));
  if (next.length > keys.length) {
    const made = next[k],
      rotate = [0, 0, 0];
    rotate[axis] = made.y;
    const fields = { frame: at(made.x), joint: name, rotate, axes: "parent" };
    const done = await ask("pose", { ...(step ? { step: step.id } : {}), ...fields });
    if (done) {
      store.chosenStep.value = done.step;
      store.chosenKey.value = done.key;
    }
    return undefined;
  }
  if (!step) return undefined;
  const gone = keys.filter(({ index }) => !next.some(({ id }) => id === index)).map(({ index }) => index);
  const all = step.knobs.keys.flatMap((raw, index) => {
    const key = next.find(({ id }) => id === index);
    if (gone.includes(index)) return [];
    if (!key) return [raw];
    const { time_s: _, ...kept } = raw,
      rotate = raw.rotate?.length === 3 ? [...raw.rotate] : raw.euler ? [...raw.euler] : [0, 0, 0];
    rotate[axis] = Math.round(key.y * 1000) / 1000;
    const turned = /** @type {[number, number, number]} */ (rotate),
      value = raw.euler ? { euler: turned } : raw.to || raw.move ? {} : { rotate };
    const { tension, continuity, bias } = key;
    return [{ ...kept, frame: at(key.x), tension, continuity, bias, ...value }];
  });
  const joint = store.jointName(name);
  return turn(step.id, { keys: all }, phase, gone.length ? `Delete key of ${joint}` : `Key of ${joint}`);
}
