// Written by `python tools/page.py types` from studio/protocol/answers.py and the operations: do not edit.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };
/** The arrays of a binary answer, by name. */
export type Arrays = { data: Record<string, Float32Array> };

export interface AimReport {
  findings?: FindingLine[];
  targets: TargetReport[];
  reachable: boolean;
  outside_cm: number;
  weights: Record<string, number>;
}

/** An array of a binary frame; `offset` in bytes from the start of the payload. */
export interface ArrayFacts {
  name: string;
  shape: number[];
  offset: number;
}

export interface BandLine {
  number: number;
  hz: number;
  key_hz: number;
  low_hz: number;
  high_hz: number;
  gain: number;
  rms_deg: number;
}

export interface BandsAnswer extends Arrays {
  doc: string;
  id: number;
  edit: number;
  arrays: ArrayFacts[];
  type: "bands";
  bands: BandLine[];
  step: string | null;
  joint: string;
  start: number;
  stop: number;
  unit: string;
}

export interface BothCards {
  was: PhysicsCard;
  is: PhysicsCard;
}

export interface BothContacts {
  was: ContactLines;
  is: ContactLines;
}

export interface ChannelLine {
  joint: number;
  name: string;
  axis: string;
  unit: string;
}

/** A finding of the check-up: its title, what it measures, and its remedies. */
export interface CheckLine {
  kind: string;
  message: string;
  override: string | null;
  severity: "info" | "warning" | "error";
  frame: number | [number, number] | null;
  remedy: string | null;
  joints: string[];
  step: Record<string, Json> | null;
  choices?: string[];
  title: string;
  unit: string;
  was: number | null;
  remedies: RemedyLine[];
}

export interface CheckupAnswer {
  type: "checkup";
  doc: string;
  id: number;
  edit: number;
  lines: CheckLine[];
}

/** The steps that a clip needed, each with its reasons and a number before and after. */
export interface CleanReport {
  findings?: FindingLine[];
  cleaning: Record<string, Json>[];
}

export interface ClipAnswer extends Arrays {
  doc: string;
  id: number;
  edit: number;
  arrays: ArrayFacts[];
  type: "clip";
  name: string;
  start: number;
  stop: number;
  frames: number;
  fps: number;
  names: string[];
  parents: number[];
  tips: TipLine[];
}

export interface ContactLines {
  feet: FootLine[];
  footprints: Footprint[];
}

export interface CurveLine {
  points: number;
  closed: boolean;
}

export interface CurvesAnswer extends Arrays {
  doc: string;
  id: number;
  edit: number;
  arrays: ArrayFacts[];
  type: "curves";
  channels: ChannelLine[];
  kind: "euler" | "log" | "position";
  start: number;
  stop: number;
}

/** The noise that was measured. */
export interface DenoiseReport {
  findings?: FindingLine[];
  noise: Record<string, Json>;
}

/** How far each key that names a position stays from it. */
export interface DisplaceReport {
  findings?: FindingLine[];
  misses_mm: (number | null)[];
}

/** A document in a list; `changed` in Unix seconds. */
export interface DocumentLine {
  doc: string;
  kind: "motion" | "drawing";
  name: string;
  changed: number;
  summary: string;
}

export interface DocumentsDone {
  type: "done";
  id: number;
  doc?: string;
  edit?: number;
  documents: DocumentLine[];
}

/** A message was obeyed; some messages add what :data:`DONES` says. */
export interface DoneAnswer {
  type: "done";
  id: number;
  doc?: string;
  edit?: number;
}

export interface DrawingChoices {
  drawing: string[];
  morph: string[];
  ease: string[];
}

export interface DrawingDocument {
  type: "document";
  doc: string;
  edit: number;
  name: string;
  saved_edit: number;
  taken: number;
  dragging: boolean;
  undo: string | null;
  redo: string | null;
  history: string[];
  times: number[];
  at: number;
  versions: VersionLine[];
  view: Record<string, Json>;
  kind: "drawing";
  keys: KeyDrawingLine[];
  gaps: GapSettings[];
  settings: MorphSettings;
}

