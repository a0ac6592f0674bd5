// The protocol of `truetty serve --web`: the only file that knows its routes, headers, frames and names.
//
// Rule 1: every request carries the key of the session as a header, every WebSocket as a second subprotocol. The
//         cookie goes along by itself; neither is enough alone.
// Rule 2: what comes in is checked for what it is before it is used. A frame or an event of a later version is passed
//         over.
// Rule 3: a refused call throws Refusal with the server's code, sentence and facts.

import type {
  Command,
  Deed,
  Handoff,
  Holding,
  Question,
  Settlement,
  Terminal,
  Waiting,
} from "./model.ts";

export interface Session {
  readonly key: string;
  readonly name: string;
  readonly expires_at: number;
  readonly rights: readonly string[];
  readonly terminal: string | null;
  readonly epoch: string;
  readonly truetty: string;
}

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly facts: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }
}

/** No answer came: the server or the way to it is gone. */
export class Unreachable extends Error {}

// -- events

interface Numbered {
  readonly seq: number;
  readonly epoch: string;
  readonly at: number;
}
export type Event = Numbered &
  (
    | {
        event: "reset";
        terminals: readonly Terminal[];
        commands: readonly Command[];
        questions: readonly Question[];
        handoffs: readonly Handoff[];
      }
    | { event: "opened" | "changed" | "closed"; terminal: Terminal }
    | { event: "started" | "finished"; command: Command }
    | {
        event: "waiting" | "resumed";
        command_id: string;
        terminal_id: string;
        episode: number | null;
        waiting: Waiting | null;
        waiting_since: number | null;
      }
    | { event: "progress"; command_id: string; terminal_id: string; output_bytes: number; last_line: string }
    | { event: "downgraded" | "healed"; terminal_id: string; strategy: string }
    | { event: "question"; question: Question }
    | ({ event: "settled"; question_id: string } & Settlement)
    | ({ event: "lease"; terminal_id: string; did?: readonly Deed[] } & (
        | Holding
        | { holder: null; reason: string; until: null; wanted_by?: null }
      ))
    | { event: "server"; keeper?: boolean; upgrading?: boolean; stopping?: boolean }
    | { event: "handoff"; handoff: Handoff }
    | { event: "handoff_over"; command_id: string; terminal_id: string; how: string; by: string | null }
    | { event: "heartbeat" }
  );

/** An event, `pong`, or null: a frame of a later version. */
export function readEvent(text: string): Event | "pong" | null {
  const found = asObject(text);
  if (found === null) return null;
  if (found["t"] === "pong") return "pong";
  if (typeof found["event"] !== "string" || typeof found["seq"] !== "number") return null;
  return found as unknown as Event;
}

// -- frames of a view

export type Frame =
  | { t: "hello"; epoch: string; size: [number, number]; from: number | null; lease: Holding | null; may: readonly string[] }
  | { t: "picture"; n: number; seq: number; size: [number, number]; dump: string; alternate: boolean; skipped: number; why: string }
  | { t: "bytes"; n: number; from: number; to: number; data: Uint8Array }
  | { t: "size"; n: number; seq: number; size: [number, number] }
  | { t: "lease"; n: number; holder: string | null; reason: string | null; until: number | null; mine: boolean }
  | { t: "end"; n: number; seq: number; exit_code: number | null }
  | { t: "bye"; code: string }
  | { t: "pong" }
  | { t: "error"; code: string; message: string };

const HEAD = 20; // u32 n, u64 from, u64 to
const FRAMES = new Set(["hello", "picture", "size", "lease", "end", "bye", "pong", "error"]);

export function readFrame(data: string | ArrayBuffer): Frame | null {
  if (typeof data !== "string") {
    if (data.byteLength < HEAD) return null;
    const view = new DataView(data);
    const [from, to] = [Number(view.getBigUint64(4)), Number(view.getBigUint64(12))];
    return { t: "bytes", n: view.getUint32(0), from, to, data: new Uint8Array(data, HEAD) };
  }
  const found = asObject(data);
  return found !== null && FRAMES.has(String(found["t"])) ? (found as unknown as Frame) : null;
}

