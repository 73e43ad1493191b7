/** The layers and curves of a key drawing, and what becomes of each. */
import { readable } from "../../core/numbers.js";
import { Choice, Chip } from "../shell/controls.js";
import { choose, chosen, layerName } from "./drawing_selection.js";
import { Findings } from "../shell/findings.js";
import { html } from "../shell/html.js";
import { setDrawing } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { DrawingDoc } from "../shell/store.js" */
/** @import { LayerLine } from "../../core/answers.js" */

/** @param {{doc: DrawingDoc}} props */
export function Layers({ doc }) {
  const { key } = chosen.value,
    { settings } = doc;
  const presets = store.hello.value?.presets.drawing ?? [],
    layers = doc.keys[key]?.layers ?? [];
  return html`<div class="ph"><h2 class="grow">Layers</h2><span class="dim ell" style="font-size:11px">key ${key + 1}, ${layers.length}</span></div>
    <div class="ops">
      <ul aria-label=${`Layers of key ${key + 1}`}>${layers.map(
        (layer, k) => html`<${Layer} doc=${doc} layer=${layer} index=${k} />`,
      )}</ul>
      ${layers.length ? null : html`<p class="empty">This drawing has no curves.</p>`}
      <div class="eyebrow" style="margin:18px 4px 6px">Material</div>
        <div class="chips">${presets.map((preset) => html`<${Chip} text=${readable(preset.replace("-", " "))} pressed=${settings.preset === preset && settings.method === "physical"} onClick=${() => setDrawing({ preset, method: "physical" })} />`)}</div>
      <${Findings} findings=${doc.keys.flatMap((each) => each.findings)} /></div>`;
}

/** A layer; one of several curves lists them. @param {{doc: DrawingDoc, layer: LayerLine, index: number}} props */
function Layer({ doc, layer, index }) {
  const { key, layer: at, contour } = chosen.value,
    on = at === index,
    name = layerName(layer, index);
  return html`<li><button class=${`layer${on ? " on" : ""}`} aria-pressed=${String(on)} onClick=${() => choose(key, index)}>
      <i style=${`background:${layer.fill ?? "transparent"};border-color:${layer.stroke ?? "var(--line-control)"}`}></i>
      <span class="grow ell">${name}</span>
      <span class="dim">${layer.contours > 1 ? `${layer.contours} curves` : `${layer.points} points`}</span></button>
    ${
      on && layer.contours > 1
        ? html`<ul class="curves" aria-label=${`Curves of ${name}`}>${layer.curves.map(
            (curve, k) =>
              html`<li><button class=${`layer${contour === k ? " on" : ""}`} aria-pressed=${String(contour === k)}
                onClick=${() => choose(key, index, k)}><span class="grow">Curve ${k + 1}</span>
              <span class="dim">${curve.closed ? "closed" : "open"}, ${curve.points} points</span></button></li>`,
          )}</ul>`
        : null
    }
    ${on && key < doc.keys.length - 1 ? html`<${Becomes} doc=${doc} index=${index} name=${name} />` : null}</li>`;
}

/** Which layer of the next key drawing a layer becomes. @param {{doc: DrawingDoc, index: number, name: string}} props */
function Becomes({ doc, index, name }) {
  const { key } = chosen.value,
    { layers = {} } = doc.gaps[key] ?? {},
    own = layers[index];
  const value = own === undefined ? "auto" : own === null ? "none" : String(own);
  const set = (/** @type {string} */ to) => {
    const { [index]: _, ...rest } = layers;
    setDrawing(
      { layers: to === "auto" ? rest : { ...rest, [index]: to === "none" ? null : Number(to) } },
      "end",
      `${name} becomes`,
      key,
    );
  };
  return html`<div class="pick becomes"><span class="dim">Becomes</span>
    <${Choice} label=${`${name} becomes`} value=${value} onValue=${set} options=${[
      { value: "auto", text: "automatic" },
      { value: "none", text: "nothing: it disappears" },
      ...doc.keys[key + 1].layers.map((layer, k) => ({
        value: String(k),
        text: layerName(layer, k),
      })),
    ]} /></div>`;
}