export interface DrawingName {
  name: string;
}

/** The key drawings. */
export interface DrawingsAnswer extends Arrays {
  type: "drawings";
  doc: string;
  edit: number;
  id: number | null;
  frames: FilmFrame[];
  arrays: ArrayFacts[];
}

export interface ErrorAnswer {
  type: "error";
  id: number | null;
  doc: string | null;
  code: string;
  message: string;
  where?: string | null;
  step?: string | null;
}

/** The joint that a step moves farthest, and where; `far` if that is more than a tenth of the body's height. */
export interface FarthestMove {
  joint: string;
  frame: number;
  mm: number;
  hips_mm: number;
  far: boolean;
}

/** A sample or a file with a star; which one that is, is the other's place. */
export interface FavouriteLine {
  sample?: string;
  entry?: FolderEntry;
}

export interface FavouritesDone {
  type: "done";
  id: number;
  doc?: string;
  edit?: number;
  favourites: FavouriteLine[];
}

export interface FilmAnswer extends Arrays {
  type: "film";
  doc: string;
  edit: number;
  id: number | null;
  fps: number;
  findings: FindingLine[];
  frames: FilmFrame[];
  starts: number[];
  drag?: boolean;
  arrays: ArrayFacts[];
}

export interface FilmContour {
  start: number;
  count: number;
  closed: boolean;
}

/** A drawing of a film; `t` counts from one key drawing to the next, as the ease has it: 1.5 is halfway from the second to the third. */
export interface FilmFrame {
  t: number;
  view_box: number[];
  layers: FilmLayer[];
}

export interface FilmLayer {
  name: string;
  fill: string | null;
  stroke: string | null;
  stroke_width: number;
  fill_opacity: number;
  stroke_opacity: number;
  cap: string;
  join: string;
  contours: FilmContour[];
}

export interface FilterReport {
  findings?: FindingLine[];
  method: string;
  status: string;
  reasons: Record<string, Json>[];
  correction: Record<string, Json> | null;
  tracking: Record<string, Json>;
  failures: Record<string, Json>[];
}

/** A :class:`kinetune.findings.Finding`. */
export interface FindingLine {
  kind: string;
  message: string;
  override: string | null;
  severity: "info" | "warning" | "error";
  frame: number | [number, number] | null;
  remedy: string | null;
  joints: string[];
  step: Record<string, Json> | null;
  choices?: string[];
}

/** What any operation may report beside its motion. */
export interface FindingsReport {
  findings?: FindingLine[];
}

export interface FolderDone {
  type: "done";
  id: number;
  doc?: string;
  edit?: number;
  path: string;
  parent: string | null;
  entries: FolderEntry[];
  indexed: boolean;
  notice: string | null;
}

export interface FolderEntry {
  name: string;
  path: string;
  kind: "folder" | "clip" | "drawing" | "recipe";
  bytes: number;
  seconds?: number;
  motion?: string;
  skeleton?: string;
  slide_mm?: number;
  apart_cm?: number;
}

/** When a foot stands: rows of first frame, one after the last, and how far it slides in mm. */
export interface FootLine {
  side: string;
  joint: number;
  intervals: [number, number, number | null][];
}

export interface Footprint {
  side: string;
  start: number;
  stop: number;
  place: [number, number, number];
  heading_deg: number;
}

export interface FootstepReport {
  side: "left" | "right";
  frame: number;
  place: [number, number, number];
  heading_deg: number;
  inserted: boolean;
  error_mm: number;
  heading_error_deg: number;
  reached: boolean;
  notes: string[];
}

export interface FootstepsReport {
  findings?: FindingLine[];
  steps: FootstepReport[];
  placements: PlacedFoot[];
  notes: string[];
}

export interface ForcesAnswer extends Arrays {
  doc: string;
  id: number;
  edit: number;
  arrays: ArrayFacts[];
  type: "forces";
  step: string;
  mu: number;
  weight_n: number;
  fps: number;
  cards: BothCards;
  move: FarthestMove;
}

