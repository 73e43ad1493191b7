/** Retargeting: which joints stand for each other, side by side and to be corrected, and how well the motion fits. */
import { fixed, plain } from "../../core/numbers.js";
import { Choice, Icon, Segments } from "../shell/controls.js";
import { html, useState } from "../shell/html.js";
import { turn } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { RetargetReport, StepOf } from "../../core/answers.js" */

/** @typedef {[string | null, string | null]} Pair  joints of the source and of the character */
/** @typedef {{names: string[], parents: number[], points: [number, number][]}} Figure */

const WIDE = 344,
  HIGH = 232;

/** @param {{step: StepOf<"retarget">, result: store.Result}} props */
export function Retargeting({ step, result }) {
  const report = /** @type {RetargetReport | null} */ (/** @type {unknown} */ (result.report ?? null));
  const [listed, setListed] = useState("check"),
    [chosen, setChosen] = useState("");
  if (!report?.bones)
    return html`<section class="sec"><p class="dim">Choose the character that takes the motion: a clip of this document, or drop a file on the page.</p></section>`;
  if (report.copied)
    return html`<section class="sec"><p class="dim">Both skeletons are the same: the motion was copied.</p></section>`;
  const given = /** @type {Record<string, Pair>} */ (step.knobs.map ?? {}),
    bones = /** @type {Record<string, Pair>} */ (report.bones),
    roles = Object.keys(bones),
    matched = Object.keys(report.matched).length,
    open = roles.filter((role) => !bones[role][0] || !bones[role][1] || role in given),
    shown = listed === "all" ? roles : open;
  const targets = [...Object.values(report.matched).map(([, b]) => b), ...report.unmatched];
  const match = (/** @type {string} */ role, /** @type {string} */ target) =>
    turn(step.id, { map: { ...given, [role]: [bones[role][0], target || null] } });
  return html`<section class="sec"><div class="row verdict"><div class="grow"><b>${matched} of ${roles.length} joints matched</b>
      <p class="dim">${Object.keys(given).length ? "corrected by hand" : "by name and position"}${open.length ? `, ${open.length} to check` : ""}</p></div>
      <button class="btn sm line" disabled=${!step.knobs.map} onClick=${() => turn(step.id, { map: null })}>Match again</button></div>
    <${Bodies} bones=${bones} chosen=${chosen} /></section>
    <section class="sec"><div class="sec-h"><h3 class="grow">Joints</h3><${Segments} label="Joints" small value=${listed} onValue=${setListed}
      options=${[
        { value: "all", text: "All" },
        { value: "check", text: `To check${open.length ? ` ${open.length}` : ""}` },
      ]} /></div>
      ${shown.length ? null : html`<p class="dim">Every joint has its counterpart.</p>`}
      <ul class="match" role="list">${shown.map((role) => {
        const [source, target] = bones[role];
        return html`<li class=${role === chosen ? "on" : ""} onPointerEnter=${() => setChosen(role)} onFocusIn=${() => setChosen(role)}>
          <${Icon} name=${source && target ? "check" : "warn"} size=${12} /><span class="grow" title=${source ?? ""}>${role.charAt(0).toUpperCase()}${role.slice(1)}</span>
          ${
            source
              ? html`<${Choice} label=${`${role} of the character`} value=${target ?? ""} onValue=${(/** @type {string} */ name) => match(role, name)}
                  options=${[{ value: "", text: "Not matched" }, ...targets.map((name) => ({ value: name, text: name }))]} />`
              : html`<span class="dim">not in the source</span>`
          }</li>`;
      })}</ul></section>
    <section class="sec"><div class="sec-h"><h3 class="grow">How well it fits</h3></div>
      <${Line} name="Size of the path" value=${report.scale == null ? null : `×${fixed(report.scale, 2)}`} />
      <${Line} name="Standing soles move" value=${report.contact_speed_mps == null ? null : `${plain(report.contact_speed_mps * 1000)} mm/s`} />
      <${Line} name="Below the floor" value=${report.penetration_mm == null ? null : `${plain(report.penetration_mm)} mm`} />
      <${Line} name="From the pose alone" value=${report.key_point_error_mm == null ? null : `${plain(report.key_point_error_mm)} mm`} /></section>`;
}

