/** The studio's page begins here. */
import { App } from "./ui/app.js";
import { html, render } from "./ui/html.js";
import { listenForFiles, openSource } from "./ui/importing.js";
import { listenForKeys } from "./ui/keys.js";
import { isRemembered, remember, restore } from "./ui/remembering.js";
import * as session from "./ui/session.js";
import * as store from "./ui/store.js";
import * as view from "./ui/view.js";
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
