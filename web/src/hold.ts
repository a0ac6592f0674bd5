// Taking a terminal over, and giving it back.
//
//    watching ──T──▸ asking ──granted──▸ held ──give back · no key for 10 min · lost for 60 s──▸ watching
//                      └──refused: who has it──▸ watching
//
// Rule 1: one writer. Keys go to the program only while this page has the lease, and only over a live connection.
// Rule 2: what is typed is nowhere.
// Rule 3: keys that are typed while it asks, or before the view is there, wait (early_keys.ts).

import { effect, signal } from "@preact/signals-core";
import { type Page, sentence } from "./context.ts";
import { h, onEnd, region } from "./dom.ts";
import { control } from "./early_keys.ts";
import { workerOf } from "./groups.ts";
import type { Live } from "./screen.ts";
import { Refusal } from "./wire.ts";
import { elapsed, moment } from "./words.ts";

const WARN_SECONDS = 9 * 60; // without a key
const IDLE_SECONDS = 10 * 60;

export const lastKey = signal(0); // seconds, the server's clock

const asking = new Set<string>();

export async function take(page: Page, id: string): Promise<boolean> {
  if (page.store.leases.value.has(id) || asking.has(id)) return false;
  if (!page.may("type")) {
    page.early.end(id);
    return false;
  }
  asking.add(id);
  page.early.begin(id);
  try {
    const lease = await page.wire.lease(id, page.wire.session.name);
    lastKey.value = page.store.now.value;
    page.store.hold(id, lease);
    return true;
  } catch (error) {
    page.early.end(id);
    page.say(error instanceof Refusal && error.code === "held" ? heldWords(error) : sentence(error));
    return false;
  } finally {
    asking.delete(id);
  }
}

/** Asks the person who has it to give it back: a card says so there. */
async function want(page: Page, id: string): Promise<void> {
  const holding = await page.attempt(() => page.wire.want(id, page.wire.session.name));
  if (holding !== null) page.say(`${holding.holder} was asked for the keyboard.`);
}

function heldWords(error: Refusal): string {
  const { holder, reason } = error.facts as { holder?: string; reason?: string };
  return `${holder ?? "Another person"} has the keyboard${reason ? ` (${reason})` : ""}.`;
}

export async function giveBack(page: Page, id: string): Promise<void> {
  const lease = page.store.leases.value.get(id);
  if (lease === undefined) return;
  try {
    await page.wire.giveBack(id, lease.lease);
  } catch (error) {
    if (!(error instanceof Refusal)) {
      page.say(sentence(error));
      return; // it may still be held: the bar stays
    }
  }
  page.store.hold(id, null);
}

/** The violet bar above a held terminal. */
export function heldBar(page: Page, id: string): Node {
  const { store } = page;
  const worker = () => {
    const terminal = store.terminals.value.get(id);
    return terminal === undefined ? "the agent" : workerOf(terminal);
  };
  const left = () => {
    const idle = store.now.value - lastKey.value;
    return idle < WARN_SECONDS ? "" : `Given back in ${elapsed(IDLE_SECONDS - idle)} without a key.`;
  };
  return h(
    "div",
    { class: "held-bar", role: "status" },
    h("b", {}, "You have the keyboard."),
    h("span", { class: "more" }, () => left() || `Meanwhile ${worker()} waits. It is told what you ran, not what you typed.`),
    h("button", { type: "button", class: "button mine", "data-act": "give-back", on: { click: () => void giveBack(page, id) } }, "Give back", h("kbd", { "aria-hidden": "true" }, "Ctrl Shift G")),
  );
}

/** Who has the keyboard, and the button to take it. */
export function keyboard(page: Page, id: string): Node {
  const { store } = page;
  const terminal = () => store.terminals.value.get(id);
  const isMine = () => store.leases.value.has(id);
  const holder = () => terminal()?.lease?.holder ?? null;
  const who = () => {
    const found = terminal();
    return isMine() ? "you" : (holder() ?? (found === undefined ? "" : workerOf(found)));
  };
  const hasAsked = () => terminal()?.lease?.wanted_by === page.wire.session.name;
  const kind = () => (terminal() === undefined || !page.may("type") ? "none" : isMine() ? "held" : holder() === null ? "free" : "other");
  return h(
    "div",
    { class: "keyboard" },
    h("span", { class: "who", hidden: () => terminal() === undefined }, "keyboard: ", h("b", { class: () => (isMine() ? "you" : "") }, who)),
    page.may("type") ? null : h("span", { class: "watching" }, () => `watching until ${moment(page.wire.session.expires_at, store.now.value)}`),
    region(kind, (now) => {
      if (now === "other") return h("button", { type: "button", class: "button plain", "data-act": "ask-holder", "aria-disabled": () => hasAsked() && "true", on: { click: () => void want(page, id) } }, () => (hasAsked() ? "Asked" : "Ask for it"));
      if (now === "free") return h("button", { type: "button", class: "button plain", "data-act": "take-over", on: { click: () => void take(page, id) } }, "Take over", h("kbd", { "aria-hidden": "true" }, "T"));
      return null;
    }),
  );
}

const KEYS: readonly (readonly [string, string, string])[] = [
  ["Esc", "\u001b", "Escape"], ["Tab", "\t", "Tab"], ["Ctrl", "", "Control, for the next key"],
  ["↑", "A", "Up"], ["↓", "B", "Down"], ["←", "D", "Left"], ["→", "C", "Right"],
  ["|", "|", "Pipe"], ["/", "/", "Slash"], ["~", "~", "Tilde"], ["^C", "\u0003", "Control C"],
];

/** On a phone: a line to type in, and the keys that its keyboard does not have. */
export function keyBar(page: Page, id: string, live: () => Live | null): Element {
  const isControl = signal(false);
  const field = h("input", { class: "field mono", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "send", "aria-label": "A line to type" });
  const isSecret = () => page.store.terminals.value.get(id)?.command?.waiting?.kind === "secret";
  onEnd(effect(() => field.setAttribute("type", isSecret() ? "password" : "text")));
  const type = (text: string) => {
    const sent = isControl.value ? control(text) : text;
    isControl.value = false;
    lastKey.value = page.store.now.value;
    return live()?.type(sent) ?? false;
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (isControl.value ? type(field.value) : type(`${field.value}\r`)) field.value = "";
  };
  const press = (name: string, text: string) => () => {
    if (name === "Ctrl") isControl.value = !isControl.value;
    else if ("↑↓←→".includes(name)) type(`\u001b${live()?.applicationArrows() ? "O" : "["}${text}`);
    else type(text);
  };
  return h(
    "div",
    { class: "key-bar" },
    h("form", { on: { submit } }, field, h("button", { class: "button plain" }, "Send")),
    h(
      "div",
      { class: "keys-row", role: "toolbar", "aria-label": "Keys" },
      KEYS.map(([name, text, label]) =>
        h("button", { type: "button", class: "key", "aria-label": label, "aria-pressed": name === "Ctrl" ? () => String(isControl.value) : null, on: { click: press(name, text) } }, name),
      ),
    ),
  );
}

/** What a person has run in the last lease, as it was told to the agent. */
export function lastDeeds(page: Page, id: string): Node {
  const did = () => page.store.did.value.get(id) ?? [];
  return region(
    () => page.store.leases.value.has(id) ? "" : did().map((one) => `${one.text} (exit ${one.exit_code ?? "?"})`).join("; "),
    (text) => (text === "" ? null : h("p", { class: "note deeds" }, `A person had the keyboard and ran: ${text}`)),
  );
}
