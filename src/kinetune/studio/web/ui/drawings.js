/** The second workspace: two drawings, what corresponds in them, and the film between. */
import { ContourEditor, drawingMarkup } from "../core/contour.js";
import { plain, words } from "../core/numbers.js";
import { Choice, Chip, Core, Icon, IconButton, Note, NumberField, Segments, Slider, Switch } from "./controls.js";
import { html, signal, useEffect, useRef, useState } from "./html.js";
import { chooseFiles } from "./importing.js";
import { ask, cancel, commit, drag, setDrawing } from "./session.js";
import * as store from "./store.js";

const tool = signal(/** @type {"match" | "shape" | "gait"} */ ("match"));
const layer = signal(0);
const side = signal(0);
const detail = signal(8);
const moment = signal(0);

export function Drawings() {
  const doc = store.doc.value,
    settings = doc?.settings;
  if (!settings) return html`<main class="drawings"><p class="blank">Opening…</p></main>`;
  return html`<nav class="stack" aria-label="Layers" data-region data-drop="drawing-a"><${Layers} doc=${doc} /></nav>
    <main class="drawings" data-region tabindex="0" aria-label="Drawings">
      <div class="ititle"><div class="grow"><h2>${doc.name}</h2>
        <p>${doc.a.words}${doc.b ? ` to ${doc.b.words}` : ""}, ${doc.a.layers.length} layers, ${settings.pins?.length ?? 0} matched points</p>
        </div>
        <${Segments} small label="Tool" value=${tool.value} onValue=${(/** @type {any} */ value) => {
          tool.value = value;
        }} options=${[
          { value: "match", text: "Match" },
          { value: "shape", text: "Shape" },
          { value: "gait", text: "Gait" },
        ]} /></div>
      <${Stage} doc=${doc} /><${Film} /></main>
    <aside class="insp" aria-label="Inspector: morph" data-region><${Morph} doc=${doc} /></aside>`;
}

/** @param {{doc: any}} props */
function Layers({ doc }) {
  const presets = store.hello.value?.presets?.drawing ?? [],
    { settings } = doc;
  const pick = (/** @type {number} */ which, /** @type {string} */ name) =>
    ask("drawing.replace", { which: which ? "b" : "a", source: { drawing: name } });
  const samples = (store.hello.value?.drawings ?? []).map((/** @type {any} */ drawing) => ({
    value: drawing.name,
    text: drawing.name,
  }));
  return html`<div class="ph"><h2 class="grow">Layers</h2></div>
    <div class="ops">${doc.a.layers.map(
      (/** @type {any} */ each, /** @type {number} */ k) =>
        html`<button class=${`layer${layer.value === k ? " on" : ""}`} aria-pressed=${String(layer.value === k)}
            onClick=${() => {
              layer.value = k;
            }}><i style=${`background:${each.fill ?? "transparent"};border-color:${each.stroke ?? "var(--line-control)"}`}>
          </i><span class="grow ell">${each.name || `Layer ${k + 1}`}</span><span class="dim">${each.points}</span>
          </button>`,
    )}
      <div class="eyebrow" style="margin:18px 4px 6px">Material</div>
        <div class="chips">${presets.map((/** @type {string} */ preset) => html`<${Chip} text=${words(preset.replace("-", " "))} pressed=${settings.preset === preset && settings.method === "physical"} onClick=${() => setDrawing({ preset, method: "physical" })} />`)}</div>
      <div class="eyebrow" style="margin:18px 4px 6px">Drawings</div>
      ${[0, 1].map(
        (which) => html`<div class="pick"><span class="dim">${which ? "Second" : "First"}</span>
        <${Choice} label=${which ? "Second drawing" : "First drawing"} value=""
          options=${[{ value: "", text: (which ? doc.b : doc.a)?.words ?? "none" }, ...samples]}
          onValue=${(/** @type {string} */ name) => name && pick(which, name)} />
        <${IconButton} small icon="open" label=${which ? "Open second drawing" : "Open first drawing"}
          onClick=${() => chooseFiles(which ? "drawing-b" : "drawing-a")} />
        </div>`,
      )}
      ${[...(doc.a.notes ?? []), ...(doc.b?.notes ?? [])].map(
        (/** @type {string} */ note) => html`<p class="pop-note">
        <${Icon} name="warn" size=${12} />${note}</p>`,
      )}</div>`;
}

