/** How the timeline is drawn. */
import { pathOf, safe } from "./dom.js";
import { clamp, plain } from "./numbers.js";

/** @param {import("./timeline.js").Timeline} line */
export function paintLanes(line) {
  const width = line.host.clientWidth,
    rows = line.rows,
    X = line.toX.bind(line),
    fps = line.playback.fps;
  line.svg.setAttribute("viewBox", `0 0 ${width} ${rows.height}`);
  line.svg.style.height = `${rows.height}px`;
  const contactsAt = rows.ruler + rows.ribbons + rows.track * (line.lanes + (line.result === null ? 0 : 1));
  let o = `<defs><pattern id="slides" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="1.800" height="4" fill="var(--inset)" fill-opacity=".75"/></pattern></defs>`;
  o += `<rect width="${width}" height="${rows.height}" fill="var(--inset)"/><rect width="${width}" height="${rows.ruler}" fill="var(--panel)" style="cursor: ew-resize"/>`;
  o += ruler(line, width, rows, X, fps);
  o += loop(line, rows, X);
  for (let k = 1; k <= line.lanes; k++)
    o += `<path d="M0 ${rows.ruler + rows.track * k}H${width}" stroke="var(--line)"/>`;
  for (const track of line.tracks) o += clip(line, track, rows, X);
  o += fades(line, rows, X);
  if (line.region) o += region(line, line.region, rows, X);
  if (line.result !== null) o += result(line, line.result, rows, X);
  for (const [row, side] of /** @type {[number, "left" | "right"][]} */ ([
    [0, "left"],
    [1, "right"],
  ])) {
    const y = contactsAt + row * rows.contact + 4,
      h = rows.contact - 6;
    for (const { start, stop, slide } of line.contacts[side]) {
      const x = X(start),
        w = Math.max(1.5, X(stop) - x),
        sliding = slide > 10;
      o += `<g><title>${side === "left" ? "Left" : "Right"} foot stands, frames ${start} to ${stop - 1}${slide > 0.05 ? `, slides ${plain(slide)} mm` : ""}</title><rect x="${x}" y="${y}" width="${w}" height="${h}" rx="2.500" fill="var(--${side})" fill-opacity=".88" stroke="var(--${side}-ink)" stroke-opacity=".9" stroke-width=".8"/>${sliding ? `<rect x="${x + Math.max(0, w - 16)}" y="${y}" width="${Math.min(16, w)}" height="${h}" fill="url(#slides)"/>` : ""}</g>`;
    }
  }
  const keysAt = contactsAt + rows.contact * 2;
  o += `<path d="M0 ${keysAt + 0.5}H${width}" stroke="var(--line)"/>`;
  for (const key of line.keys) o += reach(line, key, keysAt, rows.keys, X);
  for (const { frame, on } of line.keys) {
    const x = X(frame),
      y = keysAt + rows.keys / 2;
    o += `<g data-hold="key:${frame}" role="button" tabindex="0" aria-label="Key at frame ${frame}" style="cursor: pointer"><title>Key at frame ${frame}</title>${hit(x, y)}<path d="M${x} ${y - 5}L${x + 5} ${y}L${x} ${y + 5}L${x - 5} ${y}Z" fill="${on ? "var(--edited)" : "var(--inset)"}" stroke="${on ? "var(--text-1)" : "var(--edited)"}" stroke-width="1.400"/></g>`;
  }
  if (line.physics) {
    o += verdict(line.physics, line.playback.frames, keysAt + rows.keys, rows.verdict, width, X);
    if (rows.loads) o += loads(line.physics, line.span, keysAt + rows.keys + rows.verdict, rows.loads, width, X);
  }
  if (line.pending)
    o += `<path d="M${X(line.pending[0])} ${rows.ruler + 0.5}H${X(line.pending[1])}" stroke="var(--text-2)"/>`;
  line.svg.innerHTML = o;
}

/** How large what a pointer can take is at least, pixels. */
const HIT = 24;

/** What the pointer takes round a small mark. @param {number} x @param {number} y @param {number} [height] */
const hit = (x, y, height = HIT) => {
  const tall = Math.max(HIT, height);
  return `<rect x="${x - HIT / 2}" y="${y - tall / 2}" width="${HIT}" height="${tall}" fill="transparent"/>`;
};

