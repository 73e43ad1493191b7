/** Colours as the style sheet has them, for what is not drawn by it: three.js scenes and canvases. */
import { Color } from "../vendor/three.js";

/** The text of a custom property. @param {string} name */
export const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A custom property as a colour of three.js. @param {string} name */
export const colour = (name) => new Color(token(name));

/** A custom property as a number. @param {string} name */
export const measure = (name) => Number.parseFloat(token(name));

/**
 * Call back whenever the theme changes.
 * @param {() => void} then
 * @returns {() => void} stops it
 */
export function onTheme(then) {
  const watch = new MutationObserver(then);
  watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => watch.disconnect();
}

/** Switch between dark and light, and remember it on this machine. */
export function switchTheme() {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === "light" ? "dark" : "light";
  try {
    localStorage.setItem("kinetune-theme", root.dataset.theme);
  } catch {
    return; // storage is closed to this page: the theme holds until it is left
  }
}

/** Whether the page should draw cheaply: low resolution, no shadows, few pictures a second, nothing that blurs or glides. */
export const LITE = new URLSearchParams(location.search).has("lite");

/** Whether things should jump rather than glide. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
