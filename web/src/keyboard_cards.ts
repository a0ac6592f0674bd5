// Cards about the keyboard: an agent asks a person to take it, or another person asks its holder for it.
//
// Rule 1: an agent's reason is quoted, as text, and said to be the agent's. Which program reads is the server's word.
// Rule 2: an agent that has asked hears "not now". A holder who keeps the keyboard says nothing.

import type { Page } from "./context.ts";
import { type Decision, choice, heading, problem } from "./decision.ts";
import { h, region } from "./dom.ts";
import { workerOf } from "./groups.ts";
import { glyph } from "./icons.ts";
import type { Handoff } from "./model.ts";
import { visible } from "./words.ts";

function workerFor(page: Page, terminal: string): string {
  const found = page.store.terminals.value.get(terminal);
  return found === undefined ? "The agent" : workerOf(found);
}

function quoted(page: Page, handoff: Handoff): Node {
  const who = workerFor(page, handoff.terminal_id);
  return h(
    "div",
    {},
    h("blockquote", { class: "words" }, visible(handoff.reason)),
    h("p", { class: "note" }, `In ${who}'s own words. ${visible(handoff.reader)}`),
    handoff.warnings.map((text) => h("p", { class: "warning" }, glyph("lost"), visible(text))),
  );
}

function buttons(page: Page, handoff: Handoff, decision: Decision, style: "fill" | "ghost"): Node[] {
  const later = () => void decision.decide("Not now", () => page.wire.decline(handoff.command_id), () => "Not now, said at");
  return [
    choice(decision, "Take over", style, () => page.go(`/t/${handoff.terminal_id}?take`)),
    choice(decision, "Not now", style === "fill" ? "plain" : "ghost", later),
  ];
}

export function handoffCard(page: Page, command: string, decision: Decision): Node {
  const handoff = page.store.handoffs.value.get(command);
  if (handoff === undefined) return h("p", {}, "");
  return h(
    "div",
    {},
    heading(page, `${workerFor(page, handoff.terminal_id)} asks you to take over`, handoff.terminal_id, null, () => handoff.asked_at),
    quoted(page, handoff),
    problem(decision),
    h("div", { class: "choices" }, buttons(page, handoff, decision, "fill"), h("span", { class: "note push" }, "It is told what you run, and how that ended.")),
  );
}

/** In the card of a question: what an agent says of it, if it has asked a person to answer. */
export function agentWords(page: Page, command: string, decision: Decision): Node {
  return region(
    () => page.store.handoffs.value.get(command),
    (handoff) => (handoff === undefined ? null : h("div", { class: "agent-words" }, quoted(page, handoff), h("div", { class: "choices" }, buttons(page, handoff, decision, "ghost")))),
  );
}

export function requestCard(page: Page, terminal: string, decision: Decision): Node {
  const wants = page.store.terminals.value.get(terminal)?.lease?.wanted_by ?? "Another person";
  const lease = page.store.leases.value.get(terminal);
  const give = () => {
    if (lease !== undefined) void decision.decide("Give back", () => page.wire.giveBack(terminal, lease.lease), () => "Given back at");
  };
  const keep = () => page.store.keep(terminal, wants);
  return h(
    "div",
    {},
    heading(page, `${visible(wants)} would like the keyboard`, terminal, null, () => null),
    problem(decision),
    h("div", { class: "choices" }, choice(decision, "Give back", "fill", give), choice(decision, "Keep it", "plain", keep)),
  );
}
