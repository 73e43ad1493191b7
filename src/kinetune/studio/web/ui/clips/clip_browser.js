/** All clips: folders, samples and documents with moving pictures, to open or to drag to the timeline. */
import { Choice, Icon, IconButton, Note } from "../shell/controls.js";
import { html, useEffect, useState } from "../shell/html.js";
import { addTrack, openSource } from "../shell/file_import.js";
import { ask, openDocument, say } from "../shell/session.js";
import * as store from "../shell/store.js";
import { ClipGrid } from "./clip_grid.js";
import { Moving, forget, useThumbnail } from "./clip_thumbnail.js";
/** @import { DocumentLine, FolderDone, FolderEntry } from "../../core/answers.js" */
/** @import { FieldEvent } from "../shell/controls.js" */
/** @import { Source } from "../shell/file_import.js" */
/** @import { Pictured } from "./clip_thumbnail.js" */

/**
 * A tile of the grid.
 * @typedef {{id: string, name: string, kind: "clip" | "drawing" | "recipe" | "document", note: string, seconds?: number, source?: Source, document?: DocumentLine}} Tile
 */

/** What is listed: the samples, the documents, those changed last, or a folder. @typedef {{kind: "samples" | "documents" | "recent"} | {kind: "folder", path: string | null}} Place */

const LENGTHS = /** @type {Record<string, [number, number]>} */ ({
  any: [0, Infinity],
  short: [0, 3],
  medium: [3, 10],
  long: [10, Infinity],
});
const RECENT = 12;
const UNDO_MS = 10_000;

/** What a tile's picture is of. @param {Tile} tile @returns {Pictured | null} */
export const pictured = ({ kind, source, document }) =>
  kind === "document"
    ? document?.kind === "motion"
      ? { of: document.doc }
      : null
    : kind === "clip" && source
      ? { source }
      : null;

/** Back to what was open. */
const close = () => {
  store.browsing.value = false;
};

/** @param {Tile} tile */
async function open({ source, document, name }) {
  if (document) {
    close();
    if (document.doc !== store.doc.value?.doc) await openDocument(document.doc);
  } else if (
    source &&
    (await openSource(
      source,
      name
        .split("/")
        .pop()
        ?.replace(/\.[^.]+$/, ""),
    ))
  )
    close();
}

/** @param {Tile} tile */
async function add({ kind, source, name }) {
  if (kind === "clip" && source) await addTrack(source, (name.split("/").pop() ?? name).replace(/\.[^.]+$/, ""));
}

export function ClipBrowser() {
  const folder = store.hello.value?.folder ?? null,
    [place, setPlace] = useState(/** @type {Place} */ (folder ? { kind: "folder", path: null } : { kind: "samples" }));
  const [search, setSearch] = useState(""),
    [length, setLength] = useState("any"),
    [chosen, setChosen] = useState(""),
    [hidden, setHidden] = useState(/** @type {string[]} */ ([]));
  const listed = useListed(place, search),
    { tiles: all, about, known, waiting } = listed;
  const [least, most] = LENGTHS[length];
  const text = search.trim().toLowerCase(),
    inFolder = place.kind === "folder";
  const tiles = all.filter(
    ({ id, name, note, seconds }) =>
      !hidden.includes(id) &&
      (length === "any" || (seconds !== undefined && seconds >= least && seconds < most)) &&
      (inFolder || !text || `${name} ${note}`.toLowerCase().includes(text)),
  );
  const tile = tiles.find(({ id }) => id === chosen) ?? null;
  const remove = (/** @type {Tile} */ gone) => {
    const { doc = "", name = "" } = gone.document ?? {};
    setHidden((ids) => [...ids, gone.id]);
    const timer = setTimeout(() => void ask("forget", { doc }), UNDO_MS);
    say(`Deleted ${name}`, undefined, true, {
      text: "Undo",
      onClick: () => {
        clearTimeout(timer);
        setHidden((ids) => ids.filter((id) => id !== gone.id));
        store.toast.value = null;
      },
    });
  };
  const empty = waiting
    ? "Listing…"
    : text || length !== "any"
      ? "No clip here matches."
      : "No clips here. Drop files, or start the studio on a folder.";
  return html`<nav class="stack places" aria-label="Places" data-region>
      <div class="ph"><h2 class="grow">Clips</h2><${IconButton} small icon="cross" label="Close the list of clips" onClick=${close} /></div>
      <div class="ops"><${Places} place=${place} known=${known} onPlace=${(/** @type {Place} */ to) => {
        setPlace(to);
        setSearch("");
        setChosen("");
      }} /></div></nav>
    <main class="clips" aria-label="Clips" data-region>
      <div class="clips-bar"><input type="search" class="find" aria-label="Search the clips" placeholder=${about?.indexed ? "walk, turning left, 1.2 m/s" : "Search"} value=${search}
          onInput=${(/** @type {FieldEvent} */ event) => setSearch(event.currentTarget.value)} />
        ${
          all.some(({ seconds }) => seconds !== undefined)
            ? html`<label class="row"><span class="dim">Length</span><${Choice} label="Length" value=${length} onValue=${setLength}
          options=${[
            { value: "any", text: "any" },
            { value: "short", text: "under 3 s" },
            { value: "medium", text: "3 to 10 s" },
            { value: "long", text: "over 10 s" },
          ]} /></label>`
            : null
        }
        <span class="grow"></span><span class="dim" role="status">${tiles.length} ${tiles.length === 1 ? "clip" : "clips"}</span></div>
      ${about?.notice ? html`<p class="dim clips-notice">${about.notice}</p>` : null}
      ${store.trouble.value ? html`<div class="vo middle"><${Note} ...${store.trouble.value} /></div>` : null}
      <${ClipGrid} tiles=${tiles} chosen=${chosen} empty=${empty} onChoose=${setChosen} onOpen=${open} onAdd=${add} /></main>
    <${Chosen} tile=${tile} onOpen=${open} onAdd=${add} onRemove=${remove} onRenamed=${listed.again} />`;
}

