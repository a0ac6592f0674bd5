// Cards for a program that reads: a question with its answers, a line, or a password.
//
// Rule 1: an answer is for one waiting (`episode`). If the program asks something else by now, nothing is typed.
// Rule 2: a password is in its field and in one request, and nowhere else: in no signal, no attribute, no log.

import { signal } from "@preact/signals-core";
import type { Page } from "./context.ts";
import { type Decision, choice, heading, problem } from "./decision.ts";
import { h, onEnd, region } from "./dom.ts";
import { secretOf } from "./groups.ts";
import type { Command, Waiting } from "./model.ts";
import { agentWords } from "./keyboard_cards.ts";
import { firstLine, visible } from "./words.ts";

const FORGET_MS = 60_000; // a page that is hidden for so long has its password field emptied

const YES = new Set(["y", "yes"]);
const NO = new Set(["n", "no"]);

interface Option {
  readonly text: string; // what is typed
  readonly label: string;
  readonly key: string | null;
  readonly isDefault: boolean;
}

/** The answers as buttons: the default first. */
export function optionsOf(waiting: Waiting): Option[] {
  if (waiting.asks === "menu" && (waiting.kind === "key" || waiting.kind === "fullscreen")) return []; // arrow keys
  const keys = new Set<string>();
  const made = waiting.choices.slice(0, 9).map((text, index) => {
    const word = text.toLowerCase();
    const name = YES.has(word) ? "Yes" : NO.has(word) ? "No" : (waiting.labels[index] ?? text);
    const label = name === text || YES.has(word) || NO.has(word) ? name : `${text} · ${name}`;
    const letter = YES.has(word) ? "y" : NO.has(word) ? "n" : /^[1-9]$/.test(text) ? text : String(index + 1);
    const key = keys.has(letter) ? null : letter;
    keys.add(letter);
    const isDefault = waiting.default !== null && waiting.default.toLowerCase() === word;
    return { text, label: visible(label), key, isDefault };
  });
  return made.sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
}

/** What the kernel says of the reading. */
export function readingOf(waiting: Waiting): string {
  const program = waiting.program ?? "the program";
  switch (waiting.kind) {
    case "secret":
      return `${program} reads with echo off`;
    case "key":
      return `${program} reads single keys`;
    case "continuation":
      return "the shell waits for the rest of the command";
    case "fullscreen":
      return `${program} has the whole screen`;
    case "shell":
      return `a shell inside: ${program}`;
    default:
      return `${program} reads a line from the terminal`;
  }
}

function since(page: Page, command: Command): () => number | null {
  return () => page.store.command(command.id)?.waiting_since ?? null;
}

/** The command with the waiting that this card is for. */
function asking(page: Page, id: string): (Command & { waiting: Waiting; episode: number }) | null {
  const found = page.store.command(id);
  return found === null || found.waiting === null || found.episode === null
    ? null
    : (found as Command & { waiting: Waiting; episode: number });
}

