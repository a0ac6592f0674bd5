// A terminal: its commands as blocks, the live end, and the keyboard.

import { effect, signal, untracked } from "@preact/signals-core";
import { type BlockFacts, evidenceShown } from "./blocks.ts";
import { cards } from "./cards.ts";
import type { Page } from "./context.ts";
import { ask, menu } from "./dialogs.ts";
import { h, onEnd, region } from "./dom.ts";
import { Feed } from "./feed.ts";
import { hasFailed, nameById, nameOf, terminalOf } from "./groups.ts";
import { giveBack, heldBar, keyBar, keyboard, lastDeeds, lastKey, take } from "./hold.ts";
import { glyph } from "./icons.ts";
import { placeKeys } from "./keys.ts";
import type { Terminal } from "./model.ts";
import { saved } from "./saved.ts";
import { saveCast, saveLog } from "./saving.ts";
import { showShares } from "./shares.ts";
import { type Live, liveScreen } from "./screen.ts";
import { terminalKey } from "./terminal_keys.ts";
import { count, path } from "./words.ts";

const LIVE_AFTER_MS = 250; // a command that ends before gets no live end: it would only flash
const HISTORY = 100; // commands of one request

export function terminalView(page: Page, id: string): Element {
  const { store } = page;
  const terminal = (): Terminal | undefined => store.terminals.value.get(id);
  const commands = store.commandsOf(id);
  const total = signal<number | null>(null);
  const isHeld = () => store.leases.value.has(id);
  const isLookedAt = signal(false); // the screen is shown though nothing runs
  const newLines = signal(0);
  const live = signal<Live | null>(null);

  const facts = (): readonly BlockFacts[] => {
    const all = commands.value;
    return all.map((command, index) => ({ command, index, total: all.length, cwdBefore: all[index - 1]?.cwd ?? null }));
  };
  const history = loadHistory(page, id, (number) => (total.value = number));
  const runs = settledRun(page, id);
  const tail = h(
    "div",
    {},
    region(
      () => terminal() !== undefined && (isHeld() || isLookedAt.value || runs.value),
      (is) => {
        if (!is) return null;
        const made = liveScreen(page, id, {
          command: () => (terminal()?.command?.finished === false ? (terminal()?.command?.text ?? null) : null),
          isHeld,
          giveBack: () => void giveBack(page, id),
          onLines: (lines) => {
            if (!feed.follows.value) newLines.value += lines;
          },
        });
        untracked(() => (live.value = made));
        onEnd(() => (live.value = null));
        return made.element;
      },
    ),
    cards(page, (need) => terminalOf(need, store) === id, "What it asks"),
    lastDeeds(page, id),
    region(() => commands.value.length === 0 && total.value !== null && !isHeld() && !isLookedAt.value, (is) => (is ? h("p", { class: "empty" }, "No command has run here yet.") : null)),
  );
  const feed = new Feed(page, id, facts, tail, () => void history.older());
  onEnd(effect(() => {
    if (feed.follows.value) newLines.value = 0;
  }));
  let wasHeld = false;
  onEnd(effect(() => {
    if (isHeld()) untracked(() => feed.toEnd());
    else if (wasHeld) page.early.end(id);
    wasHeld = isHeld();
  }));
  placeKeys.value = (key) => terminalKey(page, { id, feed, facts }, key);
  onEnd(() => {
    placeKeys.value = null;
    evidenceShown.value = null;
  });
  follow(page, id, feed);
  onEnd(effect(() => {
    const route = page.route.value;
    if (route.place !== "terminal" || route.id !== id || !route.take) return;
    untracked(() => {
      page.go(`/t/${id}`, true);
      void take(page, id);
    });
  }));
  const pill = () => (newLines.value > 0 ? `${count(newLines.value, "new line")} ↓` : "To the live end ↓");
  return h(
    "div",
    { class: () => `place-terminal${isHeld() ? " held" : ""}`, on: { keydown: () => (lastKey.value = store.now.peek()) } },
    top(page, id, terminal, () => (isLookedAt.value = !isLookedAt.value)),
    region(isHeld, (is) => (is ? heldBar(page, id) : null)),
    feed.scroller,
    region(() => !feed.follows.value && (runs.value || newLines.value > 0), (is) => (is ? h("button", { type: "button", class: "pill", on: { click: () => feed.toEnd() } }, pill) : null)),
    region(isHeld, (is) => (is ? keyBar(page, id, () => live.value) : null)),
    bottom(page, id, terminal, total, isHeld),
  );
}

/** Whether a command runs, and has for long enough to be watched. */
function settledRun(page: Page, id: string) {
  const made = signal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onEnd(effect(() => {
    const command = page.store.terminals.value.get(id)?.command ?? null;
    const isRunning = command !== null && !command.finished && command.state !== "lost";
    clearTimeout(timer);
    if (!isRunning) made.value = false;
    else if (command.waiting !== null || page.store.now.peek() - (command.started_at ?? 0) > 1) made.value = true;
    else if (!made.peek()) timer = setTimeout(() => (made.value = true), LIVE_AFTER_MS);
  }));
  onEnd(() => clearTimeout(timer));
  return made;
}

