/** What is chosen in the workspace of drawings. */
import { signal } from "../shell/html.js";
import * as store from "../shell/store.js";
/** @import { DrawingDoc } from "../shell/store.js" */

export const tool = signal(/** @type {"match" | "shape" | "gait"} */ ("match"));
/** The chosen curve: 0 or 1 for the drawing, then its layer and the curve inside. */
export const chosen = signal({ which: 0, layer: 0, contour: 0 });
/** How many control points are shown. */
export const detail = signal(8);
/** Where in the film we are, 0 to 1. */
export const moment = signal(0);
export const playing = signal(false);

/** The key drawing of a side. @param {DrawingDoc | null} doc @param {number} which */
export const keyOf = (doc, which) => (which ? doc?.b : doc?.a);

/** The name of a layer. @param {{name: string} | undefined} layer @param {number} index */
export const layerName = (layer, index) => layer?.name || `Layer ${index + 1}`;

/** Choose a curve that there is. @param {number} which @param {number} layer @param {number} [contour] */
export function choose(which, layer, contour = 0) {
  const layers = keyOf(store.drawingDoc.value, which)?.layers ?? [],
    at = Math.max(0, Math.min(layers.length - 1, layer));
  const count = layers[at]?.contours ?? 1;
  chosen.value = { which, layer: at, contour: Math.max(0, Math.min(count - 1, contour)) };
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
