/** The layers and curves of both drawings, what becomes of each, and where the drawings come from. */
import { readable } from "../../core/numbers.js";
import { Choice, Chip, IconButton, Segments } from "../shell/controls.js";
import { choose, chosen, keyOf, layerName } from "./drawing_selection.js";
import { Findings } from "../shell/findings.js";
import { html } from "../shell/html.js";
import { chooseFiles } from "../shell/file_import.js";
import { ask, setDrawing } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { DrawingDoc } from "../shell/store.js" */
/** @import { KeyDrawingLine, LayerLine } from "../../core/answers.js" */

/** @param {{doc: DrawingDoc}} props */
export function Layers({ doc }) {
  const { which } = chosen.value,
    { settings } = doc;
  const presets = store.hello.value?.presets.drawing ?? [],
    layers = keyOf(doc, which)?.layers ?? [];
  return html`<div class="ph"><h2 class="grow">Layers</h2>
      <${Segments} small label="Drawing" value=${String(which)} onValue=${(/** @type {string} */ value) => choose(Number(value), chosen.value.layer)}
        options=${[{ value: "0", text: "First" }, ...(doc.b ? [{ value: "1", text: "Second" }] : [])]} /></div>
    <div class="ops">
      <ul aria-label=${`Layers of the ${which ? "second" : "first"} drawing`}>${layers.map(
        (layer, k) => html`<${Layer} doc=${doc} layer=${layer} index=${k} />`,
      )}</ul>
      ${layers.length ? null : html`<p class="empty">This drawing has no curves.</p>`}
      <div class="eyebrow" style="margin:18px 4px 6px">Material</div>
        <div class="chips">${presets.map((preset) => html`<${Chip} text=${readable(preset.replace("-", " "))} pressed=${settings.preset === preset && settings.method === "physical"} onClick=${() => setDrawing({ preset, method: "physical" })} />`)}</div>
      <div class="eyebrow" style="margin:18px 4px 6px">Drawings</div>
      ${[0, 1].map((side) => html`<${Pick} doc=${doc} which=${side} />`)}
      <${Findings} findings=${[...doc.a.findings, ...(doc.b?.findings ?? [])]} /></div>`;
}

/** A layer; one of several curves lists them. @param {{doc: DrawingDoc, layer: LayerLine, index: number}} props */
function Layer({ doc, layer, index }) {
  const { which, layer: at, contour } = chosen.value,
    on = at === index,
    name = layerName(layer, index);
  return html`<li><button class=${`layer${on ? " on" : ""}`} aria-pressed=${String(on)} onClick=${() => choose(which, index)}>
      <i style=${`background:${layer.fill ?? "transparent"};border-color:${layer.stroke ?? "var(--line-control)"}`}></i>
      <span class="grow ell">${name}</span>
      <span class="dim">${layer.contours > 1 ? `${layer.contours} curves` : `${layer.points} points`}</span></button>
    ${
      on && layer.contours > 1
        ? html`<ul class="curves" aria-label=${`Curves of ${name}`}>${layer.curves.map(
            (curve, k) =>
              html`<li><button class=${`layer${contour === k ? " on" : ""}`} aria-pressed=${String(contour === k)}
                onClick=${() => choose(which, index, k)}><span class="grow">Curve ${k + 1}</span>
              <span class="dim">${curve.closed ? "closed" : "open"}, ${curve.points} points</span></button></li>`,
          )}</ul>`
        : null
    }
    ${on && which === 0 && doc.b ? html`<${Becomes} doc=${doc} index=${index} name=${name} />` : null}</li>`;
}

/** Which layer of the second drawing a layer becomes. @param {{doc: DrawingDoc & {b: KeyDrawingLine}, index: number, name: string}} props */
function Becomes({ doc, index, name }) {
  const { layers = {} } = doc.settings,
    own = layers[index];
  const value = own === undefined ? "auto" : own === null ? "none" : String(own);
  const set = (/** @type {string} */ to) => {
    const { [index]: _, ...rest } = layers;
    setDrawing({ layers: to === "auto" ? rest : { ...rest, [index]: to === "none" ? null : Number(to) } });
  };
  return html`<div class="pick becomes"><span class="dim">Becomes</span>
    <${Choice} label=${`${name} becomes`} value=${value} onValue=${set} options=${[
      { value: "auto", text: "automatic" },
      { value: "none", text: "nothing: it disappears" },
      ...doc.b.layers.map((layer, k) => ({
        value: String(k),
        text: layerName(layer, k),
      })),
    ]} /></div>`;
}

/** @param {{doc: DrawingDoc, which: number}} props */
function Pick({ doc, which }) {
  const side = which ? "second" : "first",
    now = keyOf(doc, which)?.label ?? "not chosen yet";
  const samples = (store.hello.value?.drawings ?? []).map((drawing) => ({
    value: drawing.name,
    text: drawing.name,
  }));
  const take = async (/** @type {string} */ name) => {
    if (!name) return;
    await ask("drawing.replace", { which: which ? "b" : "a", source: { drawing: name } });
    choose(which, 0);
  };
  return html`<div class="pick"><span class="dim">${which ? "Second" : "First"}</span>
    <${Choice} label=${`${which ? "Second" : "First"} drawing`} value="" options=${[{ value: "", text: now }, ...samples]}
      onValue=${take} />
    <${IconButton} small icon="open" label=${`Open ${side} drawing`}
      onClick=${() => chooseFiles(which ? "drawing-b" : "drawing-a")} /></div>`;
}
