/**
 * The keyboard. Space plays and the arrows to the sides step, whatever has the focus; Enter presses what is focused.
 * Single letters act on the page unless a field has the focus.
 */
import { switchTheme } from "../../core/theme.js";
import { addMarker, showRegion } from "../motion/timeline_dock.js";
import { count, goTo, nowFrame, togglePlaying, tool } from "../drawings/drawing_selection.js";
import { keyHere } from "../motion/displace_panel.js";
import { exportAs, saveRecipe } from "./export_menu.js";
import { nudgeKey } from "../motion/gizmo_keyboard.js";
import { addStep, ask, knobsHere, toggleStep } from "./session.js";
import * as store from "./store.js";
import { chooseTool } from "../motion/viewport_tools.js";
import { viewport } from "../motion/viewport_panel.js";

const { playback } = store;

/** Where Space is a letter. */
const TEXT = "textarea, input:not([type=checkbox], [role=spinbutton])";
/** Where all keys belong to a list or a sheet that is open. */
const OPEN = ".pop, [role=dialog], [aria-haspopup][aria-expanded=true]";
/** Where the arrows to the sides have a use of their own: in a field, and on things that lie on a plane. */
const SIDEWAYS = "textarea, input:not([type=checkbox]), [data-arrows]";

/** @type {Record<string, () => void>} */
const PLAIN = {
  " ": () => playback.toggle(),
  ArrowLeft: () => playback.step(-1),
  ArrowRight: () => playback.step(1),
  Home: () => playback.setFrame(0),
  End: () => playback.setFrame(playback.frames - 1),
  l: () => playback.setLooping(!playback.looping),
  m: addMarker,
  z: showRegion,
  Escape: () => {
    store.region.value = null;
  },
  f: () => viewport?.frameFigure(),
  h: () => {
    store.shown.value = { ...store.shown.value, ghost: !store.shown.value.ghost };
  },
  o: () => {
    store.shown.value = { ...store.shown.value, onion: !store.shown.value.onion };
  },
  1: () => viewport?.look("front"),
  3: () => viewport?.look("side"),
  7: () => viewport?.look("top"),
  5: () => viewport?.look("free"),
  9: () => viewport?.setOrthographic(!store.seen.value.orthographic),
  d: () => {
    store.compare.value = store.compare.value === "beside" ? "b" : "beside";
  },
  w: () => {
    store.compare.value = store.compare.value === "wipe" ? "b" : "wipe";
  },
  a: () => {
    store.adding.value = true;
  },
  c: () => {
    store.drawerOpen.value = !store.drawerOpen.value;
  },
  k: () => void keyHere(),
  v: () => chooseTool("select"),
  g: () => chooseTool("move"),
  r: () => chooseTool("rotate"),
  t: () => chooseTool("target"),
  n: () => void addStep("hold", knobsHere("hold")),
  p: () => chooseTool("steps"),
  "[": () => kin(-1),
  "]": () => kin(1),
  0: () => {
    const step = store.step.value;
    if (step) toggleStep(step.id);
  },
  "?": () => {
    store.helping.value = !store.helping.value;
  },
};

/** The same keys in the workspace of drawings. @type {Record<string, () => void>} */
const DRAWING = {
  " ": togglePlaying,
  ArrowLeft: () => goTo(nowFrame() - 1),
  ArrowRight: () => goTo(nowFrame() + 1),
  Home: () => goTo(0),
  End: () => goTo(count() - 1),
  f: () => {
    tool.value = "film";
  },
  m: () => {
    tool.value = "match";
  },
  s: () => {
    tool.value = "shape";
  },
  "?": PLAIN["?"],
};

/** The parent or the first child of the chosen joint. @param {number} way */
function kin(way) {
  const skeleton = store.skeleton.value,
    [joint] = store.chosenJoints.value;
  if (!skeleton || joint === undefined) return;
  const next = way < 0 ? skeleton.parents[joint] : skeleton.parents.indexOf(joint);
  if (next >= 0) store.chosenJoints.value = [next];
}

/** @param {KeyboardEvent} event */
function withControl(event) {
  const key = event.key.toLowerCase();
  if (key === "z") ask(event.shiftKey ? "redo" : "undo");
  else if (key === "y") ask("redo");
  else if (key === "s") saveRecipe();
  else if (key === "e") {
    if (store.kind.value === "motion") exportAs(store.hello.value?.suffixes.write[0] ?? ".bvh");
    else exportAs(".svg");
  } else if (key === "d" && store.step.value) ask("step.duplicate", { step: store.step.value.id });
  else return false;
  return true;
}

/** F6 goes round the regions. @param {boolean} back */
function nextRegion(back) {
  const regions = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-region]")]);
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const region = regions[(at + (back ? regions.length - 1 : 1)) % regions.length];
  const first = /** @type {HTMLElement | null} */ (
    region.matches("[tabindex]") ? region : region.querySelector("button:not([disabled]), [tabindex='0'], input")
  );
  first?.focus();
}

/** Play, stop or step, before anything else takes the key. @param {KeyboardEvent} event */
function transport(event) {
  const target = /** @type {Element} */ (event.target),
    sideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.(OPEN)) return;
  if (event.key === "Enter" && target.matches?.("input[type=checkbox]")) {
    /** @type {HTMLElement} */ (target).click();
    return;
  }
  if (event.key !== " " && !sideways) return;
  if (target.closest?.(sideways ? SIDEWAYS : TEXT)) return;
  event.preventDefault();
  event.stopPropagation();
  if (nudgeKey(event)) return;
  const drawing = store.kind.value === "drawing";
  if (sideways && event.shiftKey && !drawing)
    playback.step((event.key === "ArrowRight" ? 1 : -1) * Math.round(playback.fps));
  else (drawing ? DRAWING : PLAIN)[event.key]();
}

/** A button is pressed when Space is let go of: not this time. @param {KeyboardEvent} event */
function released(event) {
  const target = /** @type {Element} */ (event.target);
  if (event.key === " " && !target.closest?.(`${TEXT}, ${OPEN}`)) event.preventDefault();
}

export function listenForKeys() {
  addEventListener("keydown", transport, true);
  addEventListener("keyup", released, true);
  addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (event.key === "Alt") {
      viewport?.setPeeking(true);
      return;
    }
    if (event.key === "F6") {
      event.preventDefault();
      nextRegion(event.shiftKey);
      return;
    }
    if (event.ctrlKey || event.metaKey) {
      if (withControl(event)) event.preventDefault();
      return;
    }
    if (event.altKey || target.closest?.("input, textarea, select")) return;
    if (nudgeKey(event)) {
      event.preventDefault();
      return;
    }
    if (event.shiftKey && event.key === "T") {
      switchTheme();
      return;
    }
    if (event.shiftKey && event.key === "E" && store.kind.value === "motion") {
      store.filming.value = true;
      return;
    }
    const keys = store.kind.value === "drawing" ? DRAWING : PLAIN;
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  addEventListener("keyup", (event) => {
    if (event.key === "Alt") viewport?.setPeeking(false);
  });
  addEventListener("blur", () => viewport?.setPeeking(false));
}
