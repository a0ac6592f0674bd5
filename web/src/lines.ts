// The output of one command that has ended: folded by what it is, unfolded by 500 lines at a time.
//
//    folded  nothing; of the newest commands up to 4 lines whole, or "N lines folded" and the last one
//    open    up to 12 lines whole; more: the first 4, "N lines folded", the last 8
//
// Rule 1: the middle is never left out without its count.
// Rule 2: colours are classes of spans whose content is text. The classes are those of `LOOKS`, whatever was printed.

import { effect, signal } from "@preact/signals-core";
import type { Page } from "./context.ts";
import { h, onEnd, region } from "./dom.ts";
import type { Command } from "./model.ts";
import type { Run, Slice } from "./wire.ts";
import { bytes, count, visible } from "./words.ts";

const WHOLE = 12;
const HEAD = 4;
const TAIL = 8;
const MORE = 500;
const FEW = 4; // lines that are shown of a command that ended well, where it has no more
const LONGEST = 4000; // characters of a line; a page that wraps megabytes stands still

/** How many lines the outputs have that were looked at. */
export const lineCounts = signal<ReadonlyMap<string, number>>(new Map());

export type Extent = "none" | "last" | "open";

export interface Line {
  readonly text: string;
  readonly runs: readonly Run[]; // where it is not plain
  readonly cut: boolean; // only its beginning is here
}

/** Lines `first`…, then a gap, then `tail`. */
export interface Known {
  readonly first: number;
  readonly lines: readonly Line[];
  readonly tailFirst: number;
  readonly tail: readonly Line[];
  readonly total: number;
}

const coloured = (first: number, texts: readonly string[], colours: readonly (readonly Run[])[], cut: readonly number[]): readonly Line[] =>
  texts.map((text, index) => ({ text, runs: colours[index] ?? [], cut: cut.includes(first + index) }));

/** What a slice says, as head, gap and tail. */
export function known(slice: Slice): Known {
  const { first, total, cut } = slice;
  const tail = coloured(slice.tail_first ?? 0, slice.tail, slice.tail_colours, cut);
  return joined(first, coloured(first, slice.lines, slice.colours, cut), slice.tail_first, tail, total);
}

function joined(first: number, lines: readonly Line[], begin: number | null, tail: readonly Line[], total: number): Known {
  const end = first + lines.length; // the number behind the last of them
  const tailFirst = Math.max(begin ?? total + 1, end);
  return { first, lines, tailFirst, tail: tail.slice(begin === null ? 0 : Math.max(0, end - begin)), total };
}

/** More lines behind the head. */
export function extended(before: Known, slice: Slice): Known {
  if (slice.first !== before.first + before.lines.length) return before;
  const lines = [...before.lines, ...coloured(slice.first, slice.lines, slice.colours, slice.cut)];
  return joined(before.first, lines, before.tailFirst, before.tail, slice.total);
}

export function gapOf(one: Known): number {
  return one.tailFirst - one.first - one.lines.length;
}

