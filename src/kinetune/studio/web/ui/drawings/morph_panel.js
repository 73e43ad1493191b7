/** The panel of the morph: the film as it plays, and how one drawing becomes the other. */
import { drawingMarkup } from "../../core/contour.js";
import { plain, readable } from "../../core/numbers.js";
import { Choice, IconButton, Note, NumberField, Slider } from "../shell/controls.js";
import { count, goTo, moment, nowFrame, playing } from "./drawing_selection.js";
import { Gait } from "./walk_cycle_panel.js";
import { Findings } from "../shell/findings.js";
import { html, useEffect, useRef, useState } from "../shell/html.js";
import { setDrawing } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { DrawingDoc } from "../shell/store.js" */
/** @import { Children, Phase } from "../shell/controls.js" */
/** @import { FilmAnswer } from "../../core/answers.js" */

/** Control points of each curve; the last stop is all of them. */
const RESOLUTIONS = [4, 8, 16, 32, 64, 128, null];

/** Move the film on while it plays. @param {FilmAnswer | null} film @param {boolean} round  whether it begins again at its end */
function usePlaying(film, round) {
  const back = useRef(1);
  useEffect(() => {
    if (!playing.value || !film) return undefined;
    let last = 0,
      request = 0;
    const tick = (/** @type {number} */ now) => {
      const passed = last ? Math.min(0.25, (now - last) / 1000) : 0;
      last = now;
      let next = moment.value + ((round ? 1 : back.current) * passed * film.fps) / Math.max(1, film.frames.length - 1);
      if (round) next %= 1;
      else if (next > 1 || next < 0) {
        back.current = next > 1 ? -1 : 1;
        next = Math.min(1, Math.max(0, next));
      }
      moment.value = next;
      request = requestAnimationFrame(tick);
    };
    request = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(request);
  }, [playing.value, film, round]);
}

/** The first drawing, while there is no second one. */
function alone() {
  const keys = store.keyDrawings.value;
  return keys ? { frame: keys.frames[0], points: keys.data.points } : null;
}

