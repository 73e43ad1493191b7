/** What is chosen in the workspace of drawings. */
import { signal } from "../shell/html.js";
import * as store from "../shell/store.js";

export const tool = signal(/** @type {"film" | "match" | "shape"} */ ("film"));
/** The chosen curve: its key drawing, its layer and the curve inside. */
export const chosen = signal({ key: 0, layer: 0, contour: 0 });
/** The chosen gap: from this key drawing to the next. */
export const gap = signal(0);
/** How many control points are shown. */
export const detail = signal(8);
/** Where in the film we are, 0 to 1. */
export const moment = signal(0);
export const playing = signal(false);
/** How many drawings before and after are shown with the one at the moment, and whether they are. */
export const onion = signal({ on: true, before: 2, after: 2 });
/** Whether the film shows which points become each other. */
export const linesShown = signal(true);

/** The name of a layer. @param {{name: string} | undefined} layer @param {number} index */
export const layerName = (layer, index) => layer?.name || `Layer ${index + 1}`;

/** Choose a curve that there is. @param {number} key @param {number} layer @param {number} [contour] */
export function choose(key, layer, contour = 0) {
  const keys = store.drawingDoc.value?.keys ?? [],
    of = Math.max(0, Math.min(keys.length - 1, key)),
    layers = keys[of]?.layers ?? [],
    at = Math.max(0, Math.min(layers.length - 1, layer));
  const count = layers[at]?.contours ?? 1;
  chosen.value = { key: of, layer: at, contour: Math.max(0, Math.min(count - 1, contour)) };
  if (of < gap.value || of > gap.value + 1) gap.value = Math.max(0, Math.min(keys.length - 2, of));
}

/** Choose a gap that there is; the chosen curve moves to one of its drawings. @param {number} number */
export function chooseGap(number) {
  gap.value = Math.max(0, Math.min((store.drawingDoc.value?.keys.length ?? 1) - 2, number));
  const { key, layer } = chosen.value;
  if (key < gap.value || key > gap.value + 1) choose(gap.value, layer);
}

/** How many drawings the film has. */
export const count = () => store.film.value?.frames.length ?? 0;

/** The drawing of the film that is nearest to the moment. */
export const nowFrame = () => (count() ? Math.round(moment.value * (count() - 1)) : 0);

/** Go to a drawing of the film. @param {number} index */
export function goTo(index) {
  moment.value = Math.max(0, Math.min(1, index / Math.max(1, count() - 1)));
}

/** Play or stop, for the keyboard. */
export function togglePlaying() {
  playing.value = !playing.value;
}
