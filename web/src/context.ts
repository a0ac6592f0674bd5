// What every view gets: the store, the wire, and where the page is.
//
//    /                 Now                      /t/ID, /t/ID?take    a terminal; it is taken over
//    /#terminals       the list, on a phone     /t/ID/c/COMMAND#L7   a command in it, a line of its output
//    /history?q=…      History

import { type Signal, signal } from "@preact/signals-core";
import { systemClock } from "./clock.ts";
import { EarlyKeys } from "./early_keys.ts";
import type { Store } from "./store.ts";
import { Refusal, Unreachable, type Wire } from "./wire.ts";

export type Route =
  | { readonly place: "now" }
  | { readonly place: "terminals" }
  | { readonly place: "terminal"; readonly id: string; readonly command: string | null; readonly line: number | null; readonly take: boolean }
  | { readonly place: "history"; readonly query: URLSearchParams };

export function readRoute(path: string, search: string, hash: string): Route {
  const [, t, id, c, command] = path.split("/");
  if (t === "t" && id !== undefined && id !== "") {
    const line = /^#L(\d+)$/.exec(hash);
    const at = c === "c" && command !== undefined && command !== "" ? decodeURIComponent(command) : null;
    return { place: "terminal", id: decodeURIComponent(id), command: at, line: line === null ? null : Number(line[1]), take: new URLSearchParams(search).has("take") };
  }
  if (t === "history") return { place: "history", query: new URLSearchParams(search) };
  return hash === "#terminals" ? { place: "terminals" } : { place: "now" };
}

export class Page {
  readonly route: Signal<Route>;
  readonly chosen = signal<string | null>(null); // the command that J and K are at
  readonly toast = signal<string | null>(null);
  readonly early = new EarlyKeys(systemClock, () => this.say("The terminal did not come: what you typed was dropped."));
  private toastTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly store: Store,
    readonly wire: Wire,
  ) {
    this.route = signal(readRoute(location.pathname, location.search, location.hash));
    addEventListener("popstate", () => this.read());
    addEventListener("hashchange", () => this.read());
  }

  private read(): void {
    this.route.value = readRoute(location.pathname, location.search, location.hash);
  }

  go(path: string, replace = false): void {
    history[replace ? "replaceState" : "pushState"](null, "", path);
    this.read();
  }

  may(right: "answer" | "type"): boolean {
    return this.wire.session.rights.includes(right);
  }

  get isLive(): boolean {
    return this.store.link.value.kind === "live";
  }

  say(text: string): void {
    this.toast.value = text;
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => (this.toast.value = null), 4000);
  }

  /** Does it; what is refused is said. */
  async attempt<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.say(sentence(error));
      return null;
    }
  }
}

export function sentence(error: unknown): string {
  if (error instanceof Unreachable) return "The server does not answer. Nothing is known to have happened.";
  if (error instanceof Refusal) return error.message;
  return error instanceof Error ? error.message : String(error);
}

/** A link inside the page. */
export function inside(page: Page, path: string): { href: string; on: { click: (event: MouseEvent) => void } } {
  const click = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    page.go(path);
  };
  return { href: path, on: { click } };
}
