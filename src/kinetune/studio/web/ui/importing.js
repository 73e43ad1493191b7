/** Files that come in: chosen or dropped; where they are dropped says what becomes of them. */
import { Refusal } from "../core/link.js";
import { addStep, ask, link, openDocument, say, upload } from "./session.js";
import * as store from "./store.js";
import { plainTracks } from "./tracks.js";

/** A new document from a source. @param {Record<string, any>} source @param {string} [name] */
export async function openSource(source, name) {
  try {
    const made = await link.ask("new", name ? { source, name } : { source });
    store.trouble.value = null;
    await openDocument(made.doc);
    store.playback.setFrame(0);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const partial = /partial/.test(error.message) && !source.reading?.partial;
    store.trouble.value = {
      message: error.message,
      actions: [
        ...(partial
          ? [
              {
                text: "Open what is complete",
                onClick: () => {
                  openSource({ ...source, reading: { ...source.reading, partial: true } }, name);
                },
              },
            ]
          : []),
        { text: "Choose another", onClick: () => chooseFiles() },
        {
          text: "Close",
          onClick: () => {
            store.trouble.value = null;
          },
        },
      ],
    };
  }
}

/** Take files that were chosen or dropped. @param {File[]} files @param {"view" | "tracks" | "clip" | "stack" | "drawing-a" | "drawing-b"} place */
export async function takeFiles(files, place) {
  if (!files.length) return;
  const suffixes = store.hello.value.suffixes,
    ends = (/** @type {File} */ file, /** @type {string[]} */ list) =>
      list.some((suffix) => file.name.toLowerCase().endsWith(suffix));
  try {
    const sent = await upload(files);
    const main = Math.max(
      0,
      files.findIndex((file) => !/\.(asf|bin|png|jpg)$/i.test(file.name)),
    );
    const source = { upload: sent[main].upload },
      file = files[main],
      name = file.name.replace(/\.[^.]+$/, "");
    if (ends(file, suffixes.recipes) && place === "stack") return void (await ask("recipe.set", { source }));
    if (ends(file, suffixes.drawings)) return void (await takeDrawings(files, sent, place));
    if (place === "tracks" && store.kind.value === "motion") return void (await addTrack(source, name));
    if (place === "clip" && store.kind.value === "motion") return void (await addBlend(source, name));
    await openSource(source, name);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    store.trouble.value = {
      message: error.message,
      actions: [
        { text: "Choose another", onClick: () => chooseFiles() },
        {
          text: "Close",
          onClick: () => {
            store.trouble.value = null;
          },
        },
      ],
    };
  }
}

/** @param {File[]} files @param {{upload: string}[]} sent @param {string} place */
async function takeDrawings(files, sent, place) {
  if (store.kind.value === "drawing" && files.length === 1)
    return ask("drawing.replace", { which: place === "drawing-b" ? "b" : "a", source: { upload: sent[0].upload } });
  const made = await link.ask("drawing.new", {
    a: { upload: sent[0].upload },
    ...(sent[1] ? { b: { upload: sent[1].upload } } : {}),
  });
  return openDocument(made.doc);
}

/** Another clip: behind the last one on its own lane, overlapping by half a second. @param {Record<string, any>} source @param {string} name */
export async function addTrack(source, name) {
  const added = await ask("input.add", { source, name: name.replace(/[^A-Za-z0-9_-]+/g, "_") });
  if (!added) return;
  const tracks = store.doc.value.tracks ?? [],
    fps = store.doc.value.source.fps;
  const end = Math.max(0, ...tracks.map((/** @type {any} */ track) => track.at + track.stop - track.start));
  const fade = Math.round(Math.min(fps / 2, end / 3));
  await ask("tracks.set", {
    tracks: [
      ...plainTracks(tracks),
      { clip: added.name, lane: tracks.length, at: Math.max(0, end - fade), start: 0, stop: null, mute: false },
    ],
  });
  say(`${added.name} follows on its own track`);
}

/** A clip that is dropped on another one is lined up and blended with it. @param {Record<string, any>} source @param {string} name */
async function addBlend(source, name) {
  const added = await ask("input.add", { source, name: name.replace(/[^A-Za-z0-9_-]+/g, "_") });
  if (added) await addStep("blend", { other: added.name });
}

/** Let the user choose files. @param {"view" | "tracks" | "stack" | "drawing-a" | "drawing-b"} [place] */
export function chooseFiles(place = "view") {
  const input = document.createElement("input"),
    { read, drawings, recipes } = store.hello.value.suffixes;
  input.type = "file";
  input.multiple = true;
  input.accept = [...read, ...drawings, ...recipes, ".asf", ".bin"].join(",");
  input.onchange = () => takeFiles([...(input.files ?? [])], place);
  input.click();
}

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
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    depth = 0;
    mark(false);
    const target = /** @type {Element} */ (event.target),
      region = /** @type {HTMLElement | null} */ (target.closest("[data-drop]"))?.dataset.drop ?? "view",
      place = region === "tracks" && target.closest("[data-hold^='clip:']") ? "clip" : region;
    takeFiles([...event.dataTransfer.files], /** @type {any} */ (place));
  });
}
