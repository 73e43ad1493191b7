/** Targets: what inverse blending shall meet, the examples it draws on, how near it comes. */
import { pathOf, follow } from "../core/dom.js";
import { plain } from "../core/numbers.js";
import { Chip, Icon, IconButton, Note, NumberField } from "./controls.js";
import { html, useRef } from "./html.js";
import { goalKnob, goalsOf, jointPlace, residual } from "./items.js";
import { ask, turn } from "./session.js";
import * as store from "./store.js";

const ICONS = { at: "target", line: "curve", facing: "rotate", look_at: "eye" };

/** @param {{step: store.Step, result: any}} props */
export function Targets({ step, result }) {
  const report = result.report,
    goals = goalsOf(step),
    { others } = step.knobs;
  const weights = Object.entries(report?.weights ?? {})
    .map(([name, weight]) => /** @type {[string, number]} */ ([name === "this" ? "this clip" : name, Number(weight)]))
    .sort((a, b) => b[1] - a[1]);
  const add = (/** @type {string} */ kind) => {
    const place = jointPlace(step);
    const value = {
      at: place,
      line: [...place, 1, 0, 0],
      facing: [0, 0, 1],
      look_at: [place[0], place[1], place[2] + 1],
    }[kind];
    store.playback.setPlaying(false);
    turn(step.id, { [kind]: value });
  };
  const missing = /** @type {const} */ ([
    ["at", "Point"],
    ["line", "Line"],
    ["facing", "Direction"],
    ["look_at", "Look at"],
  ]).filter(([kind]) => !Array.isArray(step.knobs[kind]));
  return html`<section class="sec" style="border-top:0;padding-top:0"><div class="sec-h">
    <h3 class="grow">Examples</h3>${report ? html`<span class=${`badge ${report.reachable ? "good" : "mut"}`}>${report.reachable ? html`<${Icon} name="check" />Reachable` : "Outside"}</span>` : null}</div>
      ${
        report?.examples?.length
          ? html`<div class="well"><${ExampleMap} step=${step} report=${report} /></div>
        <div class="cap2"><span>Drag the target, or its dot in this map.</span>
        <span>${weights.filter(([, weight]) => weight > 0.005).length} of ${others.length + 1} in use</span>
        </div>`
          : null
      }
      <div class="chips" style="margin-top:8px">${(store.hello.value?.sets ?? []).map((/** @type {any} */ set) => html`<${Chip} text=${`${set.name}, ${set.samples.length}`} label=${set.words} chosen=${store.doc.value.source.words.endsWith(set.samples[0])} onClick=${() => useSet(step, set)} />`)}</div>
      ${
        weights.length
          ? html`<ul class="weights" aria-label="Weights of the examples">${weights.slice(0, 5).map(
              ([name, weight]) => html`<li>
        <span class="ell">${name}</span><span class="meter"><b style=${`width:${weight * 100}%`}></b></span>
        <output>${Math.round(weight * 100)} %</output></li>`,
            )}</ul>`
          : null
      }
      ${others.length ? null : html`<p class="dim" style="margin-top:8px">Choose a set of examples, or add clips that do the like. The target then draws on all of them.</p>`}</section>
    <section class="sec"><div class="sec-h"><h3 class="grow">Constraints</h3><span class="dim">residual</span></div>
      ${goals.length ? html`<ul class="list">${goals.map((goal) => html`<${Row} key=${goal.kind} step=${step} goal=${goal} report=${report} />`)}</ul>` : null}
      <div class="chips" style="margin-top:6px">${missing.map(([kind, text]) => html`<${Chip} text=${text} icon="plus" label=${`Add ${text.toLowerCase()} constraint`} onClick=${() => add(kind)} />`)}</div>
        </section>
    ${
      report && !report.reachable && report.outside_cm > 0.05
        ? html`<section class="sec">
      <${Note} quiet message=${`${step.knobs.joint} is outside these examples by ${plain(report.outside_cm)} cm.`} more="The figure holds the nearest pose it knows." />
      </section>`
        : null
    }`;
}

/** Take a set of samples: the first as the clip, the others beside it. @param {store.Step} step @param {{samples: string[]}} set */
async function useSet(step, set) {
  await ask("source.set", { source: { sample: set.samples[0] } });
  const added = await ask("input.add_set", { samples: set.samples.slice(1) });
  if (added) await turn(step.id, { others: added.names });
  const last = (store.motion.value?.frames ?? 1) - 1;
  store.playback.setPlaying(false);
  store.playback.setFrame(last);
}