function asObject(text: string): Record<string, unknown> | null {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

export const say = {
  ack: (seq: number) => JSON.stringify({ t: "ack", seq }),
  picture: () => JSON.stringify({ t: "picture" }),
  ping: (x: number) => JSON.stringify({ t: "ping", x }),
  lease: (lease: string) => JSON.stringify({ t: "lease", lease }),
  keys: (lease: string, text: string) => JSON.stringify({ t: "keys", lease, text }),
  size: (lease: string, size: readonly [number, number]) => JSON.stringify({ t: "size", lease, size }),
};

// -- answers

/** From this character to before that one (characters, not UTF-16 units), and the look in SGR numbers: `1;31`. */
export type Run = readonly [number, number, string];
export interface Slice {
  readonly first: number;
  readonly lines: readonly string[];
  readonly tail_first: number | null;
  readonly tail: readonly string[];
  readonly total: number;
  readonly cut: readonly number[]; // lines of which only the beginning is here
  readonly colours: readonly (readonly Run[])[]; // of each line
  readonly tail_colours: readonly (readonly Run[])[];
}
/** What is searched or listed. `state` may be `failed`. */
export interface Filter {
  readonly terminal_id?: string | null;
  readonly state?: string | null;
  readonly by?: string | null;
  readonly since?: number | null;
  readonly limit?: number;
}
export interface HistoryPage {
  readonly commands: readonly Command[];
  readonly terminals: readonly Terminal[];
  readonly next: string | null;
  readonly total: number;
}
export interface Hit {
  readonly line: number;
  readonly text: string;
  readonly spans: readonly (readonly [number, number])[];
}
export interface SearchResult {
  readonly command: Command;
  readonly spans: readonly (readonly [number, number])[]; // in the text of the command
  readonly count: number;
  readonly hits: readonly Hit[];
}
export interface SearchPage {
  readonly results: readonly SearchResult[];
  readonly terminals: readonly Terminal[];
  readonly matches: number;
  readonly commands: number;
  readonly searched: number;
  readonly of: number; // commands that there are
  readonly more: boolean;
}
export interface Lease {
  readonly lease: string;
  readonly holder: string;
  readonly until: number;
}

export interface Share {
  readonly id: string;
  readonly terminal_id: string;
  readonly until: number;
  readonly visits: number;
}

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;
const JSON_BODY = { "Content-Type": "application/json", "Truetty-Client": "web" };

async function ask(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, cache: "no-store", credentials: "same-origin" });
  } catch (error) {
    throw new Unreachable(error instanceof Error ? error.message : "no answer");
  }
  if (response.ok) return response;
  const found = asObject(await response.text().catch(() => ""))?.["error"] as
    | { code?: string; message?: string; facts?: Record<string, unknown> }
    | undefined;
  const { code = "unknown", message = `the server answered ${response.status}`, facts = {} } = found ?? {};
  throw new Refusal(response.status, code, message, facts);
}

/** A one-time ticket becomes a session. */
export async function login(ticket: string): Promise<Session> {
  const body = JSON.stringify({ ticket });
  return (await (await ask("/v1/web/login", { method: "POST", headers: JSON_BODY, body })).json()) as Session;
}

function query(fields: Query): string {
  const pairs = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}

