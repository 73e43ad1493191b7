/** A film of what the viewport shows: chosen here, rendered by the server, with progress and a way to stop it. */
import { plain } from "../../core/numbers.js";
import { Choice, Icon, IconButton, Segments, Switch } from "../shell/controls.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../shell/html.js";
import { ask, cancelJob } from "../shell/session.js";
import * as store from "../shell/store.js";
import { viewport } from "./viewport_panel.js";

/** @typedef {{show: string, format: string, height: string, fps: string, camera: string, part: string, names: boolean}} Settings */

const SHOWS = [
  { value: "edited", text: "Edited" },
  { value: "ghost", text: "Ghost" },
  { value: "beside", text: "Side by side" },
];
const SIZES = [
  ["720", "720p"],
  ["1080", "1080p"],
  ["1440", "1440p"],
  ["2160", "4K"],
];
const CAMERAS = [
  ["viewport", "As in the viewport"],
  ["three-quarter", "Three-quarter"],
  ["front", "Front"],
  ["side", "Side"],
  ["back", "Back"],
  ["top", "Top"],
];
/** What was chosen last, for the next film. @type {Settings} */
let last = {
  show: "beside",
  format: ".mp4",
  height: "1080",
  fps: "30",
  camera: "viewport",
  part: "whole",
  names: true,
};

export function FilmDialog() {
  const box = useRef(/** @type {HTMLElement | null} */ (null)),
    open = store.filming.value,
    [settings, setSettings] = useState(last),
    [job, setJob] = useState(""),
    [still, setStill] = useState("");
  useLayoutEffect(() => {
    if (!open) return undefined;
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    box.current?.focus();
    return () => before?.focus();
  }, [open]);
  useEffect(() => {
    if (!open || !viewport) return;
    viewport.setCompare(settings.show === "beside" ? "beside" : "b");
    viewport.setShown({ ghost: settings.show === "ghost" });
    if (settings.camera !== "viewport")
      viewport.look(settings.camera === "three-quarter" ? "free" : /** @type {"front"} */ (settings.camera));
    viewport.drawn().then(() => {
      viewport?.paint();
      setStill(viewport?.canvas.toDataURL("image/jpeg", 0.85) ?? "");
    });
  }, [open, settings.show, settings.camera]);
  if (!open) return null;
  const running = store.jobs.value[job];
  const change = (/** @type {Partial<Settings>} */ some) => {
    last = { ...settings, ...some };
    setSettings(last);
  };
  const close = () => {
    viewport?.setCompare(store.compare.value);
    viewport?.setShown(store.shown.value);
    store.filming.value = false;
  };
  const { motion, playback } = store,
    range = settings.part === "loop" ? playback.range : null,
    [start, stop] = range ?? [0, motion.value?.frames ?? 0],
    seconds = (stop - start) / (motion.value?.fps ?? 30);
  const make = async () => {
    const { camera, format, height, fps, show, names } = settings;
    const way = viewport?.camera.position.clone().sub(viewport.orbit.target).toArray() ?? [1, 0.3, 1];
    const done = await ask("export", {
      ...{ format, show, names, start: Math.floor(start), stop: range ? Math.ceil(stop) : null },
      ...{ height: Number(height), fps: Number(fps), follow: store.seen.value.follow },
      view: camera === "viewport" ? way : camera,
      body: store.body.value === "mannequin" ? "mannequin" : "skin",
    });
    if (done) setJob(done.job);
  };
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation(); // what lies behind has no keys meanwhile
    if (event.key === "Escape") close();
  };
  const options = (/** @type {string[][]} */ rows) => rows.map(([value, text]) => ({ value, text }));
  const formats = store.hello.value?.suffixes.films ?? [];
  return html`<div class="shade" onPointerDown=${(/** @type {Event} */ event) => event.target === event.currentTarget && close()}>
    <article class="pan dialog film" ref=${box} role="dialog" aria-modal="true" aria-label="Film" tabindex="-1" onKeyDown=${onKeyDown}>
      <header class="row"><h2 class="grow">Film</h2><${IconButton} icon="cross" label="Close" onClick=${close} /></header>
      <div class="film-body">
        <div class="film-still">${still ? html`<img src=${still} alt="What the film shows" />` : null}</div>
        <div class="film-form">
          <${Segments} label="Show" value=${settings.show} options=${SHOWS} onValue=${(/** @type {string} */ show) => change({ show })} />
          <div class="knob"><span class="knob-name">Format</span>
            <${Segments} label="Format" value=${settings.format} small options=${formats.map((value) => ({ value, text: value === ".webm" ? "WebM" : value.slice(1).toUpperCase() }))} onValue=${(/** @type {string} */ format) => change({ format })} /></div>
          <label class="knob"><span class="knob-name">Size</span><span class="pair">
            <${Choice} label="Size" value=${settings.height} options=${options(SIZES)} onValue=${(/** @type {string} */ height) => change({ height })} />
            <${Choice} label="Pictures per second" value=${settings.fps} options=${["24", "25", "30", "60"].map((value) => ({ value, text: `${value} fps` }))} onValue=${(/** @type {string} */ fps) => change({ fps })} /></span></label>
          <label class="knob"><span class="knob-name">Camera</span>
            <${Choice} label="Camera" value=${settings.camera} options=${options(CAMERAS)} onValue=${(/** @type {string} */ camera) => change({ camera })} /></label>
          <label class="knob"><span class="knob-name">Time</span>
            <${Choice} label="Time" value=${settings.part} onValue=${(/** @type {string} */ part) => change({ part })}
              options=${[{ value: "whole", text: "Whole clip" }, ...(playback.range ? [{ value: "loop", text: "Loop range" }] : [])]} /></label>
          ${settings.show === "beside" ? html`<div class="knob"><span class="knob-name">Names</span><span class="knob-value"><${Switch} label="Names under the characters" on=${settings.names} onValue=${(/** @type {boolean} */ names) => change({ names })} /></span></div>` : null}
        </div>
      </div>
      <footer class="row">
        ${
          running
            ? html`<div class="grow film-progress" role="progressbar" aria-label="Film" aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round((running.share ?? 0) * 100)}>
                <i style=${`width:${(running.share ?? 0) * 100}%`}></i><span>${running.left_s ? `${plain(running.left_s)} s left` : running.text}</span></div>
              <button class="btn" onClick=${() => cancelJob(running)}>Cancel</button>`
            : html`<span class="grow dim">${Math.floor(seconds * Number(settings.fps)) + 1} pictures, ${plain(seconds)} s</span>
              <button class="btn primary" onClick=${make}><${Icon} name="film" />Make the film</button>`
        }
      </footer>
    </article></div>`;
}
