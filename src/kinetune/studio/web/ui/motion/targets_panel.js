/** Targets: what inverse blending should meet, the examples it draws on, how near it comes. */
import { pathOf, follow } from "../../core/dom.js";
import { fixed, plain } from "../../core/numbers.js";
import { Chip, Choice, Icon, Note, NumberField, Slider } from "../shell/controls.js";
import { Reference, frameOf, jointOf } from "./target_joints.js";
import {
  KINDS,
  chosenGoal,
  goalsOf,
  numbersOf,
  residual,
  seenFrom,
  setTarget,
  setTargets,
  targetHere,
  targetsOf,
} from "./target_values.js";
import { html, useRef } from "../shell/html.js";
import { chooseFiles, openSource } from "../shell/file_import.js";
import { addStep, ask, knobsHere, say, turn } from "../shell/session.js";
import * as store from "../shell/store.js";
import { fromVector, toVector } from "./quaternions.js";
/** @import { Phase } from "../shell/controls.js" */
/** @import { StepOf } from "../../core/answers.js" */

/** @typedef {import("./target_values.js").Kind} Kind */
/** @typedef {import("./target_values.js").Goal} Goal */
/** @typedef {import("./target_joints.js").Target} Target */

/** @param {{step: StepOf<"aim">, result: store.Result}} props */
export function Targets({ step, result }) {
  const report = result.report,
    goals = goalsOf(step),
    chosen = chosenGoal(step),
    { others } = step.knobs;
  const weights = Object.entries(report?.weights ?? {})
    .map(([name, weight]) => /** @type {[string, number]} */ ([name === "this" ? "this clip" : name, Number(weight)]))
    .sort((a, b) => b[1] - a[1]);
  return html`<section class="sec" style="border-top:0;padding-top:0"><div class="sec-h">
    <h3 class="grow">Examples</h3>${report ? html`<span class=${`badge ${report.reachable ? "good" : "mut"}`}>${report.reachable ? html`<${Icon} name="check" />Reachable` : "Outside"}</span>` : null}</div>
      ${
        goals[chosen]?.outcome?.examples?.length
          ? html`<div class="well"><${ExampleMap} step=${step} report=${report} goal=${goals[chosen]} index=${chosen} /></div>
        <div class="cap2"><span>Drag the target, or its dot in this map.</span>
        <span>${weights.filter(([, weight]) => weight > 0.005).length} of ${others.length + 1} in use</span>
        </div>`
          : null
      }
      <div class="chips" style="margin-top:8px">${(store.hello.value?.sets ?? []).map((set) => html`<${Chip} text=${`${set.name}, ${set.samples.length}`} label=${set.description} chosen=${set.samples.includes(store.motionDoc.value?.source?.sample ?? "") && others.length > 0} onClick=${() => useSet(step, set)} />`)}</div>
      <${OwnExamples} step=${step} />
      ${
        weights.length
          ? html`<ul class="weights" aria-label="Weights of the examples">${weights.slice(0, 4).map(
              ([name, weight]) => html`<li>
        <span class="ell">${name}</span><span class="meter"><b style=${`width:${weight * 100}%`}></b></span>
        <output>${Math.round(weight * 100)} %</output></li>`,
            )}</ul>`
          : null
      }
      ${others.length ? null : html`<p class="dim" style="margin-top:8px">Choose a set of examples, or add clips of similar motion. The target then draws on all of them. To keep a hand or foot on a point without examples, <button class="btn sm line" onClick=${() => addStep("hold", knobsHere("hold"))}>hold it in place</button></p>`}</section>
    <section class="sec"><div class="sec-h"><h3 class="grow">Targets</h3>${goals.length ? html`<span class="dim">priority</span><span class="dim goal-residual">residual</span>` : null}</div>
      ${
        goals.length
          ? html`<ul class="list goals" role="list" aria-label="Targets">${goals.map(
              (goal, index) =>
                html`<${Row} key=${index} step=${step} goal=${goal} index=${index} on=${index === chosen} />`,
            )}</ul>`
          : null
      }
      ${goals[chosen] ? html`<${Numbers} step=${step} goal=${goals[chosen]} index=${chosen} />` : null}
      <div class="chips" role="group" aria-label="Add a target" style="margin-top:8px">${Object.entries(KINDS).map(([kind, { text }]) => html`<${Chip} text=${text} icon="plus" label=${`Add ${text.toLowerCase()} constraint`} onClick=${() => add(step, /** @type {Kind} */ (kind))} />`)}</div>
        </section>
    <${Outside} goals=${goals} report=${report} />`;
}

