/** Transport, tracks, contacts and keys; the curve drawer below shares their axis. */
import { clock, fixed, plain } from "../../core/numbers.js";
import { Timeline } from "../../core/timeline.js";
import { Core, Icon, IconButton, MenuItem, Popover, Slider } from "../shell/controls.js";
import { Drawer } from "./curve_drawer.js";
import { MARKS } from "./physics_panel.js";
import { html, useEffect, useRef, useState } from "../shell/html.js";
import { ask, cancel, moveTracks, setMarkers, setTracks, turn } from "../shell/session.js";
import * as store from "../shell/store.js";
/** @import { Track } from "../../core/timeline.js" */

/** @type {Timeline | null} */
let timeline = null;

export function Dock() {
  return html`<footer class="dock" aria-label="Timeline" data-region data-drop="tracks">
    <${Transport} /><${Heads} /><${Lanes} /><${Drawer} /><${Playhead} />
  </footer>`;
}

function Transport() {
  const { playback } = store,
    frames = store.motion.value?.frames ?? 1,
    fps = store.motion.value?.fps ?? 30;
  const [, again] = useState(0);
  useEffect(() => playback.onState(() => again((n) => n + 1)), []);
  const [from, to] = store.span.value,
    zoom = 1 - Math.log(Math.max(10, to - from) / 10) / Math.log(Math.max(11, frames * 1.03) / 10);
  /** @param {string} icon @param {string} label @param {() => void} act @param {string} [kind] */
  const key = (icon, label, act, kind = "") =>
    html`<button class=${`tp ${kind}`} aria-label=${label} title=${label} onClick=${act}><${Icon} name=${icon} /></button>`;
  const playing = store.playing.value;
  return html`<div class="transport" role="toolbar" aria-label="Transport">
    ${key("start", "Go to start", () => playback.setFrame(0))}${key("back", "Previous frame", () => playback.step(-1))}
    ${key(playing ? "pause" : "play", playing ? "Pause" : "Play", () => playback.toggle(), "play")}
    ${key("next", "Next frame", () => playback.step(1))}${key("end", "Go to end", () => playback.setFrame(frames - 1))}
    <${IconButton} icon="loop" label="Loop" keys="L" pressed=${playback.looping}
        onClick=${() => playback.setLooping(!playback.looping)} />
    <${Clock} frames=${frames} fps=${fps} />
    <span class="vr"></span><span class="dim" style="padding:0 8px;font-size:11px;font-weight:500">${plain(fps)} fps</span>
    <${Popover} up label="Speed" text=${html`<span class="dim">Speed ${plain(playback.speed)}×</span>`}>${[0.1, 0.25, 0.5, 1, 2].map((speed) => html`<${MenuItem} text=${`${plain(speed)}×`} onClick=${() => playback.setSpeed(speed)} />`)}<//>
    <span class="grow"></span>
    <${IconButton} icon="magnet" label="Snap" pressed=${timeline?.snap ?? true} onClick=${() => {
      timeline?.setFacts({ snap: !timeline.snap });
      again((n) => n + 1);
    }} />
    <${IconButton} icon="marker" label="Add marker" keys="M" onClick=${addMarker} />
    <span class="vr"></span><span style="color:var(--text-3);display:flex"><${Icon} name="zoom" /></span>
    <div style="width:110px;display:flex">
      <${Slider} quiet label="Zoom" value=${zoom} min=${0} max=${1}
        text=${() => `${plain((to - from) / fps)} seconds visible`} onValue=${(/** @type {number} */ value) => {
          const wide = 10 * (Math.max(11, frames * 1.03) / 10) ** (1 - value),
            middle = store.playback.frame;
          timeline?.setSpan([middle - wide / 2, middle + wide / 2]);
        }} /></div><button class="btn sm" onClick=${() => timeline?.fit()}>Fit</button>
  </div>`;
}

