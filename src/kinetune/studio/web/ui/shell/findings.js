/** Findings as the server sends them: of a file, a drawing, a result. */
import { Icon } from "./controls.js";
import { html, useState } from "./html.js";
import * as store from "./store.js";
/** @import { FindingLine } from "../../core/answers.js" */

/** More than so many of a kind fold away: what an operation does is read below them. */
const FIRST = 3;

/** A list of findings; one at a frame leads there. @param {{findings: FindingLine[] | undefined}} props */
export function Findings({ findings = [] }) {
  const [all, setAll] = useState(false);
  const rank = findings.map(({ kind }, k) => findings.slice(0, k).filter((before) => before.kind === kind).length),
    first = findings.filter((_, k) => rank[k] < FIRST),
    more = findings.length - first.length;
  return html`${(all ? findings : first).map(
    (finding) => html`<p class=${`pop-note ${finding.severity}`} data-finding=${finding.kind}>
      <${Icon} name=${finding.severity === "info" ? "info" : "warn"} size=${12} /><span>${finding.message}</span>
      ${finding.frame === null ? null : html`<button class="btn sm" onClick=${() => goTo(finding.frame)}>${whereIs(finding.frame)}</button>`}</p>`,
  )}${more ? html`<button class="btn sm line" aria-expanded=${String(all)} onClick=${() => setAll(!all)}>${all ? "Show fewer" : `Show ${more} more`}</button>` : null}`;
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
