/** Ruler, clips, contacts and keys on one axis of time; the playhead crosses them all. */
import { follow } from "./dom.js";
import { clamp } from "./numbers.js";
import { measure } from "./theme.js";
import { paintLanes } from "./timeline_paint.js";

/**
 * @typedef {Object} Track
 * @property {string} [id]
 * @property {string} clip
 * @property {number} lane
 * @property {number} at
 * @property {number} start
 * @property {number} stop
 * @property {boolean} mute
 *
 * @typedef {{start: number, stop: number, slide: number}} Stand
 * @typedef {{frame: number, on: boolean, reach: [number, number]}} KeyMark  reach: from where to where it changes the motion
 * @typedef {{frame: number, name: string, editable: boolean}} Marker
 * @typedef {{start: number, stop: number, text: string, gone: boolean}} Reason  frames that physics speaks against; gone: in the original only
 * @typedef {{reasons: Reason[], was: Float32Array | null, is: Float32Array | null}} Physics
 *   what physics says, where it was asked; was, is: what the floor gives left foot, right foot and all of the body, (frames, 3) body weights
 * @typedef {{frames: number, ribbons: [number, number][]}} Outcome  how long the result is, and which frames of the tracks went where in it
 * @typedef {{start_s: number, stop_s: number, ease_s?: number}} Region  seconds
 * @typedef {"start" | "stop" | "in" | "out"} RegionGrip  its ends, and how far its eases go
 */

export class Timeline {
  /** @param {HTMLElement} host @param {{playback: import("./playback.js").Playback}} options */
  constructor(host, { playback }) {
    this.host = host;
    this.playback = playback;
    this.svg = /** @type {SVGSVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", "Tracks");
    host.append(this.svg);
    /** @type {[number, number]} */ this.span = [0, 1];
    /** @type {Track[]} */ this.tracks = [];
    /** @type {Map<string, {name: string, frames: number, energy: Float32Array | null}>} */ this.clips = new Map();
    /** @type {{left: Stand[], right: Stand[]}} */ this.contacts = { left: [], right: [] };
    /** @type {KeyMark[]} */ this.keys = [];
    /** @type {Marker[]} */ this.markers = [];
    /** @type {Physics | null} */ this.physics = null;
    /** The result, where its length is not what the tracks say. @type {Outcome | null} */ this.result = null;
    /** @type {[number, number] | null} */ this.pending = null;
    /** The part of the clip that an operation changes. @type {Region | null} */ this.region = null;
    this.selected = "";
    this.snap = true;
    /** Whether a hand holds a clip: what the server says of the tracks meanwhile is older. */
    this.held = false;
    /** Whether all of the clip is in view, and should stay so when it grows. */
    this.fitted = true;
    /** @type {(tracks: Track[], phase: "move" | "end" | "cancel") => void} */ this.onTracks = () => {};
    /** @type {(frame: number) => void} */ this.onKey = () => {};
    /** @type {(frame: number, seconds: number, phase: "move" | "end" | "cancel") => void} */ this.onReach = () => {};
    /** @type {(region: Region | null, phase: "move" | "end" | "cancel") => void} */ this.onRegion = () => {};
    /** @type {(markers: Marker[]) => void} */ this.onMarkers = () => {};
    /** @type {(span: [number, number]) => void} */ this.onSpan = () => {};
    /** @type {(id: string) => void} */ this.onSelect = () => {};
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("dblclick", (event) => this.double(event));
    this.svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.sizes = new ResizeObserver(() => this.paint());
    this.sizes.observe(host);
    this.stops = [playback.onState(() => this.paint())];
  }

  /** @param {Partial<{tracks: Track[], clips: Map<string, {name: string, frames: number, energy: Float32Array | null}>, contacts: {left: Stand[], right: Stand[]}, keys: KeyMark[], markers: Marker[], physics: Physics | null, result: Outcome | null, region: Region | null, pending: [number, number] | null, snap: boolean}>} facts */
  setFacts(facts) {
    const { tracks, ...rest } = facts;
    Object.assign(this, this.held ? rest : facts);
    this.paint();
  }

  /** Which frames are in view. @param {[number, number]} span */
  setSpan([from, to]) {
    this.fitted = false;
    const total = this.total,
      wide = clamp(to - from, 10, total * 1.04);
    const start = clamp(from, -total * 0.01, Math.max(0, total * 1.03 - wide));
    this.span = [start, start + wide];
    this.paint();
    this.onSpan(this.span);
  }

