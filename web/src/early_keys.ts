// Keys that are typed after "Take over" and before the terminal can be typed into: they are kept, and sent in order.
//
//    off ──begin──▸ keeping ──release: sent in one frame──▸ off
//          the first key is 5 s old │        └──end: refused, given back, left──▸ off: thrown away
//                                   ▼
//                               dropping: these and all that follow are thrown away, until `release` or `end`
//
// Rule 1: a key is sent once and in its place, or it is thrown away together with what was typed around it. Half a
//         line, or a line that comes late, is worse than none.
// Rule 2: while keys are kept or thrown away, none of them is a key of the page: an `a` of `apt` allows nothing.

import type { Clock } from "./link.ts";

const KEEP_MS = 5000;

export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly repeat: boolean;
}

export type State =
  | { readonly kind: "off" }
  | { readonly kind: "keeping"; readonly terminal: string; readonly keys: readonly Kept[] }
  | { readonly kind: "dropping"; readonly terminal: string };

/** What is typed; for arrows it depends on the mode that the program has set, which is known when it is sent. */
type Kept = (applicationArrows: boolean) => string;

export class EarlyKeys {
  private state: State = { kind: "off" };
  private cancel: () => void = () => {};

  constructor(
    private readonly clock: Clock,
    private readonly onLoss: () => void,
  ) {}

  begin(terminal: string): void {
    if (this.state.kind === "off" || this.state.terminal !== terminal) this.set({ kind: "keeping", terminal, keys: [] });
  }

  /** Whether a key was taken: the page and the emulator do nothing with it. */
  press(event: Pressed): boolean {
    const { state } = this;
    const kept = state.kind === "off" ? null : keyOf(event);
    if (kept === null) return false;
    // The key that has taken the terminal may still be down: its repeats are not typed.
    return (event.repeat && state.kind === "keeping" && state.keys.length === 0) || this.keep(kept);
  }

  /** Whether a text for this terminal was taken. */
  type(terminal: string, text: string): boolean {
    return this.state.kind !== "off" && this.state.terminal === terminal && this.keep(() => text);
  }

  /** The terminal can be typed into. */
  release(terminal: string, applicationArrows: boolean, send: (text: string) => void): void {
    const { state } = this;
    if (state.kind === "off" || state.terminal !== terminal) return;
    this.set({ kind: "off" });
    if (state.kind === "keeping" && state.keys.length > 0) send(state.keys.map((key) => key(applicationArrows)).join(""));
  }

  /** The terminal is not taken, or no longer looked at. */
  end(terminal: string): void {
    if (this.state.kind !== "off" && this.state.terminal === terminal) this.set({ kind: "off" });
  }

  private set(state: State): void {
    this.cancel();
    this.state = state;
  }

  private keep(key: Kept): boolean {
    const { state } = this;
    if (state.kind !== "keeping") return state.kind === "dropping";
    if (state.keys.length === 0) {
      this.cancel = this.clock.in(KEEP_MS, () => {
        this.set({ kind: "dropping", terminal: state.terminal });
        this.onLoss();
      });
    }
    this.state = { ...state, keys: [...state.keys, key] };
    return true;
  }
}

const NAMED: Readonly<Record<string, string>> = {
  Enter: "\r", Tab: "\t", Backspace: "\u007f", Escape: "\u001b", Delete: "\u001b[3~", PageUp: "\u001b[5~", PageDown: "\u001b[6~",
};
const ARROWS: Readonly<Record<string, string>> = { ArrowUp: "A", ArrowDown: "B", ArrowRight: "C", ArrowLeft: "D", Home: "H", End: "F" };

/** The control character of a letter: Ctrl A is 1. */
export function control(text: string): string {
  const code = text.toUpperCase().charCodeAt(0);
  return code >= 64 && code <= 95 ? String.fromCharCode(code - 64) + text.slice(1) : text;
}

/** Null: a key that types nothing, or one of the page or the browser. */
function keyOf({ key, ctrlKey, altKey, metaKey, shiftKey }: Pressed): Kept | null {
  if (metaKey || (ctrlKey && shiftKey)) return null;
  const escape = altKey ? "\u001b" : "";
  const arrow = ARROWS[key];
  if (arrow !== undefined) return (application) => `${escape}\u001b${application ? "O" : "["}${arrow}`;
  const named = key === "Tab" && shiftKey ? "\u001b[Z" : NAMED[key];
  if (named !== undefined) return () => escape + named;
  if ([...key].length !== 1) return null;
  if (!ctrlKey) return () => escape + key;
  const typed = key === " " ? "\0" : control(key);
  return typed === key ? null : () => escape + typed;
}
