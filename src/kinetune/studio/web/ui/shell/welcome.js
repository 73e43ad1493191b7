/** The first start: a sample that already moves, and three things to try. */
import { IconButton } from "./controls.js";
import { html } from "./html.js";
import * as store from "./store.js";

export function Welcome() {
  if (!store.welcome.value || store.browsing.value || !store.motion.value || !store.motionDoc.value?.source?.sample)
    return null;
  const band = store.steps.value.some((step) => store.isOf(step, "equalize"))
    ? "Raise a band near 2 Hz"
    : "Add an Equalizer, raise a band near 2 Hz";
  return html`<section class="welcome plate" aria-label="First steps">
    <div class="row"><p class="grow"><b>This is a sample.</b> Drop your own file anywhere to replace it.</p>
      <${IconButton} small icon="cross" label="Close" onClick=${() => {
        store.welcome.value = false;
      }} /></div>
    <ol class="steps">
      <li><span class="n">1</span><b>Drag a fader</b><p>${band} and watch the arms swing wider.</p></li>
      <li><span class="n">2</span><b>Hold <kbd>Alt</kbd></b><p>The original appears for as long as you hold.</p></li>
      <li><span class="n">3</span><b>Press <kbd>?</kbd></b><p>All keys on one page. Double-click resets any control.</p>
        </li>
    </ol></section>`;
}
