// Keys of a terminal: among its commands, and to take it over.

import { type BlockFacts, copyLink, copyOutput, evidenceShown, toggleFold } from "./blocks.ts";
import type { Page } from "./context.ts";
import type { Feed } from "./feed.ts";
import { giveBack, take } from "./hold.ts";

export interface Shown {
  readonly id: string;
  readonly feed: Feed;
  readonly facts: () => readonly BlockFacts[];
}

export function terminalKey(page: Page, here: Shown, key: string): boolean {
  const all = here.facts();
  const at = all.findIndex((one) => one.command.id === page.chosen.value);
  const now = all[at];
  switch (key) {
    case "j":
    case "k": {
      const next = at < 0 ? all.at(-1) : all[Math.min(Math.max(0, at + (key === "j" ? 1 : -1)), all.length - 1)];
      if (next === undefined) return true;
      page.chosen.value = next.command.id;
      here.feed.reveal(next.command.id);
      here.feed.element(next.command.id)?.focus({ preventScroll: true });
      return true;
    }
    case "G":
      here.feed.toEnd();
      return true;
    case "t":
      void take(page, here.id);
      return true;
    case "Ctrl Shift G":
      void giveBack(page, here.id);
      return true;
  }
  if (now === undefined) return false;
  switch (key) {
    case "Enter": // of a button it is a press
      if (document.activeElement !== here.feed.element(now.command.id)) return false;
      toggleFold(now.command, all.length - 1 - at);
      return true;
    case "o":
      toggleFold(now.command, all.length - 1 - at);
      return true;
    case "e":
      evidenceShown.value = evidenceShown.value === now.command.id ? null : now.command.id;
      return true;
    case "c":
      void copyOutput(page, now.command.id);
      return true;
    case "l":
      copyLink(page, now.command);
      return true;
    case "r":
      page.go(`/history?${new URLSearchParams({ replay: here.id, at: now.command.id })}`);
      return true;
  }
  return false;
}
