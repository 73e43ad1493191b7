/** What an operation has done, as a picture and a few numbers: change over time, contacts that slide, the seam of a cycle. */
import { drawPose } from "../../core/thumbnail.js";
import { follow } from "../../core/dom.js";
import { plain } from "../../core/numbers.js";
import { onTheme } from "../../core/theme.js";
import { NumberField, Slider, Switch } from "../shell/controls.js";
import { html, useEffect, useRef } from "../shell/html.js";
import { changesOf } from "./received_motion.js";
import { turn } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { Phase } from "../shell/controls.js" */
/** @import { StepOf } from "../../core/answers.js" */

const WIDE = 344;

/** A number before and after, and whether the change is "good" or "bad". @param {string} text @param {number | null | undefined} was @param {number | null | undefined} is @param {string} unit @param {string} [verdict] */
const wasIs = (text, was, is, unit, verdict = "same") =>
  is == null
    ? null
    : html`<dt>${text}</dt><dd>${was == null || plain(was) === plain(is) ? null : html`${plain(was)} → `}<b class=${verdict}>${plain(is)} ${unit}</b></dd>`;

/** A measure of the quality strip. @param {string} name */
const measured = (name) => store.quality.value?.measures.find((measure) => measure.name === name);

/** How far joints are from where the original has them at the same moment, metres; null where that is not known. @returns {number[] | null} */
function changes() {
  const was = store.original.value,
    is = store.motion.value;
  void store.version.value; // the arrays are written in place
  if (!was || !is || (was.frames !== is.frames && store.origins.value?.length !== is.frames)) return null;
  const joints = is.positions.length / is.frames / 3;
  if (was.positions.length !== was.frames * joints * 3) return null;
  return changesOf(is, was, joints, [0, is.frames]);
}

/** The change that all operations make together, over time. */
export function Result() {
  const values = changes(),
    was = store.original.value,
    is = store.motion.value;
  if (!was || !is) return null;
  const most = Math.max(0, ...(values ?? [])),
    tall = 56 / Math.max(0.001, most),
    slide = measured("foot_slide_mm");
  const line = (values ?? []).map(
    (v, k) => `${((WIDE * k) / Math.max(1, (values?.length ?? 1) - 1)).toFixed(1)} ${(66 - tall * v).toFixed(1)}`,
  );
  return html`<section class="sec" aria-label="Result"><div class="sec-h"><h3 class="grow">Result</h3><span class="dim">${values ? "change over time" : ""}</span></div>
    ${
      values
        ? html`<svg class="result-plot" viewBox=${`0 0 ${WIDE} 72`} preserveAspectRatio="none" role="img" aria-label=${`The result differs from the original by up to ${plain(most * 100)} centimetres`}>
      <path d=${`M0 66L${line.join("L")}L${WIDE} 66Z`} fill="var(--edited-soft)" /><path d=${`M${line.join("L")}`} fill="none" stroke="var(--edited)" stroke-width="1.400" vector-effect="non-scaling-stroke" /></svg>`
        : null
    }
    <dl class="was-is">${values ? html`<dt>Largest change</dt><dd><b>${plain(most * 100)} cm</b></dd>` : null}
      ${was.frames === is.frames && was.fps === is.fps ? null : wasIs("Length", (was.frames - 1) / was.fps, (is.frames - 1) / is.fps, "s")}
      ${wasIs("Foot slide", slide?.was, slide?.is, "mm", slide?.verdict)}</dl></section>`;
}

