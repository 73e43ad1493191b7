/** The history of a document: each edit, versions with a name, three snapshots, and the recipe to share. */
import { Icon, IconButton, Segments } from "./controls.js";
import { copyRecipe } from "./export_menu.js";
import { html, useEffect, useState } from "./html.js";
import { ask, deliver } from "./session.js";
import * as store from "./store.js";
/** @import { FieldEvent } from "./controls.js" */
/** @import { VersionLine } from "../../core/answers.js" */

/** Versions that are stored and shown with one click. */
const SLOTS = ["A", "B", "C"];

/** When something was done, as short as it can be said. @param {number} seconds  Unix time */
function when(seconds) {
  if (!seconds) return "";
  const age = Date.now() / 1000 - seconds,
    date = new Date(seconds * 1000);
  if (age < 60) return "now";
  if (age < 3600) return `${Math.floor(age / 60)} min`;
  if (age < 12 * 3600) return date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return date.toLocaleDateString([], { day: "numeric", month: "short" });
}

/** Show an entry of the history. @param {number} entry @param {number} at  the one that is shown now */
const goTo = (entry, at) => {
  if (entry !== at) ask(entry < at ? "undo" : "redo", { count: Math.abs(entry - at) });
};

export function History() {
  const doc = store.doc.value,
    [name, setName] = useState("");
  if (!doc) return null;
  const { history, times, at, versions } = doc,
    named = versions.filter((version) => !SLOTS.includes(version.name));
  const save = () => {
    if (name.trim()) ask("version.save", { name: name.trim() });
    setName("");
  };
  const close = () => {
    store.reviewing.value = false;
  };
  return html`<aside class="insp history" aria-label="Inspector: history" data-region>
    <div class="ititle"><div class="grow"><h2>History</h2><p>Every edit of this document. Name one to make it a version.</p></div>
      <${IconButton} small icon="cross" label="Close the history" onClick=${close} /></div>
    <section class="sec" style="border-top:0;padding-top:0">
      <form class="row" onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        save();
      }}><input class="find grow" style="margin:0" aria-label="Name of the version" placeholder="Name this moment" value=${name} maxlength="80"
          onInput=${(/** @type {FieldEvent} */ event) => setName(event.currentTarget.value)} />
        <button class="btn line" type="submit" disabled=${!name.trim()}>Save version</button></form>
      <div class="snaps" role="group" aria-label="Snapshots">${SLOTS.map((slot) => html`<${Snapshot} slot=${slot} version=${versions.find((each) => each.name === slot)} at=${at} />`)}</div>
    </section>
    ${
      named.length
        ? html`<section class="sec"><div class="sec-h"><h3 class="grow">Versions</h3></div>
      <ul class="hlist" aria-label="Versions">${[...named].reverse().map((version) => html`<${Version} version=${version} on=${version.entry === at} />`)}</ul></section>`
        : null
    }
    <section class="sec grow hscroll"><div class="sec-h"><h3 class="grow">Edits</h3><span class="dim">${history.length}</span></div>
      <ol class="hlist timeline" reversed aria-label="Edits">${history
        .map((label, entry) => {
          const here = versions.filter((version) => version.entry === entry).map((version) => version.name);
          return html`<li key=${entry}><button class=${`hrow${entry > at ? " undone" : ""}${here.length ? " named" : ""}`}
              aria-current=${entry === at ? "step" : undefined} onClick=${() => goTo(entry, at)}>
            <i></i><span class="grow ell">${label}${here.map((each) => html`<b class="htag">${each}</b>`)}</span>
            <span class="dim">${entry > at ? "undone" : when(times[entry])}</span></button></li>`;
        })
        .reverse()}</ol></section>
    <${Share} doc=${doc} />
  </aside>`;
}

/** One of three snapshots: shown with one click, stored with another. @param {{slot: string, version: VersionLine | undefined, at: number}} props */
function Snapshot({ slot, version, at }) {
  const store = () => ask("version.save", { name: slot });
  const on = version !== undefined && version.entry === at;
  return html`<div class="snap"><button class="btn line grow" aria-pressed=${String(on)}
      title=${version ? `${version.label}, ${when(version.made_at)}` : "Empty: stores what is shown"}
      onClick=${() => (version ? ask("version.open", { name: slot }) : store())}><span class="sr">${version ? "Show" : "Store as"} snapshot </span><b>${slot}</b>
      <span class="ell dim">${version ? version.label : "empty"}</span></button>
    ${version && !on ? html`<${IconButton} small icon="save" label=${`Store what is shown as ${slot}`} onClick=${store} />` : null}</div>`;
}

/** @param {{version: VersionLine, on: boolean}} props */
function Version({ version, on }) {
  const { name } = version;
  return html`<li class="row"><button class="hrow named grow" aria-current=${on ? "step" : undefined} onClick=${() => ask("version.open", { name })}>
      <i></i><span class="grow ell"><b>${name}</b></span><span class="dim">${when(version.made_at)}</span></button>
    <${IconButton} small icon="bin" label=${`Remove the version ${name}`} onClick=${() => ask("version.remove", { name })} /></li>`;
}

const FORMS = [
  { value: "yaml", text: "Recipe" },
  { value: "python", text: "Python" },
  { value: "cli", text: "Command" },
];

/** What is shown, as text to take along. @param {{doc: store.MotionDoc | store.DrawingDoc}} props */
function Share({ doc }) {
  const motion = doc.kind === "motion",
    [form, setForm] = useState(motion ? "yaml" : "cli"),
    [text, setText] = useState("");
  useEffect(() => {
    let live = true;
    ask("recipe", { form }).then((answer) => {
      if (live && answer) setText(answer.text);
    });
    return () => {
      live = false;
    };
  }, [doc.doc, doc.edit, form]);
  return html`<section class="sec"><div class="sec-h"><h3 class="grow">Share</h3>
      <${Segments} small label="As" value=${form} onValue=${setForm} options=${motion ? FORMS : FORMS.slice(1)} /></div>
    <pre class="well code" role="group" tabindex="0" aria-label="Text to share">${text}</pre>
    <div class="row" style="margin-top:8px"><button class="btn sm line" onClick=${() => copyRecipe(form)}><${Icon} name="copy" />Copy</button>
      ${motion ? html`<button class="btn sm line" onClick=${() => deliver(`/api/documents/${doc.doc}/recipe`, `Saved ${doc.name}.yaml`)}><${Icon} name="drop" />Download recipe</button>` : null}
      <span class="dim grow" style="text-align:right">without the clip</span></div></section>`;
}