/** From where to where a key changes the motion, with a grip at both ends. @param {import("./timeline.js").Timeline} line @param {import("./timeline.js").KeyMark} key @param {number} top @param {number} height @param {(frame: number) => number} X */
function reach(line, { frame, on, reach: [from, to] }, top, height, X) {
  const y = top + height / 2,
    [a, x, b] = [from, frame, to].map(X),
    seconds = plain(Math.max(frame - from, to - frame) / line.playback.fps);
  const grip = (/** @type {number} */ side, /** @type {number} */ at) =>
    `<g data-hold="reach:${frame}" data-side="${side}" role="slider" tabindex="0" aria-label="Reach of the key at frame ${frame}, ${side ? "after" : "before"}" aria-valuemin="0" aria-valuenow="${seconds}" aria-valuetext="${seconds} seconds" style="cursor: ew-resize"><title>Reach, ${seconds} s</title>${hit(at, y, height)}<rect x="${at - 1}" y="${y - 5}" width="2" height="10" rx="1" fill="var(--edited)"/></g>`;
  // The change eases in and out: it is drawn as it grows and fades.
  const bump = `M${a} ${y + 5}C${(a + x) / 2} ${y + 5} ${(a + x) / 2} ${y - 5} ${x} ${y - 5}C${(x + b) / 2} ${y - 5} ${(x + b) / 2} ${y + 5} ${b} ${y + 5}Z`;
  return `<path d="${bump}" fill="var(--edited)" fill-opacity="${on ? 0.34 : 0.18}" pointer-events="none"/>${grip(0, a)}${grip(1, b)}`;
}

/** @param {import("./timeline.js").Timeline} line @param {number} width @param {{ruler: number, height: number}} rows @param {(frame: number) => number} X @param {number} fps */
function ruler(line, width, rows, X, fps) {
  const [from, to] = line.span,
    seconds = (to - from) / fps;
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600].find((s) => (s / seconds) * width > 56) ?? 1200;
  const small = step / (step === 0.2 || step === 2 || step === 30 ? 4 : 5);
  let o = "";
  const marked = namedMarkers(line, width, X),
    over = (/** @type {number} */ x) => (/** @type {typeof marked[number]} */ marker) =>
      marker.named && x + 30 > marker.x - 6 && x < marker.x + marker.room;
  const numbers = Array.from({ length: Math.ceil(seconds / step) }, (_, k) => X((from / fps + k * step) * fps) + 5),
    crowded = numbers.filter((x) => marked.some(over(x))).length > numbers.length / 2;
  // Names that came with the file yield where they would leave too few numbers to read the time by.
  const markers = marked.map((marker) => ({ ...marker, named: marker.named && (marker.editable || !crowded) })),
    hidden = (/** @type {number} */ x) => markers.some(over(x));
  for (let k = Math.floor(from / fps / small); k <= to / fps / small; k++) {
    const t = k * small,
      x = X(t * fps),
      main = Math.abs(t / step - Math.round(t / step)) < 1e-6;
    o += `<path d="M${x} ${rows.ruler - (main ? 9 : 3)}V${rows.ruler}" stroke="var(--line-control)" stroke-opacity="${main ? 0.9 : 0.5}"/>`;
    if (main) o += `<path d="M${x} ${rows.ruler}V${rows.height}" stroke="var(--line)"/>`;
    // A marker hides the number under its name.
    if (main && !hidden(x + 5))
      o += `<text class="tick" x="${x + 5}" y="12" font-size="10" fill="var(--text-3)">${plain(t)}</text>`;
  }
  for (const { frame, name, editable, x, named } of markers)
    o += `<g data-hold="marker:${frame}" role="button" tabindex="0" aria-label="Marker ${safe(name)} at frame ${frame}" style="cursor: pointer">${hit(x, rows.ruler / 2)}${editable ? `<path d="M${x - 4} 4h8v6l-4 4-4-4z" fill="var(--text-2)"/>` : `<path d="M${x - 3} 0h6l-3 4z" fill="var(--line-control)"/>`}${named ? `<text class="tick" x="${x + 8}" y="12" font-size="10" fill="var(--text-2)">${safe(name)}</text>` : `<title>${safe(name)}</title>`}</g>`;
  return o;
}