/** Every contact of both feet with what it slides, before and after. @param {{step: StepOf<"plant_feet">}} props */
export function ContactsResult({ step }) {
  const contacts = store.quality.value?.contacts,
    frames = store.motion.value?.frames ?? 1,
    slide = measured("foot_slide_mm"),
    floor = measured("penetration_mm");
  const rows = ["left", "right"].map((side) => ({
    side,
    was: contacts?.was.feet.find((foot) => foot.side === side)?.intervals ?? [],
    is: contacts?.is.feet.find((foot) => foot.side === side)?.intervals ?? [],
  }));
  const all = rows.flatMap(({ was, is }) => [...was, ...is]).map(([, , mm]) => mm ?? 0),
    most = Math.max(5, ...all),
    x = (/** @type {number} */ frame) => (WIDE * frame) / frames,
    count = rows.reduce((sum, { is }) => sum + is.length, 0);
  const bars = (
    /** @type {(number | null)[][]} */ list,
    /** @type {number} */ floor,
    /** @type {string} */ fill,
    /** @type {number} */ inset,
  ) =>
    list.map(([start, stop, mm]) => {
      const tall = Math.max(1, (26 * (mm ?? 0)) / most);
      return html`<rect x=${(x(start ?? 0) + inset).toFixed(1)} y=${(floor - tall).toFixed(1)} width=${Math.max(1, x((stop ?? 0) - (start ?? 0)) - 2 * inset).toFixed(1)} height=${tall.toFixed(1)} rx="1" fill=${fill} />`;
    });
  const worst = rows
    .flatMap(({ side, is }) => is.map(([start, stop, mm]) => ({ side, start, stop, mm: mm ?? 0 })))
    .sort((a, b) => b.mm - a.mm)[0];
  const fps = store.motion.value?.fps ?? 30;
  return html`<section class="sec" style="border-top:0" aria-label="Contacts"><div class="sec-h"><h3 class="grow">Slide per contact</h3><span class="dim">${count} contacts</span></div>
    <svg class="result-plot" viewBox=${`0 0 ${WIDE} 72`} role="img" aria-label=${`${count} contacts; the feet slide ${plain(slide?.is ?? 0)} millimetres`}>
      ${rows.map(({ was, is }, k) => html`<path d=${`M0 ${33 + 36 * k}H${WIDE}`} stroke="var(--line-2)" />${bars(was, 33 + 36 * k, "var(--ghost)", 0)}${bars(is, 33 + 36 * k, k ? "var(--right)" : "var(--left)", 2)}<text x="4" y=${14 + 36 * k}>${k ? "Right" : "Left"}</text>`)}</svg>
    <dl class="was-is">${wasIs("Foot slide", slide?.was, slide?.is, "mm", slide?.verdict)}
      ${worst ? html`<dt>Largest</dt><dd><button class="btn sm" onClick=${() => store.playback.setFrame(worst.start)}>${worst.side}, ${plain(worst.start / fps)} s: <b>${plain(worst.mm)} mm</b></button></dd>` : null}
      ${wasIs("Below floor", floor?.was, floor?.is, "mm", floor?.verdict)}</dl>
    <div class="knob" style="margin-top:8px"><span class="knob-name">Amount</span><div class="knob-value"><${Slider} label="Amount" value=${step.knobs.amount} min=${0} max=${1} neutral=${1}
      text=${(/** @type {number} */ v) => `${Math.round(v * 100)} %`} onValue=${(/** @type {number} */ amount, /** @type {Phase} */ phase) => turn(step.id, { amount: Math.round(amount * 100) / 100 }, phase)} /><output>${Math.round(step.knobs.amount * 100)} %</output></div></div></section>`;
}

