/** What the page knows: signals that panels read. Only `session.js` writes what comes from the server. */
import { between } from "../../core/numbers.js";
import { Playback } from "../../core/playback.js";
import { computed, signal } from "./html.js";

/** @import { Signal } from "../../vendor/signals.js" */
/** @import * as Answer from "../../core/answers.js" */
/** @import { Motion, Skeleton } from "../../core/types.js" */

/**
 * @typedef {Answer.Knob} Knob
 * @typedef {Answer.OperationPanel} Operation
 * @typedef {Answer.StepLine} Step
 * @typedef {Answer.JobAnswer} Job
 * @typedef {Pick<Answer.StepResultLine, "state" | "error" | "ms"> & {report: Report}} Result  how it went with a step
 * @typedef {Partial<Answer.DisplaceReport & Answer.AimReport & Answer.FootstepsReport & Answer.LoopReport> | null | undefined} Report
 *   what a step reports; which of these depends on its operation, and footsteps come as `steps`
 * @typedef {Omit<Answer.MotionDocument, "source"> & {source?: Answer.SourceLine, pending?: string}} MotionDoc
 *   pending: its id while it opens, when there is no source yet
 * @typedef {Answer.DrawingDocument & {pending?: string}} DrawingDoc
 */

export const playback = new Playback();

/** What `/api/hello` said. */
export const hello = signal(/** @type {Answer.Hello | null} */ (null));
/** @type {Signal<Operation[]>} */
export const operations = signal([]);
export const connection = signal(/** @type {"connecting" | "open" | "lost"} */ ("connecting"));
/** Why the page cannot start. */
export const fatal = signal("");

/** Up to which edit the document is on the disk, and why it is not. */
export const saved = signal({ edit: 0, problem: /** @type {string | null} */ (null) });
/** The document as the server describes it; null before there is one. */
export const doc = signal(/** @type {MotionDoc | DrawingDoc | null} */ (null));
/** The document, where it is a motion. */
export const motionDoc = computed(() => (doc.value?.kind === "motion" ? doc.value : null));
/** The document, where it holds drawings. */
export const drawingDoc = computed(() => (doc.value?.kind === "drawing" ? doc.value : null));
export const skeleton = signal(/** @type {(Skeleton & Answer.SkeletonAnswer) | null} */ (null));
export const original = signal(/** @type {Motion | null} */ (null));
/** The edited motion; `version` counts when its arrays were written. */
export const motion = signal(/** @type {Motion | null} */ (null));
export const version = signal(0);
export const largestChange = signal(0);
export const floor = signal(0);
export const spent = signal(/** @type {number | null} */ (null));
/** Which frames are still to be computed. */
export const pending = signal(/** @type {[number, number] | null} */ (null));
export const quality = signal(/** @type {Answer.QualityAnswer | null} */ (null));
/** Reports and states of steps as of the last motion. */
export const results = signal(/** @type {Record<string, Result>} */ ({}));
export const jobs = signal(/** @type {Record<string, Job>} */ ({}));
/** Jobs that were cancelled and have not stopped yet. */
export const stopping = signal(/** @type {string[]} */ ([]));
/** Faults of steps and knobs: "step knob" or "step" to a message. */
export const faults = signal(/** @type {Record<string, string>} */ ({}));
/** A fault of the page as a whole: a file that cannot be read. */
export const trouble = signal(
  /** @type {{message: string, more?: string, quiet?: boolean, actions?: {text: string, onClick: () => void}[]} | null} */ (
    null
  ),
);
export const toast = signal(
  /** @type {{text: string, kind?: "good" | "bad", icon?: string, action?: {text: string, onClick: () => void}, stay?: boolean} | null} */ (
    null
  ),
);
/** Film and keys of a drawing document. */
export const film = signal(/** @type {Answer.FilmAnswer | null} */ (null));
export const keyDrawings = signal(/** @type {Answer.DrawingsAnswer | null} */ (null));

