/** The viewport with its tools, switches, quality numbers and axes. */
import { follow } from "../../core/dom.js";
import { fixed, plain } from "../../core/numbers.js";
import { Viewport } from "../../core/viewport.js";
import { Icon, IconButton, MenuItem, Note, Popover } from "../shell/controls.js";
import { computed, html, useEffect, useRef } from "../shell/html.js";
import { RetargetOffer } from "./retarget_offer.js";
import { wireScene } from "./scene.js";
import { addStep, turn } from "../shell/session.js";
import * as store from "../shell/store.js";
import { chooseTool } from "./viewport_tools.js";
import { Welcome } from "../shell/welcome.js";

const TOOLS = /** @type {const} */ ([
  ["select", "cursor", "Select", "V"],
  ["move", "move", "Move joint", "G"],
  ["rotate", "rotate", "Rotate joint", "R"],
  ["target", "target", "Target", "T"],
  ["steps", "foot", "Footprints", "P"],
]);
const SHOWN = /** @type {const} */ ([
  ["ghost", "ghost", "Ghost", "H"],
  ["onion", "onion", "Onion skin", "O"],
  ["paths", "trail", "Paths", ""],
  ["contacts", "foot", "Contacts", ""],
  ["forces", "force", "Forces", ""],
]);

/** @type {Viewport | null} */
export let viewport = null;

/** Written to the page without drawing the panel again. */
const label = computed(() => `Viewport, character at frame ${store.frame.value}`);

export function View() {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const made = new Viewport(/** @type {HTMLElement} */ (host.current), { playback: store.playback });
    viewport = made;
    made.onView = () => {
      const { rig } = made;
      store.seen.value = { orthographic: rig.isOrthographic, follow: rig.follow, named: rig.named };
    };
    const stop = wireScene(made);
    return () => {
      stop();
      made.dispose();
      viewport = null;
    };
  }, []);
  const wiping = store.compare.value === "wipe",
    { value: shown } = store.shown;
  return html`<main class="view" ref=${host} data-region data-drop="view"
      aria-label=${label} tabindex="0">
    <div class="vo tl" data-covers="top">
      <div class="plate" role="toolbar" aria-label="Tools">${TOOLS.map(([tool, icon, label, keys]) => html`<${IconButton} icon=${icon} label=${label} keys=${keys} pressed=${store.tool.value === tool} onClick=${() => chooseTool(tool)} />`)}</div>
      <div class="plate"><${CameraMenu} /><${BodyMenu} /></div></div>
    <div class="vo tr"><div class="plate" role="toolbar" aria-label="Show">${SHOWN.filter(
      ([what]) =>
        what !== "forces" || shown.forces || store.steps.value.some(({ op }) => store.declared(op)?.has_forces),
    ).map(
      ([what, icon, text, keys]) =>
        html`<button class="btn" title=${keys ? `${text}  ${keys}` : text} aria-label=${text} aria-pressed=${String(shown[what])}
            onClick=${() => {
              store.shown.value = { ...shown, [what]: !shown[what] };
            }}><${Icon} name=${icon} /><span>${text}</span></button>`,
    )}</div></div>
    <div class="vo bl" data-covers="bottom"><${Quality} /></div>
    <div class="vo br"><${Axes} /></div>
    ${wiping ? html`<${WipeBar} host=${host} />` : null}
    ${
      store.trouble.value
        ? html`<div class="vo middle"><${Note} ...${store.trouble.value} actions=${
            store.trouble.value.actions ?? [
              {
                text: "Close",
                onClick: () => {
                  store.trouble.value = null;
                },
              },
            ]
          } /></div>`
        : null
    }
    ${store.motion.value ? null : html`<div class="vo middle dim">${store.fatal.value || "Opening…"}</div>`}
    <div class="drop-hint" aria-hidden="true"><${Icon} name="drop" /><b>Drop to open</b>
      <span>On a clip, it is blended with it; on the timeline, it becomes a track; on the list, a recipe is applied.</span></div>
    <${Welcome} /><${RetargetOffer} />
  </main>`;
}

/** Operations that are asked to make a motion quicker or rougher: a higher jerk is what they are for. */
const LIVELIER = ["equalize", "shape", "displace", "retime"];