/** How one key drawing becomes the next; named as the parameters of :func:`kinetune.morph`. */
export interface GapSettings {
  frames: number;
  ease: string;
  layers: Record<string, number | null>;
  pins: [[number, number], [number, number]][];
}

export interface Hello {
  version: string;
  protocol: number;
  samples: SampleLine[];
  sets: SampleSet[];
  drawings: DrawingName[];
  suffixes: Suffixes;
  limits: SizeLimits;
  presets: DrawingChoices;
  folder: string | null;
  open: string;
  first_start: boolean;
  browse: boolean;
  documents: DocumentLine[];
  problems: string[];
}

/** The frames of a hold, where it is, and how far from there the joint stays. */
export interface HoldReport {
  findings?: FindingLine[];
  first: number;
  last: number;
  at: number[];
  miss_mm: number;
}

export interface InputDone {
  type: "done";
  id: number;
  doc?: string;
  edit?: number;
  name: string;
}

export interface InputLine {
  label: string;
  sample: string | null;
  path: string | null;
  format: string | null;
  frames: number;
  fps: number;
  joints: number;
  name: string;
  same_joints: boolean;
  error: string | null;
}

export interface InputSetDone {
  type: "done";
  id: number;
  doc?: string;
  edit?: number;
  names: string[];
}

export interface JobAnswer {
  type: "job";
  job: string;
  doc: string;
  id: number | null;
  text: string;
  share: number | null;
  left_s: number | null;
  state: "running" | "done" | "failed" | "cancelled";
  step: string | null;
  url: string | null;
  message: string | null;
}

export interface JobDone {
  type: "done";
  id: number;
  doc?: string;
  edit?: number;
  job: string;
}

export interface KeyDrawingLine {
  label: string;
  view_box: number[];
  edited: boolean;
  layers: LayerLine[];
  findings: FindingLine[];
  opposites: Record<string, string>;
}

/** How many keys are left, and how far they are from the motion. */
export interface KeysReport {
  findings?: FindingLine[];
  frames: number;
  key_frames: number;
  keys: number;
  dense_keys: number;
  times_fewer: number;
  error_mm: number;
  keys_of: Record<string, number>;
}

/** One control of a panel; `labels` are what users read for `choices`, `unset` what they read for null. */
export interface Knob {
  name: string;
  label: string;
  description: string;
  unit: string;
  default: Json;
  required: boolean;
  optional: boolean;
  widget: ("number" | "integer" | "switch" | "choice" | "text" | "joints" | "input" | "inputs") | ("curve" | "gains" | "table" | "keys" | "list" | "objects" | "object");
  min: number | null;
  max: number | null;
  min_open: boolean;
  max_open: boolean;
  choices: string[] | null;
  labels: string[] | null;
  unset: string;
  schema: Record<string, Json>;
}

export interface LayerLine {
  index: number;
  name: string;
  fill: string | null;
  stroke: string | null;
  contours: number;
  curves: CurveLine[];
  points: number;
}

export interface LimbLine {
  name: string;
  joints: number[];
  end: number;
  leg: boolean;
}

/** What the floor would have to give a motion before a step: left foot, right foot and all, in body weights. */
export interface LoadsAnswer extends Arrays {
  doc: string;
  id: number;
  edit: number;
  arrays: ArrayFacts[];
  type: "loads";
  step: string;
}

/** The frames that became the cycle, and its seam before and after. */
export interface LoopReport {
  findings?: FindingLine[];
  first: number;
  last: number;
  period_s: number;
  seam_was_mm: number | null;
  seam_is_mm: number | null;
}

/** A named frame; those of the file cannot be edited. */
export interface MarkerLine {
  frame: number;
  name: string;
  editable: boolean;
}

export interface MatchesAnswer extends Arrays {
  doc: string;
  id: number;
  edit: number;
  arrays: ArrayFacts[];
  type: "matches";
  gap: number;
}

export interface MeasureLine {
  name: string;
  title: string;
  unit: string;
  was: number | null;
  is: number | null;
  verdict: "same" | "good" | "bad";
  reason?: string;
  anew?: number | null;
}

