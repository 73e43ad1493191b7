/** Preact, signals and templates, from one place. */
import { h, options } from "../../vendor/preact.js";
import htm from "../../vendor/htm.js";

export const html = htm.bind(h);
export { Fragment, render } from "../../vendor/preact.js";
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from "../../vendor/hooks.js";
export { batch, computed, effect, signal, useComputed, useSignal } from "../../vendor/signals.js";

/** Draws what has changed; null where nothing has. @type {(() => void) | null} */
let due = null;

/** Bring the page up to date. */
function catchUp() {
  const render = due;
  due = null;
  render?.();
}

options.debounceRendering = (render) => {
  due = render;
  queueMicrotask(catchUp);
};
// A handler computes the next value from what its panel was drawn with. So an event waits for what is due to be drawn:
// it then begins from the edit before it, however closely it follows.
for (const kind of ["pointerdown", "keydown", "click", "dblclick", "input", "change", "wheel"])
  addEventListener(kind, catchUp, { capture: true, passive: true });
