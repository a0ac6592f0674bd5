// Who comes first, everywhere: needs you → with you → running → failed and not seen → quiet.
//
// Rule: amber is for what cannot go on without a person. A program that reads lines all day (a Python prompt, a shell
// over ssh, an editor) is running: its terminal can be taken over, and no card is shown for it.

import type { Command, Terminal } from "./model.ts";
import { type Store, endOf } from "./store.ts";
import { saved } from "./saved.ts";

export type Group = "needs" | "mine" | "running" | "failed" | "quiet";
export const GROUPS: readonly { readonly group: Group; readonly title: string }[] = [
  { group: "needs", title: "Needs you" },
  { group: "mine", title: "With you" },
  { group: "running", title: "Running" },
  { group: "failed", title: "Failed" },
  { group: "quiet", title: "Quiet" },
];

export type Need =
  | { readonly kind: "question"; readonly key: string; readonly since: number | null; readonly id: string }
  | { readonly kind: "answer" | "secret"; readonly key: string; readonly since: number | null; readonly id: string }
  | { readonly kind: "handoff" | "request"; readonly key: string; readonly since: number | null; readonly id: string };

const STANDING = new Set(["repl", "shell", "editor", "pager", "screen", "stdin"]);

/** Whether a command stands still until a person answers. */
export function asksPerson(command: Command): boolean {
  const { waiting } = command;
  if (command.finished || waiting === null || command.episode === null) return false;
  if (waiting.kind === "fullscreen" || waiting.kind === "shell") return false;
  return waiting.asks === null ? waiting.certain || waiting.kind === "secret" : !STANDING.has(waiting.asks);
}

/** What is asked for with echo off: the program's own word for it. */
export function secretOf(command: Command | null): string {
  const asks = command?.waiting?.asks ?? "";
  return asks === "passphrase" || asks === "code" || asks === "secret" ? asks : "password";
}

export function keyOf(command: Command): string {
  return `${command.id}:${command.episode}`;
}

export function needs(store: Store): Need[] {
  const found: Need[] = [];
  for (const one of store.questions.value.values()) {
    found.push({ kind: "question", key: one.id, since: one.asked_at, id: one.id });
  }
  for (const terminal of store.terminals.value.values()) {
    const command = terminal.command;
    const wants = terminal.lease?.wanted_by ?? null;
    if (wants !== null && store.leases.value.has(terminal.id) && store.refused.value.get(terminal.id) !== wants) {
      found.push({ kind: "request", key: `${terminal.id} ${wants}`, since: null, id: terminal.id });
    }
    if (command === null || terminal.lease !== null) continue;
    if (!asksPerson(command)) {
      const handoff = store.handoffs.value.get(command.id);
      if (handoff !== undefined) found.push({ kind: "handoff", key: `${command.id} handoff`, since: handoff.asked_at, id: command.id });
      continue;
    }
    const kind = command.waiting?.kind === "secret" ? "secret" : "answer";
    found.push({ kind, key: keyOf(command), since: command.waiting_since, id: command.id });
  }
  return found.sort((a, b) => (a.since ?? 0) - (b.since ?? 0));
}

/** The terminal that a need is about; null: a question of a call that names none. */
export function terminalOf(need: Need, store: Store): string | null {
  switch (need.kind) {
    case "question":
      return store.questions.value.get(need.id)?.terminal_id ?? null;
    case "request":
      return need.id;
    default:
      return need.id.slice(0, need.id.lastIndexOf("-"));
  }
}

/** Whether it stands still until it is continued: a job of its shell (Ctrl-Z), or all that runs. The server notes it. */
export function isStopped(command: Command): boolean {
  if (command.finished && (command.signal !== null || (command.exit_code ?? 0) <= 128)) return false; // another job is
  return command.notes.some((note) => note.startsWith("stopped"));
}

export function hasFailed(command: Command): boolean {
  if (command.state === "lost") return true;
  return command.finished && (command.signal !== null || (command.exit_code ?? 0) !== 0) && !isStopped(command);
}

export function groupOf(terminal: Terminal, store: Store, needing: ReadonlySet<string | null>): Group {
  if (needing.has(terminal.id)) return "needs";
  if (store.leases.value.has(terminal.id)) return "mine";
  const command = terminal.command;
  if (terminal.lease !== null || (command !== null && !command.finished && command.state !== "lost")) return "running";
  if (command !== null && hasFailed(command) && saved.seen.value[terminal.id] !== command.id) return "failed";
  return "quiet";
}

export interface Grouped {
  readonly terminal: Terminal;
  readonly group: Group;
}

export function grouped(store: Store): Grouped[] {
  const needing = new Set(needs(store).map((need) => terminalOf(need, store))); // the longest first
  const turn = new Map([...needing].map((id, index) => [id, index]));
  const rank = new Map(GROUPS.map(({ group }, index) => [group, index]));
  return [...store.terminals.value.values()]
    .map((terminal) => ({ terminal, group: groupOf(terminal, store, needing) }))
    .sort((a, b) => (rank.get(a.group) ?? 0) - (rank.get(b.group) ?? 0) || (turn.get(a.terminal.id) ?? 0) - (turn.get(b.terminal.id) ?? 0) || order(a, b));
}

function order(a: Grouped, b: Grouped): number {
  if (a.group === "quiet" || a.group === "failed") return lastMoment(b.terminal) - lastMoment(a.terminal);
  return Number(a.terminal.id.slice(1)) - Number(b.terminal.id.slice(1));
}

/** When something last happened in it. */
export function lastMoment(terminal: Terminal): number {
  return terminal.command?.started_at ? endOf(terminal.command) : (terminal.opened_at ?? 0);
}

export function nameOf(terminal: Terminal): string {
  return terminal.name ?? terminal.id;
}

/** Of one that is open, or was. */
export function nameById(store: Store, id: string): string {
  const found = store.terminals.value.get(id) ?? store.closed.value.get(id);
  return found === undefined ? id : nameOf(found);
}

/** Who works in it. */
export function workerOf(terminal: Terminal): string {
  return (terminal.client ?? "the agent").replace(/\/[\d.]+$/, "");
}
