// A motion that plays in a page: orbit with the pointer, scrub, compare. One canvas, no library, nothing to download.
// The same module serves notebooks with widgets (the default export) and pages that stand alone (`mount`).

/**
 * One motion, as `kinetune.notebooks.motion_data` packs it.
 * @typedef {object} Motion
 * @property {string} label
 * @property {number} fps of the frames that are here
 * @property {number} clip_fps of the clip, which may have more
 * @property {number} frames
 * @property {number} points joints and the ends of bones
 * @property {number[]} low the least coordinates, in metres
 * @property {number} step metres to a unit of the packed numbers
 * @property {[number, number, number][]} bones from, to, and the side: -1 left, 0 middle, 1 right
 * @property {[number, number, number] | null} head from, to, and the radius in metres
 * @property {{point: number, side: number, spans: [number, number][]}[]} contacts in seconds
 * @property {number} root the point that travels
 * @property {number} floor in metres
 */

/**
 * @typedef {object} Settings
 * @property {"ghost" | "beside"} layout
 * @property {number} height in pixels
 */

const LIGHT = {
  back: "#f6f6f3",
  ink: "#34383d",
  grid: "#d9d9d3",
  left: "#2f6fb5",
  right: "#c98a12",
  ghost: "#b9bcc0",
  shadow: "#00000022",
};
const DARK = {
  back: "#1c1e21",
  ink: "#d4d7db",
  grid: "#34373b",
  left: "#6aa7e8",
  right: "#e6b04a",
  ghost: "#5b6067",
  shadow: "#00000066",
};
const STYLE = `
.kt-player { font: 12px/1.4 system-ui, sans-serif; border-radius: 6px; overflow: hidden; position: relative; }
.kt-player canvas { display: block; width: 100%; touch-action: none; cursor: grab; }
.kt-player .bar { display: flex; gap: 8px; align-items: center; padding: 6px 8px; }
.kt-player .bar canvas { flex: 1; min-width: 0; height: 26px; cursor: ew-resize; }
.kt-player button, .kt-player select { font: inherit; color: inherit; background: transparent; border: 1px solid currentColor;
  border-radius: 4px; padding: 1px 8px; cursor: pointer; }
.kt-player :focus-visible { outline: 2px solid #2f6fb5; outline-offset: 1px; }
.kt-player output, .kt-player button { white-space: nowrap; }
.kt-player output { min-width: 10em; text-align: right; font-variant-numeric: tabular-nums; }`;

/** Positions over time, unpacked once. */
class Track {
  /** @param {Motion} motion @param {Uint16Array} packed */
  constructor(motion, packed) {
    this.motion = motion;
    this.duration = (motion.frames - 1) / motion.fps;
    this.xyz = new Float32Array(packed.length);
    for (let i = 0; i < packed.length; ++i) this.xyz[i] = motion.low[i % 3] + packed[i] * motion.step;
    this.pose = new Float32Array(3 * motion.points);
    this.path = this._path();
    this.height = 0.1; // of the tallest pose above the floor
    for (let i = 1; i < this.xyz.length; i += 3) this.height = Math.max(this.height, this.xyz[i] - motion.floor);
  }

  /** The way of the travelling point over the floor without its sway, for the camera. */
  _path() {
    const { frames, points, root, fps } = this.motion;
    const reach = Math.max(1, Math.round(0.5 * fps));
    const path = new Float32Array(2 * frames);
    for (const axis of [0, 2]) {
      let sum = 0;
      const at = (/** @type {number} */ k) =>
        this.xyz[3 * (Math.min(Math.max(k, 0), frames - 1) * points + root) + axis];
      for (let k = -reach; k <= reach; ++k) sum += at(k);
      for (let k = 0; k < frames; ++k) {
        path[2 * k + axis / 2] = sum / (2 * reach + 1);
        sum += at(k + reach + 1) - at(k - reach);
      }
    }
    return path;
  }

  /** @param {number} seconds */
  at(seconds) {
    const place = Math.min(Math.max(seconds * this.motion.fps, 0), this.motion.frames - 1);
    const k = Math.min(Math.floor(place), Math.max(this.motion.frames - 2, 0));
    const share = place - k;
    const size = this.pose.length;
    const next = this.motion.frames > 1 ? size : 0;
    for (let i = 0; i < size; ++i) {
      const a = this.xyz[k * size + i];
      this.pose[i] = a + share * (this.xyz[k * size + next + i] - a);
    }
    const ahead = this.motion.frames > 1 ? 2 : 0;
    const x = this.path[2 * k] + share * (this.path[2 * k + ahead] - this.path[2 * k]);
    const z = this.path[2 * k + 1] + share * (this.path[2 * k + 1 + ahead] - this.path[2 * k + 1]);
    return { pose: this.pose, x, z };
  }
}