/** What cannot be met, as sentences. @param {{goals: Goal[], report: store.Report}} props */
function Outside({ goals, report }) {
  if (!report || report.reachable) return null;
  const sentences = goals.flatMap(({ kind, target, outcome }) => {
    if (!outcome || target.priority === 0) return [];
    const name = store.jointLabel(target.joint),
      joint = goals.length > 1 ? `${name} (${KINDS[kind].text.toLowerCase()})` : name;
    const { error_mm, error_deg } = outcome;
    if ((error_mm ?? 0) >= 1) return [`${joint} is outside these examples by ${plain((error_mm ?? 0) / 10)} cm.`];
    if ((error_deg ?? 0) >= 0.5)
      return [
        `${joint} ${kind === "look_at" ? "looks" : "is rotated"} ${plain(error_deg ?? 0)}° away from its target.`,
      ];
    return [];
  });
  if (!sentences.length) return null;
  const more =
    goals.length > 1
      ? "The character comes as close as these examples allow. A higher priority draws it closer to one target."
      : "The character holds the nearest pose in its examples.";
  return html`<section class="sec"><${Note} quiet message=${sentences.join(" ")} more=${more} /></section>`;
}

/** A new target for the chosen joint, or the joint of the chosen target, where it is now. @param {StepOf<"aim">} step @param {Kind} kind */
function add(step, kind) {
  const skeleton = store.skeleton.value,
    [picked] = store.chosenJoints.value,
    targets = targetsOf(step),
    last = (store.motion.value?.frames ?? 1) - 1,
    frame = Math.round(store.playback.frame);
  store.playback.setPlaying(false);
  const joint =
    picked !== undefined && skeleton
      ? skeleton.names[picked]
      : (targets[chosenGoal(step)]?.joint ??
        (skeleton?.roles["right hand"] === undefined ? skeleton?.names[0] : "right hand") ??
        "right hand");
  store.chosenItem.value = targets.length;
  const made = targetHere(kind, { joint, frame: frame >= last ? -1 : frame, priority: 1 });
  return setTargets(step, [...targets, made], "end", `Add target: ${joint}`);
}

/** Take a set of samples as examples. A clip that is none of them is never replaced: the set opens as a document of its own. @param {StepOf<"aim">} step @param {{samples: string[]}} set */
async function useSet(step, set) {
  const own = store.motionDoc.value?.source?.sample ?? "";
  let id = step.id;
  if (!set.samples.includes(own)) {
    if (!(await openSource({ sample: set.samples[0] }))) return;
    id = (await addStep("aim")) ?? "";
    say("The examples are open as a separate document. Your clip has not changed.");
  }
  const first = set.samples.includes(own) ? own : set.samples[0],
    added = await ask("input.add_set", { samples: set.samples.filter((name) => name !== first) });
  if (added && id) await turn(id, { others: added.names });
  store.playback.setPlaying(false);
  store.playback.setFrame((store.motion.value?.frames ?? 1) - 1);
}

/** Clips of the user's own as examples: those of this document, to switch on and off, and files. @param {{step: StepOf<"aim">}} props */
function OwnExamples({ step }) {
  const { others } = step.knobs,
    inputs = (store.motionDoc.value?.inputs ?? []).filter(({ same_joints }) => same_joints),
    own = inputs.filter(({ sample }) => sample === null);
  const toggle = (/** @type {string} */ name) =>
    turn(step.id, { others: others.includes(name) ? others.filter((each) => each !== name) : [...others, name] });
  return html`<div class="chips" style="margin-top:6px">${own.map(
    ({ name }) => html`<${Chip} text=${name} pressed=${others.includes(name)} onClick=${() => toggle(name)} />`,
  )}<button class="chip" onClick=${() =>
    chooseFiles("input", (_, names) =>
      turn(step.id, { others: [...new Set([...others, ...names])] }),
    )}><${Icon} name="plus" size=${12} />Your clips</button></div>`;
}

