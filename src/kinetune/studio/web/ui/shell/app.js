/** The page: regions of the figure's workspace, or the drawings. */
import { ClipBrowser } from "../clips/clip_browser.js";
import { Dock } from "../motion/timeline_dock.js";
import { Drawings } from "../drawings/drawing_workspace.js";
import { FilmDialog } from "../motion/film_dialog.js";
import { Help, Toasts } from "./help.js";
import { History } from "./history_panel.js";
import { html } from "./html.js";
import { Inspector } from "../motion/inspector.js";
import { Stack } from "../motion/operation_stack.js";
import { Splitters } from "./splitters.js";
import * as store from "./store.js";
import { TopBar } from "./top_bar.js";
import { View } from "../motion/viewport_panel.js";

export function App() {
  if (store.fatal.value)
    return html`<div class="fatal"><p><b>The studio cannot start.</b></p><p>${store.fatal.value}</p></div>`;
  const drawing = store.kind.value === "drawing",
    browsing = store.browsing.value;
  // The viewport stays as it is under the list of clips: making it anew takes a moment.
  const motion = () => html`${browsing ? null : html`<${Stack} />`}
    <div class="under" inert=${browsing}><${View} /></div>
    ${browsing ? null : store.reviewing.value ? html`<${History} />` : html`<${Inspector} />`}<${Dock} />`;
  return html`<div class="studio" data-drawer=${store.drawerOpen.value ? "open" : "closed"} data-kind=${drawing && browsing ? "clips" : store.kind.value}>
    <${TopBar} />
    ${browsing ? html`<${ClipBrowser} />` : null}
    ${drawing ? (browsing ? null : html`<${Drawings} />`) : motion()}
    <${Splitters} /><${Toasts} />
  </div><${Help} /><${FilmDialog} />`;
}