class Camera {
  /** @param {number} height of what is looked at, in metres */
  constructor(height) {
    this.home = { yaw: 0.7, pitch: 0.18, distance: 2.3 * height };
    this.middle = 0.5 * height;
    this.yaw = this.home.yaw;
    this.pitch = this.home.pitch;
    this.distance = this.home.distance;
  }

  reset() {
    Object.assign(this, this.home);
  }

  /**
   * A function from the world to pixels and depth.
   * @param {{x: number, y: number, z: number}} target
   * @param {{x: number, y: number, width: number, height: number}} pane
   */
  lens(target, pane) {
    const [sy, cy, sp, cp] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    const focal = 1.5 * Math.min(pane.height, 1.4 * pane.width);
    return (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ z) => {
      const [dx, dy, dz] = [x - target.x, y - target.y - this.middle, z - target.z];
      const across = cy * dx - sy * dz;
      const toward = sy * dx + cy * dz;
      const depth = this.distance - (cp * toward + sp * dy);
      const scale = depth > 0.05 ? focal / depth : 0;
      const up = cp * dy - sp * toward;
      return [pane.x + pane.width / 2 + scale * across, pane.y + pane.height / 2 - scale * up, depth, scale];
    };
  }
}

/** @typedef {ReturnType<Camera["lens"]>} Lens */

/** @param {CanvasRenderingContext2D} paper @param {Lens} lens @param {number} cx @param {number} floor @param {number} cz @param {string} colour */
function drawFloor(paper, lens, cx, floor, cz, colour) {
  paper.strokeStyle = colour;
  paper.lineWidth = 1;
  const [x0, z0, reach] = [Math.round(cx), Math.round(cz), 5];
  paper.beginPath();
  for (let k = -reach; k <= reach; ++k) {
    for (const [ax, az, bx, bz] of [
      [x0 + k, z0 - reach, x0 + k, z0 + reach],
      [x0 - reach, z0 + k, x0 + reach, z0 + k],
    ]) {
      for (let i = 0; i < 10; ++i) {
        const a = lens(ax + ((bx - ax) * i) / 10, floor, az + ((bz - az) * i) / 10);
        const b = lens(ax + ((bx - ax) * (i + 1)) / 10, floor, az + ((bz - az) * (i + 1)) / 10);
        if (a[3] && b[3]) {
          paper.moveTo(a[0], a[1]);
          paper.lineTo(b[0], b[1]);
        }
      }
    }
  }
  paper.stroke();
}

/** @param {CanvasRenderingContext2D} paper @param {Lens} lens @param {number[]} place @param {number} radius @param {string} fill */
function drawDisc(paper, lens, place, radius, fill) {
  paper.beginPath();
  for (let k = 0; k < 20; ++k) {
    const angle = (k * Math.PI) / 10;
    const [x, y] = lens(place[0] + radius * Math.cos(angle), place[1], place[2] + radius * Math.sin(angle));
    paper.lineTo(x, y);
  }
  paper.fillStyle = fill;
  paper.fill();
}

/**
 * @param {CanvasRenderingContext2D} paper @param {Lens} lens @param {Track} track @param {number} seconds
 * @param {typeof LIGHT} colours @param {boolean} faint
 */
function drawBody(paper, lens, track, seconds, colours, faint) {
  const { motion } = track;
  const { pose } = track.at(seconds);
  const size = track.height;
  const spot = 3 * motion.root;
  drawDisc(paper, lens, [pose[spot], motion.floor, pose[spot + 2]], 0.14 * size, colours.shadow);
  const tint = (/** @type {number} */ side) =>
    faint ? colours.ghost : side < 0 ? colours.left : side > 0 ? colours.right : colours.ink;
  if (!faint) {
    for (const foot of motion.contacts) {
      if (!foot.spans.some(([from, to]) => from <= seconds && seconds <= to)) continue;
      const p = 3 * foot.point;
      drawDisc(paper, lens, [pose[p], motion.floor, pose[p + 2]], 0.05 * size, `${tint(foot.side)}88`);
    }
  }
  const seen = Array.from({ length: motion.points }, (_, p) => lens(pose[3 * p], pose[3 * p + 1], pose[3 * p + 2]));
  const limbs = motion.bones.map(([a, b, side]) => ({ a: seen[a], b: seen[b], side, width: 0.032 * size }));
  if (motion.head) {
    const [a, b, radius] = motion.head;
    const middle = seen[a].map((value, k) => 0.4 * value + 0.6 * seen[b][k]);
    limbs.push({ a: middle, b: middle, side: 0, width: 2 * radius });
  }
  limbs.sort((one, other) => other.a[2] + other.b[2] - one.a[2] - one.b[2]);
  paper.lineCap = "round";
  for (const { a, b, side, width } of limbs) {
    if (!a[3] || !b[3]) continue;
    const pixels = Math.max(width * 0.5 * (a[3] + b[3]), 1);
    for (const [stroke, line] of /** @type {[string, number][]} */ ([
      [colours.back, pixels + 2.5],
      [tint(side), pixels],
    ])) {
      paper.strokeStyle = stroke;
      paper.lineWidth = line;
      paper.beginPath();
      paper.moveTo(a[0], a[1]);
      paper.lineTo(b[0] + 0.01, b[1]);
      paper.stroke();
    }
  }
}

