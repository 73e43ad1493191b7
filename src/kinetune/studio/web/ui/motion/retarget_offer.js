/** A dropped file with another skeleton: its motion for the character that was open, that one's motion for it, or alone. */
import { Icon, IconButton } from "../shell/controls.js";
import { html } from "../shell/html.js";
import { addStep, ask, openDocument } from "../shell/session.js";
import * as store from "../shell/store.js";

/** @typedef {import("../shell/file_import.js").Source} Source */
/** @typedef {{name: string, source: Source, joints: string[], doc: string, motion: string, character: Source}} Offer  a file, and the document that was open before it with its own file */

/** What was open before a file is opened: it may take its motion over. @param {{name: string, source: Source}} file @returns {Offer | null} */
export function offerOf({ name, source }) {
  const doc = store.motionDoc.value,
    skeleton = store.skeleton.value;
  if (!doc?.source || !skeleton) return null;
  const { sample, path, reading } = doc.source,
    character = sample ? { sample } : path ? { path, reading } : null;
  return character && { name, source, joints: skeleton.names, doc: doc.doc, motion: doc.name, character };
}

export function RetargetOffer() {
  const offer = store.offer.value,
    skeleton = store.skeleton.value;
  if (!offer || !skeleton || store.doc.value?.doc === offer.doc) return null;
  // A file with a single pose or a skin is a character that wants a motion; any other is a motion, for the character that was open.
  const moves = (store.motion.value?.frames ?? 1) > 1,
    character = !moves || store.dress.value?.body === "skin";
  if (moves && skeleton.names.join() === offer.joints.join()) return null;
  if (store.steps.value.length) return null; // it is being edited by itself
  const close = () => {
    store.offer.value = null;
  };
  const input = async (/** @type {Source} */ source, /** @type {string} */ name) =>
    (await ask("input.add", { source, name: name.replace(/[^A-Za-z0-9_-]+/g, "_") }))?.name;
  const add = async () => {
    close();
    await openDocument(offer.doc);
    return input(offer.source, offer.name);
  };
  const retarget = async (/** @type {string | undefined} */ to) => {
    if (to && (await addStep("retarget", { to }))) store.compare.value = "beside";
  };
  const take = async () => {
    close();
    await retarget(await input(offer.character, offer.motion));
  };
  const choices = /** @type {[string, string, () => unknown, boolean][]} */ ([
    ["Retarget to", "", take, !character],
    ["Put", "on this character", async () => retarget(await add()), character],
    ["Add to", "", add, false],
  ]).slice(moves ? 0 : 1);
  return html`<div class="plate offer" role="group" aria-label="Another skeleton" data-covers="bottom"><${Icon} name="body" />
    <div class="grow"><b>${character ? "A character" : "Another skeleton"}</b><p class="dim">${skeleton.names.length} joints; ${offer.motion} has ${offer.joints.length}.</p></div>
    <div class="row">${choices.map(([before, after, act, usual]) => html`<button class=${usual ? "btn primary" : "btn line"} title=${`${before} ${offer.motion} ${after}`.trim()} onClick=${act}>${before} <span>${offer.motion}</span> ${after}</button>`)}</div>
    <${IconButton} icon="cross" label="Open alone" onClick=${close} /></div>`;
}
