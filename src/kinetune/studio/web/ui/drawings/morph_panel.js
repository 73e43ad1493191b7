/** The panel of the film: the timing of the chosen gap, how drawings become each other, and what leaves the page. */
import { follow } from "../../core/dom.js";
import { plain, readable } from "../../core/numbers.js";
import { Chip, Choice, NumberField, Slider, Switch } from "../shell/controls.js";
import { chooseGap, count, gap, moment, onion, tool } from "./drawing_selection.js";
import { exportAs } from "../shell/export_menu.js";
import { Gait } from "./walk_cycle_panel.js";
import { Findings } from "../shell/findings.js";
import { html } from "../shell/html.js";
import { cancel, setDrawing } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { DrawingDoc } from "../shell/store.js" */
/** @import { Children, Phase } from "../shell/controls.js" */
/** @import { MatchesAnswer } from "../../core/answers.js" */

/** Control points of each curve; the last stop is all of them. */
const RESOLUTIONS = [4, 8, 16, 32, 64, 128, null];
const EASES = /** @type {Record<string, string>} */ ({
  linear: "Even",
  smooth: "Ease in and out",
  in: "Ease in",
  out: "Ease out",
  back: "Overshoot",
});
/** Where the handles of an ease are, as CSS has them: x and y of the first, then of the second. @type {Record<string, number[]>} */
const HANDLES = {
  linear: [0.33, 0.33, 0.67, 0.67],
  smooth: [0.42, 0, 0.58, 1],
  in: [0.42, 0, 1, 1],
  out: [0, 0, 0.58, 1],
};

/** The handles of an ease; null where it is no curve of that kind. @param {string} ease */
function handlesOf(ease) {
  const inside = /^cubic-bezier\((.*)\)$/.exec(ease)?.[1].split(",").map(Number);
  return HANDLES[ease] ?? (inside?.length === 4 ? inside : null);
}

const FILES = [
  [".svg", "SVG"],
  [".json", "Lottie"],
  [".gif", "GIF"],
  [".mp4", "MP4"],
];

/** @param {{doc: DrawingDoc, matches: MatchesAnswer | null}} props */
export function Morph({ doc, matches }) {
  const film = store.film.value,
    { settings, keys } = doc,
    drawn = count(),
    alone = keys.length === 1;
  const about = alone
    ? "One drawing. Add a second to move between them."
    : settings.gait
      ? `${drawn} drawings at ${plain(film?.fps ?? settings.fps)} fps`
      : `${keys.length} key drawings, ${Math.max(0, drawn - keys.length)} in-betweens, ${plain(film?.fps ?? settings.fps)} fps`;
  return html`<div class="ititle"><div class="grow"><h2>${settings.gait ? "Walk cycle" : "Film"}</h2><p>${about}</p></div></div>
    <section class="sec" style="border-top:0;padding-top:0"><div class="row" style="gap:14px"><span class="dim">Where</span>
      <${Slider} label="Morph" value=${moment.value} min=${0} max=${1} neutral=${0} disabled=${!film}
        text=${(/** @type {number} */ v) => `${Math.round(v * 100)} percent`} onValue=${(
          /** @type {number} */ value,
        ) => {
          moment.value = value;
        }} /><output style="min-width:40px;text-align:right;font-weight:600">${Math.round(moment.value * 100)} %</output></div></section>
    ${film?.findings.length ? html`<section class="sec"><${Findings} findings=${film.findings} /></section>` : null}
    ${settings.gait ? null : html`<${Timing} doc=${doc} />`}
    <${Settings} doc=${doc} />
    ${alone || settings.gait ? null : html`<${Matching} doc=${doc} matches=${matches} />`}
    <${Onion} />
    <${Gait} doc=${doc} />
    <section class="sec" style="margin-top:auto"><div class="row"><span class="dim grow">Export</span>
      ${FILES.map(([format, text]) => html`<button class="btn sm line" onClick=${() => exportAs(format)}>${text}</button>`)}</div></section>`;
}

