/** The page: regions of the figure's workspace, or the drawings. */
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
  const drawing = store.kind.value === "drawing";
  return html`<div class="studio" data-drawer=${store.drawerOpen.value ? "open" : "closed"} data-kind=${store.kind.value}>
    <${TopBar} />
    ${drawing ? html`<${Drawings} />` : html`<${Stack} /><${View} />${store.reviewing.value ? html`<${History} />` : html`<${Inspector} />`}<${Dock} />`}
    <${Splitters} /><${Toasts} />
  </div><${Help} /><${FilmDialog} />`;
}
