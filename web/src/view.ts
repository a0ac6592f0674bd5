// The frame of the page: the rail, the place that is shown, tabs on a phone, and the bar that says when it is not live.

import { signal } from "@preact/signals-core";
import type { Page, Route } from "./context.ts";
import { h, onEnd, region } from "./dom.ts";
import { openKeys } from "./keys.ts";
import { announcer } from "./manners.ts";
import { now } from "./now.ts";
import { rail, tabs, terminalList, themeButton } from "./rail.ts";
import { elapsed } from "./words.ts";

const BAR_AFTER_SECONDS = 1; // an upgrade of the server takes less

/** What is drawn anew when it changes. A line or a command of the same terminal is no other place. */
function keyOf(route: Route): string {
  if (route.place === "terminal") return `terminal ${route.id}`;
  return route.place === "history" ? `history ${route.query}` : route.place;
}

export function frame(page: Page): Element {
  const { store, route } = page;
  const place = () => {
    const here = route.value;
    switch (here.place) {
      case "now":
        return now(page);
      case "terminals":
        return listPlace(page);
      case "terminal":
        if (here.take || store.leases.peek().has(here.id)) page.early.begin(here.id);
        onEnd(() => page.early.end(here.id));
        return later(async () => (await Promise.all([import("./terminal.ts"), terminalStyle()]))[0].terminalView, (make) => make(page, here.id));
      case "history":
        return later(async () => (await Promise.all([import("./history.ts"), terminalStyle()]))[0].historyView, (make) => make(page, here.query));
    }
  };
  const lost = () => {
    const link = store.link.value;
    const seconds = (Date.now() - link.since) / 1000;
    store.now.value; // the seconds that it shows
    return link.kind === "connecting" && seconds >= BAR_AFTER_SECONDS ? `Not connected for ${elapsed(seconds)}. What you see is from then; nothing can be typed.` : "";
  };
  return h(
    "div",
    { class: () => `frame${store.link.value.kind === "live" ? "" : " not-live"}` },
    rail(page, openKeys),
    h(
      "main",
      {},
      region(() => lost() !== "", (is) => (is ? h("div", { class: "lost-bar", role: "status" }, lost) : null)),
      region(() => store.notice.value, (text) => (text === null ? null : h("div", { class: "notice-bar", role: "status" }, text))),
      region(() => keyOf(route.value), () => place()),
    ),
    tabs(page),
    region(() => page.toast.value, (text) => (text === null ? null : h("div", { class: "toast", role: "status" }, text))),
    announcer(store),
  );
}

let styled: Promise<void> | null = null;

/** The style of terminals, which Now does without. */
function terminalStyle(): Promise<void> {
  styled ??= new Promise((resolve, reject) => {
    const href = document.querySelector('meta[name="terminal-style"]')?.getAttribute("content") ?? "";
    document.head.append(h("link", { rel: "stylesheet", href, on: { load: () => resolve(), error: () => reject(new Error("no style")) } }));
  });
  return styled;
}

/** A place in a file of its own: Now is there before it is loaded. */
function later<T>(load: () => Promise<T>, make: (loaded: T) => Element): Element {
  const loaded = signal<{ value: T } | null>(null);
  const trouble = signal(false);
  load().then((value) => (loaded.value = { value }), () => (trouble.value = true));
  return h(
    "div",
    { class: "later" },
    region(() => loaded.value, (one) => (one === null ? null : make(one.value))),
    region(() => trouble.value, (is) => (is ? h("p", { class: "empty" }, "This part of the page could not be loaded. Reload it.") : null)),
  );
}

function listPlace(page: Page): Element {
  return h(
    "div",
    { class: "place-terminals" },
    h("header", { class: "top" }, h("h1", {}, "Terminals"), themeButton("button ghost push")),
    h(
      "div",
      { class: "scroller", tabindex: "-1" },
      region(() => page.store.terminals.value.size === 0, (is) => (is ? h("p", { class: "none" }, "No terminal is open.") : null)),
      terminalList(page),
    ),
  );
}

/** In place of the page: no session. */
export function doorway(reason: string): Element {
  return h(
    "main",
    { class: "doorway" },
    h("h1", {}, "Open a new link"),
    h("p", {}, reason),
    h("p", {}, "In a terminal on the machine of the server, this prints one:"),
    h("pre", {}, "truetty open --web"),
  );
}