  fit() {
    this.setSpan([0, this.total * 1.03]);
    this.fitted = true;
  }

  /** Keep all of it in view, unless the user looks at a part or holds a clip. */
  keepFitted() {
    if (this.fitted && !this.held) this.fit();
  }

  get total() {
    return Math.max(this.playback.frames, ...this.tracks.map((track) => track.at + track.stop - track.start));
  }

  get lanes() {
    return Math.max(1, ...this.tracks.map((track) => track.lane + 1));
  }

  get rows() {
    const [ruler, track, contact, keys, force, room] = ["ruler", "track", "contact", "keys", "loads", "ribbons"].map(
      (row) => measure(`--row-${row}`),
    );
    const lanes = this.lanes + (this.result === null ? 0 : 1),
      ribbons = this.result?.ribbons.length ? room : 0,
      verdict = this.physics ? contact : 0,
      loads = this.physics?.was || this.physics?.is ? force : 0,
      height = ruler + track * lanes + ribbons + contact * 2 + keys + verdict + loads;
    return { ruler, track, ribbons, contact, keys, verdict, loads, height };
  }

  /** @param {number} frame */
  toX(frame) {
    const [from, to] = this.span;
    return ((frame - from) / (to - from)) * this.host.clientWidth;
  }

  /** @param {{clientX: number}} event */
  toFrame(event) {
    const box = this.svg.getBoundingClientRect(),
      [from, to] = this.span;
    return from + ((event.clientX - box.left) / box.width) * (to - from);
  }

  paint() {
    if (this.host.clientWidth < 10) return;
    const { hold, side } = /** @type {SVGElement | null} */ (this.svg.querySelector(":focus"))?.dataset ?? {};
    paintLanes(this);
    const which = side ? `[data-side="${side}"]` : "";
    if (hold)
      /** @type {HTMLElement | null} */ (this.svg.querySelector(`[data-hold="${CSS.escape(hold)}"]${which}`))?.focus();
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    const hold = /** @type {SVGElement | null} */ (/** @type {Element} */ (event.target).closest("[data-hold]"));
    const [what, id] = (hold?.dataset.hold ?? "").split(":");
    if (what === "key") {
      this.onKey(Number(id));
      this.playback.setFrame(Number(id));
      return;
    }
    if (what === "marker" || what === "reason") {
      this.playback.setFrame(Number(id));
      return;
    }
    if (what === "region") return this.dragRegion(/** @type {RegionGrip} */ (id), event);
    if (event.shiftKey) return this.dragRegion(null, event);
    if (what === "reach") return this.dragReach(Number(id), event);
    if (what === "from" || what === "to") return this.dragRange(what, event);
    if (what === "clip" || what === "head" || what === "tail" || what === "fade")
      return this.dragTrack(what, id, event);
    const playing = this.playback.playing;
    this.playback.setPlaying(false);
    const go = (/** @type {PointerEvent} */ move) =>
      this.playback.setFrame(this.snap || move.ctrlKey ? Math.round(this.toFrame(move)) : this.toFrame(move));
    go(event);
    const back = () => this.playback.setPlaying(playing);
    follow(this.svg, event, { move: go, end: back, cancel: back });
  }

  /** @param {"from" | "to"} which @param {PointerEvent} event */
  dragRange(which, event) {
    const before = this.playback.range;
    follow(this.svg, event, {
      move: (move) => {
        const [a, b] = this.playback.range ?? [0, this.playback.frames - 1],
          frame = Math.round(this.toFrame(move));
        this.playback.setRange(
          which === "from" ? [clamp(frame, 0, b - 2), b] : [a, clamp(frame, a + 2, this.playback.frames - 1)],
        );
      },
      end: () => {},
      cancel: () => this.playback.setRange(before),
    });
  }

  /** A new region from where the pointer is, or a grip of the one that is there. @param {RegionGrip | null} grip @param {PointerEvent} event */
  dragRegion(grip, event) {
    const before = this.region,
      from = this.seconds(this.toFrame(event));
    let made = before;
    follow(this.svg, event, {
      move: (move) => {
        const at = this.seconds(this.toFrame(move));
        if (grip && before) made = this.gripped(before, grip, at);
        else if (at !== from)
          made = { start_s: Math.min(from, at), stop_s: Math.max(from, at), ease_s: before?.ease_s ?? 0.3 };
        this.region = made;
        this.paint();
        this.onRegion(made, "move");
      },
      end: () => this.onRegion(made, "end"),
      cancel: (released) => {
        this.region = before;
        this.paint();
        if (!released) this.onRegion(before, "cancel");
      },
    });
  }