/** Where the playhead is: drawn for every frame, and nothing else with it. @param {{frames: number, fps: number}} props */
function Clock({ frames, fps }) {
  const frame = store.frame.value;
  return html`<div class="time" style=${`width:${158 + 16 * String(frames).length}px`}><div><b>${clock(frame / fps)}</b>
    <span class="dim">frame <span style="color:var(--text-1)">${frame}</span> of ${frames}</span></div></div>`;
}

/** Show the region, or everything where there is none. */
export function showRegion() {
  const region = store.shownRegion.value,
    fps = store.playback.fps;
  if (!region) return timeline?.fit();
  const wide = (region.stop_s - region.start_s) * fps;
  return timeline?.setSpan([region.start_s * fps - 0.1 * wide, region.stop_s * fps + 0.1 * wide]);
}

/** A marker at the playhead, or none where there was one. */
export function addMarker() {
  const frame = store.frame.value,
    markers = store.motionDoc.value?.markers ?? [],
    own = markers.filter((marker) => marker.editable);
  setMarkers(
    own.some((marker) => marker.frame === frame)
      ? markers.filter((marker) => !marker.editable || marker.frame !== frame)
      : [...markers, { frame, name: `marker ${own.length + 1}`, editable: true }],
  );
}

function Heads() {
  const tracks = tracksNow(),
    lanes = Math.max(1, ...tracks.map((track) => track.lane + 1)),
    keys = keysNow();
  const set = (/** @type {(track: Track) => Partial<Track>} */ change) =>
    setTracks(tracks.map((track) => ({ ...track, ...change(track) })));
  return html`<div class="heads">
    <div class="r"><span class="dim">Seconds</span></div>
    ${Array.from({ length: lanes }, (_, lane) => {
      const here = tracks.filter((track) => track.lane === lane),
        name = here.map(({ clip }) => nameOf(clip)).join(", ") || "empty",
        alone = tracks.filter(({ lane: other, mute }) => other !== lane && !mute).length === 0;
      return html`<div class="t"><strong class="grow ell">${name}</strong>${
        tracks.length > 1 && here.length
          ? html`<button class="sbtn" aria-pressed=${String(alone)} aria-label=${`Solo ${name}`}
              onClick=${() => set((track) => ({ mute: alone ? false : track.lane !== lane }))}>S</button>
        <button class="sbtn" aria-pressed=${String(here.every(({ mute }) => mute))} aria-label=${`Mute ${name}`}
            onClick=${() => set((track) => (track.lane === lane ? { mute: !track.mute } : {}))}>M</button>`
          : null
      }</div>`;
    })}
    ${resultNow()?.ribbons.length ? html`<div class="b"><span class="dim">Where it went</span></div>` : null}
    ${resultNow() === null ? null : html`<div class="t"><strong class="grow ell" style="color:var(--edited)">Result</strong><span class="dim">${plain((store.motion.value?.frames ?? 0) / (store.motion.value?.fps ?? 30))} s</span></div>`}
    <div class="c"><span class="lr l">L</span><span class="grow">Left foot</span></div>
    <div class="c"><span class="lr rt">R</span><span class="grow">Right foot</span></div>
    <div class="k"><svg width="16" height="10" viewBox="-8 -5 16 10" aria-hidden="true">
      <path d="M0-4.200 4.200 0 0 4.200-4.200 0Z" fill="none" stroke="var(--edited)" stroke-width="1.300" /></svg>
      <span class="grow">Keys</span><span class="dim">${keys.length || ""}</span></div>
    <${PhysicsHeads} />
  </div>`;
}

