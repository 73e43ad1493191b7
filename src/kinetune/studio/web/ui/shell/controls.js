/** The small controls that panels are made of. */
import { follow } from "../../core/dom.js";
import { ICONS, SOLID } from "../../core/icons.js";
import { clamp, plain } from "../../core/numbers.js";
import { html, useLayoutEffect, useRef, useState } from "./html.js";

/** @typedef {"move" | "end" | "cancel"} Phase  of a drag */
/** @typedef {Event & {currentTarget: HTMLInputElement, key: string}} FieldEvent  of an input, a select or a key in one */
/** @typedef {import("../../vendor/preact.js").ComponentChildren} Children */

/** @param {{name: string, size?: number, style?: string}} props */
export function Icon({ name, size, style = "" }) {
  const box = size ? `width:${size}px;height:${size}px;` : "";
  return html`<svg class="i" viewBox="0 0 16 16" aria-hidden="true" style=${box + style}>
    <path class=${SOLID.has(name) ? "solid" : ""} d=${ICONS[name] ?? ""} /></svg>`;
}

/** A button that is only an icon; its label is also its tip. @param {{icon: string, label: string, keys?: string, pressed?: boolean, disabled?: boolean, small?: boolean, onClick: (event: Event) => void}} props */
export function IconButton({ icon, label, keys, pressed, disabled, small, onClick }) {
  return html`<button class=${`ib${small ? " sm" : ""}`} aria-label=${label} title=${keys ? `${label}  ${keys}` : label}
      aria-pressed=${pressed === undefined ? undefined : String(pressed)} disabled=${disabled} onClick=${onClick}>
    <${Icon} name=${icon} /></button>`;
}

/** A row of buttons of which one is chosen. @param {{label: string, value: string, options: {value: string, text: string, title?: string}[], small?: boolean, onValue: (value: string) => void}} props */
export function Segments({ label, value, options, small, onValue }) {
  return html`<div class=${`seg${small ? " sm" : ""}`} role="group" aria-label=${label}>
    ${options.map((option) => html`<button aria-pressed=${String(option.value === value)} title=${option.title} onClick=${() => onValue(option.value)}>${option.text}</button>`)}
  </div>`;
}

/** @param {{label: string, on: boolean, onValue: (on: boolean) => void, accent?: boolean}} props */
export function Switch({ label, on, onValue, accent }) {
  return html`<button class=${`sw${accent ? "" : " plain"}`} role="switch" aria-checked=${String(on)} aria-label=${label}
      onClick=${(/** @type {Event} */ event) => {
        event.stopPropagation();
        onValue(!on);
      }}></button>`;
}

/** @param {{text: Children, pressed?: boolean, chosen?: boolean, icon?: string, label?: string, onClick: () => void}} props */
export function Chip({ text, pressed, chosen, icon, label, onClick }) {
  return html`<button class=${`chip${chosen ? " sel" : ""}`}
      aria-pressed=${pressed === undefined ? undefined : String(pressed)} aria-label=${label}
      onClick=${onClick}>${icon ? html`<${Icon} name=${icon} size=${12} />` : null}${text}</button>`;
}

/**
 * A horizontal slider; its fill begins at the neutral value, so that an edit is a length.
 * @param {{label: string, value: number, min: number, max: number, neutral?: number, quiet?: boolean, step?: number, disabled?: boolean, text?: (value: number) => string, onValue: (value: number, phase: Phase) => void}} props
 */