/** What one click does about feet that slide or sink: the switch of the operation that lets them, or an operation of its own. @param {string} name @param {number | null} is @param {string} verdict @returns {{text: string, take: () => unknown} | null} */
function remedyOf(name, is, verdict) {
  const least = name === "foot_slide_mm" ? SLIDES_MM : verdict === "bad" ? SINKS_MM.edited : SINKS_MM.read;
  if ((is ?? 0) < least) return null;
  const steps = store.steps.value.filter(({ on }) => on),
    loose = steps.find((step) => step.knobs.keep_feet === false);
  if (name === "foot_slide_mm" && loose)
    return { text: "Keep feet planted", take: () => turn(loose.id, { keep_feet: true }) };
  const last = steps[steps.length - 1]?.op;
  if (name === "foot_slide_mm" && last !== "plant_feet")
    return { text: "Plant feet", take: () => addStep("plant_feet") };
  if (name === "penetration_mm" && last !== "keep_above_floor")
    return { text: "Lift", take: () => addStep("keep_above_floor", { floor_m: store.floor.value }) };
  return null;
}
/** From where on feet that slide are offered a remedy, millimetres. */
const SLIDES_MM = 5;
/** The same for feet in the floor, where an edit has put them deeper, and where the file has them there: how thick its soles are is a guess. */
const SINKS_MM = { edited: 5, read: 30 };

function Quality() {
  const quality = store.quality.value;
  if (!quality) return null;
  const measures = quality.measures.filter(({ was, is }) => was !== null || is !== null);
  return html`<div class="plate" role="status" aria-label="Quality, original to edited" style="padding:0">
    ${measures.slice(0, 4).map(({ name, title, unit, was, is, verdict, anew }) => {
      const same = verdict === "same" || was === null || is === null,
        share = was ? ((is ?? 0) - was) / was : 0,
        bad = verdict === "bad",
        meant = bad && name === "jerk" && store.steps.value.some(({ on, op }) => on && LIVELIER.includes(op)),
        remedy = remedyOf(name, is, verdict);
      const mark = meant
        ? "as intended"
        : verdict === "good"
          ? html`<${Icon} name="check" size=${12} style="stroke-width:2" />`
          : bad
            ? share > 0 && share < 3
              ? `+${fixed(share * 100, 0)} %`
              : `+${plain((is ?? 0) - (was ?? 0))}`
            : null;
      return html`<div class=${`q${verdict === "good" ? " ok" : bad && !meant ? " no" : ""}`} data-measure=${name}>
        <span>${title}</span>${
          same
            ? null
            : html`<span class="was">${plain(/** @type {number} */ (was))}</span>
        <span class="arr">→</span>`
        }<b>${is === null ? "not measured" : plain(is)}${unit && unit !== "1" ? ` ${unit}` : ""}</b>${mark ? html`<span class="mk">${mark}</span>` : null}${
          anew != null && is !== null && anew > SLIDES_MM && anew > is + 1
            ? html`<span class="mk" style="color:var(--text-2)" title="The first number goes by when feet stand in your clip. Contacts that are found in the result itself, as another program does, slide this far.">${plain(anew)} found anew</span>`
            : null
        }${remedy ? html`<button class="btn sm line" onClick=${remedy.take}>${remedy.text}</button>` : null}</div>`;
    })}</div>`;
}

