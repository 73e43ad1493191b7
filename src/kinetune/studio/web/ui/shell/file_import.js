/** Files that come in: chosen or dropped; where they are dropped says what becomes of them. */
import { Refusal } from "../../core/link.js";
import { calm } from "../../core/theme.js";
import { isSkeleton, stem, together } from "./companion_files.js";
import { addStep, ask, link, oneGesture, openDocument, say, setTracks, upload } from "./session.js";
import * as store from "./store.js";
import { offerOf } from "../motion/retarget_offer.js";

/** @typedef {"view" | "tracks" | "clip" | "stack" | "input" | "film" | `key-${number}`} Region  a key of a film by its number */
/** @typedef {{sample?: string, upload?: string, path?: string, reading?: {partial?: boolean}}} Source */
/** @typedef {{source: Source, name: string, kind: "clip" | "drawing" | "recipe"}} Item  a file that was sent */

/** A message in place, with what can be done about it. @param {string} message @param {{text: string, onClick: () => void}[]} [first] */
function showTrouble(message, first = []) {
  store.trouble.value = {
    message,
    actions: [
      ...first,
      {
        text: "Close",
        onClick: () => {
          waiting = null;
          store.trouble.value = null;
        },
      },
    ],
  };
}

/** A new document from a source; false where it cannot be opened, and says why in place. @param {Source} source @param {string} [name] @returns {Promise<boolean>} */
export async function openSource(source, name) {
  try {
    const made = await link.ask("new", name ? { source, name } : { source });
    store.trouble.value = null;
    await openDocument(made.doc);
    store.playback.setFrame(0);
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const partial = /open what is complete/i.test(error.message) && !source.reading?.partial,
      whole = () => openSource({ ...source, reading: { ...source.reading, partial: true } }, name);
    showTrouble(error.message, [
      ...(partial ? [{ text: "Open what is complete", onClick: () => void whole() }] : []),
      { text: "Choose another", onClick: () => chooseFiles() },
    ]);
    return false;
  }
}

/** A motion that waits for its skeleton, and what was to become of it. @type {{files: File[], place: Region, onClip?: (name: string, all: string[]) => void} | null} */
let waiting = null;

/** Take files that were chosen or dropped. @param {File[]} given @param {Region} place @param {(name: string, all: string[]) => void} [onClip]  gets the first name of the clips that are put beside the first, and all of them */
export async function takeFiles(given, place, onClip) {
  if (!given.length) return;
  const resumed = waiting && given.every(isSkeleton) ? waiting : null,
    taken = resumed ? { ...resumed, files: [...resumed.files, ...given] } : { files: given, place, onClip };
  waiting = null;
  const { files, opened, lacking } = together(taken.files);
  if (lacking) {
    waiting = taken;
    showTrouble(
      `${lacking.name} needs its skeleton, the .asf file that belongs to it. Drop that file too, or both at once.`,
      [{ text: "Choose the .asf", onClick: () => chooseFiles() }],
    );
    return;
  }
  try {
    const sent = await upload(files);
    const items = opened.map((k) => ({
      source: { upload: sent[k].upload },
      name: stem(files[k].name),
      kind: sent[k].kind ?? "clip", // the server has a message for one that it cannot read
    }));
    await takeItems(items, taken.place, taken.onClip);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    showTrouble(error.message, [{ text: "Choose another", onClick: () => chooseFiles() }]);
  }
}

const suffixes = () => store.hello.value?.suffixes ?? { read: [], drawings: [], recipes: [] };

/** @param {Item[]} items @param {Region} place @param {((name: string, all: string[]) => void) | undefined} onClip */
async function takeItems(items, place, onClip) {
  const [drawings, recipes, clips] = ["drawing", "recipe", "clip"].map((kind) =>
      items.filter((item) => item.kind === kind),
    ),
    [first, ...rest] = clips,
    inMotion = store.kind.value === "motion";
  if (drawings.length) await takeDrawings(drawings, place);
  else if (place === "tracks" && inMotion && first) for (const { source, name } of clips) await addTrack(source, name);
  else if ((place === "clip" || place === "input") && inMotion && first) {
    const names = await addClips(clips);
    if (names.length && onClip) onClip(names[0], names);
    else if (names.length) await addStep("blend", { other: names[0] });
  } else if (first) {
    store.offer.value = offerOf(first);
    if (!(await openSource(first.source, first.name))) return;
    if (!calm()) store.playback.setPlaying(true);
    const names = await addClips(rest);
    if (names.length) say(`Also added: ${names.join(", ")}. Align, blend or splice them with ${first.name}.`);
    if (recipes.length) await ask("recipe.set", { source: recipes[0].source });
  } else if (recipes.length && inMotion) await takeRecipe(recipes[0]);
  else if (recipes.length) await openSource(recipes[0].source, recipes[0].name);
}