/** When to leave a clip and to enter another, and how unlike they are there. */
export interface MomentLine {
  leave_s: number;
  enter_s: number;
  distance_cm: number;
}

/** The best moments to pass into the other clip of a step; `problem` says why there are none. */
export interface MomentsAnswer {
  type: "moments";
  doc: string;
  id: number;
  edit: number;
  step: string;
  moments: MomentLine[];
  problem: string | null;
}

/** How all key drawings become each other; named as the parameters of :func:`kinetune.morph`. */
export interface MorphSettings {
  method: "safe" | "linear" | "schedule" | "physical";
  fps: number;
  on: number;
  elastic: boolean;
  match: "auto" | "name" | "order" | "shape";
  extras: "auto" | "point" | "partner";
  coefficients: number | null;
  wavelet: string;
  preset: "dead-beat" | "jelly" | "wobbly";
  seconds: number | null;
  resolution: number | null;
  gait: WalkCycleSettings | null;
}

export interface MotionAnswer extends Arrays {
  part: "window" | "whole";
  start: number;
  stop: number;
  frames: number;
  fps: number;
  type: "motion";
  doc: string;
  edit: number;
  id: number | null;
  drag: boolean;
  exact: boolean;
  evaluate_ms: number;
  steps: StepResultLine[];
  floor: number | null;
  change_mm: number | null;
  arrays: ArrayFacts[];
}

export interface MotionDocument {
  type: "document";
  doc: string;
  edit: number;
  name: string;
  saved_edit: number;
  taken: number;
  dragging: boolean;
  undo: string | null;
  redo: string | null;
  history: string[];
  times: number[];
  at: number;
  versions: VersionLine[];
  view: Record<string, Json>;
  kind: "motion";
  saved_path: string | null;
  source: SourceLine;
  inputs: InputLine[];
  steps: StepLine[];
  tracks: TrackLine[];
  markers: MarkerLine[];
}

export interface NeutralDone {
  type: "done";
  id: number;
  doc?: string;
  edit?: number;
  knobs: Record<string, Json>;
}

export interface NewDone {
  type: "done";
  id: number;
  doc: string;
}

export interface OperationList {
  operations: OperationPanel[];
}

/** An operation as the page shows it. */
export interface OperationPanel {
  op: string;
  title: string;
  summary: string;
  description: string;
  inputs: string[];
  slow: boolean;
  generator: boolean;
  needs: string;
  takes_keys: boolean;
  has_forces: boolean;
  takes_region: boolean;
  comes_first: boolean;
  keeps_stance: boolean;
  neutral: Record<string, Json>;
  example: Record<string, Json>;
  knobs: Knob[];
}

export interface OriginalAnswer extends Arrays {
  part: "window" | "whole";
  start: number;
  stop: number;
  frames: number;
  fps: number;
  type: "original";
  doc: string;
  edit: number;
  names: string[];
  parents: number[];
  contacts: ContactLines;
  arrays: ArrayFacts[];
}

export interface OutlineAnswer extends Arrays {
  doc: string;
  id: number;
  edit: number;
  arrays: ArrayFacts[];
  type: "outline";
  name: string;
  frames: number;
  fps: number;
  unit: string;
}

/** The summary of `kt.physics_report`; these are the numbers that the page shows. */
export interface PhysicsCard {
  verdict: "plausible" | "doubtful" | "impossible";
  reasons: FindingLine[];
  friction_needed: number | null;
  root_residual_bw: number | null;
  frames_outside_cone: number | null;
}

export interface PlacedFoot {
  side: "left" | "right";
  frame: number;
  place: [number, number, number];
  heading_deg: number;
  inserted: boolean;
}

export interface PointsAnswer extends Arrays {
  doc: string;
  id: number;
  edit: number;
  arrays: ArrayFacts[];
  type: "points";
  key: number;
  layer: number;
  contour: number;
  closed: boolean;
  choices: number[];
}

