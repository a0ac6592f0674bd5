// History: every command that is remembered, searched by the server, and replayed.

import { effect, signal } from "@preact/signals-core";
import { type Page, inside, sentence } from "./context.ts";
import { each, h, onEnd, region } from "./dom.ts";
import { hasFailed, nameById } from "./groups.ts";
import { glyph } from "./icons.ts";
import type { Command } from "./model.ts";
import { replay } from "./replay.ts";
import { stateOf } from "./state.ts";
import type { Hit, HistoryPage, SearchPage } from "./wire.ts";
import { count, duration, firstLine, shortTime, visible } from "./words.ts";

const PAGE = 100;
const TYPING_MS = 150; // a pause after which the search is sent
const MOST_HITS = 500; // lines that a search brings
const HITS = 4; // of one command

interface Found {
  readonly command: Command;
  readonly spans: readonly (readonly [number, number])[]; // in the text of the command
  readonly hits: readonly Hit[];
  readonly more: number; // hits that are not shown
}

const FILTERS: readonly (readonly [string, string, string])[] = [
  ["state", "failed", "failed"],
  ["by", "person", "by you"],
  ["since", "today", "today"],
];

export function historyView(page: Page, start: URLSearchParams): Element {
  const text = signal(start.get("q") ?? "");
  const filters = signal<ReadonlyMap<string, string>>(new Map(FILTERS.filter(([name, value]) => start.get(name) === value).map(([name, value]) => [name, value])));
  const only = signal(start.get("terminal"));
  const found = signal<readonly Found[]>([]);
  const summary = signal("");
  const trouble = signal<string | null>(null);
  const next = signal<string | null>(null);
  const total = signal<number | null>(null);
  let turn = 0;

  const query = () => ({
    terminal_id: only.value,
    state: filters.value.get("state") ?? null,
    by: filters.value.get("by") ?? null,
    since: filters.value.has("since") ? new Date().setHours(0, 0, 0, 0) / 1000 : null,
  });
  const read = async (before: string | null) => {
    const mine = ++turn;
    const wanted = text.value.trim();
    try {
      if (wanted === "") {
        const answer = await page.wire.history({ ...query(), before, limit: PAGE });
        if (mine === turn) list(answer, before !== null);
      } else {
        const pattern = /^\/(.+)\/$/.exec(wanted);
        const answer = await page.wire.search({ ...query(), q: pattern?.[1] ?? wanted, regex: pattern !== null, limit: MOST_HITS });
        if (mine === turn) results(answer);
      }
      trouble.value = null;
    } catch (error) {
      if (mine === turn) trouble.value = sentence(error);
    }
  };
  const list = (answer: HistoryPage, isMore: boolean) => {
    const rows = answer.commands.map((command) => ({ command, spans: [], hits: [], more: 0 }));
    found.value = isMore ? [...found.value, ...rows] : rows;
    page.store.bury(answer.terminals);
    next.value = answer.next;
    total.value = answer.total;
    summary.value = answer.total === 0 ? "No command." : count(answer.total, "command");
  };
  const results = (answer: SearchPage) => {
    page.store.bury(answer.terminals);
    found.value = answer.results.map(({ command, spans, hits, count: number }) => ({ command, spans, hits: hits.slice(0, HITS), more: Math.max(0, number - spans.length - Math.min(hits.length, HITS)) }));
    next.value = null;
    total.value = answer.of;
    const more = answer.more ? " · more are not shown" : "";
    if (answer.matches === 0) summary.value = `Nothing was found in ${count(answer.searched, "command")}${answer.more ? `, of ${answer.of}` : ""}.`;
    else summary.value = `${count(answer.matches, "match", "matches")} in ${count(answer.commands, "command")} · ${answer.searched.toLocaleString("en")} searched${more}`;
  };
  const address = () => {
    const fields = new URLSearchParams();
    if (text.value !== "") fields.set("q", text.value);
    for (const [name, value] of filters.value) fields.set(name, value);
    if (only.value !== null) fields.set("terminal", only.value);
    const replayed = start.get("replay");
    if (replayed !== null) fields.set("replay", replayed);
    history.replaceState(null, "", fields.size === 0 ? "/history" : `/history?${fields}`);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isFirst = true;
  onEnd(effect(() => {
    text.value;
    query();
    clearTimeout(timer);
    if (isFirst) void read(null);
    else {
      timer = setTimeout(() => void read(null), TYPING_MS);
      address();
    }
    isFirst = false;
  }));
  onEnd(() => clearTimeout(timer));

  const name = (id: string) => nameById(page.store, id);
  const field = h("input", { type: "search", class: "field", placeholder: "Commands, output, or /pattern/", "aria-label": "Search", id: "find", on: { input: () => (text.value = field.value) } });
  field.value = text.value;
  const toggle = (key: string, value: string) => () => {
    const now = new Map(filters.value);
    if (!now.delete(key)) now.set(key, value);
    filters.value = now;
  };
  const replayed = start.get("replay");
  return h(
    "div",
    { class: "place-history" },
    h("header", { class: "top" }, h("h1", {}, "History"), h("p", { class: "counts" }, () => (total.value === null ? "" : `${count(total.value, "command")} · ${count(page.store.terminals.value.size, "open terminal")}`))),
    h(
      "div",
      { class: "scroller", tabindex: "-1" },
      h(
        "div",
        { class: "column" },
        replayed === null ? region(() => found.value.length > 0, (is) => (is ? timeline(page, () => found.value.map((one) => one.command), name) : null)) : replay(page, replayed, start.get("at")),
        h(
          "div",
          { class: "finder" },
          field,
          h("button", { type: "button", class: "chip", "aria-pressed": () => String(only.value === null), on: { click: () => (only.value = null) } }, () => (only.value === null ? "all terminals" : `only ${name(only.value)} ✕`)),
          FILTERS.map(([key, value, label]) => h("button", { type: "button", class: "chip", "aria-pressed": () => String(filters.value.has(key)), on: { click: toggle(key, value) } }, label)),
        ),
        region(() => trouble.value, (problem) => (problem === null ? null : h("p", { class: "problem", role: "alert" }, problem))),
        h("p", { class: "note summary", role: "status" }, () => summary.value),
        h("div", { class: "results" }, each(() => found.value, (one) => one.command.id, (one) => result(page, () => one.value, name))),
        region(() => next.value, (cursor) => (cursor === null ? null : h("button", { type: "button", class: "button plain older", on: { click: () => void read(cursor) } }, "Older commands"))),
      ),
    ),
  );
}

function result(page: Page, one: () => Found, name: (id: string) => string): Element {
  const { command } = one();
  const state = () => stateOf(page.store, command);
  const to = `/t/${command.terminal_id}/c/${command.id}`;
  const about = () => [name(command.terminal_id), command.started_at === null ? "" : shortTime(command.started_at), command.finished ? duration(command.duration) : state().words].filter((part) => part !== "").join(" · ");
  return h(
    "article",
    { class: "result" },
    h("a", { class: "result-head", ...inside(page, to) }, h("span", { class: () => `tone-${state().tone}` }, region(() => state().glyph, (name) => glyph(name, state().words))), h("code", {}, region(() => one().spans, (spans) => pieced(firstLine(command.text), spans))), h("span", { class: "facts" }, region(() => (command.finished ? state().badge : ""), (badge) => (badge === "" ? null : h("span", { class: `badge-box tone-${state().tone}` }, badge))), h("span", {}, about))),
    region(
      () => one().hits,
      (hits) => (hits.length === 0 ? null : h("div", { class: "hits" }, hits.map((hit) => h("a", { class: "hit", ...inside(page, `${to}#L${hit.line}`) }, h("span", { class: "number" }, hit.line), h("code", {}, pieced(hit.text, hit.spans)))), one().more > 0 ? h("span", { class: "note" }, `${count(one().more, "more match", "more matches")}`) : null)),
    ),
  );
}

/** A text with what was found in it marked. Spans count characters, not UTF-16 units. */
function pieced(text: string, spans: readonly (readonly [number, number])[]): DocumentFragment {
  const characters = [...text];
  const made = document.createDocumentFragment();
  let last = 0;
  const part = (from: number, to: number) => visible(characters.slice(from, to).join(""));
  for (const [from, to] of spans) {
    if (from < last || from >= characters.length) continue;
    made.append(part(last, from), h("mark", {}, part(from, to)));
    last = to;
  }
  made.append(part(last, characters.length));
  return made;
}

const MOST_BARS = 60;

/** One bar for each command; the longer it took, the wider. */
function timeline(page: Page, commands: () => readonly Command[], name: (id: string) => string): Element {
  const bars = () => [...commands()].slice(0, MOST_BARS).reverse();
  const state = (one: Command) => stateOf(page.store, one);
  const tone = (one: Command) => {
    if (!one.finished) return state(one).tone;
    return one.by === "person" ? "mine" : hasFailed(one) ? "bad" : "ok";
  };
  const bar = (one: Command) => {
    const link = h("a", { class: `bar ${tone(one)}`, title: `${firstLine(visible(one.text))} · ${name(one.terminal_id)} · ${duration(one.duration)}`, "aria-label": `${firstLine(visible(one.text))}, ${state(one).words}`, ...inside(page, `/t/${one.terminal_id}/c/${one.id}`) });
    link.style.flexGrow = String(1 + Math.log2(1 + one.duration) * 4);
    return link;
  };
  const legend = (kind: string, label: string) => h("span", {}, h("i", { class: `swatch ${kind}` }), label);
  const last = () => commands().find((one) => one.finished)?.terminal_id ?? null;
  const play = () => {
    const id = last();
    if (id !== null) page.go(`/history?${new URLSearchParams({ replay: id })}`);
  };
  return h(
    "section",
    { class: "timeline", "aria-label": "Commands in time" },
    h("div", { class: "controls" }, h("button", { type: "button", class: "button plain", on: { click: play } }, glyph("play"), "Replay"), h("span", { class: "clock" }, () => (last() === null ? "" : name(last() ?? ""))), h("span", { class: "legend push" }, legend("ok", "ok"), legend("bad", "failed"), legend("run", "running"), legend("need", "waits"), legend("mine", "you"))),
    h("div", { class: "bars" }, each(bars, (one) => one.id, (one) => bar(one.value))),
  );
}
