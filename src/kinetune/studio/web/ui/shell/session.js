/** The document on the server: opening it, sending it what the hand does, taking its answers. */
import { Link, Refusal } from "../../core/link.js";
import { batch } from "./html.js";
import { takeMotion, takeOriginal } from "../motion/received_motion.js";
import * as store from "./store.js";

/** @import { AnswerTo, Answers, Hello, OperationList, StepLine, TrackLine, Uploaded } from "../../core/answers.js" */
/** @import { Phase } from "./controls.js" */
/** @import { Track } from "../../core/timeline.js" */
/** @typedef {Omit<Track, "stop"> & {stop: number | null}} OpenTrack  one without a stop goes on to the end of its clip */
/** @typedef {Record<string, unknown>} Fields  of a message */
/** @typedef {import("./saved_view.js").SavedView} SavedView */

const { doc, faults, hello, jobs, results, toast, trouble } = store;

/** @type {Link} */
export let link;
let look = 0;
/** The document as the server described it last. @type {Answers["document"] | null} */
let confirmed = null;
/** The newest edit that the server has acknowledged. */
let latest = 0;

/** @typedef {NonNullable<typeof doc.value>} Doc */
/**
 * An edit that is shown before the server confirms it.
 * @typedef {{name: string, change: (shown: Doc) => Doc, id: number | null}} UnderWay
 *   id: of the message that asks for it; null while a drag goes on.
 */
/** Edits under way, oldest first. @type {UnderWay[]} */
let underWay = [];

/** Show the document as the server described it last, and on top of it what it has not confirmed yet. */
function show() {
  const known = confirmed;
  if (!known || known.doc !== current()) return;
  underWay = underWay.filter(({ id }) => id === null || id > known.taken);
  doc.value = underWay.reduce((shown, { change }) => change(shown), /** @type {Doc} */ (known));
}

/** Show an edit at once; a later move of the same drag takes the place of an earlier one. @param {string} name @param {(shown: Doc) => Doc} change */
function foresee(name, change) {
  const last = underWay[underWay.length - 1];
  if (last?.name === name && last.id === null) last.change = change;
  else underWay.push({ name, change, id: null });
  show();
}

/** Ask for all edits that are shown and not asked for yet; a refusal takes them back. @param {string} type @param {Fields} [fields] */
async function askFor(type, fields) {
  const asking = ask(type, fields),
    id = link.count;
  for (const each of underWay) each.id ??= id;
  const answer = await asking;
  underWay = underWay.filter((each) => each.id !== id);
  show();
  return answer;
}

/** Show an edit of the motion, and ask for it. @param {string} type @param {Fields} fields @param {(shown: store.MotionDoc) => Partial<store.MotionDoc>} change */
export function edit(type, fields, change) {
  foresee(type, (shown) => (shown.kind === "motion" ? { ...shown, ...change(shown) } : shown));
  return askFor(type, fields);
}