export interface PoseDone {
  type: "done";
  id: number;
  doc?: string;
  edit?: number;
  step: string;
  key: number;
}

export interface QualityAnswer {
  measures: MeasureLine[];
  contacts: BothContacts;
  type: "quality";
  doc: string;
  edit: number;
}

export interface RecipeDone {
  type: "done";
  id: number;
  doc?: string;
  edit?: number;
  text: string;
}

/** What a finding would measure after its remedy. */
export interface RemedyAnswer {
  type: "remedy";
  doc: string;
  id: number;
  edit: number;
  kind: string;
  value: number | null;
}

/** What one click does about a finding: add an operation, or read the file otherwise. Lower orders come first. */
export interface RemedyLine {
  label: string;
  op: string | null;
  knobs: Record<string, Json>;
  reading: Record<string, Json>;
  order: number;
}

/** Joints by role: of the source, of the character; what follows `copied` is missing where it is true. */
export interface RetargetReport {
  findings?: FindingLine[];
  matched: Record<string, [string, string]>;
  bones: Record<string, [string | null, string | null]>;
  dropped: string[];
  unmatched: string[];
  copied: boolean;
  scale?: number;
  contact_speed_mps?: number | null;
  contact_speed_worst_mps?: number | null;
  penetration_mm?: number;
  limit_violations?: Record<string, Json>[];
  smoothness_ratio?: number;
  key_point_error_mm?: number;
  robot?: Record<string, Json>;
}

export interface SampleLine {
  name: string;
  description: string;
}

export interface SampleSet {
  name: string;
  description: string;
  samples: string[];
}

export interface SaveDone {
  type: "done";
  id: number;
  doc?: string;
  edit?: number;
  path: string;
}

export interface SavedAnswer {
  type: "saved";
  doc: string;
  edit: number;
  problem: string | null;
}

export interface ShapingAnswer extends Arrays {
  type: "shaping";
  id: number;
  curve: ShapingCurveLine;
  made: string;
  library: string[];
  arrays: ArrayFacts[];
}

/** Rows of x, y, tension, continuity, bias; the last three may be left out. */
export interface ShapingCurveLine {
  points: number[][];
  ends?: string;
}

/** The clips of the folder that are most like one, best first; `apart_cm` says how unlike each is. */
export interface SimilarDone {
  type: "done";
  id: number;
  doc?: string;
  edit?: number;
  entries: FolderEntry[];
}

export interface SizeLimits {
  message_bytes: number;
  upload_bytes: number;
}

export interface SkeletonAnswer {
  names: string[];
  parents: number[];
  offsets: [number, number, number][];
  tips: TipLine[];
  roles: Record<string, number>;
  groups: Record<string, number[]>;
  limbs: LimbLine[];
  height: number;
  signature: string;
  type: "skeleton";
  doc: string;
  edit: number;
  of: "both" | "motion";
}

/** The surface that follows the joints of the edited motion. */
export interface SkinAnswer extends Arrays {
  doc: string;
  id: number;
  edit: number;
  arrays: ArrayFacts[];
  type: "skin";
  body: "skin" | "mannequin";
  of: "motion" | "original";
  name: string | null;
  finding: FindingLine | null;
  bone_joints: number[];
  materials: SkinMaterial[];
  parts: SkinPart[];
}

/** `colour` in linear light multiplies `picture`, an image as a data address. */
export interface SkinMaterial {
  colour: [number, number, number];
  picture: string | null;
}

/** Corners of triangles that share a material. */
export interface SkinPart {
  material: number;
  start: number;
  count: number;
}

export interface SourceLine {
  label: string;
  sample: string | null;
  path: string | null;
  format: string | null;
  frames: number;
  fps: number;
  joints: number;
  reading: Record<string, Json>;
  findings: FindingLine[];
}

export interface SplineAnswer extends Arrays {
  type: "spline";
  id: number;
  arrays: ArrayFacts[];
}

export interface StepDone {
  type: "done";
  id: number;
  doc?: string;
  edit?: number;
  step: string;
}

