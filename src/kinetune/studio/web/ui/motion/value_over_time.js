/** A number that changes through the clip: keys of seconds and value on a small curve. */
import { CurveEditor } from "../../core/curve.js";
import { Core } from "../shell/controls.js";
import { html, useEffect, useRef } from "../shell/html.js";
import * as store from "../shell/store.js";
/** @import { Phase } from "../shell/controls.js" */

/** @param {{label: string, keys: number[][], most: number, top: number, neutral: number, onKeys: (rows: number[][], phase: Phase) => void}} props */
export function OverTime({ label, keys, most, top, neutral, onKeys }) {
  const shape = keys.map(([x, y]) => ({ x, y })),
    long = Math.max(0.1, ((store.motion.value?.frames ?? 2) - 1) / (store.motion.value?.fps ?? 30)),
    now = useRef(/** @type {HTMLElement | null} */ (null));
  const tidy = (/** @type {number} */ value) => Math.round(value * 1000) / 1000;
  useEffect(() => {
    const place = () => {
      const share = store.playback.frame / Math.max(1, store.playback.frames - 1);
      if (now.current) now.current.style.transform = `translateX(${(share * 100).toFixed(2)}%)`;
    };
    place();
    return store.playback.onFrame(place);
  }, []);
  return html`<div class="over-time"><${Core} className="got" watch=${[JSON.stringify([shape, long])]}
      make=${(/** @type {HTMLElement} */ host) => new CurveEditor(host, { label, plain: true })} update=${(
        /** @type {CurveEditor} */ curve,
      ) => {
        curve.view = {
          x: [0, long],
          y: [0, Math.max(top, ...shape.map(({ y }) => y * 1.1))],
          marks: [{ at: neutral, text: shape.length ? "" : "Double-click to add a point" }],
          xUnit: "seconds",
          yUnit: "times",
          xStep: 0.05,
          yStep: 0.05,
        };
        curve.onKeys = (next, _, phase) =>
          onKeys(
            next.map(({ x, y }) => [tidy(x), tidy(Math.min(most, Math.max(0, y)))]),
            phase,
          );
        curve.setKeys(shape);
      }} /><div class="now" aria-hidden="true"><i ref=${now}></i></div></div>`;
}
