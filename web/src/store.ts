// How everything stands, as the server has said it. Views read signals; only events change them.
//
// Rule 1: a button changes nothing here. What it has done comes back as an event, or as an answer of the server.
// Rule 2: a `reset` replaces everything but what was read of the past: commands are kept by their id.
// Rule 3: a card that is over without this page's doing says so, as one of its own does.
// Rule 4: `now` is the server's clock. The page's own may be wrong.

import { type Signal, batch, computed, signal } from "@preact/signals-core";
import type { LinkState } from "./link.ts";
import type { Command, Deed, Handoff, Question, Terminal } from "./model.ts";
import type { Event, Lease } from "./wire.ts";
import { clockTime, verdict } from "./words.ts";

export interface Progress {
  readonly bytes: number;
  readonly rate: number; // bytes a second, between the last two words of it
  readonly at: number;
  readonly lines: readonly string[]; // the newest last
}

/** What the kernel says of a command that runs, when it was asked last. */
export interface Activity {
  readonly bytes: number; // of output
  readonly since: number; // when the last of them came, or when the command began
  readonly cpu: number | null; // seconds so far; null: cannot be seen
  readonly at: number; // of the page's own clock
  readonly share: number | null; // of one core, since it was asked before; null: it was not
}

/** What became of a card: shown for a while in its place. */
export interface Receipt {
  readonly key: string;
  readonly text: string;
  readonly at: number; // of the page's own clock
  readonly good: boolean;
}

/** A card that is on the page. */
export interface Shown {
  readonly sent: { peek(): unknown }; // what it has sent to the server, until that has spoken
}

const RECEIPT_SECONDS = 5;
const MOST_COMMANDS = 1000; // of a terminal; a page shows about 40 at a time
const MOST_CLOSED = 200; // terminals

export class Store {
  readonly terminals = signal<ReadonlyMap<string, Terminal>>(new Map());
  readonly closed = signal<ReadonlyMap<string, Terminal>>(new Map()); // as they were last; the newest
  readonly questions = signal<ReadonlyMap<string, Question>>(new Map());
  readonly handoffs = signal<ReadonlyMap<string, Handoff>>(new Map()); // by command
  readonly refused = signal<ReadonlyMap<string, string>>(new Map()); // by terminal: who asked for it and does not get it
  readonly progress = signal<ReadonlyMap<string, Progress>>(new Map());
  readonly activity = signal<ReadonlyMap<string, Activity>>(new Map());
  readonly receipts = signal<readonly Receipt[]>([]);
  readonly cards = new Map<string, Shown>(); // by key
  readonly link = signal<LinkState>({ kind: "connecting", since: 0 });
  readonly leases = signal<ReadonlyMap<string, Lease>>(new Map()); // those that this page holds, by terminal
  readonly did = signal<ReadonlyMap<string, readonly Deed[]>>(new Map()); // by terminal: of the last lease
  readonly resets = signal(0); // how often everything was told anew
  readonly notice = signal<string | null>(null); // what the server said of itself
  readonly now = signal(Date.now() / 1000);
  readonly news = signal<Event | null>(null); // the last event, for what is said aloud
  private readonly lists = new Map<string, Signal<readonly Command[]>>();
  private skew = 0;

  /** `person`: the name of this page's login. */
  constructor(private readonly person = "") {}

  /** The commands of a terminal that are known, oldest first. */
  commandsOf(terminal: string): Signal<readonly Command[]> {
    let found = this.lists.get(terminal);
    if (found === undefined) this.lists.set(terminal, (found = signal<readonly Command[]>([])));
    return found;
  }

  command(id: string): Command | null {
    const terminal = id.slice(0, id.lastIndexOf("-"));
    return this.commandsOf(terminal).value.find((one) => one.id === id) ?? null;
  }

  readonly finished = computed(() => {
    this.terminals.value; // lists of new terminals
    const since = this.now.value - 3600;
    return [...this.lists.values()]
      .flatMap((list) => list.value)
      .filter((one) => one.finished && one.started_at !== null && one.started_at + one.duration > since)
      .sort((a, b) => endOf(b) - endOf(a));
  });

  tick(clock: number): void {
    this.now.value = clock + this.skew;
    const fresh = this.receipts.value.filter((one) => one.at + RECEIPT_SECONDS > clock);
    if (fresh.length !== this.receipts.value.length) this.receipts.value = fresh;
  }

  receipt(key: string, text: string, good = true, clock = Date.now() / 1000): void {
    const others = this.receipts.value.filter((one) => one.key !== key);
    this.receipts.value = [...others, { key, text, good, at: clock }];
  }

