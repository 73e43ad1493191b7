/** Physics: forces on the floor before and after, the friction they need, what the root would have to be pushed by. */
import { forcePlot, strip } from "../../core/plots.js";
import { fixed, plain } from "../../core/numbers.js";
import { html, useEffect, useState } from "../shell/html.js";
import { ask, link } from "../shell/session.js";
import * as store from "../shell/store.js";
import { viewport } from "./viewport_panel.js";
/** @import { FarthestMove, FindingLine, ForcesAnswer, StepOf, VerdictAnswer } from "../../core/answers.js" */

const LEGEND = html`<span class="row dim" style="gap:12px"><span class="row" style="gap:5px"><svg width="7" height="7">
  <circle cx="3.500" cy="3.500" r="2.700" fill="none" stroke="var(--ghost)" /></svg>original</span>
  <span class="row" style="gap:5px"><svg width="7" height="7">
  <circle cx="3.500" cy="3.500" r="3" fill="var(--edited)" /></svg>filtered</span></span>`;

/** @param {{step: StepOf<"filter_dynamics">, result: store.Result}} props */
export function Physics({ step, result }) {
  const [loaded, setLoaded] = useState(/** @type {ForcesAnswer | null} */ (null));
  const [judged, setJudged] = useState(/** @type {VerdictAnswer | null} */ (null));
  const [loads, setLoads] = useState(/** @type {store.Loads} */ (null));
  const ready = result.state === "done" && step.on;
  useEffect(() => {
    if (!ready) {
      setLoaded(null);
      return;
    }
    link.ask("forces", { doc: store.doc.value?.doc, step: step.id }, "forces").then(
      (answer) => {
        setLoaded(answer);
        show(answer);
      },
      () => setLoaded(null), // it waits for another run
    );
  }, [step.id, ready, JSON.stringify(step.knobs)]);
  useEffect(() => () => viewport?.forces.setForces(null), []);
  useEffect(() => {
    let live = true;
    const judge = async () => {
      const answer = await ask("verdict", { step: step.id }, "verdict");
      if (!live || !answer) return;
      setJudged(answer);
      if (!answer.verdict || ready) return; // nothing to weigh, or it comes with the result
      const needed = await ask("loads", { step: step.id }, "loads");
      if (live && needed) setLoads(needed.data.was_loads);
    };
    judge();
    return () => {
      live = false;
    };
  }, [step.id, ready]);
  useEffect(() => {
    store.physics.value = {
      was: loaded?.cards.was ?? judged,
      is: loaded?.cards.is ?? null,
      wasLoads: loaded?.data.was_loads ?? loads,
      isLoads: loaded?.data.is_loads ?? null,
    };
  }, [loaded, judged, loads]);
  useEffect(
    () => () => {
      store.physics.value = store.NO_PHYSICS;
    },
    [],
  );
  if (!loaded)
    return html`<section class="sec" data-verdict=${judged?.verdict}>${judged ? html`<${Verdict} judged=${judged} />` : html`<p class="dim">Judging the motion…</p>`}</section>
      <section class="sec"><p class="dim">${ready ? "Reading forces…" : `${judged?.verdict === "plausible" ? "This motion is plausible already; a correction moves it all the same. " : ""}Run it to correct the motion and to see the forces from the floor. A motion that cannot be corrected stays as it is.`}</p>
      </section>`;
  const {
    mu,
    cards: { was, is },
    move,
    data,
  } = loaded;
  return html`<section class="sec" data-verdict=${is.verdict}><div class="row"><span class="grow">Verdict</span>
      <span class="dim">${was.verdict === is.verdict ? "" : `${was.verdict} →`}</span> <b
        style=${`color:var(--${is.verdict === "plausible" ? "good" : "bad"})`}>${is.verdict}</b></div>
      <${Reasons} reasons=${is.reasons} /></section>
    <${Moved} move=${move} moved=${data.moved_mm} />
    <section class="sec"><div class="sec-h"><h3 class="grow">Floor force</h3>${LEGEND}</div><div class="well">
    <svg viewBox="0 0 340 196" width="100%" role="img" aria-label=${`Horizontal against vertical force; friction ${mu}`}
      dangerouslySetInnerHTML=${{ __html: forcePlot({ was: pairs(data.was_forces), is: pairs(data.is_forces), mu, width: 340, height: 196 }) }}>
    </svg></div></section>
    <section class="sec"><div class="sec-h"><h3 class="grow">Required friction</h3>
      <${Change} was=${was.friction_needed} is=${is.friction_needed} limit=${mu} /></div><div class="well">
      <svg viewBox="0 0 340 64" width="100%" role="img" aria-label="Required friction over time"
        dangerouslySetInnerHTML=${{ __html: strip({ was: thinned(data.was_friction), is: thinned(data.is_friction), limit: mu, width: 340, height: 64 }) }}>
      </svg></div></section>
    <section class="sec"><div class="sec-h"><h3 class="grow">Root residual</h3>
      <${Change} was=${was.root_residual_bw} is=${is.root_residual_bw} unit=" body weights" /></div><div class="well">
      <svg viewBox="0 0 340 44" width="100%" role="img" aria-label="Root residual over time"
        dangerouslySetInnerHTML=${{ __html: strip({ was: thinned(data.was_residual), is: thinned(data.is_residual), limit: null, width: 340, height: 44 }) }}>
      </svg></div></section>
    <section class="sec"><div class="row"><span class="grow">Frames outside the cone</span>
      <${Change} was=${was.frames_outside_cone} is=${is.frames_outside_cone} /></div></section>`;
}

