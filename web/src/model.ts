// What the page knows: the values that wire.ts reads, with the names of the server's forms.
//
// Rule: unknown is null.

export type State = "running" | "waiting" | "finished" | "lost";
export type WaitingKind = "line" | "secret" | "key" | "fullscreen" | "continuation" | "shell";

export interface Waiting {
  readonly kind: WaitingKind;
  readonly prompt: string;
  readonly program: string | null;
  readonly certain: boolean;
  readonly asks: string | null;
  readonly choices: readonly string[];
  readonly labels: readonly string[];
  readonly default: string | null;
  readonly hint: string;
}

export interface Command {
  readonly id: string;
  readonly terminal_id: string;
  readonly text: string;
  readonly state: State;
  readonly finished: boolean;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly evidence: string | null;
  readonly strategy: string;
  readonly waiting: Waiting | null;
  readonly episode: number | null;
  readonly timed_out: boolean;
  readonly started_at: number | null;
  readonly duration: number;
  readonly cwd: string | null;
  readonly output_bytes: number;
  readonly complete: boolean;
  readonly notes: readonly string[];
  readonly by?: "agent" | "person" | "program" | null;
  readonly client?: string | null;
  readonly waiting_since: number | null; // seconds since 1970
}

export interface Holding {
  readonly holder: string;
  readonly reason: string;
  readonly until: number;
  readonly wanted_by: string | null; // another person who has asked for it
}

export interface Terminal {
  readonly id: string;
  readonly name: string | null;
  readonly task: string | null;
  readonly shell: string;
  readonly cwd: string | null;
  readonly size: readonly [number, number];
  readonly busy: boolean;
  readonly closed: boolean;
  readonly exit_code: number | null;
  readonly strategy: string;
  readonly command: Command | null;
  readonly opened_at: number | null;
  readonly client: string | null;
  readonly lease: Holding | null;
  readonly viewers: number;
  readonly keeper: boolean;
}

/** A sub-command of a question, as the policy has understood it. */
export interface Part {
  readonly command: string;
  readonly verdict: "allow" | "ask" | "deny";
  readonly rule: string | null;
  readonly reason: string;
}

export interface Question {
  readonly id: string;
  readonly command: string;
  readonly reason: string;
  readonly rule: string | null;
  readonly suggestions: readonly string[]; // the rules that `always` adds; none: it has none
  readonly terminal_id: string | null;
  readonly task: string | null;
  readonly client: string | null;
  readonly asked_at: number;
  readonly cwd?: string | null;
  readonly kept_in?: string | null; // the file that `always` writes its rules into; null: they hold until the server ends
  readonly parts?: readonly Part[]; // none: the text could not be taken apart
}

/** An agent asks a person to take a terminal over. */
export interface Handoff {
  readonly command_id: string;
  readonly terminal_id: string;
  readonly reason: string; // the agent's words
  readonly reader: string; // which program gets what is typed
  readonly warnings: readonly string[];
  readonly asked_at: number;
}

/** How a question was settled. */
export interface Settlement {
  readonly id: string;
  readonly answer: string | null;
  readonly by: string;
  readonly rule: string | null;
  readonly word: string | null;
}

export interface Deed {
  readonly text: string;
  readonly exit_code: number | null;
}
