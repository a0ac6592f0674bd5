// Fakes: a clock that is turned by hand, and sockets that say what a test has them say.

import type { Clock, Socket } from "../src/link.ts";
import type { Command, Terminal, Waiting } from "../src/model.ts";

export class HandClock implements Clock {
  private time = 0;
  private timers: { at: number; run: () => void }[] = [];

  now(): number {
    return this.time;
  }

  in(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.time + milliseconds, run };
    this.timers.push(timer);
    return () => (this.timers = this.timers.filter((one) => one !== timer));
  }

  turn(milliseconds: number): void {
    const end = this.time + milliseconds;
    for (;;) {
      const next = this.timers.filter((one) => one.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.timers = this.timers.filter((one) => one !== next);
      this.time = next.at;
      next.run();
    }
    this.time = end;
  }
}

export class HandSocket implements Socket {
  readyState = 0;
  onopen: ((event: unknown) => void) | null = null;
  onmessage: ((event: unknown) => void) | null = null;
  onclose: ((event: unknown) => void) | null = null;
  readonly sent: Record<string, unknown>[] = [];
  isClosed = false;

  open(): this {
    this.readyState = 1;
    this.onopen?.({});
    return this;
  }

  say(frame: object | ArrayBuffer): void {
    this.onmessage?.({ data: frame instanceof ArrayBuffer ? frame : JSON.stringify(frame) });
  }

  lose(code = 1006): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }

  close(): void {
    this.isClosed = true;
  }
}

/** A frame of bytes, as the server packs it. */
export function bytes(n: number, from: number, to: number, text: string): ArrayBuffer {
  const data = new TextEncoder().encode(text);
  const frame = new ArrayBuffer(20 + data.length);
  const view = new DataView(frame);
  view.setUint32(0, n);
  view.setBigUint64(4, BigInt(from));
  view.setBigUint64(12, BigInt(to));
  new Uint8Array(frame, 20).set(data);
  return frame;
}

export function waiting(facts: Partial<Waiting> = {}): Waiting {
  return { kind: "line", prompt: "Go on? [Y/n]", program: "apt", certain: true, asks: "yes-no", choices: ["y", "n"], labels: [], default: "y", hint: "", ...facts };
}

export function command(id: string, facts: Partial<Command> = {}): Command {
  return {
    id, terminal_id: id.slice(0, id.lastIndexOf("-")), text: "make", state: "running", finished: false, exit_code: null, signal: null,
    evidence: null, strategy: "rich", waiting: null, episode: null, waiting_since: null, timed_out: false, started_at: 100, duration: 1, cwd: "/w",
    output_bytes: 10, complete: true, notes: [], ...facts,
  };
}

export function terminal(id: string, facts: Partial<Terminal> = {}): Terminal {
  return {
    id, name: null, task: null, shell: "bash", cwd: "/w", size: [80, 24], busy: false, closed: false, exit_code: null, strategy: "rich",
    command: null, opened_at: 50, client: "claude-code/2.1", lease: null, viewers: 0, keeper: true, ...facts,
  };
}