/** The names of the rows of physics: the verdict, and the force from the floor at the playhead. */
function PhysicsHeads() {
  const { was, is, wasLoads, isLoads } = store.physics.value,
    now = is ?? was,
    at = store.frame.value * 3 + 2;
  if (!now?.verdict) return null;
  const [before, after] = [wasLoads?.[at], isLoads?.[at]].map((load) =>
    load === undefined || !Number.isFinite(load) ? "" : fixed(load, 2),
  );
  return html`<div class="c" data-row="verdict"><span class="grow">Verdict</span><span style=${`color:var(--${now.verdict === "plausible" ? "good" : "bad"})`}>${is && was?.verdict && was.verdict !== is.verdict ? html`<span class="dim">${was.verdict} → </span>` : null}${MARKS[now.verdict].toLowerCase()}</span></div>
    ${
      wasLoads || isLoads
        ? html`<div class="f" data-row="loads"><span class="grow">Floor force</span>
          <span class="dim">${is && before ? `${before} → ` : ""}<span style="color:var(--text-1)">${(is ? after : before) || "–"}</span> body weights</span></div>`
        : null
    }`;
}

/** @param {string} clip */
const nameOf = (clip) =>
  clip === "source" ? (store.motionDoc.value?.source?.label.replace(/^sample /, "") ?? "source") : clip;

/** Tracks with their stops filled in. @returns {Track[]} */
function tracksNow() {
  const { source, inputs = [], tracks = [] } = store.motionDoc.value ?? {};
  const frames = new Map([
    ["source", source?.frames ?? 1],
    ...inputs.map(
      (input) =>
        /** @type {[string, number]} */ ([
          input.name,
          Math.round((input.frames / input.fps) * (source?.fps ?? input.fps)),
        ]),
    ),
  ]);
  const known = tracks.length
    ? tracks
    : [{ id: "t0", clip: "source", lane: 0, at: 0, start: 0, stop: null, mute: false }];
  return known.map((track) => ({
    ...track,
    stop: track.stop ?? frames.get(track.clip) ?? track.start + 1,
  }));
}

/** How many frames of the result last as long as one of the source, by which tracks are counted. */
function pace() {
  const result = store.motion.value?.fps,
    source = store.motionDoc.value?.source?.fps;
  return result && source ? result / source : 1;
}

/** Tracks counted in other frames. @param {Track[]} tracks @param {number} by */
const paced = (tracks, by) =>
  tracks.map((track) => ({ ...track, at: track.at * by, start: track.start * by, stop: track.stop * by }));

/** The result, where steps have changed its length or timing; null where the tracks show it. @returns {import("../../core/timeline.js").Outcome | null} */
function resultNow() {
  const { frames = 0, fps = 30 } = store.motion.value ?? {},
    end = Math.max(...paced(tracksNow(), pace()).map((track) => track.at + track.stop - track.start));
  if (!frames || !timingSteps().length) return null;
  const parts = store.timing.value.filter((part) => part[part.length - 1] * fps < frames + 1),
    moved = parts.some((part) => part.some((_, k) => k % 2 === 0 && Math.abs(part[k] - part[k + 1]) * fps > 1.5));
  const own = timingSteps().some(({ op }) => store.declared(op)?.generator);
  if (Math.abs(frames - end) <= 1 && !moved && !own) return null;
  return { frames, ribbons: parts.flatMap(ribbonsOf) };
}

/** The steps that may change the timing. */
const timingSteps = () =>
  store.steps.value.filter(({ on, op }) => on && op !== "arrange" && !store.declared(op)?.takes_region);

/** Which frames of the tracks went where in the result: the ends of a part, and some between them where it is no even stretch. @param {Float32Array} part @returns {[number, number][]} */
function ribbonsOf(part) {
  const count = part.length / 2,
    { fps = 30 } = store.motion.value ?? {};
  const some = count === 2 ? [0, 1] : Array.from({ length: 7 }, (_, k) => Math.round((k / 6) * (count - 1)));
  return some.map((k) => [part[2 * k] * fps, part[2 * k + 1] * fps]);
}