/** Markers in order, and which of them have room for their name. @param {import("./timeline.js").Timeline} line @param {number} width @param {(frame: number) => number} X */
function namedMarkers(line, width, X) {
  const sorted = [...line.markers].sort((a, b) => a.frame - b.frame);
  let free = -Infinity;
  return sorted.map((marker, k) => {
    const x = X(marker.frame),
      next = sorted[k + 1] ? X(sorted[k + 1].frame) : Infinity,
      room = marker.name.length * 5.6 + 16,
      named = x >= free && x + room < width + 8 && (marker.editable || x + room < next);
    if (named) free = x + room;
    return { ...marker, x, room, named };
  });
}

/** @param {import("./timeline.js").Timeline} line @param {{ruler: number, height: number}} rows @param {(frame: number) => number} X */
function loop(line, rows, X) {
  const range = line.playback.range ?? [0, line.playback.frames - 1],
    on = line.playback.looping;
  const a = X(range[0]),
    b = X(range[1]),
    y = rows.ruler - 4,
    tone = on ? "var(--text-2)" : "var(--line-2)";
  const shade =
    line.playback.range && on
      ? `<rect x="${a}" y="${rows.ruler}" width="${b - a}" height="${rows.height - rows.ruler}" fill="var(--text-1)" fill-opacity=".03"/>`
      : "";
  /** @param {string} which @param {number} x @param {string} d @param {string} word */
  const grip = (which, x, d, word) =>
    `<g data-hold="${which}:" role="slider" tabindex="0" aria-label="Loop ${word}" aria-valuemin="0" aria-valuemax="${line.playback.frames - 1}" aria-valuenow="${which === "from" ? range[0] : range[1]}" aria-valuetext="frame ${which === "from" ? range[0] : range[1]}" style="cursor: ew-resize"><title>Loop ${word}</title>${hit(Math.max(x, HIT / 2), rows.ruler / 2)}<path d="${d}" fill="${tone}"/></g>`;
  return `<rect x="${a}" y="${y}" width="${Math.max(0, b - a)}" height="4" fill="${tone}" fill-opacity="${line.playback.range ? 1 : 0.4}"/>${grip("from", a, `M${a} ${y}v-7h5z`, "start")}${grip("to", b, `M${b} ${y}v-7h-5z`, "end")}${shade}`;
}

/** The part that an operation changes: its ends, and round grips where it has eased in and begins to ease out. @param {import("./timeline.js").Timeline} line @param {import("./timeline.js").Region} region @param {{ruler: number, track: number}} rows @param {(frame: number) => number} X */
function region(line, { start_s, stop_s, ease_s = 0.3 }, rows, X) {
  const fps = line.playback.fps,
    ease = Math.min(ease_s, (stop_s - start_s) / 2),
    top = rows.ruler + 2,
    bottom = rows.ruler + rows.track * line.lanes - 2,
    [a, b, c, d] = [start_s, start_s + ease, stop_s - ease, stop_s].map((s) => X(s * fps));
  const bend = (
    /** @type {number} */ from,
    /** @type {number} */ to,
    /** @type {number} */ y0,
    /** @type {number} */ y1,
  ) => `C${(from + to) / 2} ${y0} ${(from + to) / 2} ${y1} ${to} ${y1}`;
  const shape = `M${a} ${bottom}${bend(a, b, bottom, top)}L${c} ${top}${bend(c, d, top, bottom)}Z`;
  /** @param {string} id @param {number} x @param {string} label @param {number} value @param {string} mark @param {number} y @param {number} [tall] */
  const grip = (id, x, label, value, mark, y, tall) =>
    `<g data-hold="region:${id}" role="slider" tabindex="0" aria-label="${label}" aria-valuemin="0" aria-valuenow="${value}" aria-valuetext="${plain(value)} seconds" style="cursor: ew-resize"><title>${label}, ${plain(value)} s</title>${hit(x, y, tall)}${mark}</g>`;
  const bar = (/** @type {number} */ x) => `<path d="M${x} ${top}V${bottom}" stroke="var(--edited)" stroke-width="2"/>`,
    ball = (/** @type {number} */ x) =>
      `<circle cx="${x}" cy="${top + 6}" r="4.500" fill="var(--text-2)" stroke="var(--inset)"/>`;
  return `<g class="region"><path d="${shape}" fill="var(--edited)" fill-opacity=".2" pointer-events="none"/>
    ${grip("start", a, "Start of the region", start_s, bar(a), (top + bottom) / 2, bottom - top)}${grip("stop", d, "End of the region", stop_s, bar(d), (top + bottom) / 2, bottom - top)}
    ${grip("in", b, "Ease in of the region", ease, ball(b), top + 6)}${grip("out", c, "Ease out of the region", ease, ball(c), top + 6)}</g>`;
}

