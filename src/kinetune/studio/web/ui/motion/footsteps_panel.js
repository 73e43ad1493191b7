/** Footsteps from above: drag them, turn them, add one. */
import { follow, pathOf } from "../../core/dom.js";
import { soleOutline } from "../../core/footmarks.js";
import { duration, plain } from "../../core/numbers.js";
import { Chip, IconButton, NumberField } from "../shell/controls.js";
import { html, useRef } from "../shell/html.js";
import { addFootstep, footstepsOf, setFootsteps } from "./scene_items.js";
import { turn } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { Phase } from "../shell/controls.js" */
/** @import { StepOf } from "../../core/answers.js" */

const PATHS = [
  ["straight:length=3", "Straight"],
  ["circle:r=2,turns=0.3", "Circle"],
  ["slalom:length=6", "Slalom"],
];

/** @param {number} value */
const tidy = (value) => Math.round(value * 1000) / 1000;

/** @param {{step: StepOf<"follow_footsteps">, result: store.Result}} props */
export function Footsteps({ step, result }) {
  const list = footstepsOf(step),
    reports = result.report?.steps ?? [],
    worst = Math.max(0, ...reports.map((each) => each.error_mm));
  const at = store.chosenItem.value,
    chosen = list[at];
  const change = (/** @type {string} */ key) => (/** @type {number | null} */ value, /** @type {Phase} */ phase) =>
    setFootsteps(
      step,
      list.map((each, k) => (k === at ? { ...each, [key]: value ?? 0 } : each)),
      phase,
    );
  return html`<section class="sec" style="border-top:0;padding-top:0"><div class="sec-h">
    <span class="grow dim">${list.length} steps${reports.length ? `, met to ${plain(worst)} mm` : ""}${result.ms ? `, in ${duration(result.ms)}` : ""}</span>
    <button class="btn sm line" onClick=${() => addFootstep(step, null)}>Add step</button></div>
      <div class="well"><${Plan} step=${step} list=${list} /></div><div class="cap2"><span class="row" style="gap:6px">
        <span class="lr l">L</span>left</span><span class="row" style="gap:6px"><span class="lr rt">R</span>right</span>
        <span>grid 0.5 m</span></div>
        ${list.length ? null : html`<p class="dim" style="margin-top:8px">Click on the floor to put feet down, or choose a path.</p>`}</section>
    <section class="sec"><div class="sec-h"><h3 class="grow">Path</h3></div><div class="chips">${PATHS.map(
      ([path, text]) =>
        html`<${Chip} text=${text} pressed=${step.knobs.path === path} onClick=${() => {
          store.chosenItem.value = -1;
          turn(step.id, {
            path,
            footsteps: null,
            ...(store.motionDoc.value?.source?.sample ? { steps: "samples" } : {}),
          });
        }} />`,
    )}</div></section>
    ${
      chosen
        ? html`<section class="sec"><div class="sec-h"><h3 class="grow">Step ${at + 1}, ${chosen.side}</h3>
          <${IconButton} small icon="bin" label="Remove step" onClick=${() =>
            setFootsteps(
              step,
              list.filter((_, k) => k !== at),
              "end",
            )} /></div>
      <div class="tcb">
        <${NumberField} label="Step X" mark="X" unit="m" step=${0.01} value=${chosen.x} onValue=${change("x")} />
        <${NumberField} label="Step Z" mark="Z" unit="m" step=${0.01} value=${chosen.z} onValue=${change("z")} />
        <${NumberField} label="Heading" mark="H" unit="°" step=${1} value=${chosen.heading_deg}
          onValue=${change("heading_deg")} />
        </div>${(reports[at]?.notes ?? []).slice(0, 1).map((note) => html`<p class="knob-hint" style="margin-top:8px">${note}</p>`)}</section>`
        : null
    }`;
}