/** The bar between original and edited. @param {{host: {current: HTMLElement | null}}} props */
function WipeBar({ host }) {
  const bar = useRef(/** @type {HTMLElement | null} */ (null));
  const set = (/** @type {number} */ share) => {
    const at = Math.min(0.98, Math.max(0.02, share));
    viewport?.setWipe(at);
    if (bar.current) {
      bar.current.style.left = `${at * 100}%`;
      bar.current.setAttribute("aria-valuenow", String(Math.round(at * 100)));
    }
  };
  const press = (/** @type {PointerEvent} */ event) => {
    const element = /** @type {HTMLElement} */ (bar.current),
      box = /** @type {HTMLElement} */ (host.current).getBoundingClientRect();
    follow(element, event, {
      move: (move) => set((move.clientX - box.left) / box.width),
      end: () => {},
      cancel: () => {},
    });
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    const by = /** @type {Record<string, number>} */ ({ ArrowDown: -0.02, ArrowUp: 0.02 })[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    set((viewport?.wipe ?? 0.5) + by);
  };
  return html`<div ref=${bar} class="wipe" style=${`left:${(viewport?.wipe ?? 0.5) * 100}%`} role="slider" tabindex="0"
      aria-label="Wipe between original and edited" aria-valuemin="0" aria-valuemax="100"
      aria-valuenow=${Math.round((viewport?.wipe ?? 0.5) * 100)} onPointerDown=${press} onKeyDown=${key}>
    <span>A</span><i></i><span>B</span></div>`;
}

const VIEWS = /** @type {const} */ ([
  ["front", "Front", "1"],
  ["side", "Side", "3"],
  ["top", "Top", "7"],
  ["back", "Back", ""],
  ["free", "Three-quarter", "5"],
]);

/** From where the scene is seen. */
function CameraMenu() {
  const { orthographic, follow } = store.seen.value;
  const text = html`<${Icon} name="camera" />${orthographic ? "Orthographic" : "Perspective"}`;
  const mark = (/** @type {boolean} */ on) => (on ? "check" : "blank");
  return html`<${Popover} label="Camera" className="btn" text=${text}>
    ${VIEWS.map(([view, name, keys]) => html`<${MenuItem} text=${name} hint=${keys} onClick=${() => viewport?.look(view)} />`)}
    <div class="pop-line"></div>
    <${MenuItem} icon=${mark(follow)} text="Follow the character" onClick=${() => viewport?.setFollow(!follow)} />
    <${MenuItem} icon=${mark(orthographic)} text="Orthographic" hint="9"
      onClick=${() => viewport?.setOrthographic(!orthographic)} />
    <${MenuItem} icon="blank" text="Frame the character" hint="F" onClick=${() => viewport?.frameFigure()} />
  <//>`;
}

const BODIES = /** @type {const} */ ([
  ["skin", "Skin"],
  ["mannequin", "Mannequin"],
  ["bones", "Bones"],
]);

/** What the character wears. */
function BodyMenu() {
  const dress = store.dress.value,
    wish = store.body.value,
    wears = wish === "bones" ? "bones" : (dress?.body ?? "mannequin"),
    has = dress?.name != null && !dress.problem;
  const text = html`<${Icon} name="body" />${BODIES.find(([body]) => body === wears)?.[1]}`;
  return html`<${Popover} label="Body" className="btn" text=${text}>
    ${BODIES.map(
      ([
        body,
        name,
      ]) => html`<${MenuItem} icon=${body === wears ? "check" : "blank"} text=${body === "skin" && dress?.name ? `Skin of ${dress.name}` : name}
        disabled=${body === "skin" && !has} onClick=${() => {
          store.body.value = body;
        }} />`,
    )}
    ${has ? null : html`<p class="pop-note">${dress?.problem ?? "This file has bones only."}</p>`}
  <//>`;
}

/** Which way the axes point, drawn with the scene; a click looks along one, a double click without perspective. */
function Axes() {
  const host = useRef(/** @type {SVGElement | null} */ (null));
  useEffect(() => {
    let last = [0, 0, 0, 0],
      request = 0;
    const tick = () => {
      request = requestAnimationFrame(tick);
      const camera = viewport?.camera,
        svg = host.current;
      if (!camera || !svg) return;
      const e = camera.matrixWorld.elements,
        now = [e[0], e[1], e[2], e[5]];
      if (now.every((v, k) => Math.abs(v - last[k]) < 0.005)) return;
      last = now;
      const balls = /** @type {SVGElement[]} */ ([...svg.querySelectorAll("[data-axis]")]).map((ball) => {
        const axis = Number(ball.dataset.axis),
          sign = Number(ball.dataset.sign);
        const [x, y, z] = [e[axis], e[4 + axis], e[8 + axis]].map((v) => v * sign);
        ball.setAttribute("transform", `translate(${38 + x * 26} ${38 - y * 26})`);
        const line = svg.querySelector(`[data-line="${axis}"]`);
        if (sign > 0) line?.setAttribute("d", `M38 38L${38 + x * 17} ${38 - y * 17}`);
        return { ball, z };
      });
      for (const { ball } of balls.sort((a, b) => a.z - b.z)) svg.append(ball);
    };
    tick();
    return () => cancelAnimationFrame(request);
  }, []);
  const names = /** @type {const} */ (["x", "y", "z"]);
  return html`<svg ref=${host} class="axes" width="76" height="76" role="group" aria-label="Axes">
    ${names.map((name, axis) => html`<path data-line=${axis} stroke=${`var(--axis-${name})`} stroke-width="1.6" stroke-linecap="round" />`)}
    ${names.flatMap((name, axis) =>
      [1, -1].map((sign) => {
        const from = `from ${sign > 0 ? "plus" : "minus"} ${name.toUpperCase()}`;
        const look = () => viewport?.lookAlong(name, sign);
        return html`<g data-axis=${axis} data-sign=${sign} role="button" tabindex="0" aria-label=${`Look ${from}`}
            onClick=${look} onDblClick=${() => viewport?.setOrthographic(!store.seen.value.orthographic)}
            onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
              if (event.key !== "Enter") return;
              event.stopPropagation();
              look();
            }}>
          <circle r="12" fill="transparent" />
          <circle r="7.5" fill=${sign > 0 ? `var(--axis-${name})` : "var(--panel)"} stroke=${`var(--axis-${name})`} stroke-width="1.4" />
          ${sign > 0 ? html`<text y="3.5" font-size="10" font-weight="600" text-anchor="middle" fill="var(--on-invert)">${name.toUpperCase()}</text>` : null}
        </g>`;
      }),
    )}</svg>`;
}