  /** The time of a frame of the clip. @param {number} frame */
  seconds(frame) {
    return Math.round((clamp(Math.round(frame), 0, this.playback.frames - 1) / this.playback.fps) * 1000) / 1000;
  }

  /** A region one of whose grips is at a time. @param {Region} region @param {RegionGrip} grip @param {number} at @returns {Region} */
  gripped(region, grip, at) {
    const { start_s, stop_s } = region,
      least = 2 / this.playback.fps,
      rounded = (/** @type {number} */ s) => Math.round(s * 1000) / 1000;
    if (grip === "start") return { ...region, start_s: rounded(clamp(at, 0, stop_s - least)) };
    if (grip === "stop") return { ...region, stop_s: rounded(Math.max(at, start_s + least)) };
    const ease = grip === "in" ? at - start_s : stop_s - at;
    return { ...region, ease_s: rounded(clamp(ease, 0, (stop_s - start_s) / 2)) };
  }

  /** How far a key reaches, the same to both sides. @param {number} frame  of the key @param {PointerEvent} event */
  dragReach(frame, event) {
    let seconds = 0;
    this.onKey(frame);
    follow(this.svg, event, {
      move: (move) => {
        seconds = Math.max(1, Math.round(Math.abs(this.toFrame(move) - frame))) / this.playback.fps;
        this.onReach(frame, seconds, "move");
      },
      end: () => this.onReach(frame, seconds, "end"),
      cancel: (released) => {
        if (!released) this.onReach(frame, seconds, "cancel");
      },
    });
  }

  /** @param {"clip" | "head" | "tail" | "fade"} what @param {string} id @param {PointerEvent} event */
  dragTrack(what, id, event) {
    const before = this.tracks.map((track) => ({ ...track })),
      index = before.findIndex((track) => track.id === id);
    const was = before[index],
      from = this.toFrame(event),
      top = event.clientY;
    this.selected = id;
    this.held = true;
    this.onSelect(id);
    this.paint();
    follow(this.svg, event, {
      move: (move) => {
        const by = Math.round(this.toFrame(move) - from);
        if (what === "fade") {
          this.tracks = this.faded(before, id, by);
          this.paint();
          this.onTracks(this.tracks, "move");
          return;
        }
        const track = this.moved(was, what, by);
        if (what === "clip") {
          track.at = Math.max(0, this.snapped(was.at + by, was.stop - was.start, id, move));
          track.lane = clamp(
            was.lane + Math.round((move.clientY - top) / this.rows.track),
            0,
            Math.max(1, before.length - 1),
          );
        }
        this.tracks = before.map((each, k) => (k === index ? track : each));
        this.paint();
        this.onTracks(this.tracks, "move");
      },
      end: () => {
        this.held = false;
        this.onTracks(this.tracks, "end");
        this.keepFitted();
      },
      cancel: () => {
        this.held = false;
        const moved = JSON.stringify(this.tracks) !== JSON.stringify(before);
        this.tracks = before;
        this.paint();
        if (moved) this.onTracks(before, "cancel");
      },
    });
  }

  /** A clip that is moved or trimmed by some frames. @param {Track} was @param {"clip" | "head" | "tail"} what @param {number} by @returns {Track} */
  moved(was, what, by) {
    if (what === "clip") return { ...was, at: Math.max(0, was.at + by) };
    if (what === "tail") {
      const frames = this.clips.get(was.clip)?.frames ?? was.stop;
      return { ...was, stop: clamp(was.stop + by, was.start + 2, frames) };
    }
    const cut = clamp(by, Math.max(-was.start, -was.at), was.stop - was.start - 2);
    return { ...was, start: was.start + cut, at: was.at + cut };
  }

  /** Tracks among which a clip comes in earlier and the one before it goes on longer, as far as both have frames. @param {Track[]} tracks @param {string} id  of the later clip @param {number} by  frames to each side @returns {Track[]} */
  faded(tracks, id, by) {
    const heard = tracks.filter((track) => !track.mute).sort((a, b) => a.at - b.at),
      at = heard.findIndex((track) => track.id === id),
      [a, b] = [heard[at - 1], heard[at]];
    const overlap = a.at + a.stop - a.start - b.at,
      least = Math.max(by, Math.ceil((1 - overlap) / 2));
    return tracks.map((track) =>
      track === a ? this.moved(a, "tail", least) : track === b ? this.moved(b, "head", -least) : track,
    );
  }