/** What a place holds, asked for when it or the search changes. @param {Place} place @param {string} search */
function useListed(place, search) {
  const [answer, setAnswer] = useState(
    /** @type {{key: string, folder: FolderDone | null, documents: DocumentLine[]} | null} */ (null),
  );
  const [known, setKnown] = useState(/** @type {Record<string, FolderDone>} */ ({}));
  const [turn, setTurn] = useState(0);
  const text = place.kind === "folder" ? search.trim() : "",
    key = JSON.stringify([place, text, turn]);
  useEffect(() => {
    let live = true;
    const load = async () => {
      if (place.kind === "folder") {
        const listed = await ask("folder", {
          doc: undefined,
          ...(place.path === null ? {} : { path: place.path }),
          ...(text ? { search: text } : {}),
        });
        if (!live || !listed) return;
        setAnswer({ key, folder: listed, documents: [] });
        if (!text) setKnown((all) => ({ ...all, [listed.path]: listed }));
      } else if (place.kind !== "samples") {
        const listed = await ask("documents", { doc: undefined });
        if (live && listed) setAnswer({ key, folder: null, documents: listed.documents });
      } else setAnswer({ key, folder: null, documents: [] });
    };
    const timer = setTimeout(load, text ? 200 : 0); // not for every letter
    return () => {
      live = false;
      clearTimeout(timer);
    };
  }, [key]);
  const waiting = answer?.key !== key,
    about = place.kind === "folder" ? (answer?.folder ?? null) : null;
  return { tiles: answer ? tilesOf(place, answer) : [], about, known, waiting, again: () => setTurn((n) => n + 1) };
}

/** @param {Place} place @param {{folder: FolderDone | null, documents: DocumentLine[]}} answer @returns {Tile[]} */
function tilesOf(place, { folder, documents }) {
  if (place.kind === "samples")
    return [
      ...(store.hello.value?.samples ?? []).map(({ name, description }) => ({
        id: name,
        name,
        kind: /** @type {"clip"} */ ("clip"),
        note: description,
        source: { sample: name },
      })),
      ...(store.hello.value?.sets ?? []).flatMap(({ samples, description }) =>
        samples.map((name) => ({
          id: name,
          name,
          kind: /** @type {"clip"} */ ("clip"),
          note: description,
          source: { sample: name },
        })),
      ),
    ];
  if (place.kind === "folder")
    return (folder?.entries ?? [])
      .filter(({ kind }) => kind !== "folder")
      .map(({ name, path, kind, seconds, motion, bytes }) => ({
        ...{ id: path, name, kind: /** @type {Tile["kind"]} */ (kind), seconds, source: { path } },
        note: motion ?? (seconds === undefined ? size(bytes) : ""),
      }));
  const newest = [...documents].sort((a, b) => b.changed - a.changed);
  return (place.kind === "recent" ? newest.slice(0, RECENT) : newest).map((document) => ({
    ...{
      id: document.doc,
      name: document.name,
      kind: /** @type {"document"} */ ("document"),
      note: document.summary,
      document,
    },
  }));
}