/** @param {{step: StepOf<"aim">, goal: Goal, index: number, on: boolean}} props */
function Row({ step, goal, index, on }) {
  const { outcome, target, label: goalLabel, kind } = goal,
    near = outcome && (outcome.error_mm ?? 0) < 5 && (outcome.error_deg ?? 0) < 2;
  const choose = () => {
    store.chosenItem.value = index;
    store.playback.setPlaying(false);
    store.playback.setFrame(frameOf(target));
  };
  return html`<li class=${on ? "sel" : ""} title=${goalLabel} onClick=${choose}>
    <span style="display:flex;color:var(--text-3)"><${Icon} name=${KINDS[kind].icon} /></span>
    <button class="ell goal-name" aria-label=${goalLabel} aria-pressed=${String(on)}
        onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
          if (event.key !== "Delete") return;
          event.preventDefault();
          event.stopPropagation();
          remove(step, index);
        }}>${store.jointLabel(target.joint)} <span class="dim">${KINDS[kind].text.toLowerCase()}</span></button>
    <span onClick=${(/** @type {Event} */ event) => event.stopPropagation()}><${Slider} quiet label=${`Priority of ${goalLabel}`}
        value=${target.priority} min=${0} max=${1} neutral=${1} text=${(/** @type {number} */ v) => `${Math.round(v * 100)} percent`}
        onValue=${(/** @type {number} */ value, /** @type {Phase} */ phase) => setTarget(step, index, { priority: Math.round(value * 100) / 100 }, phase, "Priority")} /></span>
    <span class="goal-residual" style=${`color:var(--${near ? "good" : "text-1"})`}>${residual(goal)}</span>
      </li>`;
}

/** @param {StepOf<"aim">} step @param {number} index */
function remove(step, index) {
  const targets = targetsOf(step);
  return setTargets(
    step,
    targets.filter((_, k) => k !== index),
    "end",
    `Remove target: ${targets[index]?.joint}`,
  );
}

/** The numbers of the chosen target, to type. @param {{step: StepOf<"aim">, goal: Goal, index: number}} props */
function Numbers({ step, goal, index }) {
  const { kind, target, label: goalLabel } = goal,
    names = store.skeleton.value?.names ?? [],
    last = (store.motion.value?.frames ?? 1) - 1;
  const set = (/** @type {Partial<Target>} */ change, /** @type {Phase} */ phase = "end", label = "Target") =>
    setTarget(step, index, change, phase, label);
  const joints = names.includes(target.joint) ? names : [target.joint, ...names];
  const axes = ["along", "ahead", "x", "y", "z", "-x", "-y", "-z"],
    axis = target.axis ?? (kind === "facing" ? "along" : "ahead");
  const fields = fieldsOf(kind, target),
    seen = target.relative_to ?? "";
  const change = (/** @type {Kind} */ next) => {
    if (next === kind) return;
    const { joint, frame, priority, offset } = target,
      made = { ...seenFrom(targetHere(next, { joint, frame, priority }), target.relative_to ?? null), offset };
    setTargets(
      step,
      targetsOf(step).map((each, k) => (k === index ? made : each)),
    );
  };
  return html`<div class="goal-numbers" role="group" aria-label=${`Numbers of ${goalLabel}`}>
    <div class="row"><${Choice} label="Kind of target" value=${kind}
        options=${Object.entries(KINDS).map(([value, { text }]) => ({ value, text }))} onValue=${change} />
      <${Choice} label="Aimed joint" value=${target.joint} options=${joints.map((name) => ({ value: name, text: store.jointLabel(name), title: name }))}
        onValue=${(/** @type {string} */ joint) => {
          store.chosenJoints.value = [jointOf({ ...target, joint })].filter((at) => at >= 0);
          set({ joint }, "end", `Target: ${joint}`);
        }} /></div>
    ${fields.map(
      (row) =>
        html`<div class="tcb">${row.map(
          ({ mark, label, unit, value, step: by, put, ...bounds }) =>
            html`<${NumberField} label=${`${goalLabel}, ${label}`} mark=${mark} unit=${unit} value=${value} step=${by} ...${bounds}
          onValue=${(/** @type {number | null} */ next, /** @type {Phase} */ phase) => set(put(next), phase)} />`,
        )}</div>`,
    )}
    <div class="row">
      <${NumberField} label="Frame of the target" mark="Frame" whole value=${frameOf(target)} min=${0} max=${last}
        onValue=${(/** @type {number | null} */ at, /** @type {Phase} */ phase) => set({ frame: at === null || at >= last ? -1 : at }, phase)} />
      ${
        kind === "facing" || kind === "heading_deg" || kind === "look_at"
          ? html`<${Choice} label="Axis of the joint" value=${axis} options=${(axes.includes(axis) ? axes : [axis, ...axes]).map((value) => ({ value, text: value }))}
          onValue=${(/** @type {string} */ value) => set({ axis: value })} />`
          : null
      }
      <${Choice} label="Relative to" value=${seen}
        options=${["", ...(seen && !names.includes(seen) ? [seen] : []), ...names].map((value) => ({ value, text: value ? `from ${store.jointName(value)}` : "in the world", title: value }))}
        onValue=${(/** @type {string} */ joint) => set(seenFrom(target, joint || null), "end", `Target: ${target.joint}`)} />
      <button class="btn sm line" style="margin-left:auto" aria-label=${`Remove ${goalLabel}`} onClick=${() => remove(step, index)}>Remove</button></div></div>`;
}