/** How the drawings of the chosen gap are spread over its time. @param {{doc: DrawingDoc}} props */
function Timing({ doc }) {
  const at = gap.value,
    own = doc.gaps[at],
    film = store.film.value,
    eases = store.hello.value?.presets.ease ?? [];
  if (!own) return null;
  const start = film?.starts[at] ?? 0,
    times = film?.frames.slice(start, (film.starts[at + 1] ?? start) + 1).map(({ t }) => t - at) ?? [],
    x = (/** @type {number} */ share) => 34 + 296 * share,
    y = (/** @type {number} */ t) => 116 - 104 * t,
    place = (/** @type {number} */ t, /** @type {number} */ k) =>
      `${x(k / Math.max(1, times.length - 1)).toFixed(1)} ${y(t).toFixed(1)}`;
  const handles = handlesOf(own.ease);
  const bend = (/** @type {number[]} */ to, /** @type {Phase} */ phase) =>
    setDrawing({ ease: `cubic-bezier(${to.map((v) => Math.round(v * 100) / 100).join(", ")})` }, phase, "Timing", at);
  const press = (/** @type {PointerEvent} */ event) => {
    const grip = /** @type {SVGElement | null} */ (/** @type {Element} */ (event.target).closest("[data-handle]"));
    if (!grip || !handles) return;
    const k = Number(grip.dataset.handle),
      svg = /** @type {SVGSVGElement} */ (grip.ownerSVGElement),
      box = svg.getBoundingClientRect();
    let to = handles;
    event.preventDefault();
    follow(svg, event, {
      move: (move) => {
        const share = (((move.clientX - box.left) / box.width) * 344 - 34) / 296,
          t = (116 - ((move.clientY - box.top) / box.height) * 132) / 104;
        to = handles.map((v, i) =>
          i === 2 * k ? Math.max(0, Math.min(1, share)) : i === 2 * k + 1 ? Math.max(-0.5, Math.min(1.5, t)) : v,
        );
        bend(to, "move");
      },
      end: () => bend(to, "end"),
      cancel: () => void (to !== handles && cancel()),
    });
  };
  const nudge = (/** @type {KeyboardEvent} */ event, /** @type {number} */ k) => {
    const by = /** @type {Record<string, number[]>} */ ({
      ArrowLeft: [-0.05, 0],
      ArrowRight: [0.05, 0],
      ArrowUp: [0, 0.05],
      ArrowDown: [0, -0.05],
    })[event.key];
    if (!by || !handles) return;
    event.preventDefault();
    event.stopPropagation();
    bend(
      handles.map((v, i) => (i === 2 * k ? Math.max(0, Math.min(1, v + by[0])) : i === 2 * k + 1 ? v + by[1] : v)),
      "end",
    );
  };
  return html`<section class="sec" aria-label="Timing"><div class="sec-h"><h3 class="grow">Timing</h3>
      <span class="dim">${doc.keys.length > 1 ? `key ${at + 1} to key ${at + 2}` : ""}</span></div>
    <div class="well timing"><svg viewBox="0 0 344 132" width="100%" role="group" style="touch-action:none" onPointerDown=${press} aria-label=${`How far each of ${own.frames} drawings is on its way: ${EASES[own.ease] ?? own.ease}`}>
      <path class="grid" d="M34 116H330M34 64H330M34 12H330M34 12V116M182 12V116M330 12V116" /><path class="even" d="M34 116L330 12" />
      <path class="curve" d=${times.length ? `M${times.map(place).join("L")}` : ""} />
      ${times.length < 60 ? times.map((t, k) => html`<circle cx=${place(t, k).split(" ")[0]} cy=${place(t, k).split(" ")[1]} r="2.5" />`) : null}
      ${times.map((t) => html`<path class="spacing" d=${`M20 ${y(t).toFixed(1)}h8`} />`)}
      ${
        handles
          ? [0, 1].map(
              (
                k,
              ) => html`<path class="arm" d=${`M${k ? "330 12" : "34 116"}L${x(handles[2 * k]).toFixed(1)} ${y(handles[2 * k + 1]).toFixed(1)}`} />
        <g data-handle=${k} data-arrows tabindex="0" role="slider" aria-label=${k ? "How the second key is reached" : "How the first key is left"} aria-valuenow=${handles[2 * k]} aria-valuetext=${`${Math.round(handles[2 * k] * 100)} percent of the time, ${Math.round(handles[2 * k + 1] * 100)} percent of the way`} onKeyDown=${(/** @type {KeyboardEvent} */ event) => nudge(event, k)}>
          <circle class="reach" cx=${x(handles[2 * k])} cy=${y(handles[2 * k + 1])} r="12" /><circle class="handle" cx=${x(handles[2 * k])} cy=${y(handles[2 * k + 1])} r="4.5" /></g>`,
            )
          : null
      }
      <text x="34" y="129">key ${at + 1}</text><text x="330" y="129" text-anchor="end">key ${at + 2}, ${((own.frames - 1) / doc.settings.fps).toFixed(2)} s</text></svg></div>
    <div class="chips" role="group" aria-label="Ease" style="margin:8px 0">${eases.map((ease) => html`<${Chip} text=${EASES[ease] ?? readable(ease)} chosen=${own.ease === ease} pressed=${own.ease === ease} onClick=${() => setDrawing({ ease }, "end", `Timing: ${(EASES[ease] ?? ease).toLowerCase()}`, at)} />`)}</div>
    <div class="knob"><span class="knob-name">In-betweens</span><div class="knob-value">
      <${Slider} quiet label="In-betweens slider" value=${own.frames - 2} min=${0} max=${Math.max(48, own.frames - 2)} step=${1} neutral=${0}
        onValue=${(/** @type {number} */ value, /** @type {Phase} */ phase) => setDrawing({ frames: Math.round(value) + 2 }, phase, "In-betweens", at)} />
      <${NumberField} label="In-betweens" value=${own.frames - 2} whole min=${0} max=${238}
        onValue=${(/** @type {number} */ value, /** @type {Phase} */ phase) => setDrawing({ frames: value + 2 }, phase, "In-betweens", at)} /></div></div></section>`;
}

