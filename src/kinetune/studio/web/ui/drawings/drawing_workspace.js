/** The second workspace: key drawings in a strip, the film between them, what corresponds in them. */
import { ContourEditor } from "../../core/contour.js";
import { Chip, Core, Icon, Note, Segments } from "../shell/controls.js";
import { Layers } from "./layers_panel.js";
import { choose, chosen, detail, gap, linesShown, onion, tool } from "./drawing_selection.js";
import { History } from "../shell/history_panel.js";
import { html, useEffect, useState } from "../shell/html.js";
import { FilmView, Transport } from "./film_view.js";
import { KeyStrip, SecondDrawing } from "./key_strip.js";
import { Morph } from "./morph_panel.js";
import { ask, cancel, commit, drag, setDrawing } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { DrawingDoc } from "../shell/store.js" */
/** @import { MatchesAnswer } from "../../core/answers.js" */

export function Drawings() {
  const doc = store.drawingDoc.value;
  if (!doc?.settings) return html`<main class="drawings"><p class="blank">Opening…</p></main>`;
  const alone = doc.keys.length === 1;
  useEffect(() => choose(chosen.value.key, chosen.value.layer, chosen.value.contour), [doc.doc, doc.keys.length]);
  useEffect(() => {
    gap.value = Math.max(0, Math.min(gap.value, doc.keys.length - 2));
  }, [doc.doc, doc.keys.length]);
  const matches = useMatches(doc);
  const close = () => {
    store.trouble.value = null;
  };
  return html`<nav class="stack" aria-label="Layers" data-region data-drop=${`key-${chosen.value.key}`}><${Layers} doc=${doc} /></nav>
    <main class="drawings" data-region tabindex="0" aria-label="Drawings">
      <div class="stage" data-drop="film">
        ${tool.value === "film" ? html`<${FilmView} doc=${doc} matches=${matches} />` : html`<${KeyEditor} doc=${doc} matches=${matches} />`}
        <div class="vo tl"><div class="plate"><${Segments} label="Tool" value=${tool.value} onValue=${(
          /** @type {"film" | "match" | "shape"} */ value,
        ) => {
          tool.value = value;
        }} options=${[
          { value: "film", text: "Film", title: "The film as it plays  F" },
          { value: "match", text: "Match", title: "Which points become each other  M" },
          { value: "shape", text: "Shape", title: "Bend the curves of a key drawing  S" },
        ]} /></div></div>
        ${
          tool.value === "shape"
            ? null
            : html`<div class="vo tr"><div class="plate" role="toolbar" aria-label="Show">
          ${tool.value === "film" ? html`<button class="btn" aria-pressed=${String(onion.value.on)} onClick=${() => (onion.value = { ...onion.value, on: !onion.value.on })}><${Icon} name="ghost" />Onion skin</button>` : null}
          <button class="btn" aria-pressed=${String(linesShown.value)} onClick=${() => (linesShown.value = !linesShown.value)}><${Icon} name="link" />Matches</button></div></div>`
        }
        ${store.trouble.value ? html`<div class="vo middle"><${Note} ...${store.trouble.value} actions=${store.trouble.value.actions ?? [{ text: "Close", onClick: close }]} /></div>` : null}
        ${alone ? html`<${SecondDrawing} />` : null}
        <div class="drop-hint" aria-hidden="true"><${Icon} name="drop" /><b>Drop to add a key drawing</b>
          <span>On a key drawing or its layers, it replaces that drawing.</span></div></div>
      <${Transport} doc=${doc} /><${KeyStrip} doc=${doc} /></main>
    ${store.reviewing.value ? html`<${History} />` : html`<aside class="insp" aria-label="Inspector: film" data-region><${Morph} doc=${doc} matches=${matches} /></aside>`}`;
}