/** The operations of a recipe: in place of those that are here, or after them, as the user says. @param {Item} recipe */
async function takeRecipe({ source, name }) {
  const count = store.steps.value.length,
    use = (/** @type {boolean} */ append) => {
      store.trouble.value = null;
      return ask("recipe.set", { source, append });
    };
  if (!count) return use(false);
  const close = () => {
    store.trouble.value = null;
  };
  store.trouble.value = {
    message: `Use the recipe ${name} here?`,
    more: `This document has ${count === 1 ? "one operation" : `${count} operations`} already.`,
    quiet: true,
    actions: [
      { text: "Replace", onClick: () => void use(false) },
      { text: "Add after", onClick: () => void use(true) },
      { text: "Cancel", onClick: close },
    ],
  };
  return null;
}

/** Clips beside the first one, for operations that take another; gives the names of those that can be read. @param {Item[]} clips @param {{gesture?: string, label?: string}} [gesture] @returns {Promise<string[]>} */
async function addClips(clips, gesture = {}) {
  /** @type {string[]} */ const names = [];
  for (const { source, name } of clips) {
    const added = await ask("input.add", { source, name: name.replace(/[^A-Za-z0-9_-]+/g, "_"), ...gesture });
    if (added) names.push(added.name);
  }
  return names;
}

/** In a film: in place of the key drawing that they are dropped on, or after the last; elsewhere: a new film. @param {Item[]} drawings @param {Region} place */
async function takeDrawings(drawings, place) {
  const film = store.drawingDoc.value;
  if (!film) {
    const made = await link.ask("drawing.new", { keys: drawings.map(({ source }) => source) });
    return openDocument(made.doc);
  }
  const gesture = oneGesture(`Add ${drawings.map(({ name }) => name).join(", ")}`),
    key = place.startsWith("key-") ? Number(place.slice(4)) : null;
  for (const [k, { source }] of drawings.entries())
    if (key !== null && !k) await ask("drawing.replace", { key, source });
    else await ask("drawing.insert", { at: key === null ? film.keys.length + k : key + k, source, ...gesture });
  return null;
}

/** Another clip: behind the last one on its own lane, overlapping by half a second. @param {Source} source @param {string} name */
export async function addTrack(source, name) {
  const gesture = oneGesture(`Add ${name} to the timeline`),
    [added] = await addClips([{ source, name, kind: "clip" }], gesture);
  if (!added) return;
  const tracks = store.motionDoc.value?.tracks ?? [],
    fps = store.motionDoc.value?.source?.fps ?? 30;
  const end = Math.max(0, ...tracks.map((track) => track.at + track.stop - track.start));
  const fade = Math.round(Math.min(fps / 2, end / 3));
  const last = { clip: added, lane: tracks.length, at: Math.max(0, end - fade), start: 0, stop: null, mute: false };
  await setTracks([...tracks, last], gesture);
  say(`${added} follows on its own track`);
}

/** Let the user choose files. @param {Region} [place] @param {(name: string, all: string[]) => void} [onClip] */
export function chooseFiles(place = "view", onClip) {
  const input = document.createElement("input"),
    { read, drawings, recipes } = suffixes();
  input.type = "file";
  input.multiple = true;
  input.accept = [...read, ...drawings, ...recipes, ".bin"].join(",");
  input.onchange = () => takeFiles([...(input.files ?? [])], place, onClip);
  input.click();
}

/** What a clip of the studio's list is dragged as. */
export const CLIP = "application/x-kinetune";

/** Files may be dropped anywhere; elements with data-drop say what becomes of them. */
export function listenForFiles() {
  let depth = 0;
  const mark = (/** @type {boolean} */ on) => document.documentElement.classList.toggle("dropping", on);
  addEventListener("dragenter", (event) => {
    if (event.dataTransfer?.types.includes("Files")) {
      depth++;
      mark(true);
    }
  });
  addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (!depth) mark(false);
  });
  addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.some((type) => type === "Files" || type === CLIP)) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    const clip = event.dataTransfer?.getData(CLIP);
    if (!event.dataTransfer?.files.length && !clip) return;
    event.preventDefault();
    depth = 0;
    mark(false);
    const target = /** @type {Element} */ (event.target),
      region = /** @type {HTMLElement | null} */ (target.closest("[data-drop]"))?.dataset.drop ?? "view",
      place = region === "tracks" && target.closest("[data-hold^='clip:']") ? "clip" : region;
    if (clip) takeItems([/** @type {Item} */ (JSON.parse(clip))], /** @type {Region} */ (place), undefined);
    else takeFiles([...(event.dataTransfer?.files ?? [])], /** @type {Region} */ (place));
  });
}
