// What the workshop's editor has beyond NiceGUI's CodeMirror: colours, completion, indentation,
// folding, the place of the cursor, and drafts that outlive a server. All words come from Python.
import * as CM from "nicegui-codemirror";

const WORD = /[^\s(),;]+/;
let tables = { words: {}, forms: [], names: [], comment: ";", indent: 2 };

// ---- colours

const styles = {};
const style = (name) => (styles[name] ??= CM.Decoration.mark({ class: `tok-${name}` }));

function kind(text) {
  if (text.startsWith(tables.comment) || text[0] === ";") return "comment";
  if (text[0] === "'" || text[0] === "?") return "variable";
  if (/^[+-]?\d+$/.test(text)) return "number";
  if (Object.hasOwn(tables.words, text)) return `word tok-w${tables.words[text]}`;
  return /^[A-Z][A-Z0-9_]*$/.test(text) ? "name" : null;
}

function colours() {
  const matcher = new CM.MatchDecorator({
    regexp: new RegExp(`[;${tables.comment}].*|[^\\s(),;]+`, "g"),
    decorate(add, from, to, match) {
      const name = kind(match[0]);
      if (name) add(from, to, style(name));
    },
  });
  return CM.ViewPlugin.define(
    (view) => ({
      marks: matcher.createDeco(view),
      update(update) { this.marks = matcher.updateDeco(update, this.marks); },
    }),
    { decorations: (plugin) => plugin.marks },
  );
}

// ---- completion

function complete(context) {
  const line = context.state.doc.lineAt(context.pos);
  if (line.text.slice(0, context.pos - line.from).includes(";")) return null;
  const word = context.matchBefore(WORD);
  if (!word && !context.explicit) return null;
  const from = word ? word.from : context.pos;
  const opens = context.state.sliceDoc(from - 1, from) === "(";
  const here = word ? word.text : "";
  const forms = tables.forms
    .filter((form) => (opens ? form.leads : !form.leads))
    .map(({ word, rest, help }) => ({
      label: word, detail: rest, info: help, type: "function", boost: opens ? 1 : 0,
      apply: opens && rest ? `${word} ` : word,
    }));
  const names = tables.names
    .filter((name) => name.text !== here)
    .map(({ text, help }) => ({ label: text, detail: help, type: text[0] === "'" ? "variable" : "constant" }));
  return { from, options: [...forms, ...names], validFor: /^[^\s(),;]*$/ };
}

// ---- indentation and folding, by parentheses

const bare = (text) => text.replace(/;.*/g, (comment) => " ".repeat(comment.length));

function opening(text) {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === ")") depth++;
    else if (text[at] === "(" && depth-- === 0) return at;
  }
  return -1;
}

function indentation(context, position) {
  const before = bare(context.state.sliceDoc(0, context.lineAt(position, -1).from));
  const at = opening(before);
  if (at < 0) return 0;
  const line = context.state.doc.lineAt(at);
  const alone = /^\($/.test(bare(line.text).slice(at - line.from).trim());
  return (alone ? line.text.search(/\S/) : at - line.from) + tables.indent;
}

function fold(state, from, to) {
  const line = bare(state.sliceDoc(from, to));
  const at = opening(line);
  if (at < 0) return null;
  const rest = bare(state.sliceDoc(from + at));
  let depth = 0;
  for (let end = 0; end < rest.length; end++) {
    if (rest[end] === "(") depth++;
    else if (rest[end] === ")" && --depth === 0) return from + at + end > to ? { from: to, to: from + at + end } : null;
  }
  return null;
}

// ---- drafts: what was typed stays in the browser until the server says that it has it

const sum = (text) => {
  let a = 1, b = 0; // Adler-32
  for (const byte of new TextEncoder().encode(text)) { a = (a + byte) % 65521; b = (b + a) % 65521; }
  return b * 65536 + a;
};
const draft = () => `kibitz-draft:${location.pathname}`;
const stored = (work) => { try { return work(); } catch { return null; } };

export function kept(element, digest) {
  if (sum(element.editor.state.doc.toString()) === digest) stored(() => localStorage.removeItem(draft()));
}

// ----

export function equip(element, given) {
  tables = { ...tables, ...given };
  const editor = element.editor;
  let waiting;
  const watch = CM.EditorView.updateListener.of((update) => {
    if (update.docChanged) stored(() => localStorage.setItem(draft(), update.state.doc.toString()));
    if (!update.docChanged && !update.selectionSet) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const place = editor.state.selection.main.head;
      emitEvent("kibitz-place", [...editor.state.sliceDoc(0, place)].length);
    }, 120);
  });
  editor.dispatch({ effects: element.themeConfig.reconfigure([]) });
  editor.dispatch({
    effects: CM.StateEffect.appendConfig.of([
      colours(),
      CM.EditorState.languageData.of(() => [{ autocomplete: complete, commentTokens: { line: ";;" } }]),
      CM.indentService.of(indentation),
      CM.foldService.of(fold),
      CM.EditorView.contentAttributes.of({ "aria-label": "Rules", spellcheck: "false" }),
      watch,
    ]),
  });
  const left = stored(() => localStorage.getItem(draft()));
  const brought = left !== null && left !== editor.state.doc.toString();
  if (brought) editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: left } });
  return brought;
}

export function name(names) {
  tables.names = names;
}

export function go(element, from, to) {
  const units = [...element.editor.state.doc.toString()];
  const at = (index) => units.slice(0, index).join("").length;
  element.editor.dispatch({ selection: { anchor: at(from), head: at(to ?? from) }, scrollIntoView: true });
  element.editor.focus();
}

export function open(anchor) {
  const place = anchor && document.querySelector(`.reference #${CSS.escape(anchor)}`);
  if (!place) return;
  const box = place.closest(".reference");
  box.querySelectorAll(".here").forEach((one) => one.classList.remove("here"));
  place.classList.add("here");
  box.scrollTop += place.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 4;
}
