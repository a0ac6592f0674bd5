// Cards: what needs a person, each with one decision.
//
// Rule 1: a button waits for the server's word. It says "sent" until then, and shows the error where there is one.
// Rule 2: a card that is settled says for five seconds what happened, and by whom.
// Rule 3: a card takes no key and no click for 600 ms after it has appeared or moved: what slid under a finger is not
//         what was meant.

import { type ReadonlySignal, signal } from "@preact/signals-core";
import { type Page, inside } from "./context.ts";
import { Decision } from "./decision.ts";
import { each, h, onEnd, region } from "./dom.ts";
import { type Need, nameOf, needs, secretOf, terminalOf } from "./groups.ts";
import { glyph } from "./icons.ts";
import type { Receipt } from "./store.ts";

const GUARD_MS = 600;
const WHOLE = 3; // cards that are shown whole; the others are a line each, and so are all for a person who may only watch

type Item = { readonly key: string; readonly need: Need | null; readonly receipt: Receipt | null; readonly whole: boolean };

/** The cards of these needs, and receipts in the place of those that were settled. `only` of null: of all. */
export function cards(page: Page, only: ((need: Need) => boolean) | null, label: string): Node {
  const items = (): Item[] => {
    const open = needs(page.store).filter(only ?? (() => true));
    const shown = new Map<string, Item>();
    open.forEach((need, index) => shown.set(need.key, { key: need.key, need, receipt: null, whole: index < WHOLE && page.may("answer") }));
    const list = [...shown.values()];
    for (const receipt of page.store.receipts.value) {
      if (!shown.has(receipt.key) && (only === null || mounted.has(receipt.key))) list.push({ key: receipt.key, need: null, receipt, whole: true });
    }
    return list;
  };
  const mounted = new Set<string>();
  const list = h("div", { class: "cards", role: "group", "aria-label": label });
  list.append(
    each(items, (item) => item.key, (item) => {
      mounted.add(item.value.key);
      loadBodies();
      return cardRow(page, item);
    }),
  );
  return list;
}

const bodies = signal<typeof import("./card_bodies.ts") | null>(null);
let isLoading = false;

/** A card is a line until this is there. */
function loadBodies(): void {
  if (isLoading || bodies.peek() !== null) return;
  isLoading = true;
  import("./card_bodies.ts").then((made) => (bodies.value = made), () => {}).finally(() => (isLoading = false));
}

function cardRow(page: Page, item: ReadonlySignal<Item>): Element {
  const { key } = item.value;
  const decision = new Decision(page, key);
  page.store.cards.set(key, decision);
  onEnd(() => page.store.cards.delete(key));
  const row = h("section", {
    class: () => (item.value.receipt === null ? (item.value.whole ? "card" : "card card-line") : "receipt"),
    "data-card": key,
    "aria-busy": () => decision.sent.value !== null && "true",
  });
  const kind = () => {
    const { need, receipt, whole } = item.value;
    return receipt !== null ? "receipt" : need === null ? "none" : whole && bodies.value !== null ? need.kind : "line";
  };
  row.append(
    region(kind, (now) => {
      const { need, receipt } = item.value;
      if (receipt !== null) return receiptLine(() => item.value.receipt ?? receipt);
      if (need === null) return null;
      const made = bodies.peek();
      if (now === "line" || made === null) return oneLine(page, need);
      if (need.kind === "question") return made.approvalCard(page, need.id, decision);
      if (need.kind === "secret") return made.secretCard(page, need.id, decision);
      if (need.kind === "answer") return made.answerCard(page, need.id, decision);
      return need.kind === "handoff" ? made.handoffCard(page, need.id, decision) : made.requestCard(page, need.id, decision);
    }),
  );
  guard(row, decision);
  return row;
}

/** Ready once the card has been at one place for a while. */
function guard(row: HTMLElement, decision: Decision): void {
  let place: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    if (!row.isConnected || row.offsetTop === place) return;
    place = row.offsetTop; // within the list: scrolling does not change it
    decision.isReady.value = false;
    clearTimeout(timer);
    timer = setTimeout(() => (decision.isReady.value = true), GUARD_MS);
  };
  const observer = new ResizeObserver(look);
  requestAnimationFrame(() => {
    look();
    if (row.parentElement !== null) observer.observe(row.parentElement);
  });
  onEnd(() => {
    clearTimeout(timer);
    observer.disconnect();
  });
}

function receiptLine(receipt: () => Receipt): Node {
  return h("p", { role: "status", class: () => (receipt().good ? "good" : "other") }, glyph(receipt().good ? "ok" : "lost"), () => receipt().text);
}

function oneLine(page: Page, need: Need): Node {
  const id = terminalOf(need, page.store);
  const terminal = id === null ? undefined : page.store.terminals.value.get(id);
  const what = { question: "May this run?", answer: "asks a question", secret: `asks for a ${secretOf(terminal?.command ?? null)}`, handoff: "asks you to take over", request: "is asked for" }[need.kind];
  const name = terminal === undefined ? null : h("a", { class: "where", ...inside(page, `/t/${terminal.id}`) }, nameOf(terminal));
  return h("p", {}, glyph("need"), name, ` ${what}`);
}

/** The focus goes to the first card that is open. */
export function focusCard(): boolean {
  const all = [...document.querySelectorAll<HTMLElement>("[data-card].card")];
  const at = all.findIndex((one) => one.contains(document.activeElement));
  const next = all[(at + 1) % Math.max(1, all.length)];
  if (next === undefined) return false;
  next.setAttribute("tabindex", "-1");
  next.focus();
  next.scrollIntoView({ block: "nearest" });
  return true;
}