/** A retry key: a call that was sent twice is carried out once. */
function retryKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export class Wire {
  constructor(readonly session: Session) {}

  private async get<T>(path: string, fields: Query = {}): Promise<T> {
    const headers = { "Truetty-Key": this.session.key };
    return (await (await ask(path + query(fields), { headers })).json()) as T;
  }

  private async text(path: string, fields: Query = {}): Promise<string> {
    const headers = { "Truetty-Key": this.session.key };
    return await (await ask(path + query(fields), { headers })).text();
  }

  private async act<T>(method: "POST" | "PATCH" | "DELETE", path: string, fields: object = {}, once = false): Promise<T> {
    const headers: Record<string, string> = { ...JSON_BODY, "Truetty-Key": this.session.key };
    if (once) headers["Idempotency-Key"] = retryKey();
    return (await (await ask(path, { method, headers, body: JSON.stringify(fields) })).json()) as T;
  }

  private socket(path: string, protocol: string): WebSocket {
    const made = new WebSocket(`${location.origin.replace(/^http/, "ws")}${path}`, [protocol, `key.${this.session.key}`]);
    made.binaryType = "arraybuffer";
    return made;
  }

  // -- streams

  events(since: number | null, epoch: string | null): WebSocket {
    return this.socket(`/v1/events${query({ since, epoch })}`, "truetty.events.1");
  }

  view(terminal: string, from: number | null, epoch: string | null): WebSocket {
    return this.socket(`/v1/terminals/${encodeURIComponent(terminal)}/view${query({ from, epoch })}`, "truetty.view.1");
  }

  /** Whether the session still holds; throws Unreachable where nothing answers. */
  async isWelcome(): Promise<boolean> {
    try {
      await this.get("/v1/web/session");
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) return false;
      if (error instanceof Refusal) return true;
      throw error;
    }
  }

  // -- what is read

  slice = (command: string, fields: { first?: number; count?: number; tail?: number }): Promise<Slice> =>
    this.get(`/v1/commands/${command}/slice`, { ...fields, colours: true });
  history = (fields: Filter & { before?: string | null }): Promise<HistoryPage> => this.get("/v1/history", { ...fields });
  search = (fields: Filter & { q: string; regex: boolean }): Promise<SearchPage> => this.get("/v1/search", { ...fields });
  activity = (command: string): Promise<{ output_bytes: number; quiet_seconds: number; cpu_seconds: number | null }> =>
    this.get(`/v1/commands/${command}/activity`);
  explain = async (command: string): Promise<string> =>
    (await this.get<{ text: string }>(`/v1/commands/${command}/explain`)).text;
  /** Of the clean text, from this character on: they are counted as the server does, not in UTF-16 units. */
  characters = async (command: string, offset: number, limit: number): Promise<string> =>
    (await this.get<{ text: string }>(`/v1/commands/${command}/page`, { offset, limit })).text;
  screenLines = async (terminal: string): Promise<readonly string[]> =>
    (await this.get<{ lines: string[] }>(`/v1/terminals/${terminal}/screen`)).lines;
  picture = async (command: string, theme: string): Promise<string> =>
    (await this.get<{ text: string }>(`/v1/commands/${command}/picture`, { theme })).text;
  shares = async (): Promise<readonly Share[]> => (await this.get<{ shares: Share[] }>("/v1/web/shares")).shares;
  cast = (terminal: string): Promise<string> => this.text(`/v1/terminals/${terminal}/cast`);

  async raw(command: string): Promise<Blob> {
    const parts: ArrayBuffer[] = [];
    for (let offset = 0; ; ) {
      const headers = { "Truetty-Key": this.session.key };
      const answer = await ask(`/v1/commands/${command}/raw${query({ offset })}`, { headers });
      parts.push(await answer.arrayBuffer());
      const next = Number(answer.headers.get("Truetty-Next-Offset"));
      if (!(next > offset) || next >= Number(answer.headers.get("Truetty-Size"))) break;
      offset = next;
    }
    return new Blob(parts, { type: "application/octet-stream" });
  }

  // -- what is done

  answer = (
    command: string,
    fields: { episode: number; text: string; enter: boolean; secret?: boolean },
  ): Promise<Command> => this.act("POST", `/v1/commands/${command}/answer`, fields, true);
  settle = (question: string, fields: { answer: string; rule?: string; word?: string }): Promise<Settlement> =>
    this.act("POST", `/v1/questions/${question}`, fields);
  interrupt = (command: string): Promise<unknown> => this.act("POST", `/v1/commands/${command}/interrupt`);
  stop = (command: string): Promise<unknown> => this.act("POST", `/v1/commands/${command}/stop`);
  close = (terminal: string): Promise<unknown> => this.act("DELETE", `/v1/terminals/${terminal}`, {}, true);
  lease = (terminal: string, holder: string): Promise<Lease> =>
    this.act("POST", `/v1/terminals/${terminal}/lease`, { holder, reason: "" }, true);
  giveBack = (terminal: string, lease: string): Promise<{ did: readonly Deed[] }> =>
    this.act("DELETE", `/v1/terminals/${terminal}/lease/${encodeURIComponent(lease)}`);
  want = (terminal: string, name: string): Promise<Holding> =>
    this.act("POST", `/v1/terminals/${terminal}/lease/request`, { name });
  decline = (command: string): Promise<unknown> => this.act("POST", `/v1/handoffs/${command}`);
  revoke = (share: string): Promise<unknown> => this.act("DELETE", `/v1/web/shares/${share}`);
}