/** Begin: ask what there is, connect, open the document that the server names. */
export async function begin() {
  const greeting = /** @type {Hello} */ (await fetchJson("/api/hello")),
    listed = /** @type {OperationList} */ (await fetchJson("/api/operations"));
  hello.value = greeting;
  store.operations.value = listed.operations;
  store.welcome.value = Boolean(greeting.first_start);
  link = new Link(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
  link.onState = (state) => {
    store.connection.value = state;
    if (state === "lost") sayWhyLost();
    else if (toast.value?.text === LOST || toast.value?.text === ANEW) toast.value = null;
    if (state === "open" && doc.value) reopen();
  };
  listen();
  const asked = new URLSearchParams(location.search).get("doc");
  await openFirst(asked ?? greeting.open);
  store.browsing.value = greeting.browse;
  const sample = store.motionDoc.value?.source?.sample;
  if (greeting.first_start && sample && !store.steps.value.length) await addStep("equalize");
  store.playback.onFrame((frame) => {
    const now = performance.now();
    if (!doc.value || now - look < 120) return;
    look = now;
    link.say("look", { doc: doc.value.doc, frame: Math.round(frame) });
  });
}

/** Open a document, or, where its files have gone, a sample and the reason. @param {string} id */
async function openFirst(id) {
  try {
    await openDocument(id);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const made = await link.ask("new", { source: { sample: "walk" }, name: "walk" });
    await openDocument(made.doc);
    trouble.value = { message: error.message, more: "The sample walk is open instead." };
  }
}

const LOST = "Connection lost. Your edits are safe; this page reconnects by itself when the studio is back.";
const ANEW = "The studio was restarted. Open the address that it printed in this browser, and this page continues.";

/** A restarted studio has another token: the cookie that its address gives lets this page in again. */
async function sayWhyLost() {
  let text = LOST;
  try {
    const answer = await fetch("/api/hello");
    if (answer.status === 403) text = ANEW;
  } catch {
    // nobody listens there
  }
  if (store.connection.value === "lost" && toast.value?.text !== text) say(text, "bad", true);
}

/** @param {string} path @returns {Promise<unknown>} */
async function fetchJson(path) {
  const response = await fetch(path);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? `${path} answers ${response.status}.`);
  return answer;
}

function listen() {
  link.on("document", (answer) => {
    if (answer.doc !== doc.value?.doc && doc.value?.pending !== answer.doc) return;
    const steps = answer.kind === "motion" ? answer.steps : [];
    const fresh = Boolean(doc.value?.pending);
    confirmed = answer;
    batch(() => {
      show();
      trouble.value = null;
      if (fresh) {
        store.saved.value = { edit: answer.saved_edit, problem: null };
        onFresh(answer.doc, answer.view ?? {});
      }
      document.title = `${answer.name}: Kinetune`;
      const ids = steps.map((step) => step.id);
      if (!ids.includes(store.chosenStep.value)) store.chosenStep.value = ids[ids.length - 1] ?? "";
      const kept = { ...results.value };
      for (const step of steps)
        kept[step.id] = {
          state: step.state,
          error: step.error,
          ms: kept[step.id]?.ms ?? 0,
          report: /** @type {store.Report} */ (step.report) ?? kept[step.id]?.report,
        };
      results.value = kept;
    });
  });
  link.on("skeleton", (answer) => {
    if (answer.doc !== current()) return;
    store.skeleton.value = {
      ...answer,
      ends: answer.tips.map((tip) => ({ joint: tip.parent, offset: tip.offset })),
    };
  });
  link.on("original", (answer) => {
    if (answer.doc === current()) takeOriginal(answer);
  });
  link.on("motion", (answer) => {
    if (answer.doc !== current()) return;
    const known = { ...results.value };
    for (const { id, ...rest } of answer.steps) known[id] = /** @type {store.Result} */ (rest);
    batch(() => {
      results.value = known;
      takeMotion(answer);
    });
  });
  link.on("quality", (answer) => {
    if (answer.doc === current()) store.quality.value = answer;
  });
  link.on("job", (answer) => {
    const next = { ...jobs.value, [answer.job]: answer };
    if (answer.state !== "running") {
      delete next[answer.job];
      store.stopping.value = store.stopping.value.filter((each) => each !== answer.job);
    }
    jobs.value = next;
    if (answer.state === "failed") say(answer.message ?? "That did not work.", "bad", true);
    if (answer.state === "done" && answer.url) deliver(answer.url);
  });
  link.on("done", (answer) => {
    if (answer.doc === current()) latest = Math.max(latest, answer.edit ?? 0);
  });
  link.on("film", (answer) => {
    if (answer.doc !== current()) return;
    store.film.value = answer;
    trouble.value = null;
  });
  link.on("saved", (answer) => {
    if (answer.doc === current()) store.saved.value = { edit: answer.edit, problem: answer.problem };
  });
  link.on("drawings", (answer) => {
    if (answer.doc === current()) store.keyDrawings.value = answer;
  });
  link.on("error", (answer) => {
    if (answer.doc === current() && answer.id !== null && !link.asked.has(answer.id)) letGo();
    if (answer.step)
      faults.value = {
        ...faults.value,
        [answer.where ? `${answer.step} ${answer.where}` : answer.step]: answer.message,
      };
    else if (answer.id == null && store.kind.value === "drawing") trouble.value = { message: answer.message };
    else if (answer.id == null) say(answer.message, "bad", true);
  });
}