export const chosenStep = signal("");
/** Whether the check-up is shown in place of a step. */
export const checking = signal(false);
/** Whether the history is shown in place of a step. */
export const reviewing = signal(false);
export const chosenJoints = signal(/** @type {number[]} */ ([]));
export const tool = signal(/** @type {"select" | "move" | "rotate" | "target" | "steps"} */ ("select"));
export const compare = signal(/** @type {import("../../core/viewport.js").Compare} */ ("b"));
/** What characters wear, where they have it. */
export const body = signal(/** @type {import("../../core/viewport.js").Body} */ ("skin"));
/** What the edited character wears, from which file, and why it is not its skin. */
export const dress = signal(
  /** @type {{body: "skin" | "mannequin", name: string | null, problem: string | null} | null} */ (null),
);
/** How the scene is seen. */
export const seen = signal({ orthographic: false, follow: true, named: "free" });
export const shown = signal({ ghost: true, onion: false, paths: true, contacts: true, forces: false });
export const drawerOpen = signal(innerHeight >= 840);
export const adding = signal(false);
/** An operation that waits for another clip before it can be added. */
export const wanting = signal("");
export const helping = signal(false);
/** A file with another skeleton, and the motion that it could take over. */
export const offer = signal(/** @type {import("../motion/retarget_offer.js").Offer | null} */ (null));
/** Where the moments of the tracks went in the result: parts in order, seconds of both in turn. */
/** The frame of the original that each frame of the result shows, where steps change the timing. */
export const origins = signal(/** @type {Float32Array | null} */ (null));
/** The frame of the original that is shown at a frame of the result: the same one, as far as nothing else is known. @param {number} frame */
export function originOf(frame) {
  const known = origins.value;
  return known && known.length === motion.value?.frames ? between(known, frame) : frame;
}
export const timing = signal(/** @type {Float32Array[]} */ ([]));
/**
 * What physics says of the motion, before the chosen step and, once it has run, after it.
 * @typedef {{verdict: Answer.VerdictAnswer["verdict"], reasons: Answer.FindingLine[]}} Judged
 * @typedef {Float32Array | null} Loads  (frames, 3): what the floor gives left foot, right foot and all of the body, in body weights
 */
export const physics = signal({
  was: /** @type {Judged | null} */ (null),
  is: /** @type {Judged | null} */ (null),
  wasLoads: /** @type {Loads} */ (null),
  isLoads: /** @type {Loads} */ (null),
});
export const NO_PHYSICS = physics.value;
/** Whether the dialog for films is open. */
export const filming = signal(false);
export const welcome = signal(false);
/** Whether all clips are listed, in place of the document. */
export const browsing = signal(false);
export const span = signal(/** @type {[number, number]} */ ([0, 1]));
/** The part of the clip that the next operation changes, chosen on the timeline. */
export const region = signal(/** @type {Answer.Knobs["smooth"]["region"]} */ (null));
/** The key that the curve drawer and the displacement panel have chosen. */
export const chosenKey = signal(-1);
/** The target or footprint that the scene and the inspector have chosen. */
export const chosenItem = signal(-1);
/** The playhead, rounded, for labels and slow panels. */
export const frame = signal(0);
export const playing = signal(false);

playback.onFrame((at) => {
  const whole = Math.round(at);
  if (whole !== frame.value) frame.value = whole;
});
playback.onState(() => {
  playing.value = playback.playing;
});

export const steps = computed(() => motionDoc.value?.steps ?? []);
export const step = computed(() => steps.value.find(({ id }) => id === chosenStep.value) ?? null);
/** What the timeline shows: the region of the chosen operation, or the one that is chosen for the next. */
export const shownRegion = computed(() => ownRegion(step.value) ?? region.value);
export const kind = computed(() => doc.value?.kind ?? "motion");

/** The region of a step. @param {Step | null} of @returns {Answer.Knobs["smooth"]["region"]} */
export const ownRegion = (of) => /** @type {Answer.Knobs["smooth"]["region"]} */ (of?.knobs.region ?? null);

/** The declaration of an operation. @param {string} op */
export const declared = (op) => operations.value.find((each) => each.op === op) ?? null;

/** A joint as people call it in a sentence: by its role where it has one ("left upper arm"), else by its own name. @param {string | number} joint */
export function jointName(joint) {
  const known = skeleton.value,
    index = typeof joint === "number" ? joint : (known?.names.indexOf(joint) ?? -1);
  if (!known || index < 0) return String(joint);
  return Object.keys(known.roles).find((role) => known.roles[role] === index) ?? known.names[index];
}

/** The same as a label: "Left upper arm". @param {string | number} joint */
export function jointLabel(joint) {
  const name = jointName(joint);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/**
 * Whether a step is of an operation; its controls are then those of that operation.
 * @template {keyof Answer.Knobs} Op
 * @param {Step | null | undefined} step
 * @param {Op} op
 * @returns {step is Answer.StepOf<Op>}
 */
export const isOf = (step, op) => step?.op === op;

/** What the last motion or the document says of a step. @param {Pick<Step, "id" | "on" | "state" | "error" | "report">} of @returns {Result} */
export function resultOf(of) {
  const known = results.value[of.id];
  return {
    state: of.on ? (known?.state ?? of.state) : "off",
    error: known ? known.error : of.error,
    report: known?.report ?? /** @type {Report} */ (of.report),
    ms: known?.ms ?? 0,
  };
}
