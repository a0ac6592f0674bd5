// The card for a command that waits for a yes.
//
// Rule 1: the whole text is there. It may be allowed only after its end was on the screen.
// Rule 2: characters that are not seen, or that turn the text around, are written as <U+202E> and counted.
// Rule 3: the rules that would be added are shown before they are, word for word, and which file they are written into.
//         A wider rule has a button of its own. The server refuses one that would not allow the command.
// Rule 4: nothing is chosen beforehand, and no timer runs.

import { type Signal, signal } from "@preact/signals-core";
import type { Page } from "./context.ts";
import { type Decision, choice, heading, problem } from "./decision.ts";
import { h, onEnd, region } from "./dom.ts";
import { glyph } from "./icons.ts";
import type { Part, Question, Settlement } from "./model.ts";
import { count, path, pieces, verdict, visible } from "./words.ts";

type Open = "closed" | "always" | "word";

export function approvalCard(page: Page, id: string, decision: Decision): Node {
  const question = page.store.questions.value.get(id);
  if (question === undefined) return h("p", {}, "");
  const wasSeen = signal(false); // the end of the text was on the screen
  const opened = signal<Open>("closed");
  const settle = (label: string, fields: { answer: string; rule?: string; word?: string }) =>
    void decision.decide(label, () => page.wire.settle(id, fields), (answer) => `${verdict((answer as Settlement).answer, (answer as Settlement).rule)} at`);
  const allow = choice(decision, "Allow once", "fill", () => settle("Allow once", { answer: "allow" }), {
    key: "a",
    when: () => wasSeen.value,
    hint: () => (wasSeen.value ? null : "Read the command to its end first"),
  });
  const deny = choice(decision, "Deny", "plain", () => settle("Deny", { answer: "deny" }), { key: "d" });
  const isUnderstood = (question.parts ?? []).length > 0;
  const rules = isUnderstood ? question.suggestions : [];
  const toggle = (what: Open) => () => (opened.value = opened.value === what ? "closed" : what);
  const more = (label: string, what: Open) =>
    h("button", { type: "button", class: "button ghost", "aria-expanded": () => String(opened.value === what), on: { click: toggle(what) } }, label);
  const hidden = pieces(question.command).filter((piece) => piece.hidden).length;
  return h(
    "div",
    {},
    heading(page, "May this run?", question.terminal_id, context(question), () => question.asked_at),
    commandBox(question.command, wasSeen),
    hidden === 0 ? null : h("p", { class: "warning" }, glyph("lost"), `${count(hidden, "hidden character")} in this command, written as <U+…>. A command seldom needs any.`),
    isUnderstood
      ? null
      : h("p", { class: "warning" }, glyph("lost"), "This could not be taken apart into commands. It can be allowed once only."),
    parts(question),
    problem(decision),
    h(
      "div",
      { class: "choices" },
      allow,
      deny,
      rules.length === 0 ? null : more("Always for this…", "always"),
      more("Deny and say why…", "word"),
      h("span", { class: "note push" }, () => (wasSeen.value ? "Not started yet. No timer runs." : "Scroll to the end of the command to allow it.")),
    ),
    region(
      () => opened.value,
      (now) => {
        const add = (label: string, rule: string | null) => settle(label, { answer: "always", ...(rule === null ? {} : { rule }) });
        if (now === "always") return alwaysBox(decision, question, wasSeen, add, () => (opened.value = "closed"));
        return now === "word" ? wordForm(decision, (word) => settle("Deny", { answer: "deny", word })) : null;
      },
    ),
  );
}

function context(question: Question): Node {
  const where = path(question.cwd ?? null);
  const who = question.client === null ? "" : `asked by ${question.client.replace(/\/[\d.]+$/, "")}`;
  return document.createTextNode([where, who].filter((one) => one !== "").join(" · "));
}

/** The text in a box that scrolls; `wasSeen` once its end has been on the screen. */
function commandBox(text: string, wasSeen: Signal<boolean>): Node {
  const end = h("span", { class: "end", "aria-hidden": "true" });
  const shown = pieces(text).map((piece) => (piece.hidden ? h("mark", {}, piece.text) : piece.text));
  const box = h("pre", { class: "command-box", tabindex: "0", "aria-label": "The whole command" }, shown, end);
  const observer = new IntersectionObserver((found) => {
    if (found.some((one) => one.isIntersecting)) wasSeen.value = true;
  });
  observer.observe(end);
  onEnd(() => observer.disconnect());
  return box;
}

