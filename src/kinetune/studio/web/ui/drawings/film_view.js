/** The film, large: the drawing at the moment, those before and after, the paths of matched points, and how it plays. */
import { drawingMarkup, fitted } from "../../core/contour.js";
import { plain } from "../../core/numbers.js";
import { Icon } from "../shell/controls.js";
import { choose, count, gap, goTo, linesShown, moment, nowFrame, onion, playing } from "./drawing_selection.js";
import { html, useEffect, useRef, useState } from "../shell/html.js";
import * as store from "../shell/store.js";
/** @import { DrawingDoc } from "../shell/store.js" */
/** @import { FilmAnswer, MatchesAnswer } from "../../core/answers.js" */

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

/** The size of an element as it changes. @param {{current: HTMLElement | null}} host @returns {{width: number, height: number}} */
function useSize(host) {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = /** @type {HTMLElement} */ (host.current);
    const sizes = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  return size;
}

/** @param {{doc: DrawingDoc, matches: MatchesAnswer | null}} props */
export function FilmView({ doc, matches }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null)),
    { width, height } = useSize(host),
    film = store.film.value,
    keys = store.keyDrawings.value;
  const at = nowFrame(),
    box = { x: 32, y: 56, width: width - 64, height: height - 104 };
  // One drawing alone is shown as it is.
  const shown = film
    ? { frame: film.frames[at], points: film.data.points }
    : keys
      ? { frame: keys.frames[0], points: keys.data.points }
      : null;
  const markup =
    shown?.frame && width > 80
      ? `${film && onion.value.on && !playing.value ? skins(film, at, box) : ""}<g data-now>${drawingMarkup(shown.frame, shown.points, box, { own: true })}</g>${
          film && matches && linesShown.value && !playing.value ? paths(film, matches, at, box) : ""
        }`
      : "";
  const press = (/** @type {MouseEvent} */ event) => {
    const path = /** @type {SVGElement | null} */ (
      /** @type {Element} */ (event.target).closest("[data-now] [data-layer]")
    );
    if (path) choose(Math.round(film?.frames[at].t ?? 0), Number(path.dataset.layer));
  };
  return html`<div class="fill" ref=${host} onClick=${press}>
    <svg class="preview paper" viewBox=${`0 0 ${Math.max(1, width)} ${Math.max(1, height)}`} role="img"
      aria-label=${film ? `Drawing ${at + 1} of ${count()}, ${where(film, at)}` : "No film yet"} dangerouslySetInnerHTML=${{ __html: markup }}></svg>
    ${film ? html`<div class="vo br dim" style="font-size:11px">${where(film, at)}</div>` : html`<div class="vo br dim" role="status">${doc.keys.length > 1 ? "Drawing in-betweens…" : ""}</div>`}</div>`;
}

/** Which drawing of the film it is: "key 2" or "in-between 3 of 7, key 2 to key 3". @param {FilmAnswer} film @param {number} at */
export function where(film, at) {
  const key = film.starts.indexOf(at);
  if (film.starts.length < 2) return `drawing ${at + 1} of ${film.frames.length}`;
  if (key >= 0) return `key ${key + 1}`;
  const after = film.starts.findIndex((start) => start > at),
    first = film.starts[after - 1];
  return `in-between ${at - first} of ${film.starts[after] - first - 1}, key ${after} to key ${after + 1}`;
}

/** The drawings before and after, fainter the further away. @param {FilmAnswer} film @param {number} at @param {{x: number, y: number, width: number, height: number}} box */
function skins(film, at, box) {
  const { before, after } = onion.value,
    step = Math.max(1, Math.round(film.frames.length / 12));
  let markup = "";
  for (const [side, many] of /** @type {[number, number][]} */ ([
    [-1, before],
    [1, after],
  ]))
    for (let k = many; k >= 1; k--) {
      const frame = film.frames[at + side * k * step];
      if (frame)
        markup += `<g opacity="${(0.75 / k).toFixed(2)}">${drawingMarkup(frame, film.data.points, box, { outline: true, tone: side < 0 ? "var(--ghost)" : "var(--edited)" })}</g>`;
    }
  return markup;
}

/** The way of matched points from one key to the next. @param {FilmAnswer} film @param {MatchesAnswer} matches @param {number} at @param {{x: number, y: number, width: number, height: number}} box */
function paths(film, matches, at, box) {
  const keys = store.keyDrawings.value,
    from = keys?.frames[matches.gap],
    to = keys?.frames[matches.gap + 1];
  if (!from || !to) return "";
  const a = fitted(from.view_box, box),
    b = fitted(to.view_box, box),
    { pairs } = matches.data;
  let markup = "";
  for (let i = 0; i < pairs.length; i += 4) {
    const p = a.to(pairs[i], pairs[i + 1]),
      q = b.to(pairs[i + 2], pairs[i + 3]);
    markup += `<path d="M${p[0].toFixed(1)} ${p[1].toFixed(1)}L${q[0].toFixed(1)} ${q[1].toFixed(1)}" stroke="var(--text-2)" stroke-opacity=".55"/><circle cx="${p[0].toFixed(1)}" cy="${p[1].toFixed(1)}" r="2.5" fill="var(--inset)" stroke="var(--ghost)"/><circle cx="${q[0].toFixed(1)}" cy="${q[1].toFixed(1)}" r="2.5" fill="var(--inset)" stroke="var(--edited)"/>`;
  }
  return `<g class="found" pointer-events="none">${markup}</g>`;
}

/** @param {{doc: DrawingDoc}} props */
export function Transport({ doc }) {
  const film = store.film.value,
    at = nowFrame(),
    fps = film?.fps ?? doc.settings.fps;
  usePlaying(film, Boolean(doc.settings.gait));
  /** @param {string} icon @param {string} label @param {() => void} act @param {string} [kind] */
  const button = (icon, label, act, kind = "") =>
    html`<button class=${`tp ${kind}`} aria-label=${label} title=${label} disabled=${!film} onClick=${act}><${Icon} name=${icon} /></button>`;
  return html`<div class="transport" role="toolbar" aria-label="Film">
    ${button("start", "First drawing", () => goTo(0))}${button("back", "Previous drawing", () => goTo(at - 1))}
    ${button(playing.value ? "pause" : "play", playing.value ? "Pause film" : "Play film", () => (playing.value = !playing.value), "play")}
    ${button("next", "Next drawing", () => goTo(at + 1))}${button("end", "Last drawing", () => goTo(count() - 1))}
    <div class="time"><b>${(at / fps).toFixed(3)} s</b><span class="dim">drawing <span style="color:var(--text-1)">${film ? at + 1 : 1}</span> of ${count() || 1}</span></div>
    <span class="vr"></span><span class="dim" style="padding:0 8px;font-size:11px;font-weight:500">${plain(fps)} fps</span>
    <span class="grow"></span><span class="dim" style="font-size:11px">${doc.keys.length > 1 ? `key ${gap.value + 1} to key ${gap.value + 2}` : ""}</span></div>`;
}