/** `line`: one that a link names. */
export function output(page: Page, command: () => Command, extent: () => Extent, line: () => number | null, unfold: () => void): Node {
  const shown = signal<Known | null>(null);
  const trouble = signal<string | null>(null);
  const isBusy = signal(false);
  let asked: Extent | null = null;
  const { id } = command();

  const load = async (work: () => Promise<Known>) => {
    if (isBusy.value) return;
    isBusy.value = true;
    try {
      shown.value = await work();
      lineCounts.value = new Map(lineCounts.value).set(id, shown.value.total);
      trouble.value = null;
    } catch (error) {
      trouble.value = error instanceof Error ? error.message : String(error);
    } finally {
      isBusy.value = false;
    }
  };
  /** A short output comes whole, so that nothing is folded that is not worth it. */
  const whole = async (slice: Slice): Promise<Known> => {
    const found = known(slice);
    if (asked !== "open" || gapOf(found) === 0 || found.total > WHOLE) return found;
    return known(await page.wire.slice(id, { first: 1, count: WHOLE, tail: 0 }));
  };

  const stop = effect(() => {
    const wanted = extent();
    if (wanted === "none" || !command().finished || command().output_bytes === 0) return;
    if (asked === "open" || asked === wanted) return;
    asked = wanted;
    const fields = wanted === "last" ? { first: 1, count: 0, tail: FEW } : { first: 1, count: firstCount(line()), tail: TAIL };
    void load(async () => whole(await page.wire.slice(id, fields)));
  });
  onEnd(stop);

  const more = () =>
    void load(async () => {
      const before = shown.value;
      if (before === null) return known(await page.wire.slice(id, { first: 1, count: HEAD, tail: TAIL }));
      const first = before.first + before.lines.length;
      return extended(before, await page.wire.slice(id, { first, count: Math.min(MORE, gapOf(before)), tail: 0 }));
    });

  return h(
    "div",
    { class: "output" },
    region(
      () => (extent() === "none" ? null : shown.value),
      (now) => (now === null || (extent() === "open" && now.lines.length === 0 && now.total > now.tail.length) ? null : body(now, extent(), extent() === "last" ? unfold : more, line)),
    ),
    region(() => trouble.value, (text) => (text === null ? null : h("p", { class: "problem" }, text))),
  );
}

function firstCount(line: number | null): number {
  return line === null ? HEAD : Math.max(HEAD, line + 20);
}

function body(now: Known, extent: Extent, more: () => void, line: () => number | null): Node {
  const gap = gapOf(now);
  const made = document.createDocumentFragment();
  const block = (first: number, lines: readonly Line[]) =>
    h("pre", { class: "lines" }, lines.map((one, index) => oneLine(one, first + index, line)));
  if (extent === "last") {
    const last = now.tail.slice(now.total <= FEW ? 0 : -1);
    if (now.total > last.length) made.append(fold(now.total - last.length, more));
    made.append(block(now.total - last.length + 1, last));
    return made;
  }
  if (now.lines.length > 0) made.append(block(now.first, now.lines));
  if (gap > 0) made.append(fold(gap, more));
  if (now.tail.length > 0) made.append(block(now.tailFirst, now.tail));
  return made;
}

function fold(number: number, more: () => void): Node {
  const label = `${count(number, "line")} folded`;
  return h("button", { type: "button", class: "fold", on: { click: more } }, h("span", {}, label));
}

function oneLine({ text, runs, cut }: Line, number: number, line: () => number | null): Node {
  const isLong = text.length > LONGEST;
  const shown = isLong ? text.slice(0, LONGEST) : text;
  return h(
    "span",
    { class: () => (line() === number ? "line chosen" : "line"), "data-line": number },
    runs.length === 0 ? visible(shown) : parts(shown, runs).map(([part, look]) => (look === "" ? visible(part) : h("span", { class: look }, visible(part)))),
    isLong ? h("i", { class: "note" }, ` … ${cut ? "more than " : ""}${bytes(text.length - LONGEST)} more in this line`) : null,
    "\n",
  );
}

const LOOKS = new Set(["1", "2", "3", "4", "7", "9", ...[30, 40, 90, 100].flatMap((base) => Array.from({ length: 8 }, (_, index) => String(base + index)))]);

/** A line cut where its look changes, each part with its classes. */
export function parts(text: string, runs: readonly Run[]): (readonly [string, string])[] {
  const characters = [...text];
  const made: [string, string][] = [];
  let last = 0;
  const add = (from: number, to: number, look: string) => {
    if (to > from) made.push([characters.slice(from, to).join(""), look]);
  };
  for (const [from, to, look] of runs) {
    if (from < last || to <= from || from >= characters.length) continue;
    add(last, from, "");
    add(from, Math.min(to, characters.length), look.split(";").filter((one) => LOOKS.has(one)).map((one) => `sgr-${one}`).join(" "));
    last = Math.min(to, characters.length);
  }
  add(last, characters.length, "");
  return made;
}
