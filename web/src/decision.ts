// One decision of a person: what is under way, what was refused, and the parts that every card has.
//
// Rule: a button waits for the server's word. It says "sent" until then, and the error stays where it was pressed.

import { signal } from "@preact/signals-core";
import { type Page, inside, sentence } from "./context.ts";
import { type Child, h, region } from "./dom.ts";
import { nameOf } from "./groups.ts";
import { glyph } from "./icons.ts";
import { Refusal } from "./wire.ts";
import { clockTime, elapsed } from "./words.ts";

/** The state of one card: what is under way, and what was refused. */
export class Decision {
  readonly sent = signal<string | null>(null);
  readonly error = signal<string | null>(null);
  readonly isReady = signal(false); // it has stood still for long enough
  readonly id = `card-${Math.random().toString(36).slice(2)}`;

  constructor(
    private readonly page: Page,
    private readonly key: string,
  ) {}

  get isOpen(): boolean {
    return this.isReady.value && this.sent.value === null && this.page.isLive;
  }

  /** Carries it out; `done` is what the receipt says. */
  async decide(what: string, work: () => Promise<unknown>, done: (answer: unknown) => string): Promise<boolean> {
    if (!this.isOpen) return false;
    this.sent.value = what;
    this.error.value = null;
    try {
      const answer = await work();
      this.page.store.receipt(this.key, `${done(answer)} ${clockTime(this.page.store.now.value)} by you`);
      return true;
    } catch (error) {
      if (error instanceof Refusal && (error.code === "settled" || error.code === "stale")) {
        this.page.store.receipt(this.key, settledElsewhere(error), false);
      } else this.error.value = sentence(error);
      return false;
    } finally {
      this.sent.value = null;
    }
  }
}

function settledElsewhere(error: Refusal): string {
  if (error.code === "stale") return "It no longer asks that. Nothing was typed.";
  const { answer, by } = error.facts as { answer?: string | null; by?: string };
  const verb = { allow: "allowed", always: "allowed", deny: "denied" }[String(answer)] ?? "settled";
  return `Already ${verb} by ${by ?? "another"}. Your answer changed nothing.`;
}

export function heading(page: Page, title: string, terminal: string | null, more: Child, since: () => number | null): Element {
  const found = terminal === null ? undefined : page.store.terminals.value.get(terminal);
  const where =
    found === undefined
      ? []
      : ["in ", h("a", { class: "where", ...inside(page, `/t/${found.id}`) }, nameOf(found)), more === null ? "" : " · "];
  const age = h("span", { class: "age" }, () => {
    const at = since();
    return at === null ? "" : elapsed(page.store.now.value - at);
  });
  return h("header", { class: "card-head" }, glyph("need"), h("h3", {}, title), h("p", { class: "context" }, where, more), age);
}

export function problem(decision: Decision): Node {
  return region(
    () => decision.error.value,
    (text) => (text === null ? null : h("p", { class: "problem", role: "alert", id: `${decision.id}-problem` }, text)),
  );
}

type Style = "fill" | "plain" | "ghost";

/** A button of a card. `when`: a further condition. */
export function choice(
  decision: Decision,
  label: string,
  style: Style,
  press: () => void,
  options: { key?: string; when?: () => boolean; hint?: () => string | null } = {},
): HTMLButtonElement {
  const isOff = () => !decision.isOpen || !(options.when?.() ?? true);
  const click = () => {
    if (!isOff()) press();
  };
  return h(
    "button",
    {
      type: "button",
      class: `button ${style}`,
      "aria-disabled": () => isOff() && "true",
      "data-key": options.key,
      title: () => options.hint?.() ?? null,
      on: { click },
    },
    h("span", {}, () => (decision.sent.value === label ? "Sent …" : label)),
    options.key === undefined ? null : h("kbd", { "aria-hidden": "true" }, options.key.toUpperCase()),
  );
}
