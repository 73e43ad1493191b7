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
    /** @type {Map<string, {element: HTMLElement, label: Label}>} */ this.shown = new Map();
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
        entry = { element, label };
        this.shown.set(label.id, entry);
      }
      entry.label = label;
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
    const covered = this.covered();
    for (const { element, label } of this.shown.values()) {
      const at = project(label.place);
      element.style.display = at && !covered(at) ? "" : "none";
      if (at) element.style.transform = `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
    }
  }

  /** Whether a label at a position would run into the plate at the lower left. @returns {(at: [number, number]) => boolean} */
  covered() {
    const plate = this.host.parentElement?.querySelector(".vo.bl")?.getBoundingClientRect(),
      scene = this.host.getBoundingClientRect();
    if (!plate) return () => false;
    const [right, top, bottom] = [plate.right - scene.left, plate.top - scene.top, plate.bottom - scene.top];
    return ([x, y]) => x < right && y > top - 6 && y < bottom + 6;
  }

  dispose() {
    this.host.remove();
  }
}