/** The open document; an effect that asks about it is not run again by every edit. */
const current = () => doc.peek()?.doc;

/** Take back what a drag shows and was not asked for. */
function letGo() {
  underWay = underWay.filter(({ id }) => id !== null);
  show();
}

/** Show clips where the hand has put them, and ask for it. @param {Track[]} tracks @param {"move" | "end"} phase */
export function moveTracks(tracks, phase) {
  showTracks(tracks);
  drag("tracks", "tracks.set", { tracks: plainTracks(tracks) });
  return phase === "move" ? null : commit("Move clip");
}

/** Other tracks, as a step of undo. @param {OpenTrack[]} tracks @param {Fields} [more]  of the message */
export function setTracks(tracks, more) {
  showTracks(tracks);
  return askFor("tracks.set", { tracks: plainTracks(tracks), ...more });
}

/** Other markers. @param {import("../../core/timeline.js").Marker[]} markers */
export function setMarkers(markers) {
  const own = markers.filter(({ editable }) => editable);
  return edit("markers", { markers: own.map(({ frame, name }) => ({ frame, name })) }, () => ({ markers }));
}

/** Switch a step on or off. @param {string} step */
export function toggleStep(step) {
  const on = !store.steps.value.find(({ id }) => id === step)?.on;
  return edit("step.toggle", { step, on }, ({ steps }) => ({
    steps: steps.map((each) => (each.id === step ? { ...each, on } : each)),
  }));
}

/** @param {string} step @param {number} to */
export const moveStep = (step, to) =>
  edit("step.move", { step, to }, ({ steps }) => {
    const others = steps.filter(({ id }) => id !== step);
    return { steps: [...others.slice(0, to), ...steps.filter(({ id }) => id === step), ...others.slice(to)] };
  });

/** @param {string} step */
export const removeStep = (step) =>
  edit("step.remove", { step }, ({ steps }) => ({ steps: steps.filter(({ id }) => id !== step) }));

/** Take one entry out of a list of a step. @param {string} step @param {string} knob @param {number} index */
export function removeEntry(step, knob, index) {
  foresee(`${step} ${knob}`, (shown) =>
    withKnobs(shown, step, (now) => ({
      ...now,
      [knob]: /** @type {unknown[]} */ (now[knob]).filter((_, k) => k !== index),
    })),
  );
  return askFor("step.patch", { step, path: [knob, index], remove: true });
}

/** Tracks as the server takes them. @param {OpenTrack[]} tracks */
const plainTracks = (tracks) =>
  tracks.map(({ id, clip, lane, at, start, stop, mute }) => ({
    ...(id ? { id } : {}),
    ...{ clip, lane, at, start, stop, mute },
  }));

/** @param {OpenTrack[]} tracks */
function showTracks(tracks) {
  const shown = tracks.map((track) => /** @type {TrackLine} */ ({ id: "", frames: 0, ...track }));
  foresee("tracks", (now) => (now.kind === "motion" ? { ...now, tracks: shown } : now));
}

let gestures = 0;
/** What several messages carry that are undone together. @param {string} [label]  what the history calls them */
export const oneGesture = (label) => ({
  gesture: `${performance.timeOrigin} ${++gestures}`,
  ...(label ? { label } : {}),
});

/** Within which time the next press of a key belongs to the same gesture, milliseconds. */
const PAUSE = 700;
let pressed = { what: "", at: 0, ...oneGesture() };