/** @param {import("./timeline.js").Timeline} line @param {import("./timeline.js").Track} track @param {{ruler: number, track: number}} rows @param {(frame: number) => number} X */
function clip(line, track, rows, X) {
  const length = track.stop - track.start,
    x = X(track.at),
    x2 = X(track.at + length),
    w = Math.max(4, x2 - x),
    grip = Math.min(HIT, w / 3),
    h = rows.track - 6,
    y = rows.ruler + track.lane * rows.track + 3;
  const facts = line.clips.get(track.clip),
    name = facts?.name ?? track.clip,
    id = safe(track.id ?? track.clip),
    on = line.selected === track.id;
  let energy = "";
  if (facts?.energy?.length) {
    const n = facts.energy.length,
      steps = Math.max(1, n - 1),
      frames = Math.max(1, facts.frames - 1),
      most = Math.max(1e-6, ...facts.energy),
      points = [];
    const first = Math.floor((track.start / frames) * steps),
      last = Math.max(first, Math.ceil(((track.stop - 1) / frames) * steps));
    for (let i = first; i <= last; i++)
      points.push([
        x + (((i / steps) * frames - track.start) / length) * w,
        y + h - 3 - (facts.energy[Math.min(n - 1, Math.max(0, i))] / most) * (h - 14),
      ]);
    const base = y + h - 3;
    energy = `<path d="M${x} ${base}L${points.map((p) => `${p[0].toFixed(1)} ${p[1].toFixed(1)}`).join("L")}L${x2} ${base}Z" fill="var(--ghost)" fill-opacity=".30"/><path d="${pathOf(points)}" fill="none" stroke="var(--ghost)" stroke-opacity=".55" stroke-width=".8"/>`;
  }
  const said = `${name}, from frame ${Math.round(track.at)}, ${Math.round(length)} frames${track.mute ? ", muted" : ""}`;
  return `<g opacity="${track.mute ? 0.35 : 1}"><clipPath id="clip-${id}"><rect x="${x}" y="${y}" width="${w}" height="${h}" rx="4"/></clipPath>
    <g data-hold="clip:${id}" role="button" tabindex="0" aria-label="${safe(said)}" style="cursor: grab"><g clip-path="url(#clip-${id})"><rect x="${x}" y="${y}" width="${w}" height="${h}" fill="var(--overlay)"/>${energy}</g><rect x="${x + 0.5}" y="${y + 0.5}" width="${w - 1}" height="${h - 1}" rx="4" fill="none" stroke="${on ? "var(--text-1)" : "var(--line-control)"}" stroke-opacity=".75"/><text x="${Math.max(x, 0) + 8}" y="${y + 12}" font-size="10.5" font-weight="500" fill="var(--text-1)">${safe(name)}</text></g>
    ${[
      ["head", x + 2.5, x],
      ["tail", x2 - 4.5, x2 - grip],
    ]
      .map(
        ([which, at, from]) =>
          `<g data-hold="${which}:${id}" role="slider" tabindex="0" aria-label="Trim ${which === "head" ? "start" : "end"} of ${safe(name)}" aria-valuemin="0" aria-valuemax="${facts?.frames ?? track.stop}" aria-valuenow="${Math.round(which === "head" ? track.start : track.stop)}" aria-valuetext="frame ${Math.round(which === "head" ? track.start : track.stop)} of the clip" style="cursor: col-resize"><title>Trim</title><rect x="${from}" y="${y}" width="${grip}" height="${h}" fill="transparent"/><rect x="${at}" y="${y + h / 2 - 5}" width="2" height="10" rx="1" fill="var(--text-3)" opacity=".7"/></g>`,
      )
      .join("")}</g>`;
}