/** @param {{doc: any}} props */
function Stage({ doc }) {
  const keys = store.keyDrawings.value,
    which = side.value;
  const [control, setControl] = useState(/** @type {any} */ (null));
  const shaping = tool.value === "shape";
  useEffect(() => {
    if (!shaping || !keys) {
      setControl(null);
      return;
    }
    ask(
      "drawing.points",
      { which: which ? "b" : "a", layer: layer.value, contour: 0, points: detail.value },
      "points",
    ).then((told) => {
      if (told)
        setControl({ which, control: told.data.control, curve: told.data.sweep ?? null, choices: told.choices });
    });
  }, [shaping, which, layer.value, detail.value, keys]);
  const facts = {
    keys: keys ? { frames: keys.frames, points: keys.data.points, names: [doc.a.words, doc.b?.words ?? ""] } : null,
    pins: doc.settings.pins ?? [],
    layer: layer.value,
    tool: /** @type {"match" | "shape"} */ (shaping ? "shape" : "match"),
    control,
  };
  return html`<div class="stage" data-drop="drawing-b">
    <${Core} className="fill" watch=${[keys, JSON.stringify(facts.pins), layer.value, tool.value, control]}
      make=${(/** @type {HTMLElement} */ host) => new ContourEditor(host)} update=${(
        /** @type {ContourEditor} */ editor,
      ) => {
        editor.onLayer = (at, k) => {
          side.value = at;
          layer.value = k;
        };
        editor.onPins = (pins, phase) => {
          setDrawing({ pins }, phase, "Matched points");
        };
        editor.onPoint = (index, by, phase) => {
          const fields = { which: which ? "b" : "a", layer: layer.value, contour: 0, points: detail.value, index, by };
          if (phase === "cancel") cancel();
          else {
            drag("point", "drawing.drag", fields);
            if (phase === "end") commit("Shape");
          }
        };
        editor.setFacts(facts);
      }} />${
        shaping && control
          ? html`<div class="vo bl"><div class="plate" style="padding:4px 10px;gap:10px">
        <span class="dim">Control points</span>${(control.choices ?? [4, 8, 16, 32]).slice(0, 6).map(
          (/** @type {number} */ n) =>
            html`<${Chip} text=${n} chosen=${detail.value === n} onClick=${() => {
              detail.value = n;
            }} />`,
        )}</div></div>`
          : null
      }
    ${
      tool.value === "match" && !facts.pins.length
        ? html`<div class="vo bl">
      <div class="plate" style="padding:0 12px;height:32px">Press on a line of one drawing and drag to the same place on the other.</div>
      </div>`
        : null
    }</div>`;
}

/** Which frame of the film is nearest to the moment. */
function nowFrame() {
  const film = store.film.value;
  return film?.frames.length ? Math.round(moment.value * (film.frames.length - 1)) : 0;
}

/** Eight pictures of the film. */
function Film() {
  const film = store.film.value;
  if (!film) return html`<div class="filmstrip"><p class="dim">Drawing in-betweens…</p></div>`;
  const count = Math.min(8, film.frames.length),
    at = nowFrame();
  return html`<div class="filmstrip" role="group" aria-label="Film">${Array.from({ length: count }, (_, k) => {
    const index = Math.round((k / Math.max(1, count - 1)) * (film.frames.length - 1)),
      frame = film.frames[index],
      near = Math.abs(index - at) <= film.frames.length / count / 2;
    return html`<button class=${near ? "on" : ""} aria-label=${`Go to ${Math.round(frame.t * 100)} percent`}
        onClick=${() => {
          moment.value = index / Math.max(1, film.frames.length - 1);
        }}>
      <svg viewBox="0 0 116 80" dangerouslySetInnerHTML=${{ __html: drawingMarkup(frame, film.data.points, { x: 6, y: 5, width: 104, height: 70 }, { tone: `color-mix(in oklab, var(--ghost), var(--edited) ${Math.round(frame.t * 100)}%)` }) }}>
      </svg><span>${Math.round(frame.t * 100)}</span></button>`;
  })}</div>`;
}

