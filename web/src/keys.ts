// Keys of the page. Single letters work only where no field and no held terminal has the focus, and can be turned off.

import { signal } from "@preact/signals-core";
import { focusCard } from "./cards.ts";
import type { Page } from "./context.ts";
import { grouped } from "./groups.ts";
import { saved } from "./saved.ts";

/** Keys of the place that is shown: whether one was taken. */
export const placeKeys = signal<((key: string) => boolean) | null>(null);

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.closest("input, textarea, select, dialog, .emulator") !== null || target.isContentEditable);
}

export function openKeys(): void {
  void import("./dialogs.ts").then(({ keyList }) => keyList());
}

/** A field of the page. The emulator's own is none. */
function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, dialog") !== null && target.closest(".emulator") === null;
}

export function listenKeys(page: Page): void {
  let isAfterG = false;
  const keepEarly = (event: KeyboardEvent) => {
    if (isField(event.target) || !page.early.press(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener("keydown", keepEarly, { capture: true });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey && event.shiftKey && event.key.toLowerCase() === "g") {
      if (placeKeys.value?.("Ctrl Shift G")) event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
    if (!saved.letters.value && event.key !== "?") return;
    const wasAfterG = isAfterG;
    isAfterG = event.key === "g";
    if (wasAfterG && (event.key === "n" || event.key === "h")) {
      event.preventDefault();
      page.go(event.key === "n" ? "/" : "/history");
      return;
    }
    if (pressCard(event) || press(page, event.key)) event.preventDefault();
  });
}

/** A key of the card that has the focus; where there is one card only, it needs none. */
function pressCard(event: KeyboardEvent): boolean {
  const cards = [...document.querySelectorAll<HTMLElement>(".card[data-card]")];
  const card = cards.find((one) => one.contains(document.activeElement)) ?? (cards.length === 1 ? cards[0] : undefined);
  if (card === undefined || event.repeat) return false;
  const button = card.querySelector<HTMLButtonElement>(`button[data-key="${CSS.escape(event.key)}"]`);
  if (button === null) return false;
  button.click();
  return true;
}

function press(page: Page, key: string): boolean {
  switch (key) {
    case "?":
      openKeys();
      return true;
    case "/":
      focusSearch();
      return true;
    case "u":
      if (!focusCard()) page.go("/");
      requestAnimationFrame(() => focusCard());
      return true;
    case "[":
    case "]":
      return step(page, key === "]" ? 1 : -1);
    default:
      return placeKeys.value?.(key) ?? false;
  }
}

function focusSearch(): void {
  const fields = [...document.querySelectorAll<HTMLInputElement>("#find, #search")];
  const field = fields.find((one) => one.offsetParent !== null);
  field?.focus();
  field?.select();
}

function step(page: Page, direction: 1 | -1): boolean {
  const all = grouped(page.store).map((one) => one.terminal.id);
  const route = page.route.value;
  const at = route.place === "terminal" ? all.indexOf(route.id) : direction === 1 ? -1 : 0;
  const next = all[(at + direction + all.length) % Math.max(1, all.length)];
  if (next !== undefined) page.go(`/t/${next}`);
  return true;
}