/** The result under the tracks, where a step has changed its length, with ribbons from frames of the source to where they went. @param {import("./timeline.js").Timeline} line @param {import("./timeline.js").Outcome} outcome @param {{ruler: number, track: number, ribbons: number}} rows @param {(frame: number) => number} X */
function result(line, { frames, ribbons }, rows, X) {
  const from = rows.ruler + rows.track * line.lanes - 2,
    y = rows.ruler + rows.track * line.lanes + rows.ribbons,
    middle = (from + y + 3) / 2,
    [a, b] = [0, frames].map(X);
  const ribbon = (/** @type {number} */ was, /** @type {number} */ is) =>
    `<path data-ribbon="${was}" d="M${was} ${from}C${was} ${middle} ${is} ${middle} ${is} ${y + 3}" fill="none" stroke="var(--edited)" stroke-opacity=".75"/>`;
  const drawn = ribbons.map(([from, to]) => ribbon(X(from), X(to))).join("");
  return `<g pointer-events="none">${drawn}<rect x="${a}" y="${y + 3}" width="${b - a}" height="${rows.track - 6}" rx="4" fill="var(--edited-soft)" stroke="var(--edited-line)"/><text x="${Math.max(a, 0) + 8}" y="${y + 15}" font-size="10.5" font-weight="500" fill="var(--text-1)">Result, ${plain(frames / line.playback.fps)} s</text></g>`;
}

/** Which frames physics speaks against, and the others; what it spoke against in the original only is dashed. @param {import("./timeline.js").Physics} physics @param {number} frames @param {number} top @param {number} height @param {number} width @param {(frame: number) => number} X */
function verdict({ reasons }, frames, top, height, width, X) {
  const y = top + 3,
    h = height - 6;
  let o = `<path d="M0 ${top + 0.5}H${width}" stroke="var(--line)"/><rect x="${X(0)}" y="${y}" width="${Math.max(0, X(frames) - X(0))}" height="${h}" rx="2.500" fill="var(--good-soft)" pointer-events="none"/>`;
  const longest = [...reasons].sort((a, b) => Number(b.gone) - Number(a.gone) || b.stop - b.start - (a.stop - a.start));
  for (const { start, stop, text, gone } of longest) {
    const x = X(start),
      w = Math.max(3, X(stop) - x),
      said = `${gone ? "Before: " : ""}${text}`;
    // A text ends where the next span begins: none is printed over another.
    const next = Math.min(stop, ...reasons.flatMap((other) => (!other.gone && other.start > start ? other.start : []))),
      room = X(next) - x - 4,
      words = `<svg x="${x}" y="${y}" width="${room}" height="${h}"><text x="5" y="${h / 2 + 3.5}" font-size="10" fill="var(--text-1)">${safe(text)}</text></svg>`;
    const look = gone
      ? `fill="none" stroke="var(--ghost)" stroke-dasharray="3 2"`
      : `fill="var(--bad-soft)" stroke="var(--bad)"`;
    o += `<g data-hold="reason:${start}" role="button" tabindex="0" aria-label="${safe(said)}, frames ${start} to ${stop}" style="cursor: pointer"><title>${safe(said)}</title>${hit(x + w / 2, top + height / 2)}<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="2.500" ${look}/>${gone || room < 40 ? "" : words}</g>`;
  }
  return o;
}

/** What the floor gives over time in body weights: each foot after the step, all of the body before it and after. @param {import("./timeline.js").Physics} physics @param {[number, number]} span @param {number} top @param {number} height @param {number} width @param {(frame: number) => number} X */
function loads({ was, is }, [from, to], top, height, width, X) {
  const curves = /** @type {[Float32Array, number][]} */ (
    [
      [was, 2],
      [is, 2],
      ...(is
        ? [
            [is, 0],
            [is, 1],
          ]
        : [
            [was, 0],
            [was, 1],
          ]),
    ].filter(([values]) => values)
  );
  const most = Math.max(1.5, ...curves.map(([values, k]) => largest(values, k))),
    base = top + height - 4,
    Y = (/** @type {number} */ value) => base - (clamp(value, 0, most) / most) * (height - 9);
  /** @type {(values: Float32Array, k: number) => [number, number][][]} */
  const runs = (values, k) => sampled(values, k, from, to, width).map((run) => run.map(([f, v]) => [X(f), Y(v)]));
  const line = (/** @type {[number, number][][]} */ parts, /** @type {string} */ look) =>
    parts.map((part) => `<path d="${pathOf(part)}" fill="none" ${look}/>`).join("");
  const area = (/** @type {[number, number][][]} */ parts, /** @type {string} */ tone) =>
    parts
      .map((part) => {
        const [a, b] = [part[0][0], part[part.length - 1][0]].map((x) => x.toFixed(1));
        return `<path d="${pathOf(part)}L${b} ${base}L${a} ${base}Z" fill="var(--${tone}-soft)"/><path d="${pathOf(part)}" fill="none" stroke="var(--${tone})"/>`;
      })
      .join("");
  const feet = is ?? was;
  let o = `<path d="M0 ${top + 0.5}H${width}" stroke="var(--line)"/><path d="M0 ${Y(1)}H${width}" stroke="var(--text-3)" stroke-dasharray="4 3"/>`;
  if (feet) o += area(runs(feet, 0), "left") + area(runs(feet, 1), "right");
  if (was) o += line(runs(was, 2), `data-load="was" stroke="var(--ghost)" stroke-width="1.200"`);
  if (is) o += line(runs(is, 2), `data-load="is" stroke="var(--edited)" stroke-width="1.600"`);
  return `<g pointer-events="none" data-loads>${o}</g>`;
}