export function Slider({ label, value, min, max, neutral = min, quiet, step, disabled, text = plain, onValue }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const share = (/** @type {number} */ v) => clamp((v - min) / (max - min || 1), 0, 1);
  const rounded = (/** @type {number} */ v) => clamp(step ? Math.round(v / step) * step : v, min, max);
  const press = (/** @type {PointerEvent} */ event) => {
    const element = host.current;
    if (!element || event.button !== 0 || disabled) return;
    event.preventDefault();
    element.focus({ preventScroll: true });
    const box = element.getBoundingClientRect(),
      before = value;
    let at = share(value),
      x = event.clientX,
      last = value;
    const knob = box.left + at * box.width;
    if (Math.abs(event.clientX - knob) > 10) {
      at = clamp((event.clientX - box.left) / box.width, 0, 1);
      last = rounded(min + at * (max - min));
      onValue(last, "move");
    }
    follow(element, event, {
      move: (move) => {
        at = clamp(at + ((move.clientX - x) * (move.shiftKey ? 0.2 : 1)) / box.width, 0, 1);
        x = move.clientX;
        let next = rounded(min + at * (max - min));
        if (!move.shiftKey && Math.abs(share(neutral) - at) * box.width < 3) next = neutral;
        if (next !== last) {
          last = next;
          onValue(next, "move");
        }
      },
      end: () => onValue(last, "end"),
      cancel: () =>
        last !== before && Math.abs(event.clientX - knob) > 10 ? onValue(last, "end") : onValue(before, "cancel"),
    });
  };
  const nudge = (/** @type {number} */ by) =>
    onValue(rounded(value + by * Math.max(step ?? 0, (max - min) / 100)), "end");
  const key = (/** @type {KeyboardEvent} */ event) => {
    const by = /** @type {Record<string, number>} */ ({
      ArrowUp: 1,
      ArrowDown: -1,
      PageUp: 10,
      PageDown: -10,
    })[event.key];
    if (by) nudge(event.shiftKey && !step ? by * 0.2 : by);
    else if (event.key === "Home") onValue(neutral, "end");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return html`<div ref=${host} class=${`hs${quiet ? " neutral" : ""}${disabled ? " is-disabled" : ""}`}
      style=${`--v:${share(value)};--o:${share(neutral)}`} role="slider" tabindex=${disabled ? -1 : 0} aria-label=${label}
    aria-valuemin=${min} aria-valuemax=${max} aria-valuenow=${value} aria-valuetext=${text(value)} onPointerDown=${press}
        onKeyDown=${key} onDblClick=${() => onValue(neutral, "end")}>
      <b></b>${neutral > min ? html`<u></u>` : null}<s></s></div>`;
}

/**
 * A number to drag sideways, type, or step with the arrows.
 * @param {{label: string, value: number | null, unset?: string, min?: number, max?: number, step?: number, unit?: string, mark?: string, optional?: boolean, whole?: boolean, neutral?: number | null, edited?: boolean, error?: string | null, onValue: (value: number | null, phase: Phase) => void}} props
 */
export function NumberField({
  label,
  value,
  unset = "automatic",
  min = -Infinity,
  max = Infinity,
  step,
  unit = "",
  mark,
  optional,
  whole,
  neutral = null,
  edited,
  error,
  onValue,
}) {
  const [typed, setTyped] = useState(/** @type {string | null} */ (null));
  const [bad, setBad] = useState("");
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const size = step ?? (whole ? 1 : 10 ** (Math.floor(Math.log10(Math.max(Math.abs(value ?? 0), 0.1))) - 1));
  const tidy = (/** @type {number} */ v) => clamp(whole ? Math.round(v) : Number(v.toPrecision(6)), min, max);
  const shown = typed ?? (value === null ? "" : plain(value));
  const take = () => {
    if (typed === null) return;
    const text = typed.trim().replace("−", "-").replace(",", ".");
    setTyped(null);
    if (text === "") {
      if (optional) onValue(null, "end");
      return;
    }
    const number = Number(text);
    if (!Number.isFinite(number) || number < min || number > max) {
      setBad(
        `${label} is ${Number.isFinite(min) ? `${plain(min)} or more` : "a number"}${Number.isFinite(max) ? `, at most ${plain(max)}` : ""}. The last value, ${value === null ? unset : plain(value)}, is still in use.`,
      );
      return;
    }
    setBad("");
    onValue(tidy(number), "end");
  };
  const press = (/** @type {PointerEvent} */ event) => {
    const element = /** @type {HTMLElement} */ (event.currentTarget);
    if (event.button !== 0 || document.activeElement === input.current) return;
    event.preventDefault();
    const before = value,
      from = value ?? neutral ?? 0;
    let x = event.clientX,
      now = from;
    follow(element, event, {
      move: (move) => {
        now = now + ((move.clientX - x) / 2) * size * (move.shiftKey ? 0.2 : 1);
        x = move.clientX;
        onValue(tidy(move.ctrlKey ? Math.round(now / (size * 5)) * size * 5 : now), "move");
      },
      end: () => onValue(tidy(now), "end"),
      cancel: () => {
        if (now !== from) onValue(before, "cancel");
        else {
          input.current?.focus();
          input.current?.select();
        }
      },
    });
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter") {
      take();
      input.current?.blur();
    } else if (event.key === "Escape") {
      setTyped(null);
      setBad("");
      input.current?.blur();
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      setTyped(null);
      onValue(
        tidy(
          (value ?? neutral ?? 0) + (event.key === "ArrowUp" ? 1 : -1) * size * (event.shiftKey && !whole ? 0.2 : 1),
        ),
        "end",
      );
    } else {
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const message = error || bad;
  return html`<span class="number">
    <span class=${`field${message ? " is-error" : ""}`} onPointerDown=${press}
      onDblClick=${() => neutral !== undefined && onValue(neutral, "end")}>${mark ? html`<i>${mark}</i>` : null}
    <input ref=${input} class="num" role="spinbutton" aria-label=${label} aria-valuenow=${value ?? undefined}
        aria-invalid=${message ? "true" : undefined} inputmode="decimal" placeholder=${optional ? unset : ""}
        style=${edited ? "color:var(--edited)" : ""} value=${shown}
      onInput=${(/** @type {FieldEvent} */ event) => setTyped(event.currentTarget.value)} onBlur=${take}
          onKeyDown=${key} />${unit ? html`<i>${unit}</i>` : null}</span>
    ${message ? html`<span class="field-error" role="alert">${message}</span>` : null}</span>`;
}

/** @param {{label: string, value: string | null, options: {value: string, text: string, title?: string}[], onValue: (value: string) => void}} props */
export function Choice({ label, value, options, onValue }) {
  return html`<span class="select">
    <select aria-label=${label} value=${value ?? ""}
      onChange=${(/** @type {FieldEvent} */ event) => onValue(event.currentTarget.value)}>
    ${options.map((option) => html`<option value=${option.value} title=${option.title} selected=${option.value === (value ?? "")}>${option.text}</option>`)}</select>
      <${Icon} name="down" size=${12} /></span>`;
}

/** A message about a fault, where it happened. @param {{message: string, more?: string, quiet?: boolean, actions?: {text: string, onClick: () => void}[]}} props */
export function Note({ message, more, quiet, actions = [] }) {
  return html`<div class="note" role=${quiet ? "note" : "alert"} style=${quiet ? "background:var(--overlay);box-shadow:inset 0 0 0 1px var(--line-2), var(--shadow-2)" : ""}>
    <${Icon} name=${quiet ? "info" : "warn"} style=${quiet ? "color:var(--text-2)" : ""} /><div>
    <p>${message}</p>${more ? html`<p>${more}</p>` : null}
    ${actions.length ? html`<div class="acts">${actions.map(({ text, onClick }) => html`<button class="btn sm" onClick=${onClick}>${text}</button>`)}</div>` : null}</div>
      </div>`;
}

/** A list that opens at a button, which is called what it shows, or by its label where that is an icon. @param {{label: string, icon?: string, text?: Children, up?: boolean, wide?: boolean, children: Children, small?: boolean, className?: string, open?: boolean, onOpen?: (open: boolean) => void}} props */
export function Popover({
  label,
  icon = "more",
  text,
  up,
  wide,
  children,
  small = true,
  className,
  open: asked,
  onOpen,
}) {
  const [open, setOpen] = useState(false);
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const shown = asked ?? open;
  const set = (/** @type {boolean} */ on) => {
    setOpen(on);
    onOpen?.(on);
  };
  useLayoutEffect(() => {
    if (!shown) return undefined;
    const fit = () => {
      const { top, bottom } = /** @type {HTMLElement} */ (host.current).getBoundingClientRect();
      host.current?.style.setProperty("--room", `${Math.round(up ? top : innerHeight - bottom) - 10}px`);
    };
    const away = (/** @type {Event} */ event) => {
      if (!host.current?.contains(/** @type {Node} */ (event.target))) set(false);
    };
    const key = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") {
        event.stopPropagation();
        set(false);
        host.current?.querySelector("button")?.focus();
        return;
      }
      const items = [...(host.current?.querySelectorAll(".pop button:not([disabled]), .pop input") ?? [])],
        at = items.indexOf(/** @type {Element} */ (document.activeElement));
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      event.stopPropagation();
      /** @type {HTMLElement} */ (
        items[(at + (event.key === "ArrowDown" ? 1 : items.length - 1)) % items.length]
      )?.focus();
    };
    fit();
    addEventListener("resize", fit);
    addEventListener("pointerdown", away, true);
    addEventListener("keydown", key, true);
    return () => {
      removeEventListener("resize", fit);
      removeEventListener("pointerdown", away, true);
      removeEventListener("keydown", key, true);
    };
  }, [shown]);
  return html`<span class="popover" ref=${host}>
    <button class=${className ?? (text ? "btn sm" : `ib${small ? " sm" : ""}`)} aria-label=${text ? undefined : label} title=${label}
        aria-haspopup="menu" aria-expanded=${String(shown)}
        onClick=${() => set(!shown)}>${text ?? html`<${Icon} name=${icon} />`}</button>
    ${
      shown
        ? html`<div class=${`pop${up ? " up" : ""}${wide ? " wide" : ""}`} role="menu" onClick=${(
            /** @type {Event} */ event,
          ) => {
            if (/** @type {Element} */ (event.target).closest("[data-close]")) set(false);
          }}>${children}</div>`
        : null
    }</span>`;
}

