/** Thumbnails of clips: asked for when they come into view, a few at a time, and shared by all that show them. */
import { drawPose } from "../../core/thumbnail.js";
import { Refusal } from "../../core/link.js";
import { calm, onTheme } from "../../core/theme.js";
import { html, useEffect, useRef, useState } from "../shell/html.js";
import { link } from "../shell/session.js";
/** @import { ThumbnailAnswer } from "../../core/answers.js" */
/** @import { Source } from "../shell/file_import.js" */

/** @typedef {{source?: Source, of?: string}} Pictured  a source, or a document */

const AT_ONCE = 3;
/** @type {Map<string, ThumbnailAnswer | string>} */
const known = new Map();
/** Who waits, newest last: what has just come into view is drawn first. @type {{name: string, what: Pictured, then: () => void, gone: boolean}[]} */
const waiting = [];
let asking = 0;

function next() {
  while (asking < AT_ONCE && waiting.length) {
    const { name, what, then, gone } = /** @type {typeof waiting[0]} */ (waiting.pop());
    if (gone) continue;
    if (known.has(name)) {
      then();
      continue;
    }
    asking++;
    link
      .ask("thumbnail", what, "thumbnail")
      .then(
        (answer) => known.set(name, answer),
        (error) => {
          if (!(error instanceof Refusal)) throw error;
          if (error.code !== "lost") known.set(name, error.message);
        },
      )
      .finally(() => {
        asking--;
        then();
        next();
      });
  }
}

/** The poses of a clip, why there are none, or null as long as they are not known. @param {Pictured} what @returns {ThumbnailAnswer | string | null} */
export function useThumbnail(what) {
  const name = JSON.stringify(what),
    [, again] = useState(0);
  useEffect(() => {
    if (known.has(name)) return undefined;
    const line = { name, what, then: () => again((n) => n + 1), gone: false };
    waiting.push(line);
    next();
    return () => {
      line.gone = true;
    };
  }, [name]);
  return known.get(name) ?? null;
}

/** Ask anew for one that could not be drawn. @param {Pictured} what */
export const forget = (what) => known.delete(JSON.stringify(what));

/** The moving skeleton: at rest, playing while it is pointed at, and scrubbed with the pointer. @param {{poses: ThumbnailAnswer, playing?: boolean}} props */
export function Moving({ poses, playing }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null)),
    at = useRef(poses.rest),
    scrubbed = useRef(false);
  const draw = () => canvas.current && drawPose(canvas.current, poses, at.current);
  useEffect(() => {
    const sizes = new ResizeObserver(draw),
      stop = onTheme(draw);
    sizes.observe(/** @type {Element} */ (canvas.current));
    return () => {
      sizes.disconnect();
      stop();
    };
  }, [poses]);
  useEffect(() => {
    at.current = poses.rest;
    draw();
    if (!playing || calm()) return undefined;
    const count = poses.data.positions.length / poses.parents.length / 3;
    let last = 0,
      request = 0;
    const tick = (/** @type {number} */ now) => {
      if (!scrubbed.current)
        at.current = (at.current + (last ? ((now - last) / 1000) * poses.poses_fps : 0)) % Math.max(1, count - 1);
      last = now;
      draw();
      request = requestAnimationFrame(tick);
    };
    request = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(request);
  }, [playing, poses]);
  const scrub = (/** @type {PointerEvent} */ event) => {
    const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect(),
      count = poses.data.positions.length / poses.parents.length / 3;
    scrubbed.current = true;
    at.current = ((event.clientX - box.left) / box.width) * (count - 1);
    draw();
  };
  return html`<canvas ref=${canvas} aria-hidden="true" onPointerMove=${scrub} onPointerLeave=${() => {
    scrubbed.current = false;
    at.current = poses.rest;
    draw();
  }}></canvas>`;
}