/** @param {{doc: DrawingDoc}} props */
function Settings({ doc }) {
  const { settings } = doc,
    presets = store.hello.value?.presets,
    all = RESOLUTIONS.length - 1;
  const at = RESOLUTIONS.indexOf(settings.resolution ?? null),
    level = at < 0 ? all : at;
  const listed = (/** @type {string[] | undefined} */ names) =>
    (names ?? []).map((value) => ({ value, text: readable(value) }));
  const said = (/** @type {number} */ k) =>
    RESOLUTIONS[k] === null ? "all control points" : `${RESOLUTIONS[k]} control points`;
  /** @param {string} title @param {Children} control @param {Children} [after] */
  const row = (title, control, after) =>
    html`<div class="knob"><span class="knob-name">${title}</span><div class="knob-value">${control}${after ?? null}</div></div>`;
  /** @param {"fps" | "seconds"} name @param {string} label @param {{unit?: string, min: number, max: number, optional?: boolean}} more */
  const number = (name, label, more) =>
    html`<${NumberField} label=${label} value=${settings[name]} ...${more}
      onValue=${(/** @type {number | null} */ value, /** @type {Phase} */ phase) => setDrawing({ [name]: value }, phase, label)} />`;
  return html`<section class="sec knobs" aria-label="How one drawing becomes the next">
    ${row("Method", html`<${Choice} label="Method" value=${settings.method} options=${listed(presets?.morph)} onValue=${(/** @type {string} */ method) => setDrawing({ method })} />`)}
    ${row(
      "Resolution",
      html`<${Slider} quiet label="Resolution" value=${level} min=${0} max=${all} step=${1} neutral=${all} text=${said}
        onValue=${(/** @type {number} */ value, /** @type {Phase} */ phase) => setDrawing({ resolution: RESOLUTIONS[Math.round(value)] }, phase, "Resolution")} />`,
      html`<output>${settings.resolution ?? "all"}</output>`,
    )}
    ${row("Speed", number("fps", "Film speed", { unit: "fps", min: 1, max: 240 }))}
    ${settings.method === "physical" ? row("Seconds", number("seconds", "Seconds", { unit: "s", min: 0.05, max: 60, optional: true })) : null}
  </section>`;
}

/** What corresponds in each gap. @param {{doc: DrawingDoc, matches: MatchesAnswer | null}} props */
function Matching({ doc, matches }) {
  const show = (/** @type {number} */ index) => {
    chooseGap(index);
    tool.value = "match";
  };
  return html`<section class="sec"><div class="sec-h"><h3 class="grow">Matching</h3>
      <span class="dim">${matches ? `${new Set(matches.data.layers).size} parts matched` : ""}</span></div>
    <ul class="list" aria-label="Matching">${doc.gaps.map(
      (own, k) => html`<li class=${k === gap.value ? "sel" : ""} style="grid-template-columns:1fr auto auto">
        <span>Key ${k + 1} and ${k + 2}</span><span class="dim">${own.pins.length ? `${own.pins.length} by hand` : "automatic"}</span>
        <button class="btn sm" aria-label=${`Show the matches of key ${k + 1} and ${k + 2}`} onClick=${() => show(k)}>Show</button></li>`,
    )}</ul></section>`;
}

/** How much of the film shows round the moment. */
function Onion() {
  const set = (/** @type {Partial<typeof onion.value>} */ change) => {
    onion.value = { ...onion.value, ...change };
  };
  const { on, before, after } = onion.value;
  return html`<section class="sec knobs"><div class="knob onion"><span class="knob-name">Onion skin</span><div class="knob-value">
      <${Switch} label="Onion skin" on=${on} onValue=${(/** @type {boolean} */ value) => set({ on: value })} />
      <span class="dim grow" style="text-align:right">before</span><${NumberField} label="Drawings before" value=${before} whole min=${0} max=${6} onValue=${(/** @type {number} */ value) => set({ before: value })} />
      <span class="dim">after</span><${NumberField} label="Drawings after" value=${after} whole min=${0} max=${6} onValue=${(/** @type {number} */ value) => set({ after: value })} /></div></div></section>`;
}