/** @param {{name: string, value: string | null}} props */
const Line = ({ name, value }) =>
  value === null ? null : html`<div class="row fit"><span class="grow dim">${name}</span><b>${value}</b></div>`;

/** Both skeletons from the front, lines between joints that stand for each other. @param {{bones: Record<string, Pair>, chosen: string}} props */
function Bodies({ bones, chosen }) {
  const { original, motion, skeleton } = store;
  if (!original.value?.skeleton || !motion.value || !skeleton.value) return null;
  const hips = /** @type {Pair} */ (bones["left upper leg"] ?? [null, null]),
    across = /** @type {Pair} */ (bones["right upper leg"] ?? [null, null]);
  const source = figure(original.value.positions, original.value.skeleton, hips[0], across[0]),
    target = figure(motion.value.positions, skeleton.value, hips[1], across[1]);
  const tall = Math.max(height(source), height(target)) || 1,
    scale = (HIGH - 24) / tall;
  /** @param {Figure} of @param {number} x */
  const put = (of, x) => {
    const low = Math.min(...of.points.map(([, y]) => y));
    return of.points.map(([px, py]) => [x + px * scale, HIGH - 10 - (py - low) * scale]);
  };
  const a = put(source, WIDE * 0.27),
    b = put(target, WIDE * 0.74);
  const lines = (/** @type {Figure} */ of, /** @type {number[][]} */ at) =>
    of.parents.map((parent, joint) =>
      parent < 0
        ? null
        : html`<path d=${`M${at[parent].map((v) => v.toFixed(1))}L${at[joint].map((v) => v.toFixed(1))}`} stroke="var(--line-control)" stroke-width="2" stroke-linecap="round" />`,
    );
  const pairs = Object.entries(bones).map(([role, [from, to]]) => {
    const [x, y] = from ? a[source.names.indexOf(from)] : [NaN, NaN],
      [u, v] = to ? b[target.names.indexOf(to)] : [NaN, NaN],
      tone = role.startsWith("left") ? "left" : role.startsWith("right") ? "right" : "text-1",
      on = role === chosen;
    return html`${Number.isFinite(x + u) ? html`<path d=${`M${x} ${y}C${(x + u) / 2} ${y} ${(x + u) / 2} ${v} ${u} ${v}`} fill="none" stroke=${on ? "var(--text-1)" : "var(--line-2)"} stroke-width=${on ? 1.6 : 0.8} stroke-dasharray=${on ? "none" : "2 3"} />` : null}
      ${[
        [x, y],
        [u, v],
      ].map(([cx, cy]) =>
        Number.isFinite(cx)
          ? html`<circle cx=${cx} cy=${cy} r=${on ? 4.5 : 2.6} fill=${`var(--${tone})`} stroke="var(--inset)" />`
          : null,
      )}`;
  });
  return html`<div class="well" style="margin-top:10px"><svg viewBox=${`0 0 ${WIDE} ${HIGH}`} width="100%" role="img" aria-label="Source and character, matched joints joined by lines">
    ${lines(source, a)}${lines(target, b)}${pairs}</svg></div>`;
}

/** A skeleton at the first frame, seen from the front. @param {Float32Array} positions @param {{names: string[], parents: number[]}} skeleton @param {string | null} left @param {string | null} right @returns {Figure} */
function figure(positions, { names, parents }, left, right) {
  const at = (/** @type {number} */ joint) => [0, 1, 2].map((k) => positions[joint * 3 + k]);
  const l = left ? names.indexOf(left) : -1,
    r = right ? names.indexOf(right) : -1;
  let [x, z] = l >= 0 && r >= 0 ? [at(l)[0] - at(r)[0], at(l)[2] - at(r)[2]] : [1, 0];
  const size = Math.hypot(x, z) || 1;
  [x, z] = [x / size, z / size];
  const root = at(0);
  const points = names.map((_, joint) => {
    const [px, py, pz] = at(joint);
    return /** @type {[number, number]} */ ([(px - root[0]) * x + (pz - root[2]) * z, py]);
  });
  return { names, parents, points };
}

/** @param {Figure} of */
const height = ({ points }) => Math.max(...points.map(([, y]) => y)) - Math.min(...points.map(([, y]) => y));
