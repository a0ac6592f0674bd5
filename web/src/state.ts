// What a command's head shows: a glyph, a badge, in which colour.

import { asksPerson, hasFailed, isStopped } from "./groups.ts";
import type { Glyph } from "./icons.ts";
import type { Command, Terminal } from "./model.ts";
import type { Store } from "./store.ts";
import { bytes, elapsed } from "./words.ts";

export interface Standing {
  readonly glyph: Glyph;
  readonly badge: string; // empty: none
  readonly tone: "run" | "ok" | "bad" | "need" | "mine" | "muted";
  readonly words: string; // for those who do not see the glyph
}

const QUIET_SECONDS = 60; // a command that has printed nothing for so long says so
const STOPPED: Standing = { glyph: "pause", badge: "stopped", tone: "muted", words: "stopped" };
const FLOOD_RATE = 500_000; // bytes a second: more than a person reads or a page draws

export function ended(command: Command): Standing {
  if (command.state === "lost") return { glyph: "lost", badge: "lost", tone: "bad", words: "lost" };
  if (isStopped(command)) return STOPPED;
  if (hasFailed(command)) {
    const badge = command.signal ?? `exit ${command.exit_code ?? "?"}`;
    return { glyph: "bad", badge: command.timed_out ? `${badge} · timed out` : badge, tone: "bad", words: `failed, ${badge}` };
  }
  if (command.exit_code === null) return { glyph: "okUnknown", badge: "exit ?", tone: "muted", words: "finished, exit code unknown" };
  return { glyph: "ok", badge: "", tone: "ok", words: "finished" };
}

/** Of any command that is known. */
export function stateOf(store: Store, command: Command): Standing {
  if (command.finished || command.state === "lost") return ended(command);
  return alive(store, command, store.terminals.value.get(command.terminal_id));
}

/** Of the command that is the terminal's last. */
export function standing(store: Store, terminal: Terminal): Standing {
  const command = terminal.command;
  if (command === null || command.finished) {
    return command === null ? { glyph: "idle", badge: "", tone: "muted", words: "" } : ended(command);
  }
  return alive(store, command, terminal);
}

function alive(store: Store, command: Command, terminal: Terminal | undefined): Standing {
  if (terminal !== undefined && store.leases.value.has(terminal.id)) return { glyph: "mine", badge: "you", tone: "mine", words: "you have the keyboard" };
  if (terminal?.lease) return { glyph: "mine", badge: terminal.lease.holder, tone: "mine", words: `held by ${terminal.lease.holder}` };
  const { waiting } = command;
  if (waiting !== null) {
    if (waiting.kind === "fullscreen") return { glyph: "run", badge: "full screen", tone: "run", words: "full screen" };
    if (waiting.kind === "shell") return { glyph: "run", badge: "a shell inside", tone: "run", words: "a shell inside" };
    if (asksPerson(command)) return { glyph: waiting.kind === "secret" ? "lock" : "need", badge: "waits for you", tone: "need", words: "waits for you" };
    return { glyph: "run", badge: `${waiting.program ?? "it"} reads`, tone: "run", words: "reads lines" };
  }
  const progress = store.progress.value.get(command.id);
  if (progress !== undefined && progress.rate > FLOOD_RATE && store.now.value - progress.at < 3) {
    return { glyph: "run", badge: `printing ${bytes(progress.rate)}/s`, tone: "run", words: "prints very much" };
  }
  if (isStopped(command)) return STOPPED;
  const quiet = quietFor(store, command);
  if (quiet >= QUIET_SECONDS) {
    const does = working(store.activity.value.get(command.id)?.share ?? null);
    return { glyph: "run", badge: [`quiet ${elapsed(quiet)}`, does].filter((one) => one !== "").join(" · "), tone: "muted", words: "running, quiet" };
  }
  return { glyph: "run", badge: "running", tone: "run", words: "running" };
}

/** For how many seconds it has printed nothing, as far as this page knows. */
export function quietFor(store: Store, command: Command): number {
  const [progress, activity] = [store.progress.value.get(command.id), store.activity.value.get(command.id)];
  const since = activity !== undefined && (progress === undefined || progress.bytes <= activity.bytes) ? activity.since : progress?.at;
  return since === undefined ? 0 : store.now.value - since;
}

function working(share: number | null): string {
  if (share === null) return "";
  return share < 0.01 ? "sleeping" : `CPU ${Math.round(share * 100)} %`;
}
