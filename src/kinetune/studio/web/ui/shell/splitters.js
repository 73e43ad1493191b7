/** Bars between the panes: drag them, step them with the arrows, double-click for the usual size; saved by window size. */
import { follow } from "../../core/dom.js";
import { clamp } from "../../core/numbers.js";
import { measure } from "../../core/theme.js";
import { html, useEffect, useState } from "./html.js";
import * as store from "./store.js";

/** @typedef {{name: string, label: string, least: number, most: number, way: "left" | "right" | "up"}} Pane */

/** @type {Pane[]} */
const PANES = [
  { name: "--col-left", label: "Width of the operations", least: 200, most: 420, way: "left" },
  { name: "--col-right", label: "Width of the inspector", least: 300, most: 520, way: "right" },
  { name: "--h-drawer", label: "Height of the curves", least: 100, most: 560, way: "up" },
];
const STEP = 8;
const memory = () => `kinetune-panes-${Math.round(innerWidth / 320)}x${Math.round(innerHeight / 240)}`;

/** @returns {Record<string, number>} */
function saved() {
  try {
    return JSON.parse(localStorage.getItem(memory()) ?? "{}");
  } catch {
    return {}; // storage is closed to this page
  }
}

export function Splitters() {
  const [sizes, setSizes] = useState(saved);
  useEffect(() => {
    for (const { name } of PANES) {
      const open = name !== "--h-drawer" || store.drawerOpen.value;
      if (sizes[name] && open) document.documentElement.style.setProperty(name, `${sizes[name]}px`);
      else document.documentElement.style.removeProperty(name);
    }
    try {
      localStorage.setItem(memory(), JSON.stringify(sizes));
    } catch {
      return; // the sizes hold until the page is left
    }
  }, [sizes, store.drawerOpen.value]);
  const set = (/** @type {Pane} */ { name, least, most }, /** @type {number | null} */ size) => {
    const { [name]: _, ...others } = saved();
    setSizes(
      size === null
        ? others
        : {
            ...others,
            [name]: clamp(Math.round(size), least, Math.min(most, name === "--h-drawer" ? innerHeight - 520 : most)),
          },
    );
  };
  const drawing = store.kind.value === "drawing";
  return PANES.filter(({ way }) => way !== "up" || (!drawing && store.drawerOpen.value)).map((pane) => {
    const now = () => measure(pane.name);
    const press = (/** @type {PointerEvent} */ event) => {
      const from = now(),
        { clientX: x, clientY: y } = event;
      const by = (/** @type {PointerEvent} */ move) =>
        pane.way === "left" ? move.clientX - x : pane.way === "right" ? x - move.clientX : y - move.clientY;
      follow(/** @type {HTMLElement} */ (event.currentTarget), event, {
        move: (move) => set(pane, from + by(move)),
        end: () => {},
        cancel: () => set(pane, from),
      });
    };
    const key = (/** @type {KeyboardEvent} */ event) => {
      const keys =
        pane.way === "up"
          ? ["ArrowDown", "ArrowUp"]
          : pane.way === "left"
            ? ["ArrowLeft", "ArrowRight"]
            : ["ArrowRight", "ArrowLeft"];
      const sign = keys.indexOf(event.key) * 2 - 1;
      if (sign < -1) return;
      event.preventDefault();
      event.stopPropagation();
      set(pane, now() + sign * STEP);
    };
    return html`<div class=${`split ${pane.way}`} role="separator" tabindex="0" data-arrows aria-label=${pane.label}
      aria-orientation=${pane.way === "up" ? "horizontal" : "vertical"} aria-valuemin=${pane.least} aria-valuemax=${pane.most}
      aria-valuenow=${sizes[pane.name] ?? now()} onPointerDown=${press} onKeyDown=${key} onDblClick=${() => set(pane, null)}></div>`;
  });
}