/** The gesture of a change that no pointer began: keys that repeat, or are pressed quickly. @param {string} what  is changed */
function sameGesture(what) {
  const now = performance.now(),
    more = pressed.what === what && now - pressed.at < PAUSE;
  pressed = { what, at: now, gesture: more ? pressed.gesture : oneGesture().gesture };
  return { gesture: pressed.gesture };
}

/** Whether everything that was asked is answered, and what is shown is the newest. */
export function isQuiet() {
  const { edit = 0, dragging } = doc.value ?? {};
  return (
    link.asked.size === 0 &&
    waiting.size === 0 &&
    underWay.length === 0 &&
    !dragging &&
    edit >= latest &&
    store.pending.value === null &&
    store.quality.value?.edit === edit
  );
}

/** Called when a document is open, with the view that was saved with it. @type {(doc: string, view: SavedView) => void} */
let onFresh = () => {};

/** @param {(doc: string, view: SavedView) => void} then */
export function whenOpened(then) {
  onFresh = then;
}

function reopen() {
  latest = 0; // a restarted studio counts from the beginning
  link.say("open", { doc: current(), frame: store.frame.value, rotations: true });
}

/** What is shown while a document opens. @type {store.MotionDoc} */
const OPENING = {
  ...{
    type: "document",
    kind: "motion",
    doc: "",
    name: "",
    edit: 0,
    saved_edit: 0,
    taken: 0,
    saved_path: null,
    dragging: false,
  },
  ...{ inputs: [], steps: [], tracks: [], markers: [], undo: null, redo: null, history: [], times: [], at: 0 },
  ...{ versions: [], view: {} },
};

/** @param {string} id */
export async function openDocument(id) {
  const last = doc.value?.doc;
  if (last && last !== id) link.say("close", { doc: last });
  latest = 0;
  underWay = [];
  batch(() => {
    doc.value = { ...OPENING, doc: id, pending: id };
    store.original.value = store.motion.value = store.skeleton.value = store.quality.value = null;
    store.film.value = store.keyDrawings.value = store.origins.value = null;
    results.value = {};
    faults.value = {};
    store.chosenJoints.value = [];
    store.playback.setRange(null);
    store.region.value = null;
    store.checking.value = false;
  });
  await link.ask("open", { doc: id, frame: 0, rotations: true });
}

/**
 * Ask about the open document; a refusal is shown in place and gives null.
 * @template {string} Type
 * @template {keyof Answers} [Kind="done"]
 * @param {Type} type
 * @param {Fields} [fields]
 * @param {Kind} [kind]
 * @returns {Promise<AnswerTo<Type, Kind> | null>}
 */
export async function ask(type, fields = {}, kind) {
  try {
    return await link.ask(type, { doc: current(), ...fields }, kind);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === "busy" || error.code === "lost") return null;
    if (!error.step && error.code !== "unknown_document") trouble.value = { message: error.message };
    return null;
  }
}

/** @type {Map<string, {type: string, fields: Fields}>} */
const waiting = new Map();

const GAP = 8;
let sent = 0;
let timer = 0;

/**
 * Something under the hand: the newest value of each thing is sent at once, and then at most every few milliseconds.
 * @param {string} name @param {string} type @param {Fields} fields
 */
export function drag(name, type, fields) {
  waiting.set(name, { type, fields });
  const since = performance.now() - sent;
  if (since >= GAP) flush();
  else if (!timer) timer = window.setTimeout(flush, GAP - since);
}

function flush() {
  clearTimeout(timer);
  timer = 0;
  if (!waiting.size) return;
  sent = performance.now();
  for (const { type, fields } of waiting.values()) link.say(type, { doc: current(), ...fields, drag: true });
  waiting.clear();
}

/** The hand lets go. @param {string} [label] */
export function commit(label) {
  flush();
  return askFor("commit", label ? { label } : {});
}

/** The hand takes it back. */
export function cancel() {
  waiting.clear();
  moving = "";
  letGo();
  return ask("cancel");
}