/** The scale of a curve: a peak that only a few frames have does not flatten the rest. @param {Float32Array} values @param {number} k */
function largest(values, k) {
  const known = values.filter((value, i) => i % 3 === k && Number.isFinite(value)).sort();
  return known.length ? known[Math.floor(0.99 * (known.length - 1))] * 1.1 : 0;
}

/** One column of the loads in view, the peak of each pixel, in runs without frames that cannot be judged. @param {Float32Array} values  (frames, 3) @param {number} k @param {number} from @param {number} to @param {number} width @returns {[number, number][][]} */
function sampled(values, k, from, to, width) {
  const frames = values.length / 3,
    first = Math.max(0, Math.floor(from)),
    last = Math.min(frames, Math.ceil(to) + 1),
    step = Math.max(1, Math.floor((last - first) / Math.max(1, width)));
  /** @type {[number, number][][]} */ const runs = [];
  let open = false;
  for (let f = first; f < last; f += step) {
    let peak = -Infinity;
    for (let g = f; g < Math.min(last, f + step); g++) if (values[g * 3 + k] > peak) peak = values[g * 3 + k];
    if (peak === -Infinity) {
      open = false;
      continue;
    }
    if (!open) runs.push([]);
    open = true;
    runs[runs.length - 1].push([f, peak]);
  }
  return runs;
}

/** Where clips overlap: both curves of the crossfade, and its length. @param {import("./timeline.js").Timeline} line @param {{ruler: number, track: number}} rows @param {(frame: number) => number} X */
function fades(line, rows, X) {
  const heard = line.tracks.filter((track) => !track.mute).sort((a, b) => a.at - b.at);
  let o = "";
  for (let k = 1; k < heard.length; k++) {
    const a = heard[k - 1],
      b = heard[k],
      end = Math.min(a.at + a.stop - a.start, b.at + b.stop - b.start);
    if (end - b.at < 1) continue;
    const x0 = X(b.at),
      x1 = X(end),
      h = rows.track - 6;
    for (const [track, rising] of /** @type {[import("./timeline.js").Track, boolean][]} */ ([
      [a, false],
      [b, true],
    ])) {
      const y = rows.ruler + track.lane * rows.track + 3;
      const points = Array.from({ length: 17 }, (_, i) => {
        const u = i / 16,
          s = u * u * (3 - 2 * u);
        return [x0 + (x1 - x0) * u, rising ? y + h - s * h : y + s * h];
      });
      o += `<g pointer-events="none"><rect x="${x0}" y="${y}" width="${x1 - x0}" height="${h}" fill="var(--edited)" fill-opacity=".12"/><path d="${pathOf(points)}" fill="none" stroke="var(--edited)" stroke-width="1.600"/></g>`;
    }
    const middle = (x0 + x1) / 2,
      y = rows.ruler + b.lane * rows.track + 15,
      name = safe(line.clips.get(b.clip)?.name ?? b.clip);
    o += `<g data-hold="fade:${safe(b.id ?? b.clip)}" role="slider" tabindex="0" aria-label="Crossfade into ${name}" aria-valuemin="1" aria-valuenow="${Math.round(end - b.at)}" aria-valuetext="${Math.round(end - b.at)} frames" style="cursor: ew-resize"><title>Crossfade, ${Math.round(end - b.at)} frames</title><rect x="${middle - 22}" y="${y - 12}" width="44" height="24" rx="4" fill="var(--overlay)" stroke="var(--edited)"/><text x="${middle}" y="${y + 4}" font-size="10" text-anchor="middle" fill="var(--text-1)">${Math.round(end - b.at)} f</text></g>`;
  }
  return o;
}
