/** The document on the server: opening it, sending it what the hand does, taking its answers. */
import { Link, Refusal } from "../../core/link.js";
import { batch } from "./html.js";
import { takeMotion, takeOriginal } from "../motion/received_motion.js";
import { plainTracks } from "../motion/tracks.js";
import * as store from "./store.js";

/** @import { AnswerTo, Answers, Hello, OperationList, StepLine, Uploaded } from "../../core/answers.js" */
/** @import { Phase } from "./controls.js" */
/** @import { Track } from "../../core/timeline.js" */
/** @typedef {Record<string, unknown>} Fields  of a message */
/** @typedef {import("./saved_view.js").SavedView} SavedView */

const { doc, faults, hello, jobs, results, toast, trouble } = store;

/** @type {Link} */
export let link;
let look = 0;
/** The document as the server described it last; edits are shown before it confirms them. @type {Answers["document"] | null} */
let confirmed = null;
/** The newest edit that the server has acknowledged. */
let latest = 0;

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
const ANEW = "The studio was started anew. Open the address that it printed in this browser, and this page goes on.";

/** A studio that was started anew has another token: the cookie that its address gives lets this page in again. */
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
      doc.value =
        answer.kind === "motion" ? { ...answer, steps: steps.map(underWay), tracks: tracksUnderWay(answer) } : answer;
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
    if (confirmed && confirmed.doc === answer.doc && answer.code !== "busy") doc.value = confirmed;
    if (answer.step)
      faults.value = {
        ...faults.value,
        [answer.where ? `${answer.step} ${answer.where}` : answer.step]: answer.message,
      };
    else if (answer.id == null && store.kind.value === "drawing") trouble.value = { message: answer.message };
    else if (answer.id == null) say(answer.message, "bad", true);
  });
}

const current = () => doc.value?.doc;

/** How many changes of a step are not answered yet. @type {Map<string, number>} */
const asking = new Map();

/** While newer changes are under way, their knobs stay as they are shown. @param {store.Step} answer */
function underWay(answer) {
  const shown = asking.get(answer.id) ? store.steps.value.find(({ id }) => id === answer.id) : null;
  return shown ? { ...answer, knobs: shown.knobs } : answer;
}

/** How many moves of clips are not answered yet. */
let moves = 0;

/** While clips are moved, they stay where they are shown. @param {store.MotionDoc} answer */
const tracksUnderWay = (answer) =>
  (moves && store.motionDoc.value?.doc === answer.doc ? store.motionDoc.value : answer).tracks;

