/** A dropped file with another skeleton can take the motion that was open, or stand alone. */
import { Icon, IconButton } from "../shell/controls.js";
import { html } from "../shell/html.js";
import { addStep, ask, openDocument } from "../shell/session.js";
import * as store from "../shell/store.js";

/** @typedef {import("../shell/file_import.js").Source} Source */
/** @typedef {{name: string, source: Source, joints: string[], doc: string, motion: string}} Offer  a file, and the document that was open before it */

/** What was open before a file is opened: it may take its motion over. @param {{name: string, source: Source}} file @returns {Offer | null} */
export function offerOf({ name, source }) {
  const doc = store.motionDoc.value,
    skeleton = store.skeleton.value;
  return doc && skeleton ? { name, source, joints: skeleton.names, doc: doc.doc, motion: doc.name } : null;
}

export function RetargetOffer() {
  const offer = store.offer.value,
    skeleton = store.skeleton.value;
  if (!offer || !skeleton || store.doc.value?.doc === offer.doc) return null;
  if (skeleton.names.join() === offer.joints.join()) return null;
  const close = () => {
    store.offer.value = null;
  };
  const add = async () => {
    close();
    await openDocument(offer.doc);
    return (await ask("input.add", { source: offer.source, name: offer.name.replace(/[^A-Za-z0-9_-]+/g, "_") }))?.name;
  };
  const retarget = async () => {
    const to = await add();
    if (to && (await addStep("retarget", { to }))) store.compare.value = "beside";
  };
  const put = `Put ${offer.motion} on this character`;
  return html`<div class="plate offer" role="group" aria-label="Another skeleton"><${Icon} name="body" />
    <div class="grow"><b>${offer.name} has another skeleton</b><p class="dim">${skeleton.names.length} joints; ${offer.motion} has ${offer.joints.length}.</p></div>
    <button class="btn primary" title=${put} onClick=${retarget}><span>${put}</span></button>
    <button class="btn line" title=${`Add to ${offer.motion}`} onClick=${add}><span>Add to ${offer.motion}</span></button>
    <${IconButton} icon="cross" label="Open alone" onClick=${close} /></div>`;
}