/** How far the correction takes the body from the motion that came in. @param {{move: FarthestMove, moved: Float32Array}} props */
function Moved({ move: { joint, frame, mm, hips_mm, far }, moved }) {
  if (mm === 0) return html`<section class="sec"><p class="note" role="status">The clip stays as it was.</p></section>`;
  return html`<section class="sec" data-moved=${far ? "far" : "near"}><div class="sec-h"><h3 class="grow">Moved from the input</h3>
      <b style=${far ? "color:var(--bad)" : ""}>${far ? "! " : ""}${length(mm)}</b></div>
    ${far ? html`<p class="note" role="status">The result is far from your motion: compare the two before you keep it, or apply less of it with Amount.</p>` : null}
    <div class="well"><svg viewBox="0 0 340 44" width="100%" role="img" aria-label="Distance of the joint that moves farthest, over time"
      dangerouslySetInnerHTML=${{ __html: strip({ was: [], is: thinned(moved), limit: null, width: 340, height: 44 }) }}>
    </svg></div>
    <ul class="reasons" role="list"><li><button class="item" onClick=${() => store.playback.setFrame(frame)}>
      <span class="grow">${store.jointLabel(joint)} ${length(mm)}, hips ${length(hips_mm)} at most</span><span class="dim">${frame}</span></button></li></ul></section>`;
}

/** @param {number} mm */
const length = (mm) => (mm < 100 ? `${fixed(mm, 0)} mm` : `${fixed(mm / 10, 0)} cm`);

export const MARKS = { plausible: "Plausible ✓", doubtful: "Doubtful !", impossible: "Impossible ×" };

/** The verdict on the motion that comes in. @param {{judged: VerdictAnswer}} props */
function Verdict({ judged: { verdict, reasons, problem } }) {
  if (!verdict) return html`<p class="dim">${problem}</p>`;
  const { frames = 1 } = store.motion.value ?? {},
    bad = new Set();
  for (const { frame } of reasons) for (let f = first(frame); f <= last(frame); f++) bad.add(f);
  const share = Math.round((bad.size / frames) * 100);
  return html`<div class="row verdict"><b class="grow" style=${`color:var(--${verdict === "plausible" ? "good" : "bad"})`}>${MARKS[verdict]}</b>
      <span class="dim">${share ? `${share} % of the clip` : ""}</span></div><${Reasons} reasons=${reasons} />`;
}

/** What speaks against a motion; each goes to where it happens. @param {{reasons: FindingLine[]}} props */
function Reasons({ reasons }) {
  return html`<ul class="reasons" role="list">${reasons.map(
    ({ message, frame }) =>
      html`<li><button class="item" onClick=${() => store.playback.setFrame(first(frame))}><span class="grow">${message}</span>
        ${frame == null ? null : html`<span class="dim">${first(frame)} to ${last(frame)}</span>`}</button></li>`,
  )}</ul>`;
}

/** @param {FindingLine["frame"]} frame */
const first = (frame) => (Array.isArray(frame) ? frame[0] : (frame ?? 0));
/** @param {FindingLine["frame"]} frame */
const last = (frame) => (Array.isArray(frame) ? frame[1] : (frame ?? 0));

/** @param {{was: number | null, is: number | null, unit?: string, limit?: number}} props */
function Change({ was, is, unit = "", limit }) {
  if (is === null) return null;
  const same = was !== null && Math.abs(is - was) < 0.005,
    good = (limit !== undefined && is <= limit) || (was !== null && is < was);
  const tone = same ? "text-1" : good ? "good" : "bad";
  return html`<span class="dim">${was === null || same ? "" : `${plain(was)} →`}</span> <b
      style=${`color:var(--${tone})`}>${is < 0.01 && is > 0 ? "<0.01" : fixed(is, is > 20 || Number.isInteger(is) ? 0 : 2)}${unit}${same ? "" : good ? " ✓" : " +"}</b>`;
}

/** Horizontal and vertical force of some frames. @param {Float32Array} forces  (frames, 3) @returns {[number, number][]} */
function pairs(forces) {
  const frames = forces.length / 3,
    step = Math.max(1, Math.floor(frames / 240));
  /** @type {[number, number][]} */ const found = [];
  for (let f = 0; f < frames; f += step) {
    const [x, y, z] = forces.subarray(f * 3, f * 3 + 3);
    if (Number.isFinite(y)) found.push([Math.hypot(x, z) * Math.sign(z || 1), y]);
  }
  return found;
}

/** @param {Float32Array} values */
function thinned(values) {
  const step = Math.max(1, Math.floor(values.length / 340));
  return Array.from({ length: Math.floor(values.length / step) }, (_, i) => values[i * step]);
}

/** Hand the forces to the scene, and show them. @param {ForcesAnswer} loaded */
function show(loaded) {
  const { is_contact_forces: forces, is_points: places } = loaded.data;
  const [frames, points] = loaded.arrays.find((array) => array.name === "is_contact_forces")?.shape ?? [0, 0];
  if (!points || places.length !== forces.length) return;
  viewport?.forces.setForces({ frames, points, forces, places, mu: loaded.mu, weight: loaded.weight_n });
  store.shown.value = { ...store.shown.value, forces: true };
}