/** The numbers that say a target, in rows. @param {Kind} kind @param {Target} target @returns {{mark: string, label: string, unit: string, value: number | null, step: number, put: (value: number | null) => Partial<Target>, min?: number, max?: number, optional?: boolean, unset?: string}[][]} */
function fieldsOf(kind, target) {
  const value = numbersOf(target, kind);
  const put = (/** @type {number[]} */ list, /** @type {number} */ at, /** @type {number | null} */ next) =>
    list.map((v, k) => (k === at ? (next ?? 0) : v));
  if (kind === "heading_deg")
    return [
      [
        {
          mark: "Heading",
          label: "heading",
          unit: "°",
          value: target.heading_deg ?? 0,
          step: 1,
          put: (v) => ({ heading_deg: v ?? 0 }),
        },
      ],
    ];
  if (kind === "turned") {
    const vector = toVector(value);
    return [
      ["X", "Y", "Z"].map((mark, k) => ({
        mark,
        label: `rotation ${mark}`,
        unit: "°",
        value: Number(fixed(vector[k], 2).replace("−", "-")),
        step: 1,
        put: (v) => ({ turned: fromVector(put(vector, k, v)) }),
      })),
    ];
  }
  const places = kind === "facing" ? [] : ["X", "Y", "Z"];
  /** @type {ReturnType<typeof fieldsOf>} */ const rows = [
    places.map((mark, k) => ({
      mark,
      label: mark,
      unit: "m",
      value: value[k],
      step: 0.01,
      put: (/** @type {number | null} */ v) => ({ [kind]: put(value, k, v) }),
    })),
  ];
  const first = places.length;
  if (kind === "line" || kind === "facing")
    rows.push(
      ["DX", "DY", "DZ"].map((mark, k) => ({
        mark,
        label: `direction ${mark.slice(1)}`,
        unit: "",
        value: value[first + k],
        step: 0.02,
        put: (/** @type {number | null} */ v) => {
          const next = put(value, first + k, v);
          return next.slice(first).some((part) => Math.abs(part) > 1e-6) ? { [kind]: next } : {};
        },
      })),
    );
  if (kind === "facing")
    rows.push([
      {
        mark: "Angle to it",
        label: "angle",
        unit: "°",
        value: target.angle_deg ?? null,
        step: 1,
        min: 0,
        max: 180,
        optional: true,
        unset: "off",
        put: (v) => ({ angle_deg: v }),
      },
    ]);
  return rows.filter((row) => row.length);
}

/** The examples' places seen along the axis in which they differ least, with the target. @param {{step: StepOf<"aim">, report: store.Report, goal: Goal, index: number}} props */
function ExampleMap({ step, report, goal, index }) {
  const host = useRef(/** @type {SVGSVGElement | null} */ (null)),
    width = 340,
    height = 176;
  const places = goal.outcome?.examples ?? [];
  // All in what the target is given in: the world, or the frame of a joint.
  const free = goal.mark && (goal.kind === "at" || goal.kind === "line"),
    target = (goal.mark && Reference.of(goal.target)?.placeIn(goal.mark.place)) ?? places[0];
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
    weights = names.map((name) => report?.weights?.[name] ?? 0);
  const dots = places.map(place),
    [tx, ty] = place(target);
  const press = (/** @type {PointerEvent} */ event) => {
    const svg = /** @type {SVGSVGElement} */ (host.current),
      ratio = width / svg.getBoundingClientRect().width,
      from = [event.clientX, event.clientY];
    let last = target;
    const send = (/** @type {Phase} */ phase) =>
      setTarget(
        step,
        index,
        { [goal.kind]: [...last.map((v) => Math.round(v * 1e4) / 1e4), ...numbersOf(goal.target, goal.kind).slice(3)] },
        phase,
        `Target: ${goal.target.joint}`,
      );
    follow(svg, event, {
      move: (move) => {
        last = [...target];
        last[u] += ((move.clientX - from[0]) * ratio) / scale;
        last[v] -= ((move.clientY - from[1]) * ratio) / scale;
        send("move");
      },
      end: () => send("end"),
      cancel: () => {
        if (last !== target) send("cancel");
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
      free
        ? html`<g style="cursor:move" onPointerDown=${press}>
      <circle cx=${tx} cy=${ty} r="12" fill="var(--edited)" fill-opacity=".15"
        stroke="var(--text-1)" stroke-width="1.500" stroke-dasharray=${report?.reachable ? "none" : "4 3"} />
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
