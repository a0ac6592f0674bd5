// How the page makes itself heard: title, favicon, notifications, and words for screen readers.
//
// Rule 1: a notification is asked for by a click. It names the terminal and the program, never a command or output: it
//         is shown on lock screens.
// Rule 2: at most one sentence each three seconds is said politely; a password that is asked for is said at once.

import { effect, signal } from "@preact/signals-core";
import { h } from "./dom.ts";
import { type Need, nameOf, needs, secretOf, terminalOf } from "./groups.ts";
import { saved } from "./saved.ts";
import type { Store } from "./store.ts";
import { duration } from "./words.ts";

const POLITE_MS = 3000;

export const canTell = signal(typeof Notification !== "undefined" && Notification.permission === "default");

export function askToTell(): void {
  void Notification.requestPermission().then((answer) => {
    canTell.value = answer === "default";
    saved.tell.value = answer === "granted";
  });
}

function sentenceOf(need: Need, store: Store): string {
  const id = terminalOf(need, store);
  const terminal = id === null ? undefined : store.terminals.value.get(id);
  const name = terminal === undefined ? "truetty" : nameOf(terminal);
  const program = terminal?.command?.waiting?.program ?? "a program";
  switch (need.kind) {
    case "question":
      return `${name}: a command waits for your yes`;
    case "secret":
      return `${name}: ${program} asks for a ${secretOf(terminal?.command ?? null)}`;
    case "answer":
      return `${name}: ${program} asks a question`;
    case "handoff":
      return `${name}: you are asked to take over`;
    case "request":
      return `${name}: the keyboard is asked for`;
  }
}

/** Title and favicon, by how many need a person. */
export function titles(store: Store): void {
  const icon = document.getElementById("icon");
  effect(() => {
    const number = needs(store).length;
    document.title = number === 0 ? "truetty" : `(${number}) truetty`;
    const wanted = icon?.getAttribute(number === 0 ? "data-calm" : "data-need") ?? null;
    if (icon !== null && wanted !== null && icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
  });
}

/** A notification for each that needs a person; it is taken back when that is settled. */
export function notifications(store: Store, go: (path: string) => void): void {
  const shown = new Map<string, Notification>();
  const known = new Set<string>();
  effect(() => {
    const open = needs(store);
    const keys = new Set(open.map((need) => need.key));
    for (const [key, one] of shown) {
      if (keys.has(key)) continue;
      one.close();
      shown.delete(key);
    }
    for (const need of open) {
      if (known.has(need.key)) continue;
      known.add(need.key);
      if (!saved.tell.peek() || !document.hidden || Notification.permission !== "granted") continue;
      const made = new Notification(sentenceOf(need, store), { tag: `truetty-${need.key}` });
      made.addEventListener("click", () => {
        window.focus();
        const id = terminalOf(need, store);
        go(id === null ? "/" : `/t/${id}`);
      });
      shown.set(need.key, made);
    }
  });
}

/** Says in words what happens. Output is never said. */
export function announcer(store: Store): Element {
  const polite = h("div", { "aria-live": "polite", role: "status" });
  const urgent = h("div", { "aria-live": "assertive", role: "alert" });
  let waiting: string | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const say = (text: string) => {
    if (timer !== null) {
      waiting = text;
      return;
    }
    polite.textContent = text;
    timer = setTimeout(() => {
      timer = null;
      const next = waiting;
      waiting = null;
      if (next !== null) say(next);
    }, POLITE_MS);
  };
  const known = new Set(needs(store).map((need) => need.key));
  effect(() => {
    for (const need of needs(store)) {
      if (known.has(need.key)) continue;
      known.add(need.key);
      if (need.kind === "secret" || need.kind === "question") urgent.textContent = sentenceOf(need, store);
      else say(sentenceOf(need, store));
    }
  });
  effect(() => {
    const event = store.news.value;
    if (event?.event !== "finished") return;
    const { command } = event;
    const terminal = store.terminals.peek().get(command.terminal_id);
    const code = command.exit_code === null ? "exit code unknown" : `exit code ${command.exit_code}`;
    say(`${terminal === undefined ? command.terminal_id : nameOf(terminal)} finished, ${code}, ${duration(command.duration)}`);
  });
  return h("div", { class: "spoken" }, polite, urgent);
}
