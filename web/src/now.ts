// Now: who needs a person, what runs, what failed and was not seen, what ended in the last hour.

import { signal } from "@preact/signals-core";
import { cards } from "./cards.ts";
import { type Page, inside } from "./context.ts";
import { each, h, region, watch } from "./dom.ts";
import { type Grouped, grouped, nameById, nameOf, needs } from "./groups.ts";
import { glyph } from "./icons.ts";
import { ended, standing } from "./state.ts";
import type { Command } from "./model.ts";
import { askToTell, canTell } from "./manners.ts";
import { ago, elapsed, firstLine, visible } from "./words.ts";

const MOST_FINISHED = 12;

export function now(page: Page): Element {
  const { store } = page;
  const all = () => grouped(store);
  const running = () => all().filter((one) => one.group === "running" || one.group === "mine");
  const failed = () => all().filter((one) => one.group === "failed");
  const counts = () =>
    [
      [needs(store).length, "need you"],
      [running().length, "running"],
      [failed().length, "failed"],
    ]
      .filter(([number]) => number !== 0)
      .map(([number, word]) => (number === 1 && word === "need you" ? "1 needs you" : `${number} ${word}`))
      .join(" · ");
  const hasCards = () => needs(store).length > 0 || store.receipts.value.length > 0;
  return h(
    "div",
    { class: "place-now" },
    h("header", { class: "top" }, h("h1", {}, "Now"), h("p", { class: "counts" }, counts)),
    h(
      "div",
      { class: "scroller", tabindex: "-1" },
      h(
        "div",
        { class: "column" },
        h("h2", { hidden: () => !hasCards() }, "Needs you"),
        cards(page, null, "Needs you"),
        region(() => hasCards(), (is) => (is ? null : calm(page))),
        list("Running", running, (one) => runningRow(page, one)),
        list("Failed since you looked", failed, (one) => failedRow(page, one)),
        finished(page),
      ),
    ),
  );
}

function calm(page: Page): Element {
  const { store } = page;
  return h(
    "section",
    { class: "calm" },
    glyph("ok"),
    h("p", {}, h("b", {}, () => (store.terminals.value.size === 0 ? "No terminal is open." : "Nothing needs you.")), h("span", {}, () => calmWords(store.terminals.value.size))),
    region(() => canTell.value, (can) => (can ? h("button", { type: "button", class: "button plain", on: { click: askToTell } }, "Tell me") : null)),
  );
}

function calmWords(terminals: number): string {
  if (terminals === 0) return "Terminals of agents that run through this server are shown here.";
  return "You will be told here, by the favicon, and by a notification if you allow it.";
}

function list(title: string, items: () => Grouped[], render: (one: () => Grouped) => Element): Node {
  return region(
    () => items().length > 0,
    (is) =>
      is
        ? h(
            "section",
            { class: "list" },
            h("h2", {}, title, h("span", { class: "count" }, () => items().length)),
            each(items, (one) => one.terminal.id, (one) => render(() => one.value)),
          )
        : null,
  );
}

function runningRow(page: Page, one: () => Grouped): Element {
  const { store } = page;
  const command = () => one().terminal.command;
  const id = () => command()?.id ?? "";
  const lines = () => store.progress.value.get(id())?.lines ?? [];
  watch(() => recall(page, id()));
  return h(
    "a",
    { class: "entry", "data-terminal": one().terminal.id, ...inside(page, `/t/${one().terminal.id}`) },
    region(() => one().group, (group) => glyph(group === "mine" ? "mine" : "run")),
    h("span", { class: "name" }, () => nameOf(one().terminal)),
    h("code", { class: "command" }, () => firstLine(visible(command()?.text ?? `held by ${one().terminal.lease?.holder ?? "a person"}`))),
    h("span", { class: "facts" }, region(() => standing(store, one().terminal).badge, (badge) => (badge === "" || badge === "running" ? null : h("span", { class: "badge-box" }, badge))), h("time", {}, () => since(page, command()))),
    region(
      () => lines().join("\n"),
      (text) => (text === "" ? null : h("pre", { class: "last" }, visible(text))),
    ),
  );
}

function recall(page: Page, id: string): void {
  if (id === "" || page.store.progress.peek().has(id)) return;
  page.wire.slice(id, { first: 1, count: 0, tail: 2 }).then(({ tail }) => page.store.recall(id, tail), () => {}); // its next lines are told
}

function since(page: Page, command: Command | null): string {
  if (command === null || command.started_at === null || command.finished) return "";
  const seconds = page.store.now.value - command.started_at;
  return seconds >= 36_000 ? ago(seconds) : elapsed(seconds);
}

function failedRow(page: Page, one: () => Grouped): Element {
  const command = () => one().terminal.command;
  return commandRow(page, command, nameOf(one().terminal), region(() => command()?.id ?? "", (id) => lastLine(page, id)));
}

/** The last line that an ended command has printed. */
function lastLine(page: Page, id: string): Node {
  const line = signal("");
  page.wire.slice(id, { first: 1, count: 0, tail: 1 }).then(({ tail }) => (line.value = tail[0] ?? ""), () => {}); // the row does without
  return region(() => line.value, (text) => (text === "" ? null : h("pre", { class: "last" }, visible(text))));
}

function commandRow(page: Page, command: () => Command | null, name: string, more: Node | null = null): Element {
  const first = command();
  const to = first === null ? "/" : `/t/${first.terminal_id}/c/${first.id}`;
  const state = () => {
    const found = command();
    return found === null ? null : ended(found);
  };
  return h(
    "a",
    { class: "entry", ...inside(page, to) },
    region(() => state()?.glyph ?? "idle", (icon) => glyph(icon)),
    h("span", { class: "name" }, name),
    h("code", { class: "command" }, () => firstLine(visible(command()?.text ?? ""))),
    h(
      "span",
      { class: "facts" },
      region(() => state()?.badge ?? "", (badge) => (badge === "" ? null : h("span", { class: () => `badge-box tone-${state()?.tone}` }, badge))),
      h("time", {}, () => {
        const found = command();
        return found === null || found.started_at === null ? "" : `${ago(page.store.now.value - found.started_at - found.duration)} ago`;
      }),
    ),
    more,
  );
}

function finished(page: Page): Node {
  const { store } = page;
  const failing = () => new Set(grouped(store).filter((one) => one.group === "failed").map((one) => one.terminal.command?.id));
  const some = () => store.finished.value.filter((one) => !failing().has(one.id));
  return region(
    () => some().length > 0,
    (is) =>
      is
        ? h(
            "section",
            { class: "list" },
            h("h2", {}, "Finished in the last hour", h("span", { class: "count" }, () => some().length)),
            each(() => some().slice(0, MOST_FINISHED), (one) => one.id, (one) => commandRow(page, () => one.value, nameById(store, one.value.terminal_id))),
          )
        : null,
  );
}
