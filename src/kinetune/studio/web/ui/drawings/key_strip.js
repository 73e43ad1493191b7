/** The key drawings in a row, with the drawings between them as dots. */
import { drawingMarkup } from "../../core/contour.js";
import { Chip, Icon, MenuItem, Popover } from "../shell/controls.js";
import { choose, chooseGap, chosen, gap, goTo, nowFrame } from "./drawing_selection.js";
import { chooseFiles } from "../shell/file_import.js";
import { html } from "../shell/html.js";
import { ask } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { DrawingDoc } from "../shell/store.js" */

const sampleNames = () => (store.hello.value?.drawings ?? []).map((drawing) => drawing.name);

/** @param {{doc: DrawingDoc}} props */
export function KeyStrip({ doc }) {
  const { keys } = doc;
  return html`<div class="strip" role="group" aria-label="Key drawings">
    ${keys.map((key, k) => html`<${KeyCard} key=${`k${k}`} doc=${doc} index=${k} label=${key.label} />${k < keys.length - 1 ? html`<${Gap} key=${`g${k}`} doc=${doc} index=${k} />` : null}`)}
    <${Popover} up label="Add a key drawing" className="addkey" text=${html`<span class="sr">Add a key drawing</span><${Icon} name="plus" />`}>
      <${MenuItem} icon="open" text="Choose a file" hint="or drop it here" onClick=${() => chooseFiles("film")} />
      <${MenuItem} icon="copy" text="Copy of the last one" onClick=${() => ask("drawing.insert", { at: keys.length, copy_of: keys.length - 1 })} />
      <div class="pop-h">Samples</div>
      <div class="pop-grid">${sampleNames().map((name) => html`<button class="chip" data-close onClick=${() => ask("drawing.insert", { at: keys.length, source: { drawing: name } })}>${name}</button>`)}</div><//></div>`;
}

/** @param {{doc: DrawingDoc, index: number, label: string}} props */
function KeyCard({ doc, index, label }) {
  const drawn = store.keyDrawings.value,
    frame = drawn?.frames[index],
    on = chosen.value.key === index,
    name = label.replace(/^drawing /, "").replace(/\.(svg|png|jpe?g)$/i, ""),
    last = doc.keys.length - 1;
  const take = () => {
    choose(index, chosen.value.layer, chosen.value.contour);
    if (index <= last - 1) chooseGap(index);
    const start = store.film.value?.starts[index];
    if (start !== undefined) goTo(start);
  };
  const move = (/** @type {KeyboardEvent} */ event, /** @type {number} */ to) => {
    if (to === index) return;
    ask("drawing.move", { key: index, to });
    const cards = /** @type {Element} */ (event.currentTarget).closest(".strip")?.querySelectorAll(".keycard > button");
    /** @type {HTMLElement | undefined} */ (cards?.[to])?.focus(); // so that the next press moves the same drawing on
  };
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    const by = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1 })[event.key];
    if (event.key === "Delete" || event.key === "Backspace") ask("drawing.remove", { key: index });
    else if (by && event.altKey) move(event, Math.max(0, Math.min(last, index + by)));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const replaceWith = (/** @type {string} */ drawing) => ask("drawing.replace", { key: index, source: { drawing } });
  return html`<div class="keycard" data-drop=${`key-${index}`}>
    <button class=${on ? "on" : ""} aria-pressed=${String(on)} aria-label=${`Key ${index + 1}: ${name}`} onClick=${take} onKeyDown=${onKeyDown}>
      <i>${index + 1}</i><svg viewBox="0 0 112 96" aria-hidden="true" dangerouslySetInnerHTML=${{ __html: frame && drawn ? drawingMarkup(frame, drawn.data.points, { x: 6, y: 8, width: 100, height: 82 }, { own: true }) : "" }}></svg></button>
    <div class="row"><span class="ell grow">${name}</span>
      <${Popover} up label=${`Key ${index + 1}: more`}>
        <${MenuItem} icon="copy" text="Duplicate" onClick=${() => ask("drawing.insert", { at: index + 1, copy_of: index })} />
        <${MenuItem} icon="back" text="Move left" hint="Alt ←" disabled=${index === 0} onClick=${() => ask("drawing.move", { key: index, to: index - 1 })} />
        <${MenuItem} icon="next" text="Move right" hint="Alt →" disabled=${index === last} onClick=${() => ask("drawing.move", { key: index, to: index + 1 })} />
        <${MenuItem} icon="open" text="Replace with a file" onClick=${() => chooseFiles(`key-${index}`)} />
        <${MenuItem} icon="bin" text="Remove" hint="Del" disabled=${last === 0} onClick=${() => ask("drawing.remove", { key: index })} />
        <div class="pop-h">Replace with a sample</div>
        <div class="pop-grid">${sampleNames().map((each) => html`<button class="chip" data-close onClick=${() => replaceWith(each)}>${each}</button>`)}</div><//></div></div>`;
}

/** The drawings between two keys, closer where the motion is slow. @param {{doc: DrawingDoc, index: number}} props */
function Gap({ doc, index }) {
  const film = store.film.value,
    { frames } = doc.gaps[index],
    start = film?.starts[index] ?? 0,
    now = film ? nowFrame() : -1,
    on = gap.value === index,
    between = frames - 2,
    seconds = (frames - 1) / doc.settings.fps;
  const times = film?.frames.slice(start + 1, film.starts[index + 1] ?? start + 1).map(({ t }) => t - index) ?? [];
  const press = (/** @type {MouseEvent} */ event) => {
    chooseGap(index);
    const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect(),
      share = (event.clientX - box.left) / box.width;
    if (film && event.detail) goTo(start + Math.round(share * (frames - 1)));
  };
  return html`<button class=${`gap${on ? " on" : ""}`} aria-pressed=${String(on)} onClick=${press}>
    <svg viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true">${times.map((t, k) => html`<path d=${`M${((100 * (k + 1)) / (frames - 1)).toFixed(2)} 6v10`} class=${start + k + 1 === now ? "now" : ""} vector-effect="non-scaling-stroke" /><path d=${`M${(100 * t).toFixed(2)} 26v7`} class="spacing" vector-effect="non-scaling-stroke" />`)}</svg>
    <span class="ell"><span class="sr">Key ${index + 1} to key ${index + 2}: </span>${between} between, ${seconds.toFixed(2)} s</span></button>`;
}

/** Nothing to morph into yet. */
export function SecondDrawing() {
  return html`<div class="second blank"><p><b>No second drawing yet</b></p>
    <p>Drop an SVG here, or choose one, and the drawings in between are made.</p>
    <div class="chips">${sampleNames().map((name) => html`<${Chip} text=${name} onClick=${() => ask("drawing.insert", { at: 1, source: { drawing: name } })} />`)}</div>
    <button class="btn line" onClick=${() => chooseFiles("film")}>Choose a file</button></div>`;
}