/**
 * Put a player into an element.
 * @param {HTMLElement} element
 * @param {Motion[]} motions
 * @param {Uint16Array[]} packed
 * @param {Settings} settings
 * @param {(seconds: number) => void} [onTime]
 */
export function mount(element, motions, packed, settings, onTime = () => {}) {
  const tracks = motions.map((motion, k) => new Track(motion, packed[k]));
  const duration = Math.max(...tracks.map((track) => track.duration), 0);
  const camera = new Camera(Math.max(...tracks.map((track) => track.height)));
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let [seconds, playing, last, speed, ghost, drawn] = [0, duration > 0, 0, 1, true, false];

  const style = document.createElement("style");
  style.textContent = STYLE;
  const root = document.createElement("div");
  root.className = "kt-player";
  root.innerHTML = `<canvas tabindex="0" role="img"></canvas><div class="bar"><button type="button"></button>
    <canvas tabindex="0" role="slider" aria-label="Time" aria-valuemin="0"></canvas><output></output>
    <select aria-label="Speed"><option value="0.25">¼×</option><option value="0.5">½×</option><option value="1" selected>1×</option>
    <option value="2">2×</option></select><button type="button" hidden aria-pressed="true">Ghost</button>
    <button type="button">Reset view</button></div>`;
  element.replaceChildren(style, root);
  const [view, ruler] = /** @type {HTMLCanvasElement[]} */ ([...root.querySelectorAll("canvas")]);
  const [play, overlay, reset] = root.querySelectorAll("button");
  const [clock, rate] = [
    /** @type {HTMLOutputElement} */ (root.querySelector("output")),
    /** @type {HTMLSelectElement} */ (root.querySelector("select")),
  ];
  view.style.height = `${settings.height}px`;
  view.setAttribute("aria-label", `Motion: ${motions.map((motion) => motion.label || "clip").join(", ")}`);
  ruler.setAttribute("aria-valuemax", duration.toFixed(2));
  overlay.hidden = settings.layout !== "ghost" || tracks.length < 2;

  /** @param {HTMLCanvasElement} canvas */
  const fit = (canvas) => {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const paper = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    paper.setTransform(ratio, 0, 0, ratio, 0, 0);
    return { paper, width, height };
  };

  const drawView = () => {
    const colours = dark.matches ? DARK : LIGHT;
    const { paper, width, height } = fit(view);
    root.style.background = colours.back;
    root.style.color = colours.ink;
    paper.fillStyle = colours.back;
    paper.fillRect(0, 0, width, height);
    const groups = settings.layout === "beside" ? tracks.map((track) => [track]) : [tracks];
    groups.forEach((group, k) => {
      const pane = { x: (k * width) / groups.length, y: 0, width: width / groups.length, height };
      const main = group[0];
      const { x, z } = main.at(seconds);
      const lens = camera.lens({ x, y: main.motion.floor, z }, pane);
      paper.save();
      paper.beginPath();
      paper.rect(pane.x, pane.y, pane.width, pane.height);
      paper.clip();
      drawFloor(paper, lens, x, main.motion.floor, z, colours.grid);
      for (const other of ghost ? group.slice(1) : []) drawBody(paper, lens, other, seconds, colours, true);
      drawBody(paper, lens, main, seconds, colours, false);
      paper.fillStyle = colours.ink;
      paper.font = "12px system-ui, sans-serif";
      paper.fillText(main.motion.label, pane.x + 10, 18);
      paper.restore();
    });
  };

  const drawRuler = () => {
    const colours = dark.matches ? DARK : LIGHT;
    const { paper, width, height } = fit(ruler);
    const at = (/** @type {number} */ time) => (duration ? (time / duration) * (width - 2) + 1 : 1);
    paper.fillStyle = colours.back;
    paper.fillRect(0, 0, width, height);
    paper.fillStyle = colours.grid;
    paper.fillRect(0, height / 2 - 1, width, 2);
    tracks[0].motion.contacts.forEach((foot, k) => {
      paper.fillStyle = foot.side < 0 ? colours.left : foot.side > 0 ? colours.right : colours.ink;
      const row = foot.side < 0 ? 5 : foot.side > 0 ? height - 9 : 5 + ((k * 5) % (height - 10));
      for (const [from, to] of foot.spans) paper.fillRect(at(from), row, Math.max(at(to) - at(from), 1), 4);
    });
    paper.fillStyle = colours.ink;
    paper.fillRect(at(seconds) - 1, 0, 2, height);
    const frame = Math.round(seconds * tracks[0].motion.clip_fps);
    clock.textContent = `${seconds.toFixed(2)} s · frame ${frame}`;
    ruler.setAttribute("aria-valuenow", seconds.toFixed(2));
    play.textContent = playing ? "Pause" : "Play";
  };

  const draw = () => {
    drawn = false;
    if (!view.clientWidth) return;
    drawView();
    drawRuler();
  };
  const ask = () => {
    if (!drawn) requestAnimationFrame(draw);
    drawn = true;
  };
  /** @param {number} time */
  const seek = (time) => {
    seconds = Math.min(Math.max(time, 0), duration);
    onTime(seconds);
    ask();
  };
  /** @param {number} now */
  const tick = (now) => {
    if (!playing || !element.isConnected) return;
    const step = last ? Math.min((now - last) / 1000, 0.1) : 0;
    last = now;
    seek(seconds + speed * step > duration ? 0 : seconds + speed * step);
    requestAnimationFrame(tick);
  };
  /** @param {boolean} on */
  const setPlaying = (on) => {
    playing = on && duration > 0;
    last = 0;
    ask();
    if (playing) requestAnimationFrame(tick);
  };

  play.onclick = () => setPlaying(!playing);
  reset.onclick = () => (camera.reset(), ask());
  rate.onchange = () => (speed = Number(rate.value));
  overlay.onclick = () => {
    ghost = !ghost;
    overlay.setAttribute("aria-pressed", String(ghost));
    ask();
  };
  root.onkeydown = (event) => {
    const frame = 1 / tracks[0].motion.clip_fps;
    if (event.key === " " && !(event.target instanceof HTMLButtonElement)) setPlaying(!playing);
    else if (event.key === "ArrowLeft") (setPlaying(false), seek(seconds - frame));
    else if (event.key === "ArrowRight") (setPlaying(false), seek(seconds + frame));
    else if (event.key === "Home") (setPlaying(false), seek(0));
    else if (event.key === "End") (setPlaying(false), seek(duration));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  /** @param {HTMLCanvasElement} canvas @param {(event: PointerEvent, dx: number, dy: number) => void} move */
  const drag = (canvas, move) => {
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      move(event, 0, 0);
    };
    canvas.onpointermove = (event) => {
      if (event.buttons) move(event, event.movementX, event.movementY);
    };
  };
  drag(view, (_event, dx, dy) => {
    camera.yaw -= 0.008 * dx;
    camera.pitch = Math.min(Math.max(camera.pitch + 0.008 * dy, -0.2), 1.55);
    ask();
  });
  drag(ruler, (event) => {
    setPlaying(false);
    seek(((event.clientX - ruler.getBoundingClientRect().left) / ruler.clientWidth) * duration);
  });
  view.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      camera.distance = Math.min(Math.max(camera.distance * Math.exp(0.001 * event.deltaY), 0.3), 100);
      ask();
    },
    { passive: false },
  );
  new ResizeObserver(ask).observe(view);
  dark.addEventListener("change", ask);
  setPlaying(playing);
  return { seek, setPlaying };
}

/** @param {string} text numbers of two bytes, in base64 */
export function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Uint16Array(bytes.buffer);
}

/**
 * What a notebook with widgets calls.
 * @param {{model: {get(name: string): any, set(name: string, value: unknown): void, save_changes(): void,
 *   on(event: string, then: () => void): void}, el: HTMLElement}} view
 */
function render({ model, el }) {
  const packed = model
    .get("packed")
    .map(
      (/** @type {DataView} */ view) =>
        new Uint16Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength)),
    );
  let shown = 0;
  const player = mount(el, model.get("motions"), packed, model.get("settings"), (seconds) => {
    if (Math.abs(seconds - shown) < 0.1) return;
    shown = seconds;
    model.set("seconds", seconds);
    model.save_changes();
  });
  model.on("change:seconds", () => {
    if (Math.abs(model.get("seconds") - shown) < 1e-6) return;
    shown = model.get("seconds");
    player.setPlaying(false);
    player.seek(shown);
  });
}

export default { render };
