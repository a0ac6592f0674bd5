// One live view: its socket, what was drawn, and what is acknowledged. It knows no elements.
//
//    picture ──▸ bytes, each `from` where the last one ended ──▸ a gap: ask for a picture
//
// Rule 1: a picture is drawn by one write of ESC c and the dump; the dump may end inside an escape sequence.
// Rule 2: `ack` is sent when the emulator has drawn, at most each 64 kB or 250 ms.
// Rule 3: it is live when the emulator has drawn where the terminal stands. Before that no key is taken: what an arrow
//         types depends on modes that the program has set.
// Rule 4: keys that are typed while the socket is not open are dropped. A late Enter is worse than a lost one.

import { type Clock, OPEN, type Socket } from "./link.ts";
import { type Frame, readFrame, say } from "./wire.ts";

const ACK_BYTES = 64 << 10;
const ACK_MS = 250;
const RETRY_MS = 400;
const LONGEST_MS = 5000;

export interface Drawer {
  write(data: string | Uint8Array, done: () => void): void;
  resize(columns: number, rows: number): void;
}

export interface Watcher {
  onBytes(data: Uint8Array): void;
  onPicture(frame: Frame & { t: "picture" }): void;
  onLease(frame: Frame & { t: "lease" }): void;
  onLive(): void;
  onBye(code: string): void;
  onError(message: string): void;
}

export class Watching {
  private socket: Socket | null = null;
  private seq: number | null = null; // drawn up to here
  private epoch: string | null = null;
  private acknowledged = 0;
  private cancelAck: (() => void) | null = null;
  private cancelRetry: () => void = () => {};
  private wait = RETRY_MS;
  private isOver = false;
  private isLive = false; // what is drawn is what the terminal of this socket shows
  private lease: string | null = null;
  private wanted: readonly [number, number] | null = null; // the size of the holder's window

  constructor(
    private readonly open: (from: number | null, epoch: string | null) => Socket,
    private readonly drawer: Drawer,
    private readonly watcher: Watcher,
    private readonly clock: Clock,
  ) {}

  start(): void {
    if (this.socket !== null || this.isOver) return;
    this.cancelRetry();
    const socket = this.open(this.seq, this.epoch);
    this.socket = socket;
    this.isLive = false;
    socket.onmessage = ({ data }: { data: unknown }) => {
      if (socket !== this.socket) return;
      const frame = readFrame(data as string | ArrayBuffer);
      if (frame !== null) this.take(frame);
    };
    socket.onclose = () => {
      if (socket !== this.socket) return;
      this.socket = null;
      if (this.isOver) return;
      this.cancelRetry = this.clock.in(this.wait, () => this.start());
      this.wait = Math.min(this.wait * 2, LONGEST_MS);
    };
  }

  /** Without a socket, until `start`. */
  pause(): void {
    this.cancelRetry();
    this.cancelAck?.();
    this.cancelAck = null;
    const socket = this.socket;
    this.socket = null;
    if (socket === null) return;
    socket.onmessage = socket.onclose = null;
    socket.close();
  }

  end(): void {
    this.isOver = true;
    this.pause();
  }

  hold(lease: string | null): void {
    if (this.lease === lease) return;
    this.lease = lease;
    this.wanted = null;
    if (lease !== null) this.send(say.lease(lease));
  }

  get canType(): boolean {
    return this.lease !== null && this.isLive && this.socket?.readyState === OPEN;
  }

  /** False: it was dropped. */
  type(text: string): boolean {
    return this.canType && this.send(say.keys(this.lease as string, text));
  }

  resize(size: readonly [number, number]): void {
    if (this.lease === null || (this.wanted?.[0] === size[0] && this.wanted[1] === size[1])) return;
    this.wanted = size;
    this.send(say.size(this.lease, size));
  }

  private send(text: string): boolean {
    if (this.socket === null || this.socket.readyState !== OPEN) return false;
    this.socket.send(text);
    return true;
  }

  private take(frame: Frame): void {
    switch (frame.t) {
      case "hello":
        this.wait = RETRY_MS;
        if (this.epoch !== frame.epoch) this.seq = null;
        this.epoch = frame.epoch;
        if (this.lease !== null) {
          this.send(say.lease(this.lease));
          if (this.wanted !== null) this.send(say.size(this.lease, this.wanted));
        }
        if (frame.from !== null) this.live();
        break;
      case "picture":
        this.drawer.resize(...frame.size);
        this.seq = frame.seq;
        this.draw(`\u001bc${frame.dump}`, frame.seq);
        this.watcher.onPicture(frame);
        break;
      case "bytes":
        if (this.seq !== null && frame.from !== this.seq) {
          this.seq = null;
          this.send(say.picture());
        } else if (this.seq !== null) {
          this.seq = frame.to;
          this.draw(frame.data, frame.to);
          this.watcher.onBytes(frame.data);
        }
        break;
      case "size":
        this.drawer.resize(...frame.size);
        break;
      case "lease":
        this.watcher.onLease(frame);
        break;
      case "bye":
        if (frame.code === "kicked" || frame.code === "closed") this.isOver = true;
        this.watcher.onBye(frame.code);
        break;
      case "error":
        this.watcher.onError(frame.message);
        break;
    }
  }

  private draw(data: string | Uint8Array, seq: number): void {
    const { socket } = this;
    this.drawer.write(data, () => {
      if (socket === this.socket) this.drawn(seq);
    });
  }

  private live(): void {
    if (this.isLive) return;
    this.isLive = true;
    this.watcher.onLive();
  }

  private drawn(seq: number): void {
    this.live();
    if (seq - this.acknowledged >= ACK_BYTES) this.acknowledge(seq);
    else {
      this.cancelAck?.();
      this.cancelAck = this.clock.in(ACK_MS, () => this.acknowledge(seq));
    }
  }

  private acknowledge(seq: number): void {
    this.cancelAck?.();
    this.cancelAck = null;
    this.acknowledged = seq;
    this.send(say.ack(seq));
  }
}
