/** The studio's page begins here. */
import { App } from "./ui/shell/app.js";
import { html, render } from "./ui/shell/html.js";
import { listenForFiles, openSource } from "./ui/shell/file_import.js";
import { listenForKeys } from "./ui/shell/keyboard.js";
import { isRemembered, remember, restore } from "./ui/shell/saved_view.js";
import * as session from "./ui/shell/session.js";
import * as store from "./ui/shell/store.js";
import * as view from "./ui/motion/viewport_panel.js";
import { calm } from "./core/theme.js";

const host = /** @type {HTMLElement} */ (document.getElementById("page"));
render(html`<${App} />`, host);
listenForKeys();
listenForFiles();
session.whenOpened(restore);
remember();
// For people who script the page from the console, and for our own stories.
Object.assign(window, {
  kinetune: {
    store,
    session,
    isRemembered,
    open: openSource,
    get viewport() {
      return view.viewport;
    },
  },
});
session.begin().then(
  () => {
    if (store.welcome.value && !calm()) store.playback.setPlaying(true);
  },
  (error) => {
    store.fatal.value = error.message;
  },
);