const VERDICTS = { allow: "allowed", ask: "asks", deny: "denied" } as const;

function parts(question: Question): Node {
  const found = question.parts ?? [];
  if (found.length === 0) {
    const rule = question.rule === null ? "" : ` · ${visible(question.rule)}`;
    return h("p", { class: "note" }, `${visible(question.reason)}${rule}`);
  }
  return h("ul", { class: "parts" }, found.map(part));
}

function part(one: Part): Node {
  const icon = { allow: "ok", ask: "need", deny: "bad" } as const;
  const why = `${VERDICTS[one.verdict]} · ${visible(one.rule ?? one.reason)}`;
  return h("li", { class: `part ${one.verdict}` }, glyph(icon[one.verdict], VERDICTS[one.verdict]), h("code", {}, visible(one.command)), h("span", { class: "note" }, why));
}

function alwaysBox(decision: Decision, question: Question, wasSeen: Signal<boolean>, add: (label: string, rule: string | null) => void, cancel: () => void): Node {
  const wide = signal<string | null>(null); // the wider rule that was chosen
  const file = question.kept_in ?? null;
  const rules = () => (wide.value === null ? question.suggestions : [wide.value]);
  const label = question.suggestions.length > 1 ? "Add rules and run" : "Add rule and run";
  const reach = () => {
    const [only, what] = rules().length > 1 ? ["they are", "they match"] : ["it is", "it matches"];
    const matches = wide.value === null ? `What ${what}` : `Every command that begins with “${visible(wide.value)}”`;
    return `Only ${only} added. ${matches} runs without a question from now on, ${file === null ? "until the server ends" : "for every agent under these settings"}.`;
  };
  const wider = (rule: string | null, text: string) =>
    h("button", { type: "button", class: "button ghost", "aria-pressed": () => String(wide.value === rule), on: { click: () => (wide.value = rule) } }, visible(text));
  const found = widerRules(question);
  return h(
    "div",
    { class: "always" },
    h("p", { class: "note" }, () => (file === null ? (rules().length > 1 ? "These rules would be added:" : "This rule would be added:") : `Would be added to [policy] of ${visible(path(file))}:`)),
    h("pre", { class: "rule" }, () => visible(`allow = [${rules().map((rule) => JSON.stringify(rule)).join(", ")}]`)),
    h("p", { class: "note" }, reach),
    found.length === 0 ? null : h("div", { class: "choices wider" }, h("span", { class: "note" }, "Wider:"), found.map((rule) => wider(rule, rule)), wider(null, "as suggested")),
    h(
      "div",
      { class: "choices" },
      choice(decision, label, "fill", () => add(label, wide.value), { when: () => wasSeen.value }),
      h("button", { type: "button", class: "button ghost", on: { click: cancel } }, "Cancel"),
    ),
  );
}

const WORD = /^[\w.:+-]+$/; // that a rule takes as it is

/** Rules that allow more than the one that is suggested, the narrowest first: its words but the last, down to the program. */
function widerRules(question: Question): string[] {
  const [rule, ...others] = question.suggestions;
  if (rule === undefined || others.length > 0) return [];
  const asked = (question.parts ?? []).filter((one) => one.verdict === "ask");
  const words = (rule.startsWith("/") ? (asked[0]?.command ?? "").split(" ", 1) : rule.split(" ").slice(0, -1)).map((word) => word.trim());
  return words.every((word) => WORD.test(word)) ? words.map((_, index) => words.slice(0, words.length - index).join(" ")) : [];
}

function wordForm(decision: Decision, deny: (word: string) => void): Node {
  const field = h("input", { class: "field", type: "text", autocomplete: "off", "aria-label": "Why, for the agent", placeholder: "A line that the agent reads" });
  const submit = (event: Event) => {
    event.preventDefault();
    deny(field.value);
  };
  return h("form", { class: "line-form word-form", on: { submit } }, field, choice(decision, "Deny", "plain", () => deny(field.value)));
}
