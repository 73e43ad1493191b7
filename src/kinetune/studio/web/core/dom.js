/** Small steps with the document's elements. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with attributes and children.
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {(Node | string)[]} [children]
 * @returns {HTMLElement}
 */
export function make(name, attributes = {}, children = []) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/**
 * An element of a drawing.
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @returns {SVGElement}
 */
export function draw(name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** Text made safe inside markup. @param {string} text */
export const safe = (text) =>
  text.replace(
    /[&<>"]/g,
    (sign) => /** @type {Record<string, string>} */ ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign],
  );

/** The path through points. @param {ArrayLike<number>[]} points @param {boolean} [closed] */
export const pathOf = (points, closed = false) =>
  points.length ? `M${points.map((p) => `${p[0].toFixed(1)} ${p[1].toFixed(1)}`).join("L")}${closed ? "Z" : ""}` : "";

/**
 * Follow a pointer from where it is pressed: previews while it moves, one end, Escape takes it back.
 * @param {HTMLElement | SVGElement} element
 * @param {PointerEvent} event
 * @param {{move: (event: PointerEvent) => void, end: () => void, cancel: (released: boolean) => void}} then  cancel learns whether the pointer was let go of where it was pressed, or taken back by Escape
 */
export function follow(element, event, then) {
  if (event.isTrusted) element.setPointerCapture(event.pointerId);
  let moved = false;
  /** @param {Event} move */
  const onMove = (move) => {
    moved = true;
    then.move(/** @type {PointerEvent} */ (move));
  };
  const stop = () => {
    element.removeEventListener("pointermove", onMove);
    element.removeEventListener("pointerup", onUp);
    element.removeEventListener("pointercancel", onUp);
    removeEventListener("keydown", onKey, true);
  };
  const onUp = () => {
    stop();
    if (moved) then.end();
    else then.cancel(true);
  };
  /** @param {KeyboardEvent} key */
  const onKey = (key) => {
    if (key.key !== "Escape") return;
    key.stopPropagation();
    stop();
    then.cancel(false);
  };
  element.addEventListener("pointermove", onMove);
  element.addEventListener("pointerup", onUp);
  element.addEventListener("pointercancel", onUp);
  addEventListener("keydown", onKey, true);
}
