/** The second workspace: two drawings, what corresponds in them, and the film between. */
import { ContourEditor } from "../../core/contour.js";
import { Chip, Core, Icon, Segments } from "../shell/controls.js";
import { Layers } from "./layers_panel.js";
import { choose, chosen, detail, tool } from "./drawing_selection.js";
import { html, useEffect, useState } from "../shell/html.js";
import { chooseFiles } from "../shell/file_import.js";
import { Film, Morph } from "./morph_panel.js";
import { ask, cancel, commit, drag, setDrawing } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { DrawingDoc } from "../shell/store.js" */

export function Drawings() {
  const doc = store.drawingDoc.value,
    settings = doc?.settings;
  if (!doc || !settings) return html`<main class="drawings"><p class="blank">Opening…</p></main>`;
  const matched = settings.pins?.length ?? 0;
  return html`<nav class="stack" aria-label="Layers" data-region data-drop="drawing-a"><${Layers} doc=${doc} /></nav>
    <main class="drawings" data-region tabindex="0" aria-label="Drawings">
      <div class="ititle"><div class="grow"><h2>${doc.name}</h2>
        <p>${doc.a.label}${doc.b ? ` to ${doc.b.label}` : ""}, ${doc.a.layers.length} ${doc.a.layers.length === 1 ? "layer" : "layers"}, ${matched} matched ${matched === 1 ? "point" : "points"}</p>
        </div>
        <${Segments} small label="Tool" value=${tool.value} onValue=${(/** @type {"match" | "shape"} */ value) => {
          tool.value = value;
        }} options=${[
          { value: "match", text: "Match" },
          { value: "shape", text: "Shape" },
        ]} /></div>
      <${Stage} doc=${doc} /><${Film} doc=${doc} /></main>
    <aside class="insp" aria-label="Inspector: morph" data-region><${Morph} doc=${doc} /></aside>`;
}

/** @typedef {import("../../core/contour.js").Control & {layer: number, contour: number, choices: number[]}} ControlPoints */

/** @param {{doc: DrawingDoc}} props */
function Stage({ doc }) {
  const keys = store.keyDrawings.value,
    { which, layer, contour } = chosen.value,
    shaping = tool.value === "shape";
  const [loaded, setControl] = useState(/** @type {ControlPoints | null} */ (null));
  const isOfChosen = loaded?.which === which && loaded.layer === layer && loaded.contour === contour;
  const control = isOfChosen ? loaded : null;
  useEffect(() => {
    if (which && !doc.b) choose(0, 0);
    else choose(which, layer, contour);
  }, [doc.doc, doc.a.layers.length, doc.b?.layers.length]);
  useEffect(() => {
    if (!shaping || !keys) {
      setControl(null);
      return undefined;
    }
    let live = true;
    const place = { which: which ? "b" : "a", layer, contour };
    const load = async () => {
      const answer = await ask("drawing.points", { ...place, points: detail.value }, "points");
      if (!live || !answer) return;
      const { control: points, sweep } = answer.data;
      const known = { closed: answer.closed, choices: answer.choices };
      setControl({ which, layer, contour, control: points, curve: sweep ?? null, ...known });
    };
    load();
    return () => {
      live = false;
    };
  }, [shaping, which, layer, contour, detail.value, keys]);
  const facts = {
    keys: keys ? { frames: keys.frames, points: keys.data.points, names: [doc.a.label, doc.b?.label ?? ""] } : null,
    pins: doc.settings.pins ?? [],
    chosen: chosen.value,
    tool: /** @type {"match" | "shape"} */ (shaping ? "shape" : "match"),
    control,
  };
  const wire = (/** @type {ContourEditor} */ editor) => {
    editor.onChoose = choose;
    editor.onPins = (pins, phase) => {
      setDrawing({ pins }, phase, "Matched points");
    };
    editor.onPoint = (index, by, phase) => {
      if (phase === "cancel") {
        cancel();
        return;
      }
      drag("point", "drawing.drag", {
        ...{ which: which ? "b" : "a", layer, contour, points: detail.value, index, by },
      });
      if (phase === "end") commit("Shape");
    };
    editor.setFacts(facts);
  };
  return html`<div class="stage" data-drop="drawing-b">
    <${Core} className="fill" watch=${[keys, JSON.stringify(facts.pins), chosen.value, tool.value, control, detail.value]}
      make=${(/** @type {HTMLElement} */ host) => new ContourEditor(host)} update=${wire} />
    ${shaping && loaded ? html`<${Details} choices=${loaded.choices ?? []} />` : null}
    ${tool.value === "match" && !facts.pins.length && doc.b ? html`<${Hint} text="Press on a line of one drawing and drag to the same place on the other." />` : null}
    ${doc.b ? null : html`<${SecondDrawing} />`}
    <div class="drop-hint" aria-hidden="true"><${Icon} name="drop" /><b>Drop to use as the second drawing</b>
      <span>On the layers: as the first one.</span></div></div>`;
}

/** @param {{text: string}} props */
const Hint = ({ text }) =>
  html`<div class="vo bl"><div class="plate" style="padding:0 12px;height:32px">${text}</div></div>`;

/** How coarse the control points are. @param {{choices: number[]}} props */
const Details = ({ choices }) =>
  html`<div class="vo bl"><div class="plate" role="group" aria-label="Control points" style="padding:4px 10px;gap:10px">
    <span class="dim">Control points</span>${choices.map(
      (n) =>
        html`<${Chip} text=${n} label=${`${n} control points`} chosen=${detail.value === n} pressed=${detail.value === n} onClick=${() => {
          detail.value = n;
        }} />`,
    )}</div></div>`;

/** Nothing to morph into yet. */
function SecondDrawing() {
  const names = (store.hello.value?.drawings ?? []).map((drawing) => drawing.name);
  return html`<div class="second blank"><p><b>No second drawing yet</b></p>
    <p>Drop an SVG here, or choose one, and the drawings in between are made.</p>
    <div class="chips">${names.map((name) => html`<${Chip} text=${name} onClick=${() => ask("drawing.replace", { which: "b", source: { drawing: name } })} />`)}</div>
    <button class="btn line" onClick=${() => chooseFiles("drawing-b")}>Choose a file</button></div>`;
}