  /** What a card has asked is settled. What this page has sent has a receipt of its own. */
  private over(key: string, text: string, clock: number): void {
    const card = this.cards.get(key);
    if (card === undefined || card.sent.peek() !== null || this.receipts.value.some((one) => one.key === key)) return;
    this.receipt(key, text, true, clock);
  }

  hold(terminal: string, lease: Lease | null): void {
    const leases = new Map(this.leases.value);
    if (lease === null) leases.delete(terminal);
    else leases.set(terminal, lease);
    this.leases.value = leases;
  }

  /** The holder does not give the keyboard to the person who has asked. */
  keep(terminal: string, from: string): void {
    this.refused.value = new Map(this.refused.value).set(terminal, from);
  }

  /** Terminals that were read with the past: those that live are known by events. */
  bury(terminals: readonly Terminal[]): void {
    const gone = terminals.filter((one) => one.closed);
    if (gone.length === 0) return;
    const closed = new Map(this.closed.value);
    for (const one of gone) {
      closed.delete(one.id); // so that it is the newest
      closed.set(one.id, one);
    }
    this.closed.value = new Map([...closed].slice(-MOST_CLOSED));
  }

  /** What was read of the past. */
  merge(commands: readonly Command[]): void {
    batch(() => {
      for (const terminal of new Set(commands.map((one) => one.terminal_id))) {
        const some = commands.filter((one) => one.terminal_id === terminal);
        const list = this.commandsOf(terminal);
        const known = new Map(list.value.map((one) => [one.id, one]));
        for (const one of some) {
          const before = known.get(one.id);
          if (before === undefined || !before.finished) known.set(one.id, one);
        }
        list.value = [...known.values()].sort((a, b) => number(a.id) - number(b.id)).slice(-MOST_COMMANDS);
      }
    });
  }

  apply(event: Event, clock = Date.now() / 1000): void {
    batch(() => {
      // An event that was long under way makes the server's clock look late: the quickest one says it best.
      if (event.at !== undefined) this.skew = event.event === "reset" ? event.at - clock : Math.max(this.skew, event.at - clock);
      if (event.event !== "heartbeat") this.tick(clock);
      this.change(event, clock);
      this.news.value = event;
    });
  }

  private change(event: Event, clock: number): void {
    switch (event.event) {
      case "reset":
        this.terminals.value = new Map(event.terminals.map((one) => [one.id, one]));
        this.questions.value = new Map(event.questions.map((one) => [one.id, one]));
        this.handoffs.value = new Map((event.handoffs ?? []).map((one) => [one.command_id, one]));
        this.merge(event.commands);
        for (const id of this.leases.value.keys()) if (!this.terminals.value.get(id)?.lease) this.hold(id, null);
        this.notice.value = null;
        this.resets.value += 1;
        break;
      case "opened":
      case "changed":
        this.put(event.terminal);
        break;
      case "closed":
        this.hold(event.terminal.id, null);
        this.terminals.value = without(this.terminals.value, event.terminal.id);
        this.bury([event.terminal]);
        if (event.terminal.command !== null) this.merge([event.terminal.command]);
        break;
      case "started":
      case "finished":
        this.onCommand(event.command, clock);
        break;
      case "waiting":
      case "resumed":
        this.onWaiting(event, clock);
        break;
      case "progress":
        this.onProgress(event.command_id, event.output_bytes, event.last_line, event.at);
        break;
      case "downgraded":
      case "healed":
        this.alter(event.terminal_id, { strategy: event.strategy });
        break;
      case "question":
        this.questions.value = new Map(this.questions.value).set(event.question.id, event.question);
        break;
      case "settled":
        this.questions.value = without(this.questions.value, event.question_id);
        this.over(event.question_id, `${verdict(event.answer, event.rule)} at ${clockTime(event.at)} by ${event.by === this.person ? "you" : event.by}`, clock);
        break;
      case "lease":
        this.onLease(event);
        break;
      case "handoff":
        this.handoffs.value = new Map(this.handoffs.value).set(event.handoff.command_id, event.handoff);
        break;
      case "handoff_over":
        this.handoffs.value = without(this.handoffs.value, event.command_id);
        this.over(`${event.command_id} handoff`, `You are no longer asked to take over: ${event.how}${event.by === null ? "" : ` by ${event.by}`}`, clock);
        break;
      case "server":
        if (event.stopping) this.notice.value = "The server is ending, and its terminals with it.";
        if (event.keeper === false) this.notice.value = "Terminals now end with the server: its keeper is gone.";
        break;
      case "heartbeat":
        break;
    }
  }