/** Ask where the moments of the tracks went, whenever the whole clip has come. */
function useTiming() {
  const edit = store.quality.value?.edit,
    wanted = timingSteps().length > 0;
  useEffect(() => {
    let live = true;
    if (!wanted) {
      store.timing.value = [];
      store.origins.value = null;
    } else
      ask("timing", {}, "timing").then((answer) => {
        if (!live || !answer) return;
        store.timing.value = Array.from({ length: answer.parts }, (_, k) => answer.data[`part${k}`]);
        store.origins.value = answer.data.origins ?? null;
      });
    return () => {
      live = false;
    };
  }, [edit, wanted, store.motionDoc.value?.doc]);
}

/** What physics says of the motion; null where it was not asked. @returns {import("../../core/timeline.js").Physics | null} */
function physicsNow() {
  const { was, is, wasLoads, isLoads } = store.physics.value;
  if (!(is ?? was)?.verdict) return null;
  const spans = (/** @type {store.Judged | null} */ judged, /** @type {boolean} */ gone) =>
    (judged?.reasons ?? []).flatMap(({ message: text, frame }) => {
      if (frame == null) return [];
      const [start, stop] = Array.isArray(frame) ? frame : [frame, frame + 1];
      return [{ text, start, stop, gone }];
    });
  return { reasons: [...spans(was, is !== null), ...spans(is, false)], was: wasLoads, is: isLoads };
}

/** Keys of all displacement steps, one for each frame, and how far each reaches. @returns {import("../../core/timeline.js").KeyMark[]} */
function keysNow() {
  const { frames = 1, fps = 30 } = store.motion.value ?? {},
    marks = new Map();
  for (const step of store.steps.value) {
    if (!store.isOf(step, "displace") || !step.on) continue;
    const at = step.knobs.keys.map((key) => keyFrame(key));
    step.knobs.keys.forEach(({ joint }, k) => {
      const others = step.knobs.keys.map((key, i) => (key.joint === joint ? at[i] : -1)),
        wide = step.knobs.falloff_s === null ? Infinity : step.knobs.falloff_s * fps,
        before = Math.max(0, at[k] - wide, ...(wide < Infinity ? [] : others.filter((f) => f >= 0 && f < at[k]))),
        after = Math.min(frames - 1, at[k] + wide, ...(wide < Infinity ? [] : others.filter((f) => f > at[k])));
      const known = marks.get(at[k]),
        on = step.id === store.chosenStep.value && k === store.chosenKey.value;
      if (!known || on) marks.set(at[k], { frame: at[k], on, reach: [before, after] });
    });
  }
  return [...marks.values()].sort((a, b) => a.frame - b.frame);
}

/** The frame of a key. @param {{frame?: number | null, time_s?: number | null}} key */
function keyFrame({ frame, time_s }) {
  const { frames = 1, fps = 30 } = store.motion.value ?? {};
  return frame == null ? Math.round((time_s ?? 0) * fps) : frame < 0 ? frames + frame : frame;
}

/** The step and the key at a frame, those that are chosen before others. @param {number} frame */
function keyAt(frame) {
  const found = store.steps.value.flatMap((step) =>
    store.isOf(step, "displace") && step.on
      ? step.knobs.keys.flatMap((key, k) => (keyFrame(key) === frame ? [{ step: step.id, key: k }] : []))
      : [],
  );
  return (
    found.find(({ step, key }) => step === store.chosenStep.value && key === store.chosenKey.value) ??
    found[found.length - 1] ??
    null
  );
}

