/** The grid of clips: only the rows in view exist, so that a thousand scroll as ten do. */
import { Icon } from "../shell/controls.js";
import { CLIP } from "../shell/file_import.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../shell/html.js";
import { SLIDES_MM, pictured } from "./clip_browser.js";
import { Moving, useThumbnail } from "./clip_thumbnail.js";
/** @import { Favourites, Tile } from "./clip_browser.js" */
/** @import { Pictured } from "./clip_thumbnail.js" */

/** A tile is so wide at least; a row is filled. */
const WIDE = 150,
  TALL = 176,
  SPACE = 10;

/**
 * @param {{tiles: Tile[], chosen: string, empty: string, own?: string, favourites: Favourites, onChoose: (id: string) => void, onOpen: (tile: Tile) => void, onAdd: (tile: Tile) => void}} props
 */
export function ClipGrid({ tiles, chosen, empty, own, favourites, onChoose, onOpen, onAdd }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null)),
    [view, setView] = useState({ width: 800, height: 600, top: 0 });
  useEffect(() => {
    const element = /** @type {HTMLElement} */ (host.current);
    const look = () => setView({ width: element.clientWidth, height: element.clientHeight, top: element.scrollTop });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  const columns = Math.max(1, Math.floor((view.width - 2 * SPACE) / (WIDE + SPACE))),
    rows = Math.ceil(tiles.length / columns),
    first = Math.max(0, Math.floor(view.top / (TALL + SPACE)) - 1),
    last = Math.min(rows, Math.ceil((view.top + view.height) / (TALL + SPACE)) + 1);
  const at = tiles.findIndex(({ id }) => id === chosen),
    focusable = at < 0 ? 0 : at;
  const moved = useRef(false);
  // The chosen tile is brought into view, and has the focus if the keyboard chose it.
  useLayoutEffect(() => {
    const element = host.current;
    if (!element || at < 0 || !moved.current) return;
    const top = Math.floor(at / columns) * (TALL + SPACE);
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + TALL + 2 * SPACE > element.scrollTop + element.clientHeight)
      element.scrollTop = top + TALL + 2 * SPACE - element.clientHeight;
    const tile = /** @type {HTMLElement | null} */ (element.querySelector(`[data-at="${at}"]`));
    if (tile) {
      tile.focus({ preventScroll: true });
      moved.current = false;
    }
  }, [at, columns, view]);
  const key = (/** @type {KeyboardEvent} */ event) => {
    const page = Math.max(1, Math.floor(view.height / (TALL + SPACE))) * columns,
      by = /** @type {Record<string, number>} */ ({
        ArrowLeft: -1,
        ArrowRight: 1,
        ArrowUp: -columns,
        ArrowDown: columns,
        PageUp: -page,
        PageDown: page,
        Home: -Infinity,
        End: Infinity,
      })[event.key];
    if (by) {
      moved.current = true;
      onChoose(tiles[Math.max(0, Math.min(tiles.length - 1, focusable + by))]?.id ?? "");
    } else if (event.key === "Enter" && tiles[focusable]) (event.ctrlKey ? onAdd : onOpen)(tiles[focusable]);
    else if (event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.altKey && !event.metaKey)
      /** @type {HTMLElement | null} */ (document.querySelector(".clips-bar input"))?.focus(); // and the letter goes there
    else return;
    if (event.key.length > 1) event.preventDefault();
    event.stopPropagation();
  };
  return html`<div class="clips-scroll" ref=${host}><div class="clips-grid" data-arrows role="grid" aria-label="Clips" aria-rowcount=${rows} aria-colcount=${columns} style=${`height:${rows * (TALL + SPACE)}px`} onKeyDown=${key}>
    ${Array.from({ length: Math.max(0, last - first) }, (_, r) => first + r).map(
      (
        row,
      ) => html`<div role="row" key=${row} aria-rowindex=${row + 1} style=${`top:${row * (TALL + SPACE)}px;grid-template-columns:repeat(${columns},minmax(0,1fr))`}>
        ${tiles
          .slice(row * columns, (row + 1) * columns)
          .map(
            (tile, c) =>
              html`<${ClipTile} key=${tile.id} tile=${tile} at=${row * columns + c} on=${tile.id === chosen} focusable=${row * columns + c === focusable} badge=${badgeOf(tile, own)} starred=${favourites.has(tile)} onChoose=${onChoose} onOpen=${onOpen} />`,
          )}</div>`,
    )}</div>${tiles.length ? null : html`<p class="blank">${empty}</p>`}</div>`;
}

/** What to know before it is taken. @param {Tile} tile @param {string | undefined} own  the skeleton of the open clip */
const badgeOf = ({ skeleton, slide = 0 }, own) =>
  slide > SLIDES_MM ? "feet slide" : skeleton && own && skeleton !== own ? "other skeleton" : "";

/** @param {{tile: Tile, at: number, on: boolean, focusable: boolean, badge: string, starred: boolean, onChoose: (id: string) => void, onOpen: (tile: Tile) => void}} props */
function ClipTile({ tile, at, on, focusable, badge, starred, onChoose, onOpen }) {
  const [hovered, setHovered] = useState(false),
    what = pictured(tile),
    name = tile.name.split("/").pop() ?? tile.name;
  const drag = (/** @type {DragEvent} */ event) => {
    if (!tile.source || !event.dataTransfer) return;
    const item = { source: tile.source, name: name.replace(/\.[^.]+$/, ""), kind: tile.kind };
    event.dataTransfer.setData(CLIP, JSON.stringify(item));
    event.dataTransfer.effectAllowed = "copy";
  };
  return html`<div role="gridcell" class=${`clip-tile${on ? " on" : ""}`} data-at=${at} tabindex=${focusable ? 0 : -1} aria-selected=${String(on)} title=${tile.name} draggable=${Boolean(tile.source)}
      onClick=${() => onChoose(tile.id)} onDblClick=${() => onOpen(tile)} onDragStart=${drag} onFocus=${() => setHovered(true)} onBlur=${() => setHovered(false)}
      onPointerEnter=${() => setHovered(true)} onPointerLeave=${() => setHovered(false)}>
    ${what ? html`<${TilePicture} what=${what} playing=${hovered} />` : html`<div class="clip-pic"><${Icon} name=${tile.kind === "recipe" ? "equalizer" : "pen"} size=${28} /></div>`}
    ${badge ? html`<span class="clip-badge">${badge}</span>` : null}${starred ? html`<span class="clip-star"><${Icon} name="star" size=${12} /><span class="sr">Favourite</span></span>` : null}
    <b class="ell">${name}</b><span class="row dim"><span class="ell grow">${tile.note}</span>${tile.seconds === undefined ? "" : `${tile.seconds.toFixed(1)} s`}</span></div>`;
}

/** @param {{what: Pictured, playing: boolean}} props */
function TilePicture({ what, playing }) {
  const poses = useThumbnail(what);
  return html`<div class=${`clip-pic${typeof poses === "string" ? " bad" : ""}`}>${poses === null ? null : typeof poses === "string" ? html`<${Icon} name="warn" /><span>${poses}</span>` : html`<${Moving} poses=${poses} playing=${playing} />`}</div>`;
}