  private put(terminal: Terminal): void {
    this.terminals.value = new Map(this.terminals.value).set(terminal.id, terminal);
    if (terminal.command !== null) this.merge([terminal.command]);
  }

  private alter(id: string, facts: Partial<Terminal>): void {
    const terminal = this.terminals.value.get(id);
    if (terminal !== undefined) this.terminals.value = new Map(this.terminals.value).set(id, { ...terminal, ...facts });
  }

  private replace(command: Command): void {
    const list = this.commandsOf(command.terminal_id);
    const index = list.value.findIndex((one) => one.id === command.id);
    list.value = index < 0 ? [...list.value, command].slice(-MOST_COMMANDS) : list.value.with(index, command);
    const last = this.terminals.value.get(command.terminal_id)?.command;
    if (last === undefined || last === null || number(last.id) <= number(command.id)) {
      const cwd = command.finished && command.cwd !== null ? { cwd: command.cwd } : {};
      this.alter(command.terminal_id, { command, busy: !command.finished, ...cwd });
    }
  }

  private onCommand(command: Command, clock: number): void {
    this.stopWaiting(this.command(command.id), clock);
    this.replace(command);
    if (!command.finished) return;
    this.progress.value = without(this.progress.value, command.id);
    this.activity.value = without(this.activity.value, command.id);
  }

  private stopWaiting(before: Command | null, clock: number): void {
    if (before?.waiting) this.over(`${before.id}:${before.episode}`, `No longer waiting since ${clockTime(this.now.value)}`, clock);
  }

  private onWaiting(event: Event & { event: "waiting" | "resumed" }, clock: number): void {
    const before = this.command(event.command_id) ?? this.terminals.value.get(event.terminal_id)?.command ?? null;
    if (before !== null && before.id === event.command_id) {
      if (event.episode !== before.episode) this.stopWaiting(before, clock);
      const state = event.waiting === null ? "running" : "waiting";
      this.replace({ ...before, state, waiting: event.waiting, episode: event.episode, waiting_since: event.waiting_since });
    }
  }

  private onProgress(id: string, count: number, line: string, at: number): void {
    const before = this.progress.value.get(id);
    const rate = before === undefined || at <= before.at ? 0 : (count - before.bytes) / (at - before.at);
    const lines = [...(before?.lines ?? []).filter((one) => one !== line), line].filter((one) => one !== "").slice(-2);
    this.progress.value = new Map(this.progress.value).set(id, { bytes: count, rate, at, lines });
  }

  /** The last lines of a command that had printed them before this page came. */
  recall(id: string, lines: readonly string[]): void {
    const command = this.command(id);
    if (command === null || command.finished || this.progress.value.has(id)) return;
    const shown = lines.filter((one) => one !== "");
    this.progress.value = new Map(this.progress.value).set(id, { bytes: command.output_bytes, rate: 0, at: this.now.value, lines: shown });
  }

  /** An answer of the server about a command, and when it came. */
  look(id: string, found: { output_bytes: number; quiet_seconds: number; cpu_seconds: number | null }, at: number): void {
    if (this.command(id)?.finished !== false) return;
    const before = this.activity.value.get(id);
    const cpu = found.cpu_seconds;
    const took = cpu === null || before === undefined || before.cpu === null ? null : Math.max(0, cpu - before.cpu); // less: a process of it has ended
    const share = took === null || before === undefined ? null : took / Math.max(1, at - before.at);
    const since = at + this.skew - found.quiet_seconds;
    this.activity.value = new Map(this.activity.value).set(id, { bytes: found.output_bytes, since, cpu, at, share });
  }

  private onLease(event: Event & { event: "lease" }): void {
    const lease =
      event.holder === null ? null : { holder: event.holder, reason: event.reason, until: event.until, wanted_by: event.wanted_by };
    this.alter(event.terminal_id, { lease });
    if (lease !== null) return;
    this.refused.value = without(this.refused.value, event.terminal_id);
    this.hold(event.terminal_id, null);
    if (event.did !== undefined) this.did.value = new Map(this.did.value).set(event.terminal_id, event.did);
  }
}

function without<T>(from: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  if (!from.has(key)) return from;
  const left = new Map(from);
  left.delete(key);
  return left;
}

/** Of an id such as t3-14: 14. */
export function number(id: string): number {
  return Number(id.slice(id.lastIndexOf("-") + 1)) || 0;
}

export function endOf(command: Command): number {
  return (command.started_at ?? 0) + command.duration;
}