/** @param {{doc: DrawingDoc}} props */
export function Morph({ doc }) {
  const film = store.film.value,
    { settings } = doc;
  const [own, setOwn] = useState(true);
  usePlaying(film, Boolean(settings.gait));
  // One drawing alone is shown as it is.
  const shown = film ? { frame: film.frames[nowFrame()], points: film.data.points } : alone(),
    percent = Math.round(moment.value * 100);
  return html`<div class="ititle"><div class="grow"><h2>${settings.gait ? "Walk cycle" : "Morph"}</h2>
    <p>${doc.b ? `${readable(settings.method)}, ${count() || settings.frames} drawings at ${plain(film?.fps ?? settings.fps)} fps` : "Needs a second drawing"}</p>
    </div>
    <${IconButton} icon=${playing.value ? "pause" : "play"} label=${playing.value ? "Pause film" : "Play film"} keys="Space"
      disabled=${!film} onClick=${() => {
        playing.value = !playing.value;
      }} /></div>
    <section class="sec" style="border-top:0;padding-top:0"><div class=${`well paper${own ? " white" : ""}`}>
      <svg class="preview" viewBox="0 0 340 240" width="100%" role="img" aria-label=${film ? `Drawing ${nowFrame() + 1} of ${count()}, at ${percent} percent` : "No film yet"}
        dangerouslySetInnerHTML=${{ __html: shown?.frame ? drawingMarkup(shown.frame, shown.points, { x: 14, y: 12, width: 312, height: 216 }, { own, tone: "var(--ink)" }) : "" }}>
      </svg></div>
      <label class="pop-check"><input type="checkbox" checked=${own} onChange=${() => setOwn(!own)} />Own colours</label></section>
    <section class="sec"><div class="sec-h"><h3 class="grow">Where</h3>
      <span style="color:var(--edited);font-weight:600">${percent} %</span></div>
      <${Slider} label="Morph" value=${moment.value} min=${0} max=${1} neutral=${0} disabled=${!film}
        text=${(/** @type {number} */ v) => `${Math.round(v * 100)} percent`} onValue=${(
          /** @type {number} */ value,
        ) => {
          moment.value = value;
        }} /></section>
    ${
      store.trouble.value
        ? html`<section class="sec"><${Note} ...${store.trouble.value} actions=${
            store.trouble.value.actions ?? [
              {
                text: "Close",
                onClick: () => {
                  store.trouble.value = null;
                },
              },
            ]
          } /></section>`
        : film?.findings.length
          ? html`<section class="sec"><${Findings} findings=${film.findings} /></section>`
          : null
    }
    <${Settings} doc=${doc} />
    <${Gait} doc=${doc} />`;
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
  /** @param {"frames" | "fps" | "seconds"} name @param {string} label @param {{unit?: string, min: number, max: number, whole?: boolean, optional?: boolean}} more */
  const number = (name, label, more) =>
    html`<${NumberField} label=${label} value=${settings[name]} ...${more}
      onValue=${(/** @type {number | null} */ value, /** @type {Phase} */ phase) => setDrawing({ [name]: value }, phase, label)} />`;
  return html`<section class="sec knobs" aria-label="How one drawing becomes the other">
    ${row("Method", html`<${Choice} label="Method" value=${settings.method} options=${listed(presets?.morph)} onValue=${(/** @type {string} */ method) => setDrawing({ method })} />`)}
    ${row(
      "Resolution",
      html`<${Slider} quiet label="Resolution" value=${level} min=${0} max=${all} step=${1} neutral=${all} text=${said}
        onValue=${(/** @type {number} */ value, /** @type {Phase} */ phase) => setDrawing({ resolution: RESOLUTIONS[Math.round(value)] }, phase, "Resolution")} />`,
      html`<output>${settings.resolution ?? "all"}</output>`,
    )}
    ${settings.gait?.like ? null : row("Drawings", number("frames", "Drawings", { whole: true, min: 2, max: 240 }))}
    ${row("Speed", number("fps", "Film speed", { unit: "fps", min: 1, max: 240 }))}
    ${settings.gait ? null : row("Ease", html`<${Choice} label="Ease" value=${settings.ease} options=${listed(presets?.ease)} onValue=${(/** @type {string} */ ease) => setDrawing({ ease })} />`)}
    ${settings.method === "physical" ? row("Seconds", number("seconds", "Seconds", { unit: "s", min: 0.05, max: 60, optional: true })) : null}
  </section>`;
}

/** Eight pictures of the film. @param {{doc: DrawingDoc}} props */
export function Film({ doc }) {
  const film = store.film.value;
  if (!doc.b)
    return html`<div class="filmstrip"><p class="dim">The drawings in between appear here once there are two.</p></div>`;
  if (!film) return html`<div class="filmstrip"><p class="dim" role="status">Drawing in-betweens…</p></div>`;
  const shown = Math.min(8, film.frames.length),
    at = nowFrame();
  return html`<div class="filmstrip" role="group" aria-label="Film">${Array.from({ length: shown }, (_, k) => {
    const index = Math.round((k / Math.max(1, shown - 1)) * (film.frames.length - 1)),
      frame = film.frames[index],
      near = Math.abs(index - at) <= film.frames.length / shown / 2,
      tone = `color-mix(in oklab, var(--ghost), var(--edited) ${Math.round(frame.t * 100)}%)`;
    return html`<button class=${near ? "on" : ""} aria-label=${`Go to ${Math.round(frame.t * 100)} percent`} onClick=${() => goTo(index)}>
      <svg viewBox="0 0 116 80" aria-hidden="true" dangerouslySetInnerHTML=${{ __html: drawingMarkup(frame, film.data.points, { x: 6, y: 5, width: 104, height: 70 }, { tone }) }}>
      </svg><span>${Math.round(frame.t * 100)}</span></button>`;
  })}</div>`;
}
