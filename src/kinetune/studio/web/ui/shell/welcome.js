/** The first start: a sample that already moves, and what to try. */
import { IconButton } from "./controls.js";
import { html } from "./html.js";
import * as store from "./store.js";

export function Welcome() {
  if (!store.welcome.value || store.browsing.value || !store.motion.value || !store.motionDoc.value?.source?.sample)
    return null;
  return html`<section class="welcome plate" aria-label="First steps" data-covers="bottom">
    <p class="grow"><b>This is a sample.</b> Drop your own clip anywhere; <kbd>?</kbd> shows all keys.</p>
    <${IconButton} small icon="cross" label="Close" onClick=${() => {
      store.welcome.value = false;
    }} /></section>`;
}