export function answerCard(page: Page, id: string, decision: Decision): Node {
  const command = asking(page, id);
  if (command === null) return h("p", {}, "");
  const { waiting, episode } = command;
  const options = optionsOf(waiting);
  const enter = waiting.kind !== "key";
  const isTyping = signal(options.length === 0 && enter);
  const send = (label: string, text: string, press = enter) =>
    void decision.decide(
      label,
      () => page.wire.answer(id, { episode, text, enter: press }),
      () => `Answered “${text === "" ? "Enter" : visible(text)}” at`,
    );
  const buttons = options.map((one, index) =>
    choice(decision, one.label, index === 0 && (one.isDefault || waiting.default === null) ? "fill" : "plain", () => send(one.label, one.text), {
      ...(one.key === null ? {} : { key: one.key }),
      hint: () => (one.isDefault ? "What Enter alone means" : null),
    }),
  );
  if (options.length === 0 && waiting.asks === "press-key") buttons.push(choice(decision, "Press Enter", "fill", () => send("Press Enter", "", true)));
  if (options.length === 0 && !enter && waiting.asks !== "press-key") {
    buttons.push(choice(decision, "Take over", "fill", () => page.go(`/t/${command.terminal_id}?take`)));
  }
  const other = () =>
    h("button", { type: "button", class: "button ghost", on: { click: () => (isTyping.value = true) } }, "Type something else…");
  const title = waiting.asks === "press-key" ? "Press a key to go on" : `${waiting.program ?? "A program"} asks`;
  return h(
    "div",
    {},
    heading(page, title, command.terminal_id, h("code", {}, firstLine(visible(command.text))), since(page, command)),
    h("pre", { class: "prompt", tabindex: "-1" }, visible(waiting.prompt)),
    agentWords(page, id, decision),
    problem(decision),
    h(
      "div",
      { class: "choices" },
      buttons,
      region(() => isTyping.value, (is) => (is ? lineForm(decision, send, waiting) : enter && options.length > 0 ? other() : null)),
      h("span", { class: "note push" }, `waiting: ${readingOf(waiting)}`),
    ),
  );
}

function lineForm(decision: Decision, send: (label: string, text: string) => void, waiting: Waiting): Node {
  const field = h("input", {
    class: "field mono",
    type: "text",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    placeholder: waiting.default === null ? "A line, then Enter" : `Enter alone means ${waiting.default}`,
    "aria-label": "Your answer",
  });
  const submit = (event: Event) => {
    event.preventDefault();
    if (decision.isOpen) send("Type it", field.value);
  };
  return h(
    "form",
    { class: "line-form", on: { submit } },
    field,
    choice(decision, "Type it", "fill", () => send("Type it", field.value)),
  );
}

export function secretCard(page: Page, id: string, decision: Decision): Node {
  const command = asking(page, id);
  if (command === null) return h("p", {}, "");
  const { waiting, episode } = command;
  const program = waiting.program ?? "the program";
  const field = h("input", {
    class: "field mono",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": `Password for ${program}`,
    placeholder: `Goes straight to ${program}`,
  });
  const type = async () => {
    if (!decision.isOpen) return;
    const text = field.value;
    field.value = "";
    await decision.decide("Type it", () => page.wire.answer(id, { episode, text, enter: true, secret: true }), () => "Typed at");
  };
  const stop = () => void decision.decide("Stop command", () => page.wire.stop(id), () => "Stopped at");
  const show = (is: boolean) => () => field.setAttribute("type", is ? "text" : "password");
  const eye = h(
    "button",
    {
      type: "button",
      class: "button plain eye",
      "aria-label": "Show while pressed",
      on: { pointerdown: show(true), pointerup: show(false), pointerleave: show(false), pointercancel: show(false) },
    },
    "Show",
  );
  forgetWhenHidden(field);
  const submit = (event: Event) => {
    event.preventDefault();
    void type();
  };
  return h(
    "div",
    {},
    heading(page, `${program} asks for a ${secretOf(command)}`, command.terminal_id, h("code", {}, firstLine(visible(command.text))), since(page, command)),
    h("pre", { class: "prompt" }, visible(waiting.prompt)),
    agentWords(page, id, decision),
    problem(decision),
    h(
      "form",
      { class: "choices secret-form", on: { submit } },
      h("span", { class: "secret-field" }, field, eye),
      choice(decision, "Type it", "fill", () => void type()),
      choice(decision, "Stop command", "ghost", stop),
    ),
    h("p", { class: "note" }, `Kept nowhere, shown to no agent. Typed only while ${program} still reads with echo off.`),
  );
}

function forgetWhenHidden(field: HTMLInputElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => (field.value = ""), FORGET_MS);
  };
  document.addEventListener("visibilitychange", look);
  onEnd(() => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
    field.value = "";
  });
}
