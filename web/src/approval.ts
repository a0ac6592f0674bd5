// The card for a command that waits for a yes.
//
// Rule 1: the whole text is there. It may be allowed only after its end was on the screen.
// Rule 2: characters that are not seen, or that turn the text around, are written as <U+202E> and counted.
// Rule 3: a rule is shown as it will stand in truetty.toml before it is added; the narrowest comes first.
// Rule 4: nothing is chosen beforehand, and no timer runs.

import { type Signal, signal } from "@preact/signals-core";
import type { Page } from "./context.ts";
import { type Decision, choice, heading, problem } from "./decision.ts";
import { h, onEnd, region } from "./dom.ts";
import { glyph } from "./icons.ts";
import type { Always, Part, Question, Settlement } from "./model.ts";
import { count, path, pieces, visible } from "./words.ts";

type Open = "closed" | "always" | "word";

export function approvalCard(page: Page, id: string, decision: Decision): Node {
  const question = page.store.questions.value.get(id);
  if (question === undefined) return h("p", {}, "");
  const wasSeen = signal(false); // the end of the text was on the screen
  const opened = signal<Open>("closed");
  const settle = (label: string, fields: { answer: string; rule?: string; word?: string }) =>
    void decision.decide(label, () => page.wire.settle(id, fields), (answer) => receipt(answer as Settlement));
  const allow = choice(decision, "Allow once", "fill", () => settle("Allow once", { answer: "allow" }), {
    key: "a",
    when: () => wasSeen.value,
    hint: () => (wasSeen.value ? null : "Read the command to its end first"),
  });
  const deny = choice(decision, "Deny", "plain", () => settle("Deny", { answer: "deny" }), { key: "d" });
  const rules = alwaysOf(question);
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
    question.parsed === false
      ? h("p", { class: "warning" }, glyph("lost"), "This could not be taken apart into commands. It can be allowed once only.")
      : null,
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
        if (now === "always") return alwaysBox(decision, rules, wasSeen, (rule) => settle("Add rule and run", { answer: "always", rule }), () => (opened.value = "closed"));
        return now === "word" ? wordForm(decision, (word) => settle("Deny", { answer: "deny", word })) : null;
      },
    ),
  );
}

function receipt(answer: Settlement): string {
  if (answer.answer === "deny") return "Denied at";
  return answer.rule === null ? "Allowed once at" : `Allowed from now on (${answer.rule}) at`;
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
  return h("li", { class: `part ${one.verdict}` }, glyph(icon[one.verdict], VERDICTS[one.verdict]), h("code", {}, visible(one.text)), h("span", { class: "note" }, why));
}

/** What may be allowed from now on. A server that says no reach says the rules alone. */
function alwaysOf(question: Question): readonly Always[] {
  if (question.parsed === false) return [];
  if (question.always !== undefined) return question.always;
  if (question.suggestions.length !== 1) return [];
  const rules = question.suggestions;
  return [{ rules, toml: `allow = [${rules.map((one) => JSON.stringify(one)).join(", ")}]`, reach: "" }];
}

function alwaysBox(
  decision: Decision,
  rules: readonly Always[],
  wasSeen: Signal<boolean>,
  add: (rule: string) => void,
  cancel: () => void,
): Node {
  const chosen = signal(0);
  const narrow = rules[0];
  if (narrow === undefined) return h("p", {}, "");
  const now = () => rules[chosen.value] ?? narrow;
  const ruleOf = (one: Always) => one.rules.join("; ");
  return h(
    "div",
    { class: "always" },
    h("p", { class: "note" }, "This rule would be added:"),
    h("pre", { class: "rule" }, () => visible(now().toml)),
    h("p", { class: "note" }, () => visible(now().reach)),
    h(
      "div",
      { class: "choices" },
      choice(decision, "Add rule and run", "fill", () => add(ruleOf(now())), { when: () => wasSeen.value }),
      rules.slice(1).map((one, index) =>
        h(
          "button",
          { type: "button", class: "button plain", "aria-pressed": () => String(chosen.value === index + 1), on: { click: () => (chosen.value = chosen.value === index + 1 ? 0 : index + 1) } },
          `Wider: ${visible(ruleOf(one))}`,
        ),
      ),
      h("button", { type: "button", class: "button ghost", on: { click: cancel } }, "Cancel"),
    ),
  );
}

function wordForm(decision: Decision, deny: (word: string) => void): Node {
  const field = h("input", { class: "field", type: "text", autocomplete: "off", "aria-label": "Why, for the agent", placeholder: "A line that the agent reads" });
  const submit = (event: Event) => {
    event.preventDefault();
    deny(field.value);
  };
  return h("form", { class: "line-form word-form", on: { submit } }, field, choice(decision, "Deny", "plain", () => deny(field.value)));
}