/** @param {{doc: any}} props */
function Morph({ doc }) {
  const film = store.film.value,
    { settings } = doc,
    hello = store.hello.value;
  const [playing, setPlaying] = useState(false);
  const [own, setOwn] = useState(true);
  const back = useRef(1);
  useEffect(() => {
    if (!playing || !film) return undefined;
    let last = 0,
      request = 0;
    const tick = (/** @type {number} */ now) => {
      const passed = last ? (now - last) / 1000 : 0;
      last = now;
      let next = moment.value + (back.current * passed * film.fps) / Math.max(1, film.frames.length - 1);
      if (settings.gait) next %= 1;
      else if (next > 1 || next < 0) {
        back.current = next > 1 ? -1 : 1;
        next = Math.min(1, Math.max(0, next));
      }
      moment.value = next;
      request = requestAnimationFrame(tick);
    };
    request = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(request);
  }, [playing, film, settings.gait]);
  const frame = film?.frames[nowFrame()];
  const total = doc.a.layers.reduce(
      (/** @type {number} */ most, /** @type {any} */ each) => Math.max(most, each.points),
      4,
    ),
    steps = Math.max(1, Math.ceil(Math.log2(total / 4)));
  const level = settings.resolution ? Math.log2(settings.resolution / 4) : steps;
  return html`<div class="ititle"><div class="grow"><h2>Morph</h2>
    <p>${words(settings.method)}, ${film?.frames.length ?? settings.frames} drawings at ${plain(film?.fps ?? 24)} fps</p>
    </div>
    <${IconButton} icon=${playing ? "pause" : "play"} label=${playing ? "Pause" : "Play"}
      onClick=${() => setPlaying(!playing)} />
    </div>
    <section class="sec" style="border-top:0;padding-top:0"><div class=${`well paper${own ? " white" : ""}`}>
      <svg class="preview" viewBox="0 0 340 240" width="100%" role="img"
        aria-label=${`Morph at ${Math.round(moment.value * 100)} percent`}
        dangerouslySetInnerHTML=${{ __html: frame ? drawingMarkup(frame, film.data.points, { x: 14, y: 12, width: 312, height: 216 }, { own, tone: "var(--ink)" }) : "" }}>
      </svg></div>
      <label class="pop-check">
        <input type="checkbox" checked=${own} onChange=${() => setOwn(!own)} />Own colours</label></section>
    <section class="sec"><div class="sec-h"><h3 class="grow">Morph</h3>
      <span style="color:var(--edited);font-weight:600">${Math.round(moment.value * 100)} %</span></div>
      <${Slider} label="Morph" value=${moment.value} min=${0} max=${1} neutral=${0}
        text=${(/** @type {number} */ v) => `${Math.round(v * 100)} percent`} onValue=${(
          /** @type {number} */ value,
        ) => {
          moment.value = value;
        }} /></section>
    ${
      film?.notes?.length
        ? html`<section class="sec"><${Note} quiet message=${film.notes[0]} more=${film.notes[1]} />
      </section>`
        : null
    }
    <section class="sec knobs">
      <div class="knob"><span class="knob-name">Method</span><div class="knob-value">
        <${Choice} label="Method" value=${settings.method}
          options=${(hello.presets.morph ?? []).map((/** @type {string} */ value) => ({ value, text: value }))}
          onValue=${(/** @type {string} */ method) => setDrawing({ method })} />
        </div></div>
      <div class="knob"><span class="knob-name">Resolution</span><div class="knob-value">
        <${Slider} quiet label="Resolution" value=${level} min=${0} max=${steps} step=${1} neutral=${steps}
          text=${(/** @type {number} */ v) => (v >= steps ? "all control points" : `${4 * 2 ** v} control points`)}
          onValue=${(/** @type {number} */ value, /** @type {any} */ phase) => setDrawing({ resolution: value >= steps ? null : 4 * 2 ** Math.round(value) }, phase, "Resolution")} />
        <output>${settings.resolution ? `${settings.resolution} of ${total}` : "all"}</output></div></div>
      <div class="knob"><span class="knob-name">Drawings</span><div class="knob-value">
        <${NumberField} whole label="Drawings" value=${settings.frames} min=${2} max=${240}
          onValue=${(/** @type {any} */ value, /** @type {any} */ phase) => setDrawing({ frames: value }, phase, "Drawings")} />
        </div></div>
      <div class="knob"><span class="knob-name">Ease</span><div class="knob-value">
        <${Choice} label="Ease" value=${settings.ease}
          options=${(hello.presets.ease ?? []).map((/** @type {string} */ value) => ({ value, text: value }))}
          onValue=${(/** @type {string} */ ease) => setDrawing({ ease })} />
        </div></div>
      ${
        settings.method === "physical"
          ? html`<div class="knob"><span class="knob-name">Seconds</span>
        <div class="knob-value">
        <${NumberField} label="Seconds" unit="s" value=${settings.seconds} min=${0.05} max=${60}
          onValue=${(/** @type {any} */ value, /** @type {any} */ phase) => setDrawing({ seconds: value }, phase, "Seconds")} />
        </div></div>`
          : null
      }
      <div class="knob"><span class="knob-name">Walk cycle</span><div class="knob-value">
        <${Switch} label="Walk cycle" on=${Boolean(settings.gait)}
          onValue=${(/** @type {boolean} */ on) => setDrawing({ gait: on ? { gamma_a: 0, gamma_b: 0.5, pairs: [] } : null })} />
        </div></div>
      ${
        settings.gait
          ? ["gamma_a", "gamma_b"].map(
              (name) => html`<div class="knob">
        <span class="knob-name">${name === "gamma_a" ? "First at" : "Second at"}</span><div class="knob-value">
        <${Slider} label=${words(name)} value=${settings.gait[name] ?? 0} min=${0} max=${1}
          onValue=${(/** @type {number} */ value, /** @type {any} */ phase) => setDrawing({ gait: { ...settings.gait, [name]: Math.round(value * 100) / 100 } }, phase, "Gait")} />
        <output>${plain(settings.gait[name] ?? 0)}</output></div></div>`,
            )
          : null
      }
    </section>`;
}
