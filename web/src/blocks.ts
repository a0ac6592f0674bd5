// A command as a block: its head, its output, its evidence. The live end and its card stand behind the last one.

import { signal } from "@preact/signals-core";
import type { Page } from "./context.ts";
import { menu, showDialog } from "./dialogs.ts";
import { h, region } from "./dom.ts";
import { hasFailed } from "./groups.ts";
import { glyph } from "./icons.ts";
import { type Extent, lineCounts, output } from "./lines.ts";
import type { Command } from "./model.ts";
import { saved } from "./saved.ts";
import { savePicture, saveRaw, saveText, wholeText } from "./saving.ts";
import { stateOf } from "./state.ts";
import { isDark } from "./theme.ts";
import { bytes, clockTime, count, duration, elapsed, path, visible } from "./words.ts";

const NEWEST = 3; // of so many the last line is shown though they ended well
const WORTH_SAYING = 0.5; // seconds

/** What a block shows of its output when it was neither folded nor unfolded by hand. */
export function usualExtent(command: Command, fromEnd: number): Extent {
  if (!command.finished) return "none";
  if (hasFailed(command)) return "open";
  return fromEnd < NEWEST ? "last" : "none";
}

export function extentOf(command: Command, fromEnd: number): Extent {
  const by = saved.folds.value[command.id];
  if (!command.finished) return "none";
  return by === "open" ? "open" : by === "folded" ? "none" : usualExtent(command, fromEnd);
}

export function toggleFold(command: Command, fromEnd: number): void {
  saved.setFold(command.id, extentOf(command, fromEnd) === "open" ? "folded" : "open");
}

export interface BlockFacts {
  readonly command: Command;
  readonly index: number; // from 0, among all that are known
  readonly total: number;
  readonly cwdBefore: string | null;
}

export const evidenceShown = signal<string | null>(null);

export function block(page: Page, facts: () => BlockFacts): Element {
  const { store } = page;
  const command = () => facts().command;
  const { id, terminal_id: terminal } = command();
  const fromEnd = () => facts().total - 1 - facts().index;
  const state = () => stateOf(store, command());
  const isChosen = () => page.chosen.value === id;
  const line = () => {
    const route = page.route.value;
    return route.place === "terminal" && route.command === id ? route.line : null;
  };
  const choose = (event: MouseEvent) => {
    if (getSelection()?.toString() !== "") return;
    page.chosen.value = id;
    const target = (event.target as Element).closest<HTMLElement>("[data-line]");
    if (target !== null) page.go(`/t/${terminal}/c/${id}#L${target.dataset["line"]}`, true);
  };
  const head = h(
    "header",
    { class: "block-head" },
    region(() => state().glyph, (name) => h("span", { class: () => `tone-${state().tone}` }, glyph(name, state().words))),
    h("button", { type: "button", class: "command", "aria-expanded": () => String(extentOf(command(), fromEnd()) === "open" || !command().finished), "aria-label": () => `${visible(command().text)}, ${state().words}`, on: { click: () => toggleFold(command(), fromEnd()) } }, () => visible(command().text)),
    h(
      "span",
      { class: "facts" },
      h("span", { class: "cwd" }, h("bdi", {}, () => (facts().cwdBefore === command().cwd ? "" : path(command().cwd)))),
      region(() => (command().by === "person" ? "by hand" : ""), (text) => (text === "" ? null : h("span", { class: "badge-box mine" }, text))),
      region(() => state().badge, (badge) => (badge === "" ? null : h("span", { class: () => `badge-box tone-${state().tone}` }, badge))),
      h("time", {}, () => timeOf(page, command())),
    ),
  );
  return h(
    "article",
    {
      class: () => `block${isChosen() ? " chosen" : ""}`,
      "data-command": id,
      tabindex: () => (isChosen() ? "0" : "-1"),
      "aria-label": visible(command().text.slice(0, 200)),
      "aria-posinset": () => facts().index + 1,
      "aria-setsize": () => facts().total,
      on: { click: choose },
    },
    head,
    region(() => command().finished && command().output_bytes > 0, (is) => (is ? output(page, command, () => extentOf(command(), fromEnd()), line, () => saved.setFold(id, "open")) : null)),
    region(() => notesOf(command()), (text) => (text === "" ? null : h("p", { class: "note notes" }, text))),
    region(() => isChosen() || evidenceShown.value === id, (is) => (is && command().finished ? evidence(page, command) : null)),
  );
}

function notesOf(command: Command): string {
  const missing = command.finished && !command.complete ? ["Not all of its output is kept."] : [];
  return [...missing, ...command.notes].join(" ");
}

function timeOf(page: Page, command: Command): string {
  if (command.finished) return command.duration >= WORTH_SAYING ? duration(command.duration) : "";
  return command.started_at === null ? "" : elapsed(page.store.now.value - command.started_at);
}

function evidence(page: Page, command: () => Command): Node {
  const words = () => {
    const now = command();
    const code = now.exit_code === null ? "exit code unknown" : `exit code ${now.exit_code}`;
    const known = lineCounts.value.get(now.id);
    const lines = known === undefined ? "" : `${count(known, "line")}, `;
    return [
      `finished: ${now.evidence ?? "unknown"}`,
      now.signal === null ? code : `${code}, ${now.signal}`,
      `${lines}${bytes(now.output_bytes)}`,
      now.started_at === null ? null : clockTime(now.started_at),
      `strategy ${now.strategy}`,
    ].filter((one) => one !== null).join(" · ");
  };
  const act = (label: string, run: () => void, name?: string) => h("button", { type: "button", class: "action", "data-act": name ?? label.toLowerCase(), on: { click: run } }, label);
  const { id, terminal_id: terminal } = command();
  const more = h("button", { type: "button", class: "action", "aria-label": "More", on: { click: () => menu(more, moreOf(page, command())) } }, glyph("more"));
  return h(
    "footer",
    { class: "evidence" },
    h("span", {}, words),
    h(
      "span",
      { class: "actions" },
      act("Copy", () => void copyOutput(page, id)),
      act("Link", () => copyLink(page, command())),
      act("Replay", () => page.go(`/history?${new URLSearchParams({ replay: terminal, at: id })}`)),
      act("Picture", () => savePicture(page, id, isDark.value)),
      more,
    ),
  );
}

function moreOf(page: Page, command: Command) {
  return [
    { label: "Copy the command", act: () => void copyText(page, command.text, "The command") },
    { label: "Why this outcome", act: () => void page.attempt(() => page.wire.explain(command.id)).then((text) => text !== null && showDialog("Why this outcome", h("pre", { class: "command-box", tabindex: "0" }, visible(text)))) },
    { label: "Download the output", act: () => saveText(page, command.id) },
    { label: "Download raw bytes", act: () => saveRaw(page, command.id) },
  ];
}

async function copyText(page: Page, text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    page.say(`${what} was copied.`);
  } catch {
    page.say("The browser does not let this page copy.");
  }
}

export async function copyOutput(page: Page, id: string): Promise<void> {
  const text = await page.attempt(() => wholeText(page, id));
  if (text !== null) await copyText(page, text, "The output");
}

export function copyLink(page: Page, command: Command): void {
  const route = page.route.value;
  const line = route.place === "terminal" && route.command === command.id && route.line !== null ? `#L${route.line}` : "";
  void copyText(page, `${location.origin}/t/${command.terminal_id}/c/${command.id}${line}`, "The link");
}
