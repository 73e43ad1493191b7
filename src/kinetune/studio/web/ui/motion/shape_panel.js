/** The shaping curve: what becomes of each angle. */
import { CurveEditor } from "../../core/curve.js";
import { fixed } from "../../core/numbers.js";
import { Chip, Core, NumberField } from "../shell/controls.js";
import { html, useEffect, useState } from "../shell/html.js";
import { link, turn } from "../shell/session.js";
/** @import { TcbKey } from "../../core/types.js" */
/** @import { Phase } from "../shell/controls.js" */
/** @import { ShapingAnswer, StepOf } from "../../core/answers.js" */

const LIBRARY = [
  ["identity", "Straight"],
  ["soft_limit(-0.8, 0.8)", "Soft limit"],
  ["cap(-0.6, 0.6)", "Hard limit"],
  ["expander(1.6)", "Exaggerate"],
  ["cosine", "Cosine"],
  ["undulate(3)", "Waves"],
  ["quantize(4)", "Steps"],
];

/** @param {{step: StepOf<"shape">}} props */
export function Shaping({ step }) {
  const [loaded, setLoaded] = useState(/** @type {ShapingAnswer | null} */ (null));
  const [selected, setSelected] = useState(-1);
  const text = JSON.stringify(step.knobs.curve);
  useEffect(() => {
    link.ask("shaping", { curve: step.knobs.curve, points: 240 }, "shaping").then(setLoaded, () => setLoaded(null));
  }, [text]);
  const points = (loaded?.curve.points ?? []).map(([x, y, tension = 0, continuity = 0, bias = 0]) => ({
    ...{ x, y, tension, continuity, bias },
  }));
  const degrees = step.knobs.normalise === "degrees",
    unit = degrees ? "°" : "";
  const reach = Math.max(
    degrees ? 10 : 1,
    ...points.map((point) => Math.abs(point.y)),
    ...(degrees ? points.map((point) => Math.abs(point.x)) : []),
  );
  const set = (/** @type {TcbKey[]} */ next, /** @type {Phase} */ phase) =>
    turn(
      step.id,
      {
        curve: {
          points: next.map(({ x, y, tension, continuity, bias }) => ({
            x: tidy(x),
            y: tidy(y),
            ...(tension ? { tension } : {}),
            ...(continuity ? { continuity } : {}),
            ...(bias ? { bias } : {}),
          })),
        },
      },
      phase,
      "Shaping curve",
    );
  const chosen = points[selected];
  const change = (/** @type {string} */ name) => (/** @type {number | null} */ value, /** @type {Phase} */ phase) =>
    set(
      points.map((point, k) => (k === selected ? { ...point, [name]: value ?? 0 } : point)).sort((a, b) => a.x - b.x),
      phase,
    );
  const values = loaded?.data?.values,
    exact = /** @type {[number, number][]} */ ([]);
  if (values) for (let i = 0; i < values.length; i += 2) exact.push([values[i], values[i + 1]]);
  return html`<section class="sec" style="border-top:0;padding-top:0">
      <${Core} className="well square" watch=${[loaded, selected]}
          make=${(/** @type {HTMLElement} */ host) => new CurveEditor(host, { label: "Shaping curve", fixedEnds: true })}
          update=${(/** @type {CurveEditor} */ curve) => {
            const wide = degrees ? reach * 1.05 : 1.02;
            curve.view = {
              x: [-wide, wide],
              y: [-reach * 1.06, reach * 1.06],
              marks: [-1, -0.5, 0, 0.5, 1].map((v) => ({
                at: v * (degrees ? reach : 1),
                text: v === 0 || degrees ? `${fixed(v * reach, 0)}${unit}` : "",
              })),
              columns: [-1, -0.5, 0, 0.5, 1].map((v) => v * (degrees ? reach : 1)),
              xUnit: "in",
              yUnit: "out",
              xStep: wide / 100,
              yStep: reach / 50,
            };
            curve.reference = [
              [-wide, -wide],
              [wide, wide],
            ];
            curve.selected = selected;
            curve.onSelect = setSelected;
            curve.onKeys = (next, _, phase) => set(next, phase);
            curve.setKeys(points);
            if (exact.length) curve.setExact(exact);
          }} /><div class="cap2"><span>Across: angle before</span><span>Up: angle after</span></div></section>
    <section class="sec"><div class="chips" role="group" aria-label="Library">${LIBRARY.map(
      ([curve, name]) =>
        html`<${Chip} text=${name} pressed=${step.knobs.curve === curve} onClick=${() => {
          setSelected(-1);
          turn(step.id, { curve: curve });
        }} />`,
    )}</div></section>
    ${
      chosen
        ? html`<section class="sec"><div class="sec-h"><h3 class="grow">Selected point</h3>
          <span class="dim">${selected + 1} of ${points.length}</span></div>
      <div class="pair"><${NumberField} label="In" mark="In" unit=${unit} value=${chosen.x} onValue=${change("x")} />
        <${NumberField} label="Out" mark="Out" unit=${unit} value=${chosen.y} onValue=${change("y")} /></div>
      <div class="tcb" style="margin-top:6px">${/** @type {const} */ (["tension", "continuity", "bias"]).map((name) => html`<${NumberField} label=${name} mark=${name.charAt(0).toUpperCase()} value=${chosen[name]} min=${-1} max=${1} step=${0.05} neutral=${0} onValue=${change(name)} />`)}</div>
        </section>`
        : null
    }`;
}

/** @param {number} value */
const tidy = (value) => Math.round(value * 10000) / 10000;