function loadHistory(page: Page, id: string, onTotal: (count: number) => void) {
  let next: string | null = null;
  let isBusy = false;
  const read = async (before: string | null) => {
    if (isBusy) return;
    isBusy = true;
    try {
      const found = await page.wire.history({ terminal_id: id, limit: HISTORY, before });
      next = found.next;
      page.store.merge(found.commands);
      page.store.bury(found.terminals);
      onTotal(found.total);
    } catch {
      onTotal(0); // what events tell is shown all the same
    } finally {
      isBusy = false;
    }
  };
  onEnd(effect(() => {
    page.store.resets.value; // after a reconnect commands may be missing
    void untracked(() => read(null));
  }));
  return { older: () => (next === null ? Promise.resolve() : read(next)) };
}

/** The command of the address is shown; what was looked at here is seen. */
function follow(page: Page, id: string, feed: Feed): void {
  const { store } = page;
  let last: string | null = null;
  onEnd(effect(() => {
    const route = page.route.value;
    const wanted = route.place === "terminal" && route.id === id ? route.command : null;
    if (wanted === null || wanted === last || !store.commandsOf(id).value.some((one) => one.id === wanted)) return;
    last = wanted;
    untracked(() => {
      page.chosen.value = wanted;
      saved.setFold(wanted, "open");
      feed.follows.value = false;
      requestAnimationFrame(() => feed.reveal(wanted, "start"));
    });
  }));
  onEnd(effect(() => {
    const command = store.terminals.value.get(id)?.command;
    if (command?.finished && hasFailed(command) && !document.hidden) untracked(() => saved.setSeen(id, command.id));
  }));
}

function top(page: Page, id: string, terminal: () => Terminal | undefined, look: () => void): Element {
  const gone = () => page.store.closed.value.get(id);
  const about = () => {
    const found = terminal();
    const facts = found === undefined ? ["closed", gone()?.shell ?? "", path(gone()?.cwd ?? null)] : [found.shell, path(found.cwd), found.size.join(" × ")];
    return facts.filter((one) => one !== "").join(" · ");
  };
  const more = h("button", { type: "button", class: "button ghost", "aria-label": "More about this terminal", on: { click: () => menu(more, items()) } }, glyph("more"));
  const items = () => {
    const found = terminal();
    const saves = [
      { label: "Replay", act: () => page.go(`/history?${new URLSearchParams({ replay: id })}`) },
      { label: "Download the text log", act: () => saveLog(page, id) },
      { label: "Download the recording", act: () => saveCast(page, id) },
    ];
    if (found === undefined) return saves;
    const command = found.command;
    const runs = page.may("type") && command !== null && !command.finished;
    return [
      { label: "Show or hide the screen", act: look },
      ...saves,
      ...(runs ? [{ label: "Interrupt (Ctrl-C)", act: () => void page.attempt(() => page.wire.interrupt(command.id)) }] : []),
      ...(page.may("type") && page.wire.session.terminal === null ? [{ label: "Links to it…", act: () => void showShares(page, id) }] : []),
      ...(page.may("type") ? [{ label: "Close the terminal…", act: () => void close(page, found) }] : []),
    ];
  };
  return h(
    "header",
    { class: "top" },
    h("h1", {}, () => nameById(page.store, id)),
    h("p", { class: "about" }, about),
    keyboard(page, id),
    more,
  );
}

async function close(page: Page, terminal: Terminal): Promise<void> {
  const runs = terminal.command !== null && !terminal.command.finished;
  const body = h("p", {}, runs ? "Its shell and the command that runs in it are ended." : "Its shell is ended.");
  if (await ask(`Close ${nameOf(terminal)}?`, body, "Close it")) await page.attempt(() => page.wire.close(terminal.id));
}

function bottom(page: Page, id: string, terminal: () => Terminal | undefined, total: { readonly value: number | null }, isHeld: () => boolean): Element {
  const key = (...names: string[]) => names.map((name) => h("kbd", {}, name));
  const summary = () => {
    const commands = page.store.commandsOf(id).value;
    const failed = commands.filter(hasFailed).length;
    const number = Math.max(commands.length, total.value ?? 0);
    return [count(number, "command"), failed === 0 ? "" : `${failed} failed`, terminal() === undefined ? "" : `strategy: ${terminal()?.strategy}`].filter((one) => one !== "").join(" · ");
  };
  return h(
    "footer",
    { class: "bottom" },
    region(isHeld, (is) =>
      is
        ? h("span", {}, () => `Your window now sets the size: ${terminal()?.size.join(" × ") ?? ""}`)
        : h("span", { class: "hints", "aria-hidden": "true" }, key("J", "K"), " commands", key("O"), " fold", key("E"), " evidence", key("G"), " live end"),
    ),
    h("span", {}, () => (isHeld() ? "given back by itself after 10 min without a key" : summary())),
  );
}