export interface StepLine {
  id: string;
  op: string;
  title: string;
  on: boolean;
  knobs: Record<string, Json>;
  set: string[];
  state: "done" | "off" | "failed" | "waiting" | "running";
  error: string | null;
  report: DisplaceReport | AimReport | FootstepsReport | FilterReport | LoopReport | RetargetReport | CleanReport | DenoiseReport | KeysReport | HoldReport | FindingsReport | null;
}

export interface StepResultLine {
  id: string;
  state: "done" | "off" | "failed" | "waiting" | "running";
  error: string | null;
  ms: number;
  report: DisplaceReport | AimReport | FootstepsReport | FilterReport | LoopReport | RetargetReport | CleanReport | DenoiseReport | KeysReport | HoldReport | FindingsReport | null;
}

export interface Suffixes {
  read: string[];
  write: string[];
  drawings: string[];
  recipes: string[];
  films: string[];
}

export interface TargetReport {
  joint: string;
  error_mm: number | null;
  error_deg: number | null;
  examples: number[][];
}

/** A few poses of a clip; the one at `rest` is the liveliest. */
export interface ThumbnailAnswer extends Arrays {
  type: "thumbnail";
  id: number;
  parents: number[];
  tip_parents: number[];
  rest: number;
  frames: number;
  fps: number;
  poses_fps: number;
  height: number;
  arrays: ArrayFacts[];
}

/** Where the moments of the tracks went in the result: arrays `part0`, `part1` ... of both in seconds. */
export interface TimingAnswer extends Arrays {
  doc: string;
  id: number;
  edit: number;
  arrays: ArrayFacts[];
  type: "timing";
  known: boolean;
  parts: number;
}

export interface TipLine {
  parent: number;
  offset: [number, number, number];
}

export interface TrackLine {
  id: string;
  clip: string;
  lane: number;
  at: number;
  start: number;
  stop: number;
  mute: boolean;
  frames: number;
}

export interface Uploaded {
  upload: string;
  batch: string;
  name: string;
  bytes: number;
  kind: ("clip" | "drawing" | "recipe") | null;
}

/** Whether a body could have moved like this, before a step or at the end; `problem` says why that is unknown. */
export interface VerdictAnswer {
  type: "verdict";
  doc: string;
  id: number;
  edit: number;
  step: string | null;
  verdict: ("plausible" | "doubtful" | "impossible") | null;
  reasons: FindingLine[];
  problem: string | null;
}

/** A state that was given a name, and the edit that led to it; `entry` is where the history has it. */
export interface VersionLine {
  name: string;
  label: string;
  made_at: number;
  entry: number | null;
}

/** A walk cycle in place of a morph. */
export interface WalkCycleSettings {
  gait: ("walk" | "trot" | "pace" | "canter") | null;
  travel: boolean;
  gamma_a: number | null;
  gamma_b: number | null;
  pairs: Record<string, string> | null;
  like: string | null;
  foot: "left" | "right";
}

export interface WarpAnswer extends Arrays {
  doc: string;
  id: number;
  edit: number;
  arrays: ArrayFacts[];
  type: "warp";
  step: string;
  other: string;
  frames: [number, number];
  cost: number;
}

/** The answers on the socket, by their type. */
export interface Answers {
  document: MotionDocument | DrawingDocument;
  skeleton: SkeletonAnswer;
  original: OriginalAnswer;
  motion: MotionAnswer;
  quality: QualityAnswer;
  saved: SavedAnswer;
  done: DoneAnswer;
  error: ErrorAnswer;
  job: JobAnswer;
  bands: BandsAnswer;
  curves: CurvesAnswer;
  spline: SplineAnswer;
  shaping: ShapingAnswer;
  warp: WarpAnswer;
  clip: ClipAnswer;
  outline: OutlineAnswer;
  skin: SkinAnswer;
  verdict: VerdictAnswer;
  moments: MomentsAnswer;
  forces: ForcesAnswer;
  loads: LoadsAnswer;
  timing: TimingAnswer;
  drawings: DrawingsAnswer;
  film: FilmAnswer;
  thumbnail: ThumbnailAnswer;
  points: PointsAnswer;
  matches: MatchesAnswer;
  checkup: CheckupAnswer;
  remedy: RemedyAnswer;
}