function Lanes() {
  const by = pace(),
    tracks = paced(tracksNow(), by),
    doc = store.motionDoc.value;
  const [energies, setEnergies] = useState(/** @type {Map<string, Float32Array>} */ (new Map()));
  const names = [...new Set(tracks.map(({ clip }) => clip))].join();
  useEffect(() => {
    if (!doc?.source) return undefined;
    let live = true;
    const known = new Map(energies);
    const all = async () => {
      for (const name of names.split(",")) {
        // one by one: a newer question would replace the one before it
        const answer = await ask("outline", { name }, "outline");
        if (answer) known.set(name, answer.data.energy);
      }
      if (live) setEnergies(new Map(known));
    };
    all();
    return () => {
      live = false;
    };
  }, [names, doc?.doc, doc?.source?.label]);
  const clips = new Map(
    tracks.map(({ clip, stop }) => {
      const input = doc?.inputs.find((each) => each.name === clip);
      const frames =
        clip === "source"
          ? (doc?.source?.frames ?? stop)
          : Math.round(((input?.frames ?? stop) / (input?.fps ?? 1)) * (doc?.source?.fps ?? 1));
      return [clip, { name: nameOf(clip), frames: frames * by, energy: energies.get(clip) ?? null }];
    }),
  );
  const feet = store.quality.value?.contacts.is.feet ?? [];
  const stands = (/** @type {string} */ side) =>
    (feet.find((foot) => foot.side === side)?.intervals ?? []).map(([start, stop, slide]) => ({
      start,
      stop,
      slide: slide ?? 0,
    }));
  useTiming();
  const facts = {
    tracks,
    clips,
    contacts: { left: stands("left"), right: stands("right") },
    keys: keysNow(),
    markers: doc?.markers ?? [],
    physics: physicsNow(),
    result: resultNow(),
    region: store.shownRegion.value,
    pending: store.pending.value,
  };
  useEffect(() => timeline?.keepFitted(), [store.motion.value?.frames, tracks.length]);
  useEffect(() => timeline?.fit(), [doc?.doc]);
  return html`<${Core} className="lanes" watch=${[JSON.stringify([tracks, facts.contacts, facts.keys, facts.markers, facts.result, facts.region, facts.pending]), store.physics.value, energies]} update=${(/** @type {Timeline} */ line) => line.setFacts(facts)} make=${(
    /** @type {HTMLElement} */ host,
  ) => {
    timeline = new Timeline(host, { playback: store.playback });
    timeline.onSpan = (span) => {
      store.span.value = span;
    };
    timeline.onTracks = (next, phase) => {
      if (phase === "cancel") cancel();
      else
        moveTracks(
          paced(next, 1 / pace()).map((track) => ({
            ...track,
            at: Math.round(track.at),
            start: Math.round(track.start),
            stop: Math.round(track.stop),
          })),
          phase,
        );
    };
    timeline.onMarkers = setMarkers;
    timeline.onRegion = (region, phase) => {
      const step = store.step.value;
      if (step && store.ownRegion(step)) turn(step.id, { region }, phase, "Region");
      else store.region.value = region;
    };
    timeline.onKey = (frame) => {
      const at = keyAt(frame);
      if (!at) return;
      store.chosenStep.value = at.step;
      store.chosenKey.value = at.key;
    };
    timeline.onReach = (frame, seconds, phase) => {
      const at = keyAt(frame);
      if (at) turn(at.step, { falloff_s: Math.round(seconds * 1000) / 1000 }, phase, "Reach");
    };
    return timeline;
  }} />`;
}

/** One line that crosses ruler, tracks and curves; moved without a render, and without laying the page out. */
function Playhead() {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const element = /** @type {HTMLElement} */ (host.current),
      flag = /** @type {Text} */ (element.firstElementChild?.firstChild),
      lanes = /** @type {HTMLElement} */ (element.parentElement?.querySelector(".lanes"));
    let left = 0,
      width = 0,
      shown = "";
    const place = () => {
      const [from, to] = store.span.value,
        at = store.playback.frame,
        share = (at - from) / (to - from),
        text = String(Math.round(at));
      element.style.visibility = share < 0 || share > 1 ? "hidden" : "";
      element.style.transform = `translateX(${(left + share * width).toFixed(1)}px)`;
      if (text !== shown) flag.data = shown = text;
    };
    const sizes = new ResizeObserver(() => {
      [left, width] = [lanes.offsetLeft, lanes.clientWidth];
      place();
    });
    sizes.observe(lanes);
    const stops = [store.playback.onFrame(place), store.span.subscribe(place), () => sizes.disconnect()];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return html`<div class="playhead" ref=${host} aria-hidden="true"><span>0</span></div>`;
}
