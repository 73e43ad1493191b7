/** What the characters wear: the skin of their file, a mannequin, or their bones alone. */
import { Surface } from "../../core/surface.js";
import { LITE } from "../../core/theme.js";
import { effect } from "../shell/html.js";
import { ask } from "../shell/session.js";
import * as store from "../shell/store.js";

/** @typedef {import("../../core/surface.js").SkinAnswer} SkinAnswer */

/** How long to wait before a surface is asked for again. */
const PATIENCE_MS = 500;

/** Ask for the surfaces of a document's characters, again whenever its joints or the wish change. @param {import("../../core/viewport.js").Viewport} viewport @returns {() => void} */
export function dressed(viewport) {
  let asked = 0;
  return effect(() => {
    const skeleton = store.skeleton.value,
      original = store.original.value,
      body = store.body.value;
    viewport.showBones(body === "bones");
    if (!skeleton || !original || body === "bones") return;
    const number = ++asked;
    void dress(viewport, body, skeleton.of === "motion", () => number === asked);
  });
}

/** @param {import("../../core/viewport.js").Viewport} viewport @param {"skin" | "mannequin"} body @param {boolean} two  whether the original has another body @param {() => boolean} wanted */
async function dress(viewport, body, two, wanted) {
  let edited = await fetchSurface(body, "motion");
  while (!edited && wanted()) {
    // an edit came in between: the question was put aside
    await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
    edited = await fetchSurface(body, "motion");
  }
  if (!edited || !wanted()) return;
  store.dress.value = { body: edited.body, name: edited.name, problem: edited.finding?.message ?? null };
  const shown = new Surface(edited);
  viewport.setSurfaces(shown, two ? null : shown);
  const original = two ? await fetchSurface(body, "original") : null;
  if (original && wanted()) viewport.setSurfaces(shown, new Surface(original));
}

/** @param {"skin" | "mannequin"} body @param {"motion" | "original"} of */
async function fetchSurface(body, of) {
  return /** @type {SkinAnswer | null} */ (await ask("skin", { body, of, coarse: LITE }, "skin"));
}