/** @param {{icon?: string, text: Children, hint?: string, disabled?: boolean, onClick: () => void}} props */
export function MenuItem({ icon, text, hint, disabled, onClick }) {
  return html`<button class="item" role="menuitem" data-close disabled=${disabled}
      onClick=${onClick}>${icon ? html`<${Icon} name=${icon} />` : null}<span
      class="grow">${text}</span>${hint ? html`<span class="dim">${hint}</span>` : null}</button>`;
}

/**
 * A class of `core/` in a panel: made once, given new values by `update`, disposed of with the panel.
 * @template {{dispose: () => void}} Thing
 * @param {{make: (host: HTMLElement) => Thing, update?: (thing: Thing) => void, className?: string, style?: string, watch?: unknown[]}} props
 */
export function Core({ make, update, className, style, watch = [] }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null)),
    thing = useRef(/** @type {Thing | null} */ (null));
  useLayoutEffect(() => {
    const made = make(/** @type {HTMLElement} */ (host.current));
    thing.current = made;
    update?.(made);
    return () => {
      made.dispose();
      thing.current = null;
    };
  }, []);
  useLayoutEffect(() => {
    if (thing.current) update?.(thing.current);
  }, watch);
  return html`<div ref=${host} class=${className} style=${style}></div>`;
}
