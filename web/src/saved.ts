// What stays in this browser: theme, folds, which failures were seen, whether letters are keys, whether a held terminal
// is read aloud. Nothing secret.

import { type Signal, signal } from "@preact/signals-core";

const MOST = 400; // folds and seen commands that are remembered

function kept<T>(name: string, start: T): Signal<T> {
  let first = start;
  try {
    const found = localStorage.getItem(`truetty.${name}`);
    if (found !== null) first = JSON.parse(found) as T;
  } catch {
    // Storage that is off or holds something else: the page works without.
  }
  const made = signal(first);
  made.subscribe((value) => {
    try {
      localStorage.setItem(`truetty.${name}`, JSON.stringify(value));
    } catch {
      // As above.
    }
  });
  return made;
}

function bounded(from: Readonly<Record<string, string>>, key: string, value: string): Record<string, string> {
  const { [key]: _, ...others } = from;
  return Object.fromEntries([...Object.entries(others).slice(-MOST + 1), [key, value]]);
}

export const saved = {
  theme: kept<"auto" | "dark" | "light">("theme", "auto"),
  letters: kept("letters", true),
  reader: kept("reader", false), // a held terminal is written out for screen readers
  tell: kept("tell", false), // notifications were asked for
  folds: kept<Readonly<Record<string, string>>>("folds", {}),
  seen: kept<Readonly<Record<string, string>>>("seen", {}),
  setFold(command: string, is: "open" | "folded"): void {
    this.folds.value = bounded(this.folds.value, command, is);
  },
  setSeen(terminal: string, command: string): void {
    if (this.seen.value[terminal] !== command) this.seen.value = bounded(this.seen.value, terminal, command);
  },
};
