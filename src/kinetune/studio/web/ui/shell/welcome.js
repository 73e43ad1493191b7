/** The first start: a sample that already moves, and what to try. */
import { IconButton } from "./controls.js";
import { html } from "./html.js";
import * as store from "./store.js";

export function Welcome() {
  if (!store.welcome.value || store.browsing.value || !store.motion.value || !store.motionDoc.value?.source?.sample)
    return null;
  return html`<section class="welcome plate" aria-label="First steps">
    <p class="grow"><b>This is a sample.</b> Drop your own file anywhere. Drag a fader, hold <kbd>Alt</kbd> for the original, press <kbd>?</kbd> for all keys.</p>
    <${IconButton} small icon="cross" label="Close" onClick=${() => {
      store.welcome.value = false;
    }} /></section>`;
}
