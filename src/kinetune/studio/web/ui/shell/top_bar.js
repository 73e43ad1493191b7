/** The bar at the top: workspace, undo, document, comparison, theme, help, export. */
import { switchTheme } from "../../core/theme.js";
import { Icon, IconButton, MenuItem, Popover, Segments } from "./controls.js";
import { ExportMenu } from "./export_menu.js";
import { Findings } from "./findings.js";
import { html, useState } from "./html.js";
import { chooseFiles, openSource } from "./file_import.js";
import { ask, link, openDocument } from "./session.js";
import * as store from "./store.js";
/** @import { FieldEvent } from "./controls.js" */
/** @import { DocumentLine } from "../../core/answers.js" */

const MARK = html`<svg viewBox="0 0 20 20" fill="none" aria-hidden="true">
  <path d="M3 10c1.500-6 3-6 4.500 0s3 6 4.500 0" stroke="var(--ghost)" stroke-width="1.600" stroke-linecap="round" />
  <path d="M8 10c1.500-8 3-8 4.500 0s2.600 6 4.500-1" stroke="var(--edited)" stroke-width="1.800" stroke-linecap="round" />
  </svg>`;

export function TopBar() {
  const doc = store.doc.value;
  return html`<header class="top" role="banner" data-region>
    <div>
      <div class="brand">${MARK}Kinetune</div>
      <div class="seg" role="tablist" aria-label="Workspace">
        ${[
          ["clips", "Clips"],
          ["motion", "Motion"],
          ["drawing", "Drawings"],
        ].map(
          ([kind, text]) =>
            html`<button role="tab" aria-selected=${String((store.browsing.value ? "clips" : store.kind.value) === kind)}
                onClick=${() => enter(kind)}>${text}</button>`,
        )}
      </div>
      <span class="vr"></span>
      <${IconButton} icon="undo" label=${doc?.undo ? `Undo: ${doc.undo}` : "Undo"} keys="Ctrl Z" disabled=${!doc?.undo}
          onClick=${() => ask("undo")} />
      <${IconButton} icon="redo" label=${doc?.redo ? `Redo: ${doc.redo}` : "Redo"} keys="Ctrl Shift Z"
          disabled=${!doc?.redo} onClick=${() => ask("redo")} />
      <${IconButton} icon="history" label="History" pressed=${store.reviewing.value} onClick=${() => {
        store.reviewing.value = !store.reviewing.value;
      }} />
    </div>
    <div><${DocumentMenu} /></div>
    <div>
      ${
        store.kind.value === "motion"
          ? html`<${Segments} label="Compare" value=${store.compare.value} onValue=${(
              /** @type {import("../../core/viewport.js").Compare} */ value,
            ) => {
              store.compare.value = value;
            }}
            options=${[
              { value: "a", text: "Original", title: "The clip as it was read  Alt" },
              { value: "b", text: "Edited", title: "The result" },
              { value: "wipe", text: "Wipe", title: "Original left, edited right  W" },
              { value: "beside", text: "Beside", title: "Original and edited side by side  D" },
            ]} /><span class="vr"></span>`
          : null
      }
      <${IconButton} icon="sun" label="Switch theme" keys="Shift T" onClick=${switchTheme} />
      <${IconButton} icon="help" label="Keyboard help" keys="?" onClick=${() => {
        store.helping.value = !store.helping.value;
      }} />
      <${ExportMenu} />
    </div>
  </header>`;
}

/** Go to a workspace: the newest document of its kind, or a fresh one. @param {string} kind */
async function enter(kind) {
  store.browsing.value = kind === "clips";
  if (kind === "clips" || store.kind.value === kind) return;
  const answer = await link.ask("documents");
  const known = answer.documents.filter((line) => line.kind === kind).sort((a, b) => b.changed - a.changed);
  if (known.length) return openDocument(known[0].doc);
  if (kind === "motion") return openSource({ sample: "walk" }, "walk");
  const names = (store.hello.value?.drawings ?? []).map((drawing) => drawing.name);
  const first = names.find((name) => name.endsWith("-1") && names.includes(name.replace(/1$/, "2"))) ?? names[0];
  const second = names.includes(first.replace(/1$/, "2")) ? first.replace(/1$/, "2") : (names[1] ?? first);
  const made = await link.ask("drawing.new", { keys: [{ drawing: first }, { drawing: second }] });
  return openDocument(made.doc);
}

function DocumentMenu() {
  const doc = store.doc.value,
    lost = store.connection.value === "lost";
  const [lines, setLines] = useState(/** @type {DocumentLine[]} */ ([]));
  const { edit, problem } = store.saved.value,
    behind = (doc?.edit ?? 0) > edit;
  const state = lost
    ? "Not connected"
    : problem
      ? "Not saved"
      : doc?.dragging
        ? "Editing"
        : behind
          ? "Saving"
          : "Saved";
  const list = async (/** @type {boolean} */ open) => {
    if (open) setLines((await link.ask("documents")).documents);
  };
  const samples = (store.hello.value?.samples ?? []).filter((sample) => !/-\d\d$/.test(sample.name));
  return html`<${Popover} label=${`Document: ${doc?.name ?? ""}, ${state}`} className="doc" wide onOpen=${list}
      text=${html`<span class="sr">Document: </span><strong>${doc?.name || "…"}</strong>
    <span>${state}</span>`}>
    ${problem ? html`<p class="pop-note" role="alert"><${Icon} name="warn" size=${12} />${problem}</p>` : null}
    <div class="pop-h">Open</div>
    <${MenuItem} icon="open" text="Choose a file" hint="or drop it anywhere" onClick=${() => chooseFiles()} />
    <${MenuItem} icon="copy" text="All clips and documents" hint=${store.hello.value?.folder?.split(/[\\/]/).pop()} onClick=${() => enter("clips")} />
    <div class="pop-h">Samples</div>
    <div class="pop-grid">${samples.map((sample) => html`<button class="chip" data-close title=${sample.description} onClick=${() => openSource({ sample: sample.name }, sample.name)}>${sample.name}</button>`)}</div>
    ${
      lines.length > 1
        ? html`<div class="pop-h">Documents</div>${lines
            .filter((line) => line.doc !== doc?.doc)
            .slice(0, 8)
            .map(
              (line) =>
                html`<${MenuItem} icon=${line.kind === "drawing" ? "pen" : "curve"} text=${line.name} hint=${line.summary}
                    onClick=${() => openDocument(line.doc)} />`,
            )}`
        : null
    }
    <div class="pop-h">This document</div>
    <label class="pop-field"><span>Name</span>
      <input key=${doc?.name} defaultValue=${doc?.name ?? ""} aria-label="Name of the document"
        onChange=${(/** @type {FieldEvent} */ event) => ask("rename", { name: event.currentTarget.value })} onKeyDown=${(
          /** @type {FieldEvent} */ event,
        ) => {
          event.stopPropagation();
          if (event.key === "Enter") event.currentTarget.blur();
        }} /></label>
    <${Findings} findings=${store.motionDoc.value?.source?.findings} />
  <//>`;
}
