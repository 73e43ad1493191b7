/** Which joints an operation acts on: a body map and a list of groups with how much each changes. */
import { plain } from "../../core/numbers.js";
import { Icon } from "../shell/controls.js";
import { html } from "../shell/html.js";
import * as store from "../shell/store.js";

/** The parts of the map: group, label, shape. */
const PARTS = [
  ["head", "Head", "M66 6c8 0 11 6 11 14s-5 14-11 14-11-6-11-14 3-14 11-14Z"],
  ["spine", "Spine", "M52 42h28c6 0 8 4 7 9l-5 30H50l-5-30c-1-5 1-9 7-9Z"],
  ["left arm", "Left arm", "M92 46c6 1 8 6 9 12l9 42c1 4-1 7-4 7s-5-2-6-5L88 62Z"],
  ["right arm", "Right arm", "M40 46c-6 1-8 6-9 12l-9 42c-1 4 1 7 4 7s5-2 6-5l12-40Z"],
  ["hips", "Root", "M50 85h32l3 15c-5 6-33 6-38 0Z"],
  ["left leg", "Left leg", "M68 108c8 0 14-1 17-4l2 40-2 38c0 4-11 4-12 0l-2-36Z"],
  ["right leg", "Right leg", "M64 108c-8 0-14-1-17-4l-2 40 2 38c0 4 11 4 12 0l2-36Z"],
];

/** The groups that this figure has. */
const known = () =>
  PARTS.filter(
    ([group]) => store.skeleton.value?.groups[group]?.length || store.skeleton.value?.roles[group] !== undefined,
  );

/** Which groups a selection names; all when it is null. @param {string | string[] | null | undefined} value @returns {Set<string>} */
function chosen(value) {
  if (value === null || value === undefined) return new Set(known().map(([group]) => group));
  const names = (Array.isArray(value) ? value : [value]).map((name) => String(name).toLowerCase());
  const wider = /** @type {Record<string, string[]>} */ ({
    arms: ["left arm", "right arm"],
    legs: ["left leg", "right leg"],
    "upper body": ["head", "spine", "left arm", "right arm"],
    "lower body": ["hips", "left leg", "right leg"],
    body: PARTS.map(([group]) => group),
    all: PARTS.map(([group]) => group),
    root: ["hips"],
    trunk: ["spine"],
  });
  return new Set(names.flatMap((name) => wider[name] ?? [name]));
}

/** Groups that are wider than a part of the map. */
const WIDER = ["upper body", "lower body", "arms", "legs", "hands", "feet"];

/** A group as people say it. @param {string} group */
export const groupLabel = (group) =>
  PARTS.find(([name]) => name === group)?.[1] ?? group.charAt(0).toUpperCase() + group.slice(1);

/** One group to choose: a part of the body map, or a wider one. @param {{taken: string[], onGroup: (group: string) => void}} props */
export function GroupMap({ taken, onGroup }) {
  const groups = known(),
    wider = WIDER.filter((group) => store.skeleton.value?.groups[group]?.length);
  const key = (/** @type {string} */ group) => (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    onGroup(group);
  };
  return html`<div class="bodymap" style="padding:8px">
    <svg width="132" height="196" viewBox="0 0 132 196" role="group" aria-label="Body map, choose a group">
      ${groups.map(([group, text, d]) => html`<path d=${d} class=${taken.includes(group) ? "sel" : ""} role="button" aria-label=${`Faders of ${text.toLowerCase()}`} tabindex="0" data-close onClick=${() => onGroup(group)} onKeyDown=${key(group)}><title>${text}</title></path>`)}
      <text x="20" y="130" font-size="10" fill="var(--text-3)">R</text>
        <text x="105" y="130" font-size="10" fill="var(--text-3)">L</text></svg>
    <div style="display:grid;gap:2px;align-content:center">${wider.map(
      (group) =>
        html`<button class="item" role="menuitem" data-close disabled=${taken.includes(group)} onClick=${() => onGroup(group)}>${groupLabel(group)}</button>`,
    )}</div></div>`;
}

