// What a command does that prints nothing: the server is asked each 15 seconds, while this page is looked at.
//
// A page that comes late does not know when a command has printed last, or that it has printed nothing at all.

import { effect, untracked } from "@preact/signals-core";
import type { Page } from "./context.ts";
import type { Command } from "./model.ts";
import { quietFor } from "./state.ts";

const PERIOD_SECONDS = 15;
const MOST = 20; // commands each time

export function watchQuiet(page: Page): void {
  const { store, wire } = page;
  let next = 0;
  effect(() => {
    const now = store.now.value; // it stands still while nobody looks
    if (now < next || store.link.value.kind !== "live") return;
    next = now + PERIOD_SECONDS;
    untracked(() => {
      for (const { id } of quiet(page).slice(0, MOST)) {
        wire.activity(id).then((found) => store.look(id, found, Date.now() / 1000), () => {}); // it has ended, or is asked again
      }
    });
  });
}

/** Those that run and of which no output came since the server was asked last. */
function quiet({ store }: Page): Command[] {
  return [...store.terminals.value.values()]
    .flatMap(({ command }) => (command === null || command.state !== "running" ? [] : [command]))
    .filter((one) => !store.progress.value.get(one.id)?.rate || quietFor(store, one) >= PERIOD_SECONDS);
}
