/** What leaves the page: motion, films, the recipe as text. */
import { Icon, MenuItem, Popover } from "./controls.js";
import { html } from "./html.js";
import { ask, deliver, say } from "./session.js";
import * as store from "./store.js";

/** @param {string} form @param {string} [step] */
export async function copyRecipe(form, step) {
  const answer = await ask("recipe", step ? { form, step } : { form });
  if (!answer) return;
  const name = { yaml: "Recipe", python: "Python", cli: "Command line" }[form] ?? form;
  try {
    await navigator.clipboard.writeText(answer.text);
    say(`${name} copied`);
  } catch {
    store.trouble.value = {
      message: "The browser does not let this page copy text. Copy it by hand:",
      more: answer.text,
    };
  }
}

/** @param {string} format */
export const exportAs = (format) => ask("export", { format });

/** Into the folder that the studio was started on, or, without one, as a download. */
export async function saveRecipe() {
  const doc = store.motionDoc.value;
  if (store.kind.value === "drawing") {
    say("Drawings are saved automatically. Export the film with Ctrl E.");
    return;
  }
  if (!doc) return;
  if (!store.hello.value?.folder && !doc.saved_path) {
    deliver(`/api/documents/${doc.doc}/recipe`, `Saved ${doc.name}.yaml`);
    return;
  }
  const answer = await ask("save");
  if (answer) say(`Saved ${answer.path.split(/[\\/]/).pop()}`, "good");
}

export function ExportMenu() {
  const suffixes = store.hello.value?.suffixes ?? { write: [] };
  const drawing = store.kind.value === "drawing";
  const busy = Object.values(store.jobs.value).some(
    (job) => job.doc === store.doc.value?.doc && !job.step && job.share !== null,
  );
  const button = html`${busy ? html`<i class="spin"></i>` : html`<${Icon} name="out" />`}Export`;
  return html`<${Popover} label="Export" className="btn primary" text=${button}>
    ${
      drawing
        ? [".svg", ".gif", ".mp4", ".json"].map(
            (format) =>
              html`<${MenuItem} text=${format.slice(1).toUpperCase()}
                  hint=${{ ".svg": "animated", ".gif": "a film", ".mp4": "a film", ".json": "Lottie" }[format]}
                  onClick=${() => exportAs(format)} />`,
          )
        : html`<div class="pop-h">Motion</div>
          <div class="pop-grid">${suffixes.write.map((format) => html`<button class="chip" data-close onClick=${() => exportAs(format)}>${format.slice(1)}</button>`)}</div>
        <div class="pop-h">Film</div>
          <${MenuItem} icon="film" text="Film of the viewport" hint="Shift E" onClick=${() => {
            store.filming.value = true;
          }} />
        <div class="pop-h">Recipe</div>
          <${MenuItem} icon="save" text="Save recipe" hint="Ctrl S" onClick=${saveRecipe} />
          <${MenuItem} icon="copy" text="Copy as recipe" onClick=${() => copyRecipe("yaml")} />`
    }
    <${MenuItem} icon="copy" text="Copy as Python" onClick=${() => copyRecipe("python")} />
      <${MenuItem} icon="copy" text="Copy as command line" onClick=${() => copyRecipe("cli")} />
  <//>`;
}