/** Turn knobs of a step. @param {string} step @param {Fields} knobs @param {Phase} [phase] @param {string} [label] */
export function turn(step, knobs, phase = "end", label) {
  const names = Object.keys(knobs);
  for (const name of names) clearFault(step, name);
  const soon = /** @type {Fields} */ (waiting.get(step)?.fields.knobs ?? {});
  return change(step, names.join(), phase, label, (now) => ({ ...now, ...knobs }), {
    type: "step.set",
    dragged: step,
    now: { step, knobs },
    moved: { step, knobs: { ...soon, ...knobs } },
  });
}

/** Change one thing inside a knob. @param {string} step @param {(string | number)[]} path @param {unknown} value @param {Phase} [phase] @param {string} [label] */
export function patch(step, path, value, phase = "end", label) {
  clearFault(step, String(path[0]));
  const fields = { step, path, value },
    name = path.join(".");
  return change(step, name, phase, label, (now) => within(now, path, value), {
    type: "step.patch",
    dragged: `${step} ${name}`,
    now: fields,
    moved: fields,
  });
}

/** What is moved by a drag that has not ended. */
let moving = "";

/**
 * Show other knobs of a step, and ask for them: as a part of a drag, or as a step of undo.
 * @param {string} step @param {string} name  of what is changed @param {Phase} phase @param {string | undefined} label @param {(knobs: Fields) => Fields} next
 * @param {{type: string, dragged: string, now: Fields, moved: Fields}} message  its fields by themselves, and together with those that wait to be sent
 */
function change(step, name, phase, label, next, { type, dragged, now, moved }) {
  if (phase === "cancel") return cancel();
  const shown = () => foresee(`${step} ${name}`, (known) => withKnobs(known, step, next));
  if (phase === "end" && moving !== dragged) {
    shown();
    return askFor(type, { ...now, ...sameGesture(`${step} ${name}`), ...(label ? { label } : {}) });
  }
  drag(dragged, type, moved); // the server sets to work while the page draws
  moving = phase === "move" ? dragged : "";
  shown();
  return phase === "move" ? null : commit(label);
}

/** A document with other knobs of a step; null is the default. @param {Doc} shown @param {string} id @param {(knobs: Fields) => Fields} next @returns {Doc} */
function withKnobs(shown, id, next) {
  if (shown.kind !== "motion") return shown;
  const steps = shown.steps.map((step) => {
    if (step.id !== id) return step;
    const knobs = next(step.knobs),
      declared = store.declared(step.op)?.knobs ?? [];
    for (const { name, default: usual } of declared) if (knobs[name] === null && usual !== null) knobs[name] = usual;
    return { ...step, knobs: /** @type {StepLine["knobs"]} */ (knobs) };
  });
  return { ...shown, steps };
}

/** A copy with one thing inside changed. @param {Fields | unknown[]} whole @param {(string | number)[]} path @param {unknown} value @returns {Fields} */
function within(whole, [first, ...rest], value) {
  const copy = /** @type {Fields} */ (Array.isArray(whole) ? [...whole] : { ...whole });
  copy[first] = rest.length ? within(/** @type {Fields} */ (copy[first] ?? {}), rest, value) : value;
  return copy;
}

/** Settings of a film or of one of its gaps, shown at once. @param {Fields} set @param {Phase} [phase] @param {string} [label] @param {number} [gap] */
export function setDrawing(set, phase = "end", label, gap = 0) {
  if (phase === "cancel") return cancel();
  foresee(`drawing ${gap} ${Object.keys(set)}`, (shown) => {
    if (shown.kind !== "drawing") return shown;
    const own = shown.gaps[gap] ?? {},
      of = (/** @type {boolean} */ inGap) =>
        Object.fromEntries(Object.entries(set).filter(([name]) => name in own === inGap));
    return {
      ...shown,
      settings: { ...shown.settings, ...of(false) },
      gaps: shown.gaps.map((each, k) => (k === gap ? { ...each, ...of(true) } : each)),
    };
  });
  drag("drawing", "drawing.set", { set, gap });
  return phase === "end" ? commit(label) : null;
}