/** Show clips where the hand has put them, and ask for it. @param {Track[]} tracks @param {"move" | "end"} phase */
export async function moveTracks(tracks, phase) {
  if (!store.motionDoc.value) return;
  doc.value = { ...store.motionDoc.value, tracks: tracks.map((track) => ({ id: "", frames: 0, ...track })) };
  drag("tracks", "tracks.set", { tracks: plainTracks(tracks) });
  if (phase === "move") return;
  moves++;
  await commit("Move clip");
  moves--;
  if (!moves && store.motionDoc.value && confirmed?.kind === "motion" && confirmed.doc === current())
    doc.value = { ...store.motionDoc.value, tracks: confirmed.tracks };
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

/** Ask for a change of a step, and count it as under way. @param {string} step @param {string} type @param {Fields} fields */
async function askStep(step, type, fields) {
  asking.set(step, (asking.get(step) ?? 0) + 1);
  const answer = await ask(type, fields);
  asking.set(step, (asking.get(step) ?? 1) - 1);
  if (!asking.get(step) && confirmed?.kind === "motion" && confirmed.doc === current()) setSteps(confirmed.steps);
  return answer;
}

/** Show other steps than the server has confirmed. @param {StepLine[]} steps */
function setSteps(steps) {
  if (store.motionDoc.value) doc.value = { ...store.motionDoc.value, steps };
}

/** Whether everything that was asked is answered, and what is shown is the newest. */
export function isQuiet() {
  const { edit = 0, dragging } = doc.value ?? {};
  return (
    link.asked.size === 0 &&
    waiting.size === 0 &&
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
  latest = 0; // a studio that was started anew counts anew
  link.say("open", { doc: current(), frame: store.frame.value, rotations: true });
}

/** What is shown while a document opens. @type {store.MotionDoc} */
const OPENING = {
  ...{ type: "document", kind: "motion", doc: "", name: "", edit: 0, saved_edit: 0, saved_path: null, dragging: false },
  ...{ inputs: [], steps: [], tracks: [], markers: [], undo: null, redo: null, history: [], times: [], at: 0 },
  ...{ versions: [], view: {} },
};

/** @param {string} id */
export async function openDocument(id) {
  const last = doc.value?.doc;
  if (last && last !== id) link.say("close", { doc: last });
  latest = 0;
  batch(() => {
    doc.value = { ...OPENING, doc: id, pending: id };
    store.original.value = store.motion.value = store.skeleton.value = store.quality.value = null;
    store.film.value = store.keyDrawings.value = null;
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
  return ask("commit", label ? { label } : {});
}

/** The hand takes it back. */
export function cancel() {
  waiting.clear();
  return ask("cancel");
}

/** Turn knobs of a step. @param {string} step @param {Fields} knobs @param {Phase} [phase] @param {string} [label] */
export function turn(step, knobs, phase = "end", label) {
  for (const name of Object.keys(knobs)) clearFault(step, name);
  if (phase !== "cancel") foresee(step, (now) => ({ ...now, ...knobs }));
  if (phase === "move") {
    const set = waiting.get(step);
    drag(step, "step.set", { step, knobs: { .../** @type {Fields} */ (set?.fields.knobs ?? {}), ...knobs } });
    moving = step;
  } else if (phase === "cancel") return cancel();
  else if (moving === step) {
    drag(step, "step.set", { step, knobs });
    moving = "";
    return commit(label);
  } else
    return askStep(step, "step.set", {
      ...{ step, knobs, ...sameGesture(`${step} ${Object.keys(knobs)}`) },
      ...(label ? { label } : {}),
    });
  return null;
}
let moving = "";

/** Change one thing inside a knob. @param {string} step @param {(string | number)[]} path @param {unknown} value @param {Phase} [phase] @param {string} [label] */
export function patch(step, path, value, phase = "end", label) {
  clearFault(step, String(path[0]));
  const name = `${step} ${path.join(".")}`;
  if (phase !== "cancel") foresee(step, (now) => within(now, path, value));
  if (phase === "move") {
    drag(name, "step.patch", { step, path, value });
    moving = name;
    return null;
  }
  if (phase === "cancel") return cancel();
  if (moving === name) {
    drag(name, "step.patch", { step, path, value });
    moving = "";
    return commit(label);
  }
  return askStep(step, "step.patch", { step, path, value, ...sameGesture(name), ...(label ? { label } : {}) });
}

/** Show a change of knobs before the server confirms it; null is the default. @param {string} id @param {(knobs: Fields) => Fields} change */
function foresee(id, change) {
  const steps = store.steps.value.map((step) => {
    if (step.id !== id) return step;
    const knobs = change(step.knobs),
      declared = store.declared(step.op)?.knobs ?? [];
    for (const { name, default: usual } of declared) if (knobs[name] === null && usual !== null) knobs[name] = usual;
    return { ...step, knobs: /** @type {StepLine["knobs"]} */ (knobs) };
  });
  setSteps(steps);
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
  const drawing = store.drawingDoc.value;
  if (drawing) {
    const names = Object.keys(set),
      own = drawing.gaps[gap] ?? {},
      of = (/** @type {boolean} */ inGap) =>
        Object.fromEntries(names.filter((name) => name in own === inGap).map((name) => [name, set[name]]));
    doc.value = {
      ...drawing,
      settings: { ...drawing.settings, ...of(false) },
      gaps: drawing.gaps.map((each, k) => (k === gap ? { ...each, ...of(true) } : each)),
    };
  }
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
    { range, fps, frame } = store.playback,
    known = store.skeleton.value,
    role =
      joint === undefined
        ? ""
        : (Object.keys(known?.roles ?? {}).find((each) => known?.roles[each] === joint) ?? known?.names[joint] ?? "");
  return {
    ...(role ? { joint: role } : {}),
    start_s: Math.round(((range?.[0] ?? frame) / fps) * 1000) / 1000,
    ...(range ? { end_s: Math.round((range[1] / fps) * 1000) / 1000 } : {}),
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