  /** Move an end of the loop. @param {"from" | "to"} which @param {number} by */
  stepRange(which, by) {
    const [a, b] = this.playback.range ?? [0, this.playback.frames - 1],
      last = this.playback.frames - 1;
    this.playback.setRange(which === "from" ? [clamp(a + by, 0, b - 2), b] : [a, clamp(b + by, a + 2, last)]);
  }

  /** To the edges of other clips and the playhead, within eight pixels. @param {number} at @param {number} length @param {string} id @param {PointerEvent} event */
  snapped(at, length, id, event) {
    if (!this.snap || event.shiftKey) return at;
    const near = 8 * ((this.span[1] - this.span[0]) / this.host.clientWidth);
    const edges = [
      0,
      Math.round(this.playback.frame),
      ...this.tracks
        .filter((track) => track.id !== id)
        .flatMap((track) => [track.at, track.at + track.stop - track.start]),
    ];
    for (const edge of edges) {
      if (Math.abs(at - edge) < near) return edge;
      if (Math.abs(at + length - edge) < near) return edge - length;
    }
    return at;
  }

  /** @param {MouseEvent} event */
  double(event) {
    const y = event.clientY - this.svg.getBoundingClientRect().top;
    if (y < this.rows.ruler) this.playback.setRange(null);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const [from, to] = this.span,
      wide = to - from;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = ((event.deltaX || event.deltaY) / this.host.clientWidth) * wide;
      this.setSpan([from + by, to + by]);
      return;
    }
    const centre = this.toFrame(event),
      factor = Math.exp(event.deltaY * 0.0016);
    const next = clamp(wide * factor, 10, this.total * 1.04),
      share = (centre - from) / wide;
    this.setSpan([centre - next * share, centre + next * (1 - share)]);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {SVGElement} */ (event.target);
    const [what, id] = (target.dataset.hold ?? "").split(":");
    const index = this.tracks.findIndex((track) => track.id === id);
    const by = event.altKey ? /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1 })[event.key] : 0;
    if ((what === "marker" || what === "key" || what === "reason") && event.key === "Enter") {
      if (what === "key") this.onKey(Number(id));
      this.playback.setFrame(Number(id));
    } else if (what === "marker" && event.key === "Delete")
      this.onMarkers(this.markers.filter((marker) => marker.frame !== Number(id)));
    else if (what === "reach" && by) {
      const key = this.keys.find(({ frame }) => frame === Number(id)),
        side = target.dataset.side === "0" ? -1 : 1;
      if (!key) return;
      const [from, to] = key.reach,
        frames = Math.max(1, (side < 0 ? key.frame - from : to - key.frame) + side * by * (event.shiftKey ? 10 : 1));
      this.onReach(key.frame, frames / this.playback.fps, "end");
    } else if (what === "region" && by && this.region) {
      const { start_s, stop_s, ease_s = 0.3 } = this.region,
        at = { start: start_s, stop: stop_s, in: start_s + ease_s, out: stop_s - ease_s },
        grip = /** @type {RegionGrip} */ (id);
      this.onRegion(
        this.gripped(this.region, grip, at[grip] + (by * (event.shiftKey ? 10 : 1)) / this.playback.fps),
        "end",
      );
    } else if ((what === "from" || what === "to") && by) this.stepRange(what, by * (event.shiftKey ? 10 : 1));
    else if (index >= 0 && by && (what === "clip" || what === "head" || what === "tail"))
      this.onTracks(
        this.tracks.map((track, k) => (k === index ? this.moved(track, what, by * (event.shiftKey ? 10 : 1)) : track)),
        "end",
      );
    else if (what === "fade" && index >= 0 && by)
      this.onTracks(this.faded(this.tracks, id, by * (event.shiftKey ? 10 : 1)), "end");
    else if (what === "clip" && index >= 0 && event.key === "Delete" && this.tracks.length > 1)
      this.onTracks(
        this.tracks.filter((_, k) => k !== index),
        "end",
      );
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  dispose() {
    this.sizes.disconnect();
    for (const stop of this.stops) stop();
    this.svg.remove();
  }
}