/** The `done` of a message, where it carries more than an edit number. */
export interface Dones {
  new: NewDone;
  "drawing.new": NewDone;
  documents: DocumentsDone;
  folder: FolderDone;
  favourites: FavouritesDone;
  similar: SimilarDone;
  "step.add": StepDone;
  "step.duplicate": StepDone;
  pose: PoseDone;
  run: JobDone;
  export: JobDone;
  "input.add": InputDone;
  "input.add_set": InputSetDone;
  save: SaveDone;
  recipe: RecipeDone;
  neutral: NeutralDone;
}

/** The controls of each operation. */
export interface Knobs {
  aim: { others: string[]; targets: { joint?: string; at?: [number, number, number] | null; line?: [number, number, number, number, number, number] | null; facing?: [number, number, number] | null; angle_deg?: number | null; turned?: [number, number, number, number] | null; heading_deg?: number | null; look_at?: [number, number, number] | null; axis?: string | null; frame?: number | number[]; relative_to?: string | null; offset?: [number, number, number] | null; priority?: number }[]; joint: string; at: [number, number, number] | null; line: [number, number, number, number, number, number] | null; facing: [number, number, number] | null; angle_deg: number | null; axis: string; turned: [number, number, number, number] | null; look_at: [number, number, number] | null; frame: number | null; relative_to: string | null; offset: [number, number, number] | null; k: number; mode: "soft" | "hard" | "rbf"; combine: "squares" | "norms"; rotations: "quaternion" | "expmap"; align: boolean | null; place: boolean; exact: boolean; strict: boolean; keep_feet: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  align: { to: string | null; amount: number; cost: "pose" | "sederberg"; band_s: number | null; form: "smooth" | "paper"; ends: "strides" | "all"; find: boolean; place: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  arrange: { clips: string[]; tracks: { clip?: string | null; at?: number; start?: number; stop?: number | null; lane?: number; mute?: boolean }[]; fade_s: number; join: boolean; keep_feet: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  blend: { other: string | null; others: string[]; weight: number; weights: number[]; weight_keys: number[][]; timing: number | null; joints: string | string[] | null; groups: Record<string, Json>; bands: (number | number[] | null)[]; align: "warp" | "scale" | "none"; cost: "pose" | "sederberg"; band_s: number | null; ends: "strides" | "all"; place: boolean; keep_feet: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  clean: { amount: number; tolerance: number; units: boolean; trim: boolean; noise: boolean; floor: boolean; limits: boolean; feet: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  denoise: { amount: number; spikes: boolean; noise: boolean; joints: string | string[] | null; path: boolean; keep_feet: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  displace: { keys: { frame?: number | null; time_s?: number | null; joint?: string | null; rotate?: number[] | null; euler?: [number, number, number] | null; order?: string | null; move?: [number, number, number] | null; to?: [number, number, number] | null; axes?: ("parent" | "local" | "world" | "facing") | null; chain?: string | string[] | null; keep?: ("world" | "local") | null; tension?: number; continuity?: number; bias?: number }[]; falloff_s: number | null; ends: "zero" | "natural"; unreachable: "refuse" | "nearest"; keep_feet: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  equalize: { gains: number[]; gains_hz: Record<string, number>; preset: ("exaggerate" | "nervous" | "subdued" | "anticipation") | null; amount: number; joints: string | string[] | null; groups: Record<string, Json>; solo: number[]; mute: number[]; gain_keys: Record<string, Json[]>; amount_keys: [number, number][]; target: "rotations" | "paths"; root: "none" | "height" | "all"; representation: "log" | "euler"; ends: "held" | "mirror" | "cycle"; limit_knees: boolean; keep_feet: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  filter_dynamics: { method: "auto" | "whole" | "filter"; allow_partial: boolean; keep_failed: boolean; mode: "joint" | "position" | "friction"; mu: number; mass_kg: number | null; preset: "steady" | "paper"; plan: boolean | null; mix: number | null; search: boolean; order: "exact" | "printed"; solver: "nnls" | "greedy" | "least_squares"; sides: number; cutoff_hz: number | null; floor_m: number | null; torque_limit_nm: number | null; amount: number; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  follow_footsteps: { footsteps: { side: "left" | "right"; x: number; z: number; heading_deg?: number }[]; path: string | null; count: number | null; length_m: number | null; width_m: number | null; speed_mps: number | null; first: "left" | "right"; steps: "clip" | "samples" | "others"; others: string[]; strict: boolean; stop: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  hold: { joint: string; at: [number, number, number] | null; start_s: number; end_s: number | null; blend_s: number; keep: ("world" | "local") | null; amount: number; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  in_place: { travel: "all" | "steady" | "none"; sway_s: number; keep_heading: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  keep_above_floor: { floor_m: number | null; clearance_m: number; lift: "limbs" | "figure"; blend_s: number; amount: number; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  limit: { preset: "human" | "none"; limits: { joint: string; x?: [number, number] | null; y?: [number, number] | null; z?: [number, number] | null; angles?: "vector" | "XYZ" | "XZY" | "YXZ" | "YZX" | "ZXY" | "ZYX" }[]; scale: number; soft_deg: number; joints: string | string[] | null; amount: number; keep_feet: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  loop: { cycle: "find" | "whole"; start: number | null; end: number | null; shortest_s: number; longest_s: number; cycles: number; amount: number; blend_s: number; straight_below_deg: number; in_place: boolean; closing_frame: boolean; keep_feet: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  mirror: { across: "world" | "figure"; joints: string | string[] | null; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  move: { x: number; y: number; z: number; to_origin: boolean; floor: "keep" | "zero" | "level"; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  plant_feet: { like: string | null; feet: "both" | "left" | "right"; amount: number; blend_s: number; floor_m: number | null; pelvis_m: number; hold: "sole" | "joints"; travel: number; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  reduce_keys: { tolerance_mm: number; keys: "joint" | "shared"; mark: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  reinterpret: { scale: number; up_axis: "x" | "y" | "z" | "-x" | "-y" | "-z"; fps: number | null; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  resample: { fps: number | null; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  retarget: { to: string | null; keep_feet: boolean; hands: "body" | "together" | "world"; map: (Record<string, [string | null, string | null]>) | null; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  retime: { speed: number; duration_s: number | null; keys: [number, number][]; tension: number; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  shape: { curve: string | Record<string, Json>; library: string | null; joints: string | string[] | null; axes: ("x" | "y" | "z" | "main")[]; normalise: "range" | "degrees"; representation: "log" | "euler"; root: "none" | "height" | "all"; rounding: number; amount: number; keep_feet: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  smooth: { method: "butterworth" | "gaussian"; cutoff_hz: number; sigma_s: number; joints: string | string[] | null; path: boolean; ends: "reflect" | "held" | "cycle"; amount: number; keep_feet: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  splice: { second: string | null; event: "auto" | "kick" | "punch" | "none"; heading: "auto" | "start" | "seam" | "keep"; blend_s: number; leave_s: number | null; enter_s: number | null; choice: number; tries: number; seed: number | null; shift_s: number; keep_feet: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  trim: { start: number | null; end: number | null; start_s: number | null; end_s: number | null; drop_t_pose: boolean; region: { start_s: number; stop_s: number; ease_s?: number } | null };
  turn: { angle_deg: number; around: "start" | "origin" | "own"; region: { start_s: number; stop_s: number; ease_s?: number } | null };
}

/** A step of one operation. */
export type StepOf<Op extends keyof Knobs> = Omit<StepLine, "knobs"> & { knobs: Knobs[Op] };
/** The answer to a message: its `done`, or the answer of the type that was asked for. */
export type AnswerTo<Type, Kind extends keyof Answers> = Kind extends "done"
  ? Type extends keyof Dones
    ? Dones[Type]
    : DoneAnswer
  : Answers[Kind];