/** The part of the clip that repeats, and the poses that meet at its seam. @param {{step: StepOf<"loop">, result: store.Result}} props */
export function CycleResult({ step, result }) {
  const { report } = result,
    was = store.original.value,
    frames = was?.frames ?? 1,
    bar = useRef(/** @type {SVGSVGElement | null} */ (null));
  const first = step.knobs.start ?? report?.first ?? 0,
    last = step.knobs.end ?? report?.last ?? frames - 1,
    x = (/** @type {number} */ frame) => (WIDE * frame) / Math.max(1, frames - 1);
  const press = (/** @type {PointerEvent} */ event) => {
    const element = /** @type {SVGSVGElement} */ (bar.current),
      box = element.getBoundingClientRect(),
      at = (/** @type {PointerEvent} */ e) =>
        Math.max(0, Math.min(frames - 1, Math.round(((e.clientX - box.left) / box.width) * (frames - 1)))),
      end = Math.abs(at(event) - last) < Math.abs(at(event) - first);
    const to = (/** @type {PointerEvent} */ e) =>
      end ? { end: Math.max(first + 1, at(e)) } : { start: Math.min(last - 1, at(e)) };
    let now = to(event);
    event.preventDefault();
    follow(element, event, {
      move: (move) => {
        now = to(move);
        turn(step.id, now, "move");
      },
      end: () => turn(step.id, now, "end", "Loop: cycle"),
      cancel: () => {},
    });
  };
  const fps = was?.fps ?? 30;
  return html`<section class="sec" style="border-top:0" aria-label="Cycle"><div class="sec-h"><h3 class="grow">Cycle</h3>
      <span class="dim">${report?.period_s == null ? "" : `frames ${report.first} to ${report.last}`}</span></div>
    <${Seam} first=${first} last=${last} />
    <svg ref=${bar} class="result-plot" style="height:30px;margin-top:6px;cursor:ew-resize;touch-action:none" viewBox=${`0 0 ${WIDE} 30`} preserveAspectRatio="none" aria-hidden="true" onPointerDown=${press}>
      <rect x="0" y="11" width=${WIDE} height="8" rx="2" fill="var(--line-2)" /><rect x=${x(first)} y="6" width=${Math.max(2, x(last - first))} height="18" rx="3" fill="var(--edited-soft)" stroke="var(--edited)" vector-effect="non-scaling-stroke" />
      <path d=${`M${x(first)} 4v22M${x(last)} 4v22`} stroke="var(--edited)" stroke-width="3" vector-effect="non-scaling-stroke" /></svg>
    <dl class="was-is">${report?.period_s == null ? null : html`<dt>One cycle</dt><dd><b>${plain(report.period_s)} s</b></dd>`}
      ${wasIs("Seam", report?.seam_was_mm, report?.seam_is_mm, "mm", (report?.seam_is_mm ?? 0) < (report?.seam_was_mm ?? 0) ? "good" : "same")}</dl>
    <div class="pair" style="margin-top:10px"><label class="row"><span class="dim">From</span><${NumberField} label="First frame of the cycle" value=${step.knobs.start} optional unset=${plain(first)} whole min=${0} max=${frames - 2} unit=${`${(first / fps).toFixed(2)} s`} onValue=${(/** @type {number | null} */ start, /** @type {Phase} */ phase) => turn(step.id, { start }, phase)} /></label>
      <label class="row"><span class="dim">to</span><${NumberField} label="Last frame of the cycle" value=${step.knobs.end} optional unset=${plain(last)} whole min=${1} max=${frames - 1} unit=${`${(last / fps).toFixed(2)} s`} onValue=${(/** @type {number | null} */ end, /** @type {Phase} */ phase) => turn(step.id, { end }, phase)} /></label></div>
    <div class="knob"><span class="knob-name">Cycles</span><div class="knob-value"><${NumberField} label="Cycles" value=${step.knobs.cycles} whole min=${1} max=${100} onValue=${(/** @type {number} */ cycles, /** @type {Phase} */ phase) => turn(step.id, { cycles }, phase)} /></div></div>
    <div class="knob"><span class="knob-name">On the spot</span><div class="knob-value"><${Switch} label="On the spot" on=${step.knobs.in_place} onValue=${(/** @type {boolean} */ on) => turn(step.id, { in_place: on })} /></div></div></section>`;
}

/** The poses at both ends of the cycle: apart, and laid over each other. @param {{first: number, last: number}} props */
function Seam({ first, last }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null)),
    was = store.original.value,
    skeleton = store.skeleton.value;
  useEffect(() => {
    const element = canvas.current;
    if (!element || !was || !skeleton) return undefined;
    const joints = skeleton.names.length;
    if (was.positions.length !== was.frames * joints * 3) return undefined;
    const pose = (/** @type {number} */ frame) => {
      const at = Math.max(0, Math.min(was.frames - 1, frame)) * joints * 3,
        positions = was.positions.slice(at, at + joints * 3),
        [x, , z] = positions;
      for (let i = 0; i < positions.length; i += 3) {
        positions[i] -= x;
        positions[i + 2] -= z;
      }
      return positions;
    };
    const [a, b] = [pose(first), pose(last)],
      ys = [...a].filter((_, i) => i % 3 === 1),
      drawn = (/** @type {Float32Array} */ positions) => ({
        ...{
          parents: skeleton.parents,
          tip_parents: [],
          rest: 0,
          poses_fps: 1,
          height: Math.max(...ys) - Math.min(...ys),
        },
        data: { positions, tips: new Float32Array() },
      });
    const draw = () => {
      drawPose(element, drawn(a), 0, { left: 0.2, tone: "--ghost" });
      drawPose(element, drawn(b), 0, { left: 0.8, tone: "--edited", over: true });
      drawPose(element, drawn(a), 0, { left: 0.5, tone: "--ghost", over: true });
      drawPose(element, drawn(b), 0, { left: 0.5, tone: "--edited", over: true });
    };
    draw();
    return onTheme(draw);
  }, [first, last, was, skeleton]);
  return html`<div class="well seam"><canvas ref=${canvas} role="img" aria-label=${`The poses at frames ${first} and ${last}, apart and laid over each other`}></canvas></div>`;
}
