/** Findings as the server sends them: of a file, a drawing, a result. */
import { Icon } from "./controls.js";
import { html } from "./html.js";
import * as store from "./store.js";
/** @import { FindingLine } from "../../core/answers.js" */

/** A list of findings; one at a frame leads there. @param {{findings: FindingLine[] | undefined}} props */
export function Findings({ findings = [] }) {
  return html`${findings.map(
    (finding) => html`<p class=${`pop-note ${finding.severity}`} data-finding=${finding.kind}>
      <${Icon} name=${finding.severity === "info" ? "info" : "warn"} size=${12} /><span>${finding.message}</span>
      ${finding.frame === null ? null : html`<button class="btn sm" onClick=${() => goTo(finding.frame)}>${whereIs(finding.frame)}</button>`}</p>`,
  )}`;
}

/** @param {FindingLine["frame"]} frame */
export const firstFrame = (frame) => (Array.isArray(frame) ? frame[0] : (frame ?? 0));

/** "frame 7" or "frames 7 to 19". @param {FindingLine["frame"]} frame */
export const whereIs = (frame) =>
  Array.isArray(frame) && frame[0] !== frame[1] ? `frames ${frame[0]} to ${frame[1]}` : `frame ${firstFrame(frame)}`;

/** @param {FindingLine["frame"]} frame */
export function goTo(frame) {
  store.playback.setPlaying(false);
  store.playback.setFrame(firstFrame(frame));
}