/** @param {number} bytes */
const size = (bytes) => (bytes > 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.max(1, Math.round(bytes / 1e3))} kB`);

/** @param {{place: Place, known: Record<string, FolderDone>, onPlace: (place: Place) => void}} props */
function Places({ place, known, onPlace }) {
  const root = store.hello.value?.folder ?? null,
    here = place.kind === "folder" ? (place.path ?? root) : null;
  /** @param {string} icon @param {string} text @param {Place} to @param {boolean} on @param {number} [depth] */
  const row = (icon, text, to, on, depth = 0) =>
    html`<li><button class=${`layer${on ? " on" : ""}`} style=${`padding-left:${8 + 14 * depth}px`} aria-current=${on ? "true" : undefined} onClick=${() => onPlace(to)}>
      <${Icon} name=${icon} /><span class="grow ell">${text}</span></button></li>`;
  /** @param {string} path @param {number} depth @returns {unknown} */
  const below = (path, depth) =>
    (known[path]?.entries ?? [])
      .filter((/** @type {FolderEntry} */ { kind }) => kind === "folder")
      .map(
        (/** @type {FolderEntry} */ entry) =>
          html`${row("open", entry.name, { kind: "folder", path: entry.path }, here === entry.path, depth)}${known[entry.path] && here?.startsWith(entry.path) ? below(entry.path, depth + 1) : null}`,
      );
  const top = Object.values(known).find(({ parent }) => parent === null)?.path ?? root;
  return html`<ul aria-label="Documents and samples">
      ${row("history", "Recent", { kind: "recent" }, place.kind === "recent")}
      ${row("copy", "All documents", { kind: "documents" }, place.kind === "documents")}
      ${row("play", "Samples", { kind: "samples" }, place.kind === "samples")}</ul>
    ${
      root
        ? html`<div class="eyebrow" style="margin:16px 8px 6px">Folder</div><ul aria-label="Folders">
      ${row("open", root.split(/[\\/]/).pop() || root, { kind: "folder", path: null }, here === root || here === top)}${top ? below(top, 1) : null}</ul>`
        : html`<p class="empty">Start the studio on a folder to see its clips here: kinetune studio FOLDER</p>`
    }`;
}

/** The chosen tile: a larger picture, what is known of it, what can be done with it. @param {{tile: Tile | null, onOpen: (tile: Tile) => void, onAdd: (tile: Tile) => void, onRemove: (tile: Tile) => void, onRenamed: () => void}} props */
function Chosen({ tile, onOpen, onAdd, onRemove, onRenamed }) {
  if (!tile)
    return html`<aside class="insp" aria-label="Inspector: clips" data-region><div class="ititle"><div class="grow"><h2>Clips</h2>
      <p>Choose one to see it move. Drag it to the timeline to add it, onto a clip there to blend them.</p></div></div></aside>`;
  const { document } = tile;
  const rename = async (/** @type {string} */ name) => {
    if (document && name.trim() && (await ask("rename", { doc: document.doc, name: name.trim() }))) onRenamed();
  };
  return html`<aside class="insp" aria-label=${`Inspector: ${tile.name}`} data-region key=${tile.id}>
    <div class="ititle"><div class="grow"><h2 class="ell" title=${tile.name}>${tile.name}</h2><p>${tile.note}</p></div></div>
    <section class="sec" style="border-top:0;padding-top:0"><${Picture} tile=${tile} /></section>
    <section class="sec"><div class="row"><button class="btn primary grow" style="justify-content:center" onClick=${() => onOpen(tile)}>Open</button>
      ${tile.kind === "clip" && store.kind.value === "motion" ? html`<button class="btn line" onClick=${() => onAdd(tile)}>Add to timeline</button>` : null}</div></section>
    ${
      document
        ? html`<section class="sec"><label class="pop-field" style="padding:0"><span>Name</span><input aria-label="Name of the document" defaultValue=${document.name}
          onChange=${(/** @type {FieldEvent} */ event) => rename(event.currentTarget.value)} onKeyDown=${(/** @type {FieldEvent} */ event) => event.key === "Enter" && event.currentTarget.blur()} /></label></section>
      <section class="sec"><button class="btn line" disabled=${document.doc === store.doc.value?.doc} title=${document.doc === store.doc.value?.doc ? "This document is open" : ""} onClick=${() => onRemove(tile)}><${Icon} name="bin" />Delete document</button></section>`
        : null
    }</aside>`;
}

/** @param {{tile: Tile}} props */
function Picture({ tile }) {
  const what = pictured(tile);
  if (!what)
    return html`<div class="well clip-large blank"><${Icon} name=${tile.kind === "drawing" || tile.document ? "pen" : "equalizer"} size=${32} /></div>`;
  return html`<${MovingPicture} what=${what} />`;
}

/** @param {{what: Pictured}} props */
function MovingPicture({ what }) {
  const poses = useThumbnail(what);
  if (poses === null) return html`<div class="well clip-large blank" aria-busy="true">Reading…</div>`;
  if (typeof poses === "string")
    return html`<${Note} message=${poses} actions=${[{ text: "Dismiss", onClick: () => forget(what) }]} />`;
  const seconds = ((poses.frames - 1) / poses.fps).toFixed(2);
  const same = store.skeleton.value?.names.length === poses.parents.length;
  return html`<div class="well clip-large"><${Moving} poses=${poses} playing /></div>
    <dl class="facts"><dt>Length</dt><dd>${seconds} s, ${poses.frames} frames at ${Math.round(poses.fps * 100) / 100} fps</dd>
      <dt>Skeleton</dt><dd>${poses.parents.length} joints${same ? ", as many as the open clip" : ""}</dd></dl>`;
}
