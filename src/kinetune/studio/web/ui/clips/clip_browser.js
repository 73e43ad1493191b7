/** All clips: folders, samples and documents with moving pictures, to open or to drag to the timeline. */
import { Choice, Icon, IconButton, Note } from "../shell/controls.js";
import { html, useEffect, useState } from "../shell/html.js";
import { addTrack, openSource } from "../shell/file_import.js";
import { ask, openDocument, say } from "../shell/session.js";
import * as store from "../shell/store.js";
import { ClipGrid } from "./clip_grid.js";
import { Moving, forget, useThumbnail } from "./clip_thumbnail.js";
/** @import { DocumentLine, FavouriteLine, FolderDone, FolderEntry } from "../../core/answers.js" */
/** @import { FieldEvent } from "../shell/controls.js" */
/** @import { Source } from "../shell/file_import.js" */
/** @import { Pictured } from "./clip_thumbnail.js" */

/**
 * A tile of the grid.
 * @typedef {{id: string, name: string, kind: "clip" | "drawing" | "recipe" | "document", note: string, seconds?: number, skeleton?: string, slide?: number, source?: Source, document?: DocumentLine}} Tile
 */

/**
 * What is listed: the samples, the documents, those changed last, those with a star, a folder, or what is most like a clip.
 * @typedef {{kind: "samples" | "documents" | "recent" | "favourites"} | {kind: "folder", path: string | null} | {kind: "similar", to: Alike, name: string}} Place
 */
/** A clip, or a part of it in seconds, that others are compared with. @typedef {Pictured & {region?: [number, number]}} Alike */

const LENGTHS = /** @type {Record<string, [number, number]>} */ ({
  any: [0, Infinity],
  short: [0, 3],
  medium: [3, 10],
  long: [10, Infinity],
});
const RECENT = 12;
/** From here on a tile says so, millimetres. */
export const SLIDES_MM = 30;
const SORTS = /** @type {Record<string, (a: Tile, b: Tile) => number>} */ ({
  listed: () => 0,
  name: (a, b) => a.name.localeCompare(b.name),
  short: (a, b) => (a.seconds ?? Infinity) - (b.seconds ?? Infinity),
  long: (a, b) => (b.seconds ?? 0) - (a.seconds ?? 0),
});
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
    [skeleton, setSkeleton] = useState("any"),
    [sort, setSort] = useState("listed"),
    [chosen, setChosen] = useState(""),
    [hidden, setHidden] = useState(/** @type {string[]} */ ([]));
  const listed = useListed(place, search),
    { tiles: all, about, known, waiting } = listed;
  const [least, most] = LENGTHS[length];
  const favourites = useFavourites(),
    own = store.skeleton.value?.signature;
  const text = search.trim().toLowerCase(),
    inFolder = place.kind === "folder";
  const tiles = all.filter(
    ({ id, name, note, seconds, skeleton: joints }) =>
      !hidden.includes(id) &&
      (length === "any" || (seconds !== undefined && seconds >= least && seconds < most)) &&
      (skeleton === "any" || joints === own) &&
      (inFolder || !text || `${name} ${note}`.toLowerCase().includes(text)),
  );
  if (sort !== "listed") tiles.sort(SORTS[sort]);
  const tile = tiles.find(({ id }) => id === chosen) ?? null;
  const go = (/** @type {Place} */ to) => {
    setPlace(to);
    if (to.kind === "similar") setSort("listed");
    setSearch("");
    setChosen("");
  };
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
    : text || length !== "any" || skeleton !== "any"
      ? "No clip here matches."
      : place.kind === "favourites"
        ? "No favourites yet. The star of a clip puts it here."
        : "No clips here. Drop files, or start the studio on a folder.";
  return html`<nav class="stack places" aria-label="Places" data-region>
      <div class="ph"><h2 class="grow">Clips</h2><${IconButton} small icon="cross" label="Close the list of clips" onClick=${close} /></div>
      <div class="ops"><${Places} place=${place} known=${known} onPlace=${go} /></div></nav>
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
        ${
          own && all.some((each) => each.skeleton !== undefined)
            ? html`<label class="row"><span class="dim">Skeleton</span><${Choice} label="Skeleton" value=${skeleton} onValue=${setSkeleton}
          options=${[
            { value: "any", text: "any" },
            { value: "same", text: "same as open clip" },
          ]} /></label>`
            : null
        }
        <span class="grow"></span>
        <label class="row"><span class="dim">Sort</span><${Choice} label="Sort" value=${sort} onValue=${setSort}
          options=${[
            { value: "listed", text: place.kind === "similar" ? "nearest" : "as listed" },
            { value: "name", text: "name" },
            { value: "short", text: "shortest" },
            { value: "long", text: "longest" },
          ]} /></label>
        <span class="dim" role="status">${tiles.length} ${tiles.length === 1 ? "clip" : "clips"}</span></div>
      ${
        place.kind === "similar"
          ? html`<div class="clips-notice row"><span class="grow"><span class="dim">Nearest to</span> <b>${place.name}</b><span class="dim">, by pose and speed</span></span>
        <button class="btn sm" onClick=${() => go(folder ? { kind: "folder", path: null } : { kind: "samples" })}>Clear</button></div>`
          : null
      }
      ${about?.notice ? html`<p class="dim clips-notice">${about.notice}</p>` : null}
      ${store.trouble.value ? html`<div class="vo middle"><${Note} ...${store.trouble.value} /></div>` : null}
      <${ClipGrid} tiles=${tiles} chosen=${chosen} empty=${empty} own=${own} favourites=${favourites} onChoose=${setChosen} onOpen=${open} onAdd=${add} /></main>
    <${Chosen} tile=${tile} favourites=${favourites} onOpen=${open} onAdd=${add} onRemove=${remove} onRenamed=${listed.again} onSimilar=${(
      /** @type {Tile} */ { name },
      /** @type {Alike} */ to,
    ) => go({ kind: "similar", to, name })} />`;
}