/** The floor from above, ahead is up and left is left. @param {{step: StepOf<"follow_footsteps">, list: ReturnType<typeof footstepsOf>}} props */
function Plan({ step, list }) {
  const host = useRef(/** @type {SVGSVGElement | null} */ (null)),
    frozen = useRef(/** @type {number[] | null} */ (null)),
    width = 340,
    height = 320;
  const xs = [0, ...list.map(({ x }) => x)],
    zs = [0, 0.5, ...list.map(({ z }) => z)];
  const span = (/** @type {number[]} */ v) => Math.max(...v) - Math.min(...v),
    mid = (/** @type {number[]} */ v) => (Math.max(...v) + Math.min(...v)) / 2;
  const fit = [mid(xs), mid(zs), Math.max(1.4, span(xs) + 0.7, ((span(zs) + 0.7) * width) / height)],
    [mx, mz, wide] = frozen.current ?? fit,
    scale = width / wide;
  const X = (/** @type {number} */ x) => width / 2 - (x - mx) * scale,
    Y = (/** @type {number} */ z) => height / 2 - (z - mz) * scale;
  const press = (/** @type {number} */ k) => (/** @type {PointerEvent} */ event) => {
    store.chosenItem.value = k;
    frozen.current = fit;
    const svg = /** @type {SVGSVGElement} */ (host.current),
      ratio = width / svg.getBoundingClientRect().width,
      from = [event.clientX, event.clientY],
      start = list[k];
    let last = list;
    const done = (/** @type {Phase} */ phase) => {
      frozen.current = null;
      if (last !== list || phase === "end") setFootsteps(step, phase === "cancel" ? list : last, phase);
    };
    follow(svg, event, {
      move: (move) => {
        const x = tidy(start.x - ((move.clientX - from[0]) * ratio) / scale),
          z = tidy(start.z - ((move.clientY - from[1]) * ratio) / scale);
        last = list.map((each, i) => (i === k ? { ...each, x, z } : each));
        setFootsteps(step, last, "move");
      },
      end: () => done("end"),
      cancel: () => done("cancel"),
    });
  };
  const key = (/** @type {number} */ k) => (/** @type {KeyboardEvent} */ event) => {
    const by = /** @type {Record<string, number[]>} */ ({
      ArrowLeft: [0.01, 0],
      ArrowRight: [-0.01, 0],
      ArrowUp: [0, 0.01],
      ArrowDown: [0, -0.01],
    })[event.key];
    if (by)
      setFootsteps(
        step,
        list.map((each, i) => (i === k ? { ...each, x: tidy(each.x + by[0]), z: tidy(each.z + by[1]) } : each)),
        "end",
      );
    else if (event.key === "Delete")
      setFootsteps(
        step,
        list.filter((_, i) => i !== k),
        "end",
      );
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const lines = [],
    tall = (wide * height) / width;
  for (let v = Math.ceil((mx - wide / 2) * 2) / 2; v < mx + wide / 2; v += 0.5) lines.push(`M${X(v)} 0V${height}`);
  for (let v = Math.ceil((mz - tall / 2) * 2) / 2; v < mz + tall / 2; v += 0.5) lines.push(`M0 ${Y(v)}H${width}`);
  return html`<svg ref=${host} viewBox=${`0 0 ${width} ${height}`} width="100%" role="group"
      aria-label="Footsteps from above" style="touch-action:none" onDblClick=${(/** @type {MouseEvent} */ event) => {
        const box = /** @type {SVGSVGElement} */ (host.current).getBoundingClientRect(),
          ratio = width / box.width;
        addFootstep(step, [
          mx - ((event.clientX - box.left) * ratio - width / 2) / scale,
          0,
          mz - ((event.clientY - box.top) * ratio - height / 2) / scale,
        ]);
      }}>
    <path d=${lines.join("")} stroke="var(--line)" />
      <path d=${pathOf(list.map(({ x, z }) => [X(x), Y(z)]))} fill="none"
        stroke="var(--text-3)" stroke-width="1.300" stroke-dasharray="1 5" stroke-linecap="round" />
    ${list.map(({ side, x, z, heading_deg }, k) => {
      const on = store.chosenItem.value === k,
        d = pathOf(
          soleOutline(side, x, z, heading_deg).map(([px, pz]) => [X(px), Y(pz)]),
          true,
        );
      return html`<g data-arrows role="slider" tabindex="0" aria-label=${`Step ${k + 1}, ${side}`} aria-valuenow=${z}
          aria-valuetext=${`${plain(x)} metres to the left, ${plain(z)} metres ahead, heading ${plain(heading_deg)} degrees`} style="cursor:move" onPointerDown=${press(k)} onKeyDown=${key(k)}>
        <circle cx=${X(x)} cy=${Y(z)} r="13" fill="transparent" />
        <path d=${d} fill=${`var(--${side})`} fill-opacity=${on ? 0.6 : 0.3}
          stroke=${on ? "var(--text-1)" : `var(--${side}-ink)`} stroke-width=${on ? 1.8 : 1.2} />
        <text x=${X(x) + (side === "left" ? -16 : 16)} y=${Y(z) + 3.5} font-size="10" font-weight="600" text-anchor="middle"
          fill=${`var(--${side}-ink)`}>${k + 1}</text>
        </g>`;
    })}</svg>`;
}
