// The links by which a terminal is watched: listed, and revoked.

import { signal } from "@preact/signals-core";
import type { Page } from "./context.ts";
import { showDialog } from "./dialogs.ts";
import { each, h, region } from "./dom.ts";
import type { Share } from "./wire.ts";
import { count, elapsed } from "./words.ts";

export async function showShares(page: Page, terminal: string): Promise<void> {
  const found = await page.attempt(() => page.wire.shares());
  if (found === null) return;
  const shares = signal<readonly Share[]>(found.filter((one) => one.terminal_id === terminal));
  const revoke = (one: Share) => async () => {
    if ((await page.attempt(() => page.wire.revoke(one.id))) !== null) shares.value = shares.value.filter((other) => other.id !== one.id);
  };
  const row = (one: Share) =>
    h(
      "li",
      { class: "share" },
      h("span", {}, `${one.id} · ends in ${elapsed(Math.max(0, one.until - page.store.now.peek()))} · ${count(one.visits, "visit")}`),
      h("button", { type: "button", class: "button plain", on: { click: () => void revoke(one)() } }, "Revoke"),
    );
  showDialog(
    "Links to this terminal",
    h(
      "div",
      {},
      region(() => shares.value.length === 0, (none) => (none ? h("p", { class: "note" }, "No link to this terminal works now.") : null)),
      h("ul", { class: "shares" }, each(() => shares.value, (one) => one.id, (one) => row(one.value))),
      h("p", { class: "note" }, "Who has such a link watches this terminal until its end, and cannot type. In a terminal, this makes one:"),
      h("pre", { class: "command-box" }, `truetty open --web --share 1h ${terminal}`),
    ),
  );
}