/** Which points of the chosen gap become each other, asked for anew when anything about them changes. @param {DrawingDoc} doc @returns {MatchesAnswer | null} */
function useMatches(doc) {
  const [matches, setMatches] = useState(/** @type {MatchesAnswer | null} */ (null));
  const { settings } = doc,
    at = gap.value,
    film = store.film.value;
  const about = JSON.stringify([
    doc.doc,
    at,
    doc.gaps[at]?.pins,
    doc.gaps[at]?.layers,
    settings.method,
    settings.match,
  ]);
  useEffect(() => {
    if (!film || doc.dragging || settings.gait) return undefined;
    let live = true;
    ask("drawing.matches", { gap: at, points: 36 }, "matches").then((answer) => {
      if (live && answer) setMatches(answer);
    });
    return () => {
      live = false;
    };
  }, [about, film?.edit, Boolean(settings.gait)]);
  return matches?.gap === at && !settings.gait ? matches : null;
}

/** @typedef {import("../../core/contour.js").Control & {layer: number, contour: number, choices: number[]}} ControlPoints */

/** Two key drawings side by side, to match and to shape. @param {{doc: DrawingDoc, matches: MatchesAnswer | null}} props */
function KeyEditor({ doc, matches }) {
  const keys = store.keyDrawings.value,
    { key, layer, contour } = chosen.value,
    first = gap.value,
    shaping = tool.value === "shape";
  const [loaded, setControl] = useState(/** @type {(ControlPoints & {key: number}) | null} */ (null));
  const isOfChosen = loaded?.key === key && loaded.layer === layer && loaded.contour === contour;
  const control = isOfChosen ? { ...loaded, which: key - first } : null;
  useEffect(() => {
    if (!shaping || !keys) {
      setControl(null);
      return undefined;
    }
    let live = true;
    const load = async () => {
      const answer = await ask("drawing.points", { key, layer, contour, points: detail.value }, "points");
      if (!live || !answer) return;
      const { control: points, sweep } = answer.data;
      const known = { closed: answer.closed, choices: answer.choices };
      setControl({ key, which: key - first, layer, contour, control: points, curve: sweep ?? null, ...known });
    };
    load();
    return () => {
      live = false;
    };
  }, [shaping, key, layer, contour, detail.value, keys]);
  const facts = {
    keys: keys
      ? {
          frames: keys.frames.slice(first, first + 2),
          points: keys.data.points,
          names: [first, first + 1].map((k) => (doc.keys[k] ? `${k + 1}  ${doc.keys[k].label}` : "")),
        }
      : null,
    pins: doc.gaps[first]?.pins ?? [],
    matches: linesShown.value ? (matches?.data.pairs ?? null) : null,
    chosen: { which: key - first, layer, contour },
    tool: /** @type {"match" | "shape"} */ (shaping ? "shape" : "match"),
    control,
  };
  const wire = (/** @type {ContourEditor} */ editor) => {
    editor.onChoose = (which, at, curve) => choose(first + which, at, curve);
    editor.onPins = (pins, phase) => {
      setDrawing({ pins }, phase, "Matched points", first);
    };
    editor.onPoint = (index, by, phase) => {
      if (phase === "cancel") {
        cancel();
        return;
      }
      drag("point", "drawing.drag", { key, layer, contour, points: detail.value, index, by });
      if (phase === "end") commit("Shape");
    };
    editor.setFacts(facts);
  };
  const hint = !shaping && !facts.pins.length && doc.keys.length > 1;
  return html`<${Core} className="fill" watch=${[keys, first, JSON.stringify(facts.pins), chosen.value, tool.value, control, detail.value, facts.matches]}
      make=${(/** @type {HTMLElement} */ host) => new ContourEditor(host)} update=${wire} />
    ${shaping && loaded ? html`<${Details} choices=${loaded.choices ?? []} />` : null}
    ${hint ? html`<div class="vo bl"><div class="plate" style="padding:0 12px;height:32px">Press on a line of one drawing and drag to the same place on the other.</div></div>` : null}`;
}

/** How coarse the control points are. @param {{choices: number[]}} props */
const Details = ({ choices }) =>
  html`<div class="vo bl"><div class="plate" role="group" aria-label="Control points" style="padding:4px 10px;gap:10px">
    <span class="dim">Control points</span>${choices.map(
      (n) =>
        html`<${Chip} text=${n} label=${`${n} control points`} chosen=${detail.value === n} pressed=${detail.value === n} onClick=${() => {
          detail.value = n;
        }} />`,
    )}</div></div>`;
