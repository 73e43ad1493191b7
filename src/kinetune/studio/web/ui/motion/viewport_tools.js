/** The tools of the viewport; those for targets and footprints choose their operation, or add it. */
import { addStep } from "../shell/session.js";
import * as store from "../shell/store.js";

const OPERATIONS = /** @type {Record<string, string>} */ ({ target: "aim", steps: "follow_footsteps" });

/** @param {"select" | "move" | "rotate" | "target" | "steps"} tool */
export function chooseTool(tool) {
  store.tool.value = tool;
  const op = OPERATIONS[tool];
  if (!op || store.step.value?.op === op) return;
  const known = [...store.steps.value].reverse().find((step) => step.op === op);
  if (known) store.chosenStep.value = known.id;
  else if (store.declared(op)) addStep(op);
}