/** @typedef {{has: (tile: Tile) => boolean, mark: (tile: Tile, on: boolean) => Promise<void>}} Favourites */

/** Which clips have a star. @returns {Favourites} */
function useFavourites() {
  const [marked, setMarked] = useState(/** @type {string[]} */ ([]));
  const list = async () => {
    const answer = await ask("favourites", { doc: undefined });
    if (answer) setMarked(answer.favourites.map(({ sample, entry }) => sample ?? entry?.path ?? ""));
  };
  useEffect(() => void list(), []);
  return {
    has: ({ id, kind }) => kind === "clip" && marked.includes(id),
    mark: async ({ source }, on) => {
      if (source && (await ask("favourite", { doc: undefined, source, on }))) await list();
    },
  };
}

/** What a place holds, asked for when it or the search changes. @param {Place} place @param {string} search */
function useListed(place, search) {
  const [answer, setAnswer] = useState(/** @type {(Answer & {key: string}) | null} */ (null));
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
      } else if (place.kind === "similar") {
        const found = await ask("similar", { doc: undefined, ...place.to });
        if (live) setAnswer({ key, folder: null, documents: [], similar: found?.entries ?? [] });
      } else if (place.kind === "favourites") {
        const listed = await ask("favourites", { doc: undefined });
        if (live && listed) setAnswer({ key, folder: null, documents: [], stars: listed.favourites });
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

/** What the server says of a place. @typedef {{folder: FolderDone | null, documents: DocumentLine[], stars?: FavouriteLine[], similar?: FolderEntry[]}} Answer */

/** @param {Place} place @param {Answer} answer @returns {Tile[]} */
function tilesOf(place, { folder, documents, stars = [], similar = [] }) {
  if (place.kind === "samples") return samples();
  if (place.kind === "favourites")
    return stars.flatMap(({ sample, entry }) => (entry ? tileOf(entry) : samples().filter(({ id }) => id === sample)));
  if (place.kind === "similar") return similar.map(tileOf);
  if (place.kind === "folder") return (folder?.entries ?? []).filter(({ kind }) => kind !== "folder").map(tileOf);
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

/** The clips that come with Kinetune. @returns {Tile[]} */
function samples() {
  const { samples: single = [], sets = [] } = store.hello.value ?? {},
    inSets = sets.flatMap(({ samples: names, description }) => names.map((name) => ({ name, description })));
  return [...single, ...inSets].map(({ name, description: note }) => ({
    ...{ id: name, name, note, source: { sample: name } },
    kind: "clip",
  }));
}

/** @param {FolderEntry} entry @returns {Tile} */
function tileOf({ name, path, kind, seconds, motion, bytes, skeleton, slide_mm: slide, apart_cm: apart }) {
  const about = motion ?? (seconds === undefined ? size(bytes) : "");
  return {
    ...{ id: path, name, kind: /** @type {Tile["kind"]} */ (kind), seconds, skeleton, slide, source: { path } },
    note: apart === undefined ? about : `${apart.toFixed(1)} cm apart`,
  };
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
      ${row("star", "Favourites", { kind: "favourites" }, place.kind === "favourites")}
      ${row("copy", "All documents", { kind: "documents" }, place.kind === "documents")}
      ${row("play", "Samples", { kind: "samples" }, place.kind === "samples")}</ul>
    ${
      root
        ? html`<div class="eyebrow" style="margin:16px 8px 6px">Folder</div><ul aria-label="Folders">
      ${row("open", root.split(/[\\/]/).pop() || root, { kind: "folder", path: null }, here === root || here === top)}${top ? below(top, 1) : null}</ul>`
        : html`<p class="empty">Start the studio on a folder to see its clips here: kinetune studio FOLDER</p>`
    }`;
}

/** The chosen tile: a larger picture, what is known of it, what can be done with it. @param {{tile: Tile | null, favourites: Favourites, onSimilar: (tile: Tile, to: Alike) => void, onOpen: (tile: Tile) => void, onAdd: (tile: Tile) => void, onRemove: (tile: Tile) => void, onRenamed: () => void}} props */
function Chosen({ tile, favourites, onOpen, onAdd, onRemove, onRenamed, onSimilar }) {
  if (!tile)
    return html`<aside class="insp" aria-label="Inspector: clips" data-region><div class="ititle"><div class="grow"><h2>Clips</h2>
      <p>Choose one to see it move. Drag it to the timeline to add it, onto a clip there to blend them.</p></div></div></aside>`;
  const { document } = tile,
    what = pictured(tile),
    region = document?.doc === store.doc.value?.doc ? store.region.value : null,
    /** @type {Alike | null} */ similarTo = what && {
      ...what,
      ...(region ? { region: [region.start_s, region.stop_s] } : {}),
    };
  const rename = async (/** @type {string} */ name) => {
    if (document && name.trim() && (await ask("rename", { doc: document.doc, name: name.trim() }))) onRenamed();
  };
  return html`<aside class="insp" aria-label=${`Inspector: ${tile.name}`} data-region key=${tile.id}>
    <div class="ititle"><div class="grow"><h2 class="ell" title=${tile.name}>${tile.name}</h2><p>${tile.note}</p></div>
      ${tile.kind === "clip" ? html`<${IconButton} small icon="star" label=${`Favourite: ${tile.name}`} pressed=${favourites.has(tile)} onClick=${() => favourites.mark(tile, !favourites.has(tile))} />` : null}</div>
    <section class="sec" style="border-top:0;padding-top:0"><${Picture} tile=${tile} /></section>
    <section class="sec"><div class="row"><button class="btn primary grow" style="justify-content:center" onClick=${() => onOpen(tile)}>Open</button>
      ${tile.kind === "clip" && store.kind.value === "motion" ? html`<button class="btn line" onClick=${() => onAdd(tile)}>Add to timeline</button>` : null}</div>
      ${
        similarTo
          ? html`<div class="row" style="margin-top:8px"><button class="btn line grow" style="justify-content:center" onClick=${() => onSimilar(tile, similarTo)}>Find similar</button></div>`
          : null
      }</section>
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
  return html`<${MovingPicture} what=${what} skeleton=${tile.skeleton} />`;
}

/** @param {{what: Pictured, skeleton?: string}} props */
function MovingPicture({ what, skeleton }) {
  const poses = useThumbnail(what);
  if (poses === null) return html`<div class="well clip-large blank" aria-busy="true">Reading…</div>`;
  if (typeof poses === "string")
    return html`<${Note} message=${poses} actions=${[{ text: "Dismiss", onClick: () => forget(what) }]} />`;
  const seconds = ((poses.frames - 1) / poses.fps).toFixed(2);
  const { names = [], signature } = store.skeleton.value ?? {},
    count = `${poses.parents.length} joints`,
    joints = !skeleton
      ? `${count}${names.length === poses.parents.length ? ", as many as the open clip" : ""}`
      : `${count}, ${skeleton === signature ? "same as" : "other than"} the open clip`;
  return html`<div class="well clip-large"><${Moving} poses=${poses} playing /></div>
    <dl class="facts"><dt>Length</dt><dd>${seconds} s, ${poses.frames} frames at ${Math.round(poses.fps * 100) / 100} fps</dd>
      <dt>Skeleton</dt><dd>${joints}</dd></dl>`;
}
