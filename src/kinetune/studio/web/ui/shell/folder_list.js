/** The folder that the studio was started on: what lies in it, to open. */
import { Icon, IconButton } from "./controls.js";
import { html, useEffect, useState } from "./html.js";
import { openSource } from "./file_import.js";
import { ask } from "./session.js";
import * as store from "./store.js";
/** @import { FolderDone, FolderEntry } from "../../core/answers.js" */

const ICONS = { folder: "open", clip: "curve", drawing: "pen", recipe: "equalizer" };

/** What lies in a folder, folders first; `onOpen` is called when a file is opened. @param {{onOpen?: () => void}} props */
export function FolderList({ onOpen }) {
  const [shown, setShown] = useState(/** @type {FolderDone | null} */ (null));
  const [search, setSearch] = useState("");
  const go = async (/** @type {string | null} */ path, text = "") => {
    setSearch(text);
    const answer = await ask("folder", {
      doc: undefined,
      ...(path === null ? {} : { path }),
      ...(text ? { search: text } : {}),
    });
    if (answer) setShown(answer);
  };
  useEffect(() => void go(null), []);
  const choose = async (/** @type {FolderEntry} */ entry) => {
    if (entry.kind === "folder") await go(entry.path);
    else if (await openSource({ path: entry.path }, (entry.name.split("/").pop() ?? "").replace(/\.[^.]+$/, "")))
      onOpen?.();
  };
  if (!shown) return html`<p class="empty">Listing the folder…</p>`;
  const nothing = search
    ? "No clip here fits."
    : "No clips, drawings or recipes here. Drop files anywhere on the page.";
  return html`<div class="folder" role="group" aria-label="Files">
    <div class="folder-h">${shown.parent === null ? null : html`<${IconButton} small icon="back" label="Up one folder" onClick=${() => go(shown.parent)} />`}
      <span class="grow ell dim" title=${shown.path}>${shown.path.split(/[\\/]/).pop()}</span></div>
    ${shown.indexed ? html`<input type="search" class="folder-search" aria-label="Search the clips" placeholder="walk, turning left, 1.2 m/s" value=${search} onChange=${(/** @type {{currentTarget: HTMLInputElement}} */ event) => go(shown.path, event.currentTarget.value.trim())} />` : null}
    ${shown.notice ? html`<p class="dim folder-notice">${shown.notice}</p>` : null}
    <div class="pop-scroll">${shown.entries.map((entry) => html`<button class="item" title=${entry.path} onClick=${() => choose(entry)}><${Icon} name=${ICONS[entry.kind]} /><span class="grow ell">${entry.name}</span>${entry.seconds === undefined ? null : html`<span class="dim folder-motion">${[entry.motion, `${entry.seconds.toFixed(1)} s`].filter(Boolean).join(" · ")}</span>`}</button>`)}
    ${shown.entries.length ? null : html`<p class="empty">${nothing}</p>`}</div></div>`;
}

/** The list on the first page of a studio that was started on a folder. */
export function FolderPlate() {
  if (!store.browsing.value) return null;
  const close = () => {
    store.browsing.value = false;
  };
  return html`<section class="folder-plate plate" aria-label="Files of the folder">
    <div class="row"><b class="grow">Files</b><${IconButton} small icon="cross" label="Close the list of files" onClick=${close} /></div>
    <${FolderList} onOpen=${close} /></section>`;
}