/** @param {string} step @param {string} knob */
function clearFault(step, knob) {
  const next = { ...faults.value };
  delete next[step];
  delete next[`${step} ${knob}`];
  faults.value = next;
}

/** Add an operation and show its panel; one that needs another clip asks for it first. @param {string} op @param {Fields} [knobs] @returns {Promise<string | null>} */
export async function addStep(op, knobs) {
  store.wanting.value = "";
  const region = store.declared(op)?.takes_region ? store.region.value : null,
    set = { ...knobs, ...(region ? { region } : {}) };
  try {
    const done = await link.ask("step.add", { doc: current(), op, ...(knobs || region ? { knobs: set } : {}) });
    store.chosenStep.value = done.step;
    store.checking.value = store.reviewing.value = false;
    return done.step;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (store.declared(op)?.inputs.length && !store.motionDoc.value?.inputs.length) store.wanting.value = op;
    else trouble.value = { message: error.message };
    return null;
  }
}

/** What an operation on a joint over a time begins with: the chosen joint, and the part of the clip that loops. @param {string} op @returns {Fields | undefined} */
export function knobsHere(op) {
  const names = store.declared(op)?.knobs.map(({ name }) => name) ?? [];
  if (!["joint", "start_s", "end_s"].every((name) => names.includes(name))) return undefined;
  const [joint] = store.chosenJoints.value,
    { range, fps, frame, frames } = store.playback,
    first = range?.[0] ?? Math.min(frame, Math.max(0, frames - 1 - fps)),
    last = range?.[1] ?? Math.min(frames - 1, first + fps), // a body that walks on leaves its point behind
    known = store.skeleton.value,
    role =
      joint === undefined
        ? ""
        : (Object.keys(known?.roles ?? {}).find((each) => known?.roles[each] === joint) ?? known?.names[joint] ?? "");
  return {
    ...(role ? { joint: role } : {}),
    start_s: Math.round((first / fps) * 1000) / 1000,
    end_s: Math.round((last / fps) * 1000) / 1000,
  };
}

/** Give work up that takes too long; it stops at its next report. @param {store.Job} job */
export async function cancelJob({ job }) {
  store.stopping.value = [...store.stopping.value, job];
  try {
    await link.ask("job.cancel", { job });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error; // it was over before it heard of it
  }
}

/** Say something that happens out of sight. @param {string} text @param {"good" | "bad"} [kind] @param {boolean} [stay] @param {{text: string, onClick: () => void}} [action] */
export function say(text, kind, stay, action) {
  const shown = { text, kind, stay, action };
  toast.value = shown;
  if (!stay)
    setTimeout(() => {
      if (toast.value === shown) toast.value = null;
    }, 5000);
}

/** Hand a finished file to the browser. @param {string} url @param {string} [text] */
export function deliver(url, text) {
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = "";
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  say(text ?? `Exported ${decodeURIComponent(url.split("/").pop() ?? "")}`, "good");
}

/** Send files to the server; those that belong together travel in one batch. @param {File[]} files @returns {Promise<Uploaded[]>} */
export async function upload(files) {
  /** @type {Uploaded[]} */ const sent = [];
  let batchName = "";
  for (const file of files) {
    const response = await fetch(
      `/api/uploads?name=${encodeURIComponent(file.name)}${batchName ? `&batch=${batchName}` : ""}`,
      { method: "POST", body: file },
    ).catch(() => {
      throw new Refusal({
        message: `${file.name} cannot be read. Is it a folder? Drop the files in it.`,
        code: "file",
      });
    });
    const answer = /** @type {Uploaded & {error: string}} */ (await response.json());
    if (!response.ok) throw new Refusal({ message: answer.error, code: "file" });
    batchName = answer.batch;
    sent.push(answer);
  }
  return sent;
}
