// The connection for events: it is kept, and found again.
//
//    connecting ──first event──▸ live ──closed · no pong within 3 s──▸ connecting (0.2, 0.4, 0.8 … 5 s, ±20 %, for ever)
//        │ 401                                                             at once on `online`, focus, `pageshow`
//        ▼
//      over: the session has ended; a new link is needed
//
// Rule 1: after a gap it asks for what came after the last event. The server answers with that, or with `reset`.
// Rule 2: a page that wakes up asks for a pong: the socket of a phone that slept is dead and does not say so.
// Rule 3: time comes from `clock`, so that tests turn it by hand.

import { type Event, readEvent, say } from "./wire.ts";

export type LinkState = { kind: "connecting" | "live" | "over"; since: number };

/** The part of a WebSocket that is used. The events are `any`: a WebSocket has its own, with more in them. */
export interface Socket {
  readonly readyState: number;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface Clock {
  now(): number; // milliseconds
  in(milliseconds: number, run: () => void): () => void; // returns what cancels it
}

export const OPEN = 1; // of readyState
const PONG_MS = 3000;
const FIRST_MS = 200;
const LONGEST_MS = 5000;

export class Link {
  private socket: Socket | null = null;
  private seq: number | null = null;
  private epoch: string | null = null;
  private wait = FIRST_MS;
  private cancelRetry: () => void = () => {};
  private cancelPong: () => void = () => {};
  private ended = false;

  constructor(
    private readonly open: (since: number | null, epoch: string | null) => Socket,
    private readonly isWelcome: () => Promise<boolean>,
    private readonly onEvent: (event: Event) => void,
    private readonly onState: (state: LinkState) => void,
    private readonly clock: Clock,
    private readonly random: () => number = Math.random,
  ) {}

  start(): void {
    this.onState({ kind: "connecting", since: this.clock.now() });
    this.connect();
  }

  /** The page is looked at again, or the network is back. */
  wake(): void {
    if (this.ended) return;
    if (this.socket === null) {
      this.cancelRetry();
      this.wait = FIRST_MS;
      this.connect();
      return;
    }
    this.cancelPong();
    if (this.socket.readyState === OPEN) this.socket.send(say.ping(1)); // otherwise `onopen` does
    this.cancelPong = this.clock.in(PONG_MS, () => this.lose(this.socket));
  }

  end(): void {
    this.ended = true;
    this.cancelRetry();
    this.cancelPong();
    this.drop();
    this.onState({ kind: "over", since: this.clock.now() });
  }

  private drop(): void {
    const socket = this.socket;
    this.socket = null;
    if (socket === null) return;
    socket.onmessage = socket.onclose = null;
    socket.close();
  }

  private connect(): void {
    const socket = this.open(this.seq, this.epoch);
    this.socket = socket;
    let isLive = false;
    socket.onmessage = ({ data }: { data: unknown }) => {
      if (socket !== this.socket || typeof data !== "string") return;
      this.cancelPong();
      const event = readEvent(data);
      if (event === null) return;
      if (!isLive) {
        isLive = true;
        this.wait = FIRST_MS;
        this.onState({ kind: "live", since: this.clock.now() });
      }
      if (event !== "pong") this.take(event);
    };
    socket.onclose = () => this.lose(socket);
    // A resumed stream may have nothing to say: a pong tells that it is there.
    socket.onopen = () => {
      if (socket === this.socket) socket.send(say.ping(0));
    };
  }

  private take(event: Event): void {
    // The server numbers one by one in one life; what was there before a reset comes no more.
    if (event.event !== "reset" && event.event !== "heartbeat" && event.epoch === this.epoch && this.seq !== null) {
      if (event.seq <= this.seq) return;
    }
    this.seq = event.seq;
    this.epoch = event.epoch;
    this.onEvent(event);
  }

  private lose(socket: Socket | null): void {
    if (socket === null || socket !== this.socket || this.ended) return;
    this.cancelPong();
    this.drop();
    this.onState({ kind: "connecting", since: this.clock.now() });
    const pause = this.wait * (0.8 + 0.4 * this.random());
    this.wait = Math.min(this.wait * 2, LONGEST_MS);
    this.cancelRetry = this.clock.in(pause, () => this.connect());
    // A refused upgrade looks like a lost one (code 1006): whether the session has ended is asked over HTTP.
    this.isWelcome().then(
      (is) => {
        if (!is) this.end();
      },
      () => {},
    );
  }
}