/** @param {{step: store.Step, goal: import("./items.js").Goal, report: any}} props */
function Row({ step, goal, report }) {
  const { kind } = goal,
    near = goal.told && (goal.told.error_mm ?? 0) < 5 && (goal.told.error_deg ?? 0) < 2;
  const values = kind === "facing" ? step.knobs.facing : step.knobs[kind].slice(0, 3);
  const set = (/** @type {number} */ axis) => (/** @type {number | null} */ value, /** @type {any} */ phase) => {
    const next = values.map((/** @type {number} */ v, /** @type {number} */ k) => (k === axis ? (value ?? 0) : v));
    turn(
      step.id,
      kind === "line" ? { line: [...next, ...step.knobs.line.slice(3)] } : { [kind]: next },
      phase,
      "Target",
    );
  };
  return html`<li class="sel" style="grid-template-columns:16px 1fr auto 24px">
    <span style="display:flex;color:var(--text-3)"><${Icon} name=${ICONS[kind]} /></span>
    <span class="ell">${goal.words}</span>
    <span style=${`text-align:right;color:var(--${near ? "good" : "text-1"})`}>${residual(goal, report)}</span>
    <${IconButton} small icon="bin" label=${`Remove ${goal.words}`} onClick=${() => turn(step.id, { [kind]: null })} />
    <div class="tcb" style="grid-column:1/-1;padding:0 0 8px;margin:0">${["X", "Y", "Z"].map((axis, k) => html`<${NumberField} label=${`${goal.words} ${axis}`} mark=${axis} unit=${kind === "facing" ? "" : "m"} value=${values[k]} step=${0.01} onValue=${set(k)} />`)}</div>
      </li>`;
}

/** The examples' places seen along the axis in which they differ least, with the target. @param {{step: store.Step, report: any}} props */
function ExampleMap({ step, report }) {
  const host = useRef(/** @type {SVGSVGElement | null} */ (null)),
    width = 340,
    height = 176;
  /** @type {number[][]} */ const places = report.examples;
  const target = step.knobs.at ?? jointPlace(step);
  const spread = [0, 1, 2].map((k) => Math.max(...places.map((p) => p[k])) - Math.min(...places.map((p) => p[k])));
  const drop = spread.indexOf(Math.min(...spread)),
    [u, v] = [0, 1, 2].filter((k) => k !== drop);
  const seen = [...places, target],
    low = [u, v].map((k) => Math.min(...seen.map((p) => p[k]))),
    high = [u, v].map((k) => Math.max(...seen.map((p) => p[k])));
  const scale = Math.min(
    (width - 60) / Math.max(0.05, high[0] - low[0]),
    (height - 44) / Math.max(0.05, high[1] - low[1]),
  );
  const place = (/** @type {number[]} */ p) => [
    width / 2 + (p[u] - (low[0] + high[0]) / 2) * scale,
    height / 2 - (p[v] - (low[1] + high[1]) / 2) * scale,
  ];
  const names = ["this", ...step.knobs.others],
    weights = names.map((name) => Number(report.weights?.[name] ?? 0));
  const dots = places.map(place),
    [tx, ty] = place(target);
  const press = (/** @type {PointerEvent} */ event) => {
    const svg = /** @type {SVGSVGElement} */ (host.current),
      ratio = width / svg.getBoundingClientRect().width,
      from = [event.clientX, event.clientY];
    let last = target;
    follow(svg, event, {
      move: (move) => {
        last = [...target];
        last[u] += ((move.clientX - from[0]) * ratio) / scale;
        last[v] -= ((move.clientY - from[1]) * ratio) / scale;
        turn(step.id, goalKnob(step, "at", last), "move");
      },
      end: () => turn(step.id, goalKnob(step, "at", last), "end", `Target: ${step.knobs.joint}`),
      cancel: () => {
        if (last !== target) turn(step.id, {}, "cancel");
      },
    });
  };
  return html`<svg ref=${host} viewBox=${`0 0 ${width} ${height}`} width="100%" role="group"
      aria-label="Map of the examples" style="touch-action:none">
    <path d=${pathOf(hull(dots), true)} fill="var(--ghost)" fill-opacity=".09"
        stroke="var(--ghost)" stroke-opacity=".55" stroke-dasharray="3 3" />
    ${dots.map((p, k) => (weights[k] > 0.01 ? html`<path d=${`M${p}L${tx} ${ty}`} stroke="var(--edited)" stroke-opacity=${0.2 + weights[k] * 0.8} stroke-width=${0.6 + weights[k] * 3} />` : null))}
    ${dots.map((p, k) => html`<circle cx=${p[0]} cy=${p[1]} r=${3 + 3 * Math.sqrt(weights[k])} fill=${weights[k] > 0.01 ? "var(--edited)" : "var(--inset)"} stroke=${weights[k] > 0.01 ? "var(--edited)" : "var(--ghost)"} stroke-width="1.200" />`)}
    ${
      step.knobs.at
        ? html`<g style="cursor:move" onPointerDown=${press}>
      <circle cx=${tx} cy=${ty} r="12" fill="var(--edited)" fill-opacity=".15"
        stroke="var(--text-1)" stroke-width="1.500" stroke-dasharray=${report.reachable ? "none" : "4 3"} />
      <circle cx=${tx} cy=${ty} r="3" fill="var(--text-1)" /></g>`
        : null
    }</svg>`;
}

/** The corners of the smallest convex shape round points. @param {number[][]} points */
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (/** @type {number[][]} */ list) => {
    /** @type {number[][]} */ const kept = [];
    for (const p of list) {
      while (kept.length > 1) {
        const [o, a] = kept.slice(-2);
        if ((a[0] - o[0]) * (p[1] - o[1]) - (a[1] - o[1]) * (p[0] - o[0]) > 0) break;
        kept.pop();
      }
      kept.push(p);
    }
    return kept.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
