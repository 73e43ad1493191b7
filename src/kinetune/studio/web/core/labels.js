/** Labels that hang at positions in the scene. */

/**
 * @typedef {Object} Label
 * @property {string} id
 * @property {number[]} place
 * @property {string} text
 * @property {string} [value]
 * @property {string} [tone]  a custom property for the value
 * @property {string} [kind]  a class: "plate" for a plate with a line, "bare" for plain text
 */

export class Labels {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = document.createElement("div");
    this.host.className = "labels";
    this.host.setAttribute("aria-hidden", "true");
    host.append(this.host);
    /** @type {Map<string, {element: HTMLElement, label: Label, look: string, text: string, width: number, move: string, hidden: boolean}>} */ this.shown =
      new Map();
    /** The plate at the lower left, read when its size may have changed: the browser lays the page out for it. @type {number[] | null} */
    this.plate = null;
    this.sizes = new ResizeObserver(() => this.measure());
    const plate = host.querySelector(".vo.bl");
    for (const each of plate ? [host, plate] : []) this.sizes.observe(each);
  }

  measure() {
    const scene = this.host.getBoundingClientRect(),
      box = this.host.parentElement?.querySelector(".vo.bl")?.getBoundingClientRect();
    this.plate = box
      ? [box.left - scene.left, box.top - scene.top, box.right - scene.left, box.bottom - scene.top]
      : null;
  }

  /** @param {Label[]} labels */
  setLabels(labels) {
    const wanted = new Set(labels.map(({ id }) => id));
    for (const [id, { element }] of this.shown) {
      if (!wanted.has(id)) {
        element.remove();
        this.shown.delete(id);
      }
    }
    for (const label of labels) {
      let entry = this.shown.get(label.id);
      if (!entry) {
        const element = document.createElement("div");
        element.append(document.createElement("span"), document.createElement("b"));
        this.host.append(element);
        entry = { element, label, look: "", text: "", width: 0, move: "", hidden: false };
        this.shown.set(label.id, entry);
      }
      entry.label = label;
      const look = [label.kind, label.text, label.value, label.tone].join("|");
      if (look === entry.look) continue;
      entry.look = look;
      entry.element.className = `label ${label.kind ?? "plate"}`;
      entry.element.children[0].textContent = label.text;
      entry.element.children[1].textContent = label.value ?? "";
      entry.element.style.color = label.kind?.startsWith("bare") && label.tone ? `var(${label.tone})` : "";
      /** @type {HTMLElement} */ (entry.element.children[1]).style.color = label.tone ? `var(${label.tone})` : "";
    }
  }

  /** @param {(place: number[]) => [number, number] | null} project  to pixels, null behind the camera */
  draw(project) {
    if (!this.shown.size) return;
    /** @type {number[][]} */ const taken = this.plate ? [this.plate] : [];
    // Plates are what the user has chosen: they come first, and what would be printed over another yields.
    const entries = [...this.shown.values()].sort((a, b) => rank(a.label) - rank(b.label));
    for (const entry of entries) {
      const { element, label } = entry,
        at = project(label.place);
      const move = at ? `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)` : entry.move;
      if (move !== entry.move) element.style.transform = entry.move = move;
      const box = at ? boxOf(entry, at) : null,
        clear = box && !taken.some((other) => overlaps(box, other));
      if (entry.hidden === clear) element.style.visibility = (entry.hidden = !clear) ? "hidden" : "";
      if (clear) taken.push(box);
    }
  }

  dispose() {
    this.sizes.disconnect();
    this.host.remove();
  }
}

/** @param {Label} label */
const rank = ({ kind = "plate" }) => (kind === "plate" ? 0 : kind === "bare" ? 1 : 2);

/** Whether two boxes (left, top, right, bottom) share a point. @param {number[]} a @param {number[]} b */
const overlaps = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

/** What a label takes on the screen; its width is estimated from its text, once. @param {{label: Label, text: string, width: number}} entry @param {[number, number]} at */
function boxOf(entry, [x, y]) {
  const { label } = entry,
    text = label.text + (label.value ?? "");
  if (text !== entry.text) {
    entry.text = text;
    entry.width = text.length * 6.4;
  }
  if (!label.kind || label.kind === "plate") return [x + 24, y - 46, x + 58 + entry.width, y - 22];
  return label.kind.includes("foot")
    ? [x - 4, y - 8, x + entry.width - 2, y + 5]
    : [x + 10, y + 6, x + 12 + entry.width, y + 20];
}
