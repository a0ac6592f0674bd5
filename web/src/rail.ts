// The rail at the left: places, and every terminal in the order of who needs a person. On a phone it is a page of its
// own, and the places are tabs at the bottom.

import { type Page, inside } from "./context.ts";
import { each, h, region } from "./dom.ts";
import { GROUPS, type Group, type Grouped, grouped, hasFailed, lastMoment, nameOf, needs, secretOf, terminalOf } from "./groups.ts";
import { type Glyph, glyph } from "./icons.ts";
import { saved } from "./saved.ts";
import { ago, count, elapsed, firstLine, path, visible } from "./words.ts";

const GLYPHS: Record<Group, Glyph> = { needs: "need", mine: "mine", running: "run", failed: "bad", quiet: "idle" };

export function rail(page: Page, openKeys: () => void): Element {
  const { store, route } = page;
  const current = (place: string) => () => route.value.place === place && "page";
  const needed = () => needs(store).length;
  const state = () => ({ live: "live", connecting: "connecting", over: "ended" })[store.link.value.kind];
  const search = h("input", { type: "search", class: "field", placeholder: "Search", "aria-label": "Search the history", id: "search" });
  const find = (event: Event) => {
    event.preventDefault();
    if (search.value.trim() !== "") page.go(`/history?${new URLSearchParams({ q: search.value })}`);
  };
  return h(
    "nav",
    { class: "rail", "aria-label": "Terminals" },
    h(
      "div",
      { class: "brand" },
      glyph("mark"),
      h("span", {}, "truetty"),
      h("span", { class: () => `state ${store.link.value.kind}-state` }, h("i", { class: "dot" }), state),
    ),
    h("form", { class: "search", role: "search", on: { submit: find } }, search, h("kbd", { "aria-hidden": "true" }, "/")),
    h("a", { class: "place", "aria-current": current("now"), ...inside(page, "/") }, "Now", h("b", {}, () => needed() || "")),
    h("a", { class: "place", "aria-current": current("history"), ...inside(page, "/history") }, "History"),
    terminalList(page),
    h(
      "footer",
      {},
      h("span", {}, () => count(store.terminals.value.size, "terminal")),
      themeButton("keys-button"),
      h("button", { type: "button", class: "keys-button", on: { click: openKeys } }, h("kbd", {}, "?"), " keys"),
    ),
  );
}

const NEXT = { auto: "dark", dark: "light", light: "auto" } as const;

export function themeButton(style: string): Element {
  const flip = () => (saved.theme.value = NEXT[saved.theme.value]);
  return h("button", { type: "button", class: style, "data-act": "theme", "aria-label": () => `Theme: ${saved.theme.value}`, on: { click: flip } }, () => `Theme: ${saved.theme.value}`);
}

/** All terminals, by group. */
export function terminalList(page: Page): Element {
  const all = () => grouped(page.store);
  const list = h("div", { class: "groups" });
  for (const { group, title } of GROUPS) {
    const own = () => all().filter((one) => one.group === group);
    list.append(
      region(
        () => own().length > 0,
        (is) =>
          is
            ? h(
                "section",
                { class: `group group-${group}` },
                h("h2", {}, title, h("span", {}, () => own().length)),
                h("ul", {}, each(own, (one) => one.terminal.id, (one) => row(page, () => one.value))),
              )
            : null,
      ),
    );
  }
  return list;
}

function row(page: Page, one: () => Grouped): Element {
  const { store, route } = page;
  const id = one().terminal.id;
  const isHere = () => route.value.place === "terminal" && route.value.id === id && "page";
  return h(
    "li",
    {},
    h(
      "a",
      { class: "row", "aria-current": isHere, "data-terminal": id, ...inside(page, `/t/${id}`) },
      region(() => one().group, (group) => glyph(GLYPHS[group])),
      h("span", { class: "name" }, () => nameOf(one().terminal)),
      h("time", {}, () => age(page, one())),
      h("span", { class: "what" }, () => what(page, one())),
    ),
  );

  function what(_: Page, { terminal, group }: Grouped): string {
    const command = terminal.command;
    const text = command === null ? "" : firstLine(visible(command.text));
    if (group === "needs") {
      const need = needs(store).find((found) => terminalOf(found, store) === id);
      if (need?.kind === "question") {
        const question = store.questions.value.get(need.id);
        const asked = question?.parts?.find((part) => part.verdict === "ask")?.command ?? question?.command ?? "";
        return `${firstLine(visible(asked))} … may it run?`;
      }
      if (need?.kind === "handoff") return "asks you to take over";
      if (need?.kind === "request") return `${visible(terminal.lease?.wanted_by ?? "")} asks for the keyboard`;
      const program = command?.waiting?.program ?? "it";
      return need?.kind === "secret" ? `${program}: ${secretOf(command)}` : `${program}: ${visible(command?.waiting?.prompt ?? "")}`;
    }
    if (group === "quiet") return path(terminal.cwd);
    if (group === "failed" && command !== null) return `${text} · ${ending(command)}`;
    return text === "" ? (terminal.lease === null ? path(terminal.cwd) : `held by ${terminal.lease.holder}`) : text;
  }
}

function ending(command: { state: string; signal: string | null; exit_code: number | null }): string {
  if (command.state === "lost") return "lost";
  return command.signal ?? `exit ${command.exit_code ?? "?"}`;
}

function age(page: Page, { terminal, group }: Grouped): string {
  const { store } = page;
  const now = store.now.value;
  if (group === "needs") {
    const since = needs(store).find((found) => terminalOf(found, store) === terminal.id)?.since ?? null;
    return since === null ? "" : elapsed(now - since);
  }
  if (group === "running" || group === "mine") {
    const started = terminal.command?.started_at ?? null;
    return started === null || terminal.command?.finished ? "" : now - started >= 3600 ? ago(now - started) : elapsed(now - started);
  }
  const last = lastMoment(terminal);
  return last === 0 || (terminal.command !== null && !hasFailed(terminal.command) && group === "failed") ? "" : ago(now - last);
}

/** The places, at the bottom of a phone. */
export function tabs(page: Page): Element {
  const { route, store } = page;
  const places: readonly [string, string, Glyph, string][] = [
    ["now", "Now", "now", "/"],
    ["terminals", "Terminals", "terminal", "/#terminals"],
    ["history", "History", "history", "/history"],
  ];
  const isHere = (name: string) => () => (route.value.place === name || (name === "terminals" && route.value.place === "terminal")) && "page";
  return h(
    "nav",
    { class: "tabs", "aria-label": "Places" },
    places.map(([name, title, icon, to]) =>
      h(
        "a",
        { "aria-current": isHere(name), ...inside(page, to) },
        glyph(icon),
        name === "now" ? h("b", { class: "badge", hidden: () => needs(store).length === 0 }, () => needs(store).length) : null,
        h("span", {}, title),
      ),
    ),
  );
}