/** @param {{value: string | string[] | null, onValue: (value: string[] | null) => void, compact?: boolean}} props */
export function JointPicker({ value, onValue, compact }) {
  const on = chosen(value),
    groups = known(),
    skeleton = store.skeleton.value;
  const toggle = (/** @type {string} */ group) => {
    const next = new Set(on);
    if (next.has(group)) next.delete(group);
    else next.add(group);
    const names = [...next];
    onValue(names.length === 0 || groups.every(([each]) => next.has(each)) ? null : names);
  };
  if (compact) {
    const other = [...on].filter((name) => !PARTS.some(([group]) => group === name));
    return html`<div class="chips">${groups.map(([group, text]) => html`<button class=${`chip${on.has(group) ? " sel" : ""}`} role="checkbox" aria-checked=${String(on.has(group))} onClick=${() => toggle(group)}>${text}</button>`)}${other.map((name) => html`<span class="chip sel">${name}</span>`)}</div>`;
  }
  const changes = groups.map(([group]) =>
    groupChange(skeleton?.groups[group] ?? (skeleton?.roles[group] === undefined ? [] : [skeleton.roles[group]])),
  );
  const most = Math.max(0.001, ...changes);
  const highlight = (/** @type {string} */ group) => {
    const joints = skeleton?.groups[group];
    if (joints?.length) store.chosenJoints.value = [joints[joints.length - 1]];
  };
  const key = (/** @type {string} */ group) => (/** @type {KeyboardEvent} */ event) => {
    if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      event.stopPropagation();
      toggle(group);
    }
  };
  return html`<div class="bodymap"><svg width="132" height="196" viewBox="0 0 132 196" role="group" aria-label="Body map">
      ${groups.map(([group, text, d]) => html`<path d=${d} class=${on.has(group) ? "sel" : ""} role="checkbox" aria-checked=${String(on.has(group))} aria-label=${text} tabindex="0" onClick=${() => toggle(group)} onKeyDown=${key(group)} />`)}
      <text x="20" y="130" font-size="10" fill="var(--text-3)">R</text>
        <text x="105" y="130" font-size="10" fill="var(--text-3)">L</text></svg>
    <ul class="glist">${groups.map(
      ([group, text], k) => html`<li class=${on.has(group) ? "sel" : ""}>
      <button class="box" role="checkbox" aria-checked=${String(on.has(group))} aria-label=${text}
        onClick=${() => toggle(group)}>${on.has(group) ? html`<${Icon} name="check" />` : null}</button>
      <span class="ell" onClick=${() => highlight(group)}>${text}</span><span class="meter">
      <b style=${`width:${(changes[k] / most) * 100}%`}></b></span>
      <output>${changes[k] > 0.0005 ? `${plain(changes[k] * 1000)}` : "0"}</output></li>`,
    )}</ul></div>`;
}

/** How far the joints of a group depart from the original, root mean square over some frames, metres. @param {number[]} joints */
function groupChange(joints) {
  store.version.value;
  const motion = store.motion.value,
    original = store.original.value,
    count = store.skeleton.value?.names.length ?? 0;
  if (!motion || !original || !joints.length || motion.frames !== original.frames) return 0;
  const step = Math.max(1, Math.floor(motion.frames / 60));
  let sum = 0,
    n = 0;
  for (let f = 0; f < motion.frames; f += step) {
    for (const joint of joints) {
      const i = (f * count + joint) * 3;
      sum +=
        (motion.positions[i] - original.positions[i]) ** 2 +
        (motion.positions[i + 1] - original.positions[i + 1]) ** 2 +
        (motion.positions[i + 2] - original.positions[i + 2]) ** 2;
      n++;
    }
  }
  return Math.sqrt(sum / Math.max(1, n));
}
