// The leases of this tab are in sessionStorage, so that a reload keeps the keyboard.

import { effect } from "@preact/signals-core";
import type { Page } from "./context.ts";
import type { Lease } from "./wire.ts";

const STORED = "truetty.leases";

/** Leases of this tab from before a reload. */
export function recoverLeases(page: Page): void {
  try {
    const found = JSON.parse(sessionStorage.getItem(STORED) ?? "{}") as Record<string, Lease>;
    for (const [terminal, lease] of Object.entries(found)) page.store.hold(terminal, lease);
  } catch {
    // None, then.
  }
  effect(() => sessionStorage.setItem(STORED, JSON.stringify(Object.fromEntries(page.store.leases.value))));
}
