/** What the page knows: signals that panels read. Only `session.js` writes what comes from the server. */
import { Playback } from "../../core/playback.js";
import { computed, signal } from "./html.js";

/**
 * @typedef {Object} Knob
 * @property {string} name
 * @property {string} words
 * @property {string} unit
 * @property {any} default
 * @property {boolean} required
 * @property {boolean} optional
 * @property {string} widget
 * @property {number | null} min
 * @property {number | null} max
 * @property {string[] | null} choices
 * @property {any} schema
 *
 * @typedef {{op: string, title: string, words: string, text: string, inputs: string[], slow: boolean, keeps_time: boolean, neutral: any, example: any, knobs: Knob[]}} Operation
 * @typedef {{id: string, op: string, title: string, on: boolean, knobs: Record<string, any>, set: string[], state: string, error: string | null, report: any}} Step
 * @typedef {{name: string, title: string, unit: string, was: number | null, is: number | null, verdict: string, reason?: string}} Measure
 * @typedef {{job: string, words: string, share: number | null, left_s: number | null, state: string, step: string | null, url: string | null, message: string | null, doc: string}} Job
 */

export const playback = new Playback();

/** What `/api/hello` said. */
export const hello = signal(/** @type {any} */ (null));
/** @type {import("../../vendor/signals.js").Signal<Operation[]>} */
export const operations = signal([]);
export const connection = signal(/** @type {"connecting" | "open" | "lost"} */ ("connecting"));
/** Why the page cannot start, as a sentence. */
export const fatal = signal("");

/** Up to which edit the document is on the disk, and why it is not. */
export const saved = signal({ edit: 0, problem: /** @type {string | null} */ (null) });
/** The document as the server tells it; null before it is open. */
export const doc = signal(/** @type {any} */ (null));
export const skeleton = signal(
  /** @type {(import("../../core/types.js").Skeleton & {names: string[], limbs: any[], height: number}) | null} */ (
    null
  ),
);
export const original = signal(/** @type {import("../../core/types.js").Motion | null} */ (null));
/** The edited motion; `version` counts when its arrays were written. */
export const motion = signal(/** @type {import("../../core/types.js").Motion | null} */ (null));
export const version = signal(0);
export const largestChange = signal(0);
export const floor = signal(0);
export const spent = signal(/** @type {number | null} */ (null));
/** Which frames are still to be worked out. */
export const pending = signal(/** @type {[number, number] | null} */ (null));
export const quality = signal(/** @type {{measures: Measure[], contacts: {was: any, is: any}} | null} */ (null));
/** Reports and states of steps as the last motion tells them. */
export const results = signal(
  /** @type {Record<string, {state: string, error: string | null, ms: number, report: any}>} */ ({}),
);
export const jobs = signal(/** @type {Record<string, Job>} */ ({}));
/** Jobs that were cancelled and have not stopped yet. */
export const stopping = signal(/** @type {string[]} */ ([]));
/** Faults of steps and knobs: "step knob" or "step" to a sentence. */
export const faults = signal(/** @type {Record<string, string>} */ ({}));
/** A fault of the page as a whole: a file that cannot be read. */
export const trouble = signal(
  /** @type {{message: string, more?: string, actions?: {text: string, onClick: () => void}[]} | null} */ (null),
);
export const toast = signal(
  /** @type {{text: string, kind?: "good" | "bad", icon?: string, action?: {text: string, onClick: () => void}, stay?: boolean} | null} */ (
    null
  ),
);
/** Film and keys of a drawing document. */
export const film = signal(/** @type {any} */ (null));
export const keyDrawings = signal(/** @type {any} */ (null));

export const chosenStep = signal("");
export const chosenJoints = signal(/** @type {number[]} */ ([]));
export const tool = signal(/** @type {"select" | "move" | "rotate" | "target" | "steps"} */ ("select"));
export const compare = signal(/** @type {"a" | "b" | "wipe"} */ ("b"));
export const shown = signal({ ghost: true, paths: true, contacts: true, forces: false });
export const drawerOpen = signal(innerHeight >= 840);
export const adding = signal(false);
/** An operation that waits for another clip before it can be added. */
export const wanting = signal("");
export const helping = signal(false);
export const welcome = signal(false);
export const span = signal(/** @type {[number, number]} */ ([0, 1]));
/** The key that the curve drawer and the displacement panel have chosen. */
export const chosenKey = signal(-1);
/** The target or footprint that the scene and the inspector have chosen. */
export const chosenItem = signal(-1);
/** The playhead, rounded, for words and slow panels. */
export const frame = signal(0);
export const playing = signal(false);

playback.onFrame((at) => {
  const whole = Math.round(at);
  if (whole !== frame.value) frame.value = whole;
});
playback.onState(() => {
  playing.value = playback.playing;
});

/** @type {import("../../vendor/signals.js").ReadonlySignal<Step[]>} */
export const steps = computed(() => doc.value?.steps ?? []);
export const step = computed(() => steps.value.find(({ id }) => id === chosenStep.value) ?? null);
export const kind = computed(() => doc.value?.kind ?? "motion");

/** The declaration of an operation. @param {string} op */
export const declared = (op) => operations.value.find((each) => each.op === op) ?? null;

/** What the last motion or the document says of a step. @param {Step} of */
export function resultOf(of) {
  const known = results.value[of.id];
  return {
    state: of.on ? (known?.state ?? of.state) : "off",
    error: known ? known.error : of.error,
    report: known?.report ?? of.report,
    ms: known?.ms ?? 0,
  };
}
