// The blocks of a terminal in a scroller: about 40 at a time, and the place of the reader kept.
//
// Rule 1: at the end (within 24 px) it follows. Anywhere else the first visible block stays where it is, whatever is
//         printed, folded or loaded above or below it.
// Rule 2: blocks outside the window are spacers of the height that they had.

import { effect, signal } from "@preact/signals-core";
import { type BlockFacts, block } from "./blocks.ts";
import type { Page } from "./context.ts";
import { each, h, onEnd } from "./dom.ts";

const FOLLOW_PX = 24;
const ALL = 60; // so many blocks need no window
const MARGIN_PX = 900; // above and below the screen
const USUAL_PX = 42; // of a block that was not measured

export interface Place {
  readonly command: string | null; // the first visible block
  readonly offset: number; // of its top from the top of the scroller
  readonly follows: boolean;
}

const places = new Map<string, Place>(); // by terminal

/** Which blocks are in the DOM. */
export function windowOf(heights: readonly number[], top: number, height: number): [number, number] {
  if (heights.length <= ALL) return [0, heights.length];
  let from = 0;
  let above = 0;
  while (from < heights.length && above + (heights[from] ?? 0) < top - MARGIN_PX) above += heights[from++] ?? 0;
  let to = from;
  while (to < heights.length && above < top + height + MARGIN_PX) above += heights[to++] ?? 0;
  return [from, to];
}

export class Feed {
  readonly follows = signal(true);
  readonly scroller: HTMLElement;
  private readonly list: HTMLElement;
  private readonly heights = new Map<string, number>();
  private readonly range = signal<[number, number]>([0, ALL]);
  private anchor: { command: string; offset: number } | null = null;
  private lastTop = 0;
  private readonly above = h("div", { class: "spacer" });
  private readonly below = h("div", { class: "spacer" });

  constructor(
    page: Page,
    private readonly terminal: string,
    private readonly facts: () => readonly BlockFacts[],
    tail: Node,
    private readonly onTop: () => void,
  ) {
    const shown = () => {
      const all = facts();
      const [from, to] = this.range.value;
      return all.length <= ALL ? all : all.slice(from, to);
    };
    const has = (name: string) => () => facts().length > 0 && name; // a feed without articles is none
    this.list = h("div", { class: "feed", role: has("feed"), "aria-label": has("Commands") });
    this.list.append(
      this.above,
      each(shown, (one) => one.command.id, (one) => block(page, () => one.value)),
      this.below,
    );
    const content = h("div", { class: "feed-column" }, this.list, h("div", { class: "tail" }, tail));
    this.scroller = h("div", { class: "scroller feed-scroller", tabindex: "-1", on: { scroll: () => this.onScroll() } }, content);
    const known = places.get(terminal);
    if (known !== undefined && known.command !== null && !known.follows) {
      this.follows.value = false;
      this.anchor = { command: known.command, offset: known.offset };
    }
    const observer = new ResizeObserver(() => this.settle());
    observer.observe(content);
    observer.observe(this.scroller);
    onEnd(() => observer.disconnect());
    onEnd(effect(() => {
      facts();
      this.spread();
    }));
  }

  /** To the end, and follow it. */
  toEnd(): void {
    this.follows.value = true;
    this.settle();
  }

  /** The block of this command at the top, or at least on the screen. */
  reveal(command: string, where: "start" | "nearest" = "nearest"): void {
    const index = this.facts().findIndex((one) => one.command.id === command);
    if (index < 0) return;
    if (this.element(command) === null) {
      this.follows.value = false;
      const top = this.tops()[index] ?? 0;
      this.scroller.scrollTop = top;
      this.range.value = windowOf(this.sizes(), top, this.scroller.clientHeight);
      this.spread();
    }
    this.element(command)?.scrollIntoView({ block: where });
    this.onScroll();
  }

  element(command: string): HTMLElement | null {
    return this.list.querySelector<HTMLElement>(`[data-command="${CSS.escape(command)}"]`);
  }

  private sizes(): number[] {
    return this.facts().map((one) => this.heights.get(one.command.id) ?? USUAL_PX);
  }

  private tops(): number[] {
    let sum = 0;
    return this.sizes().map((size) => (sum += size) - size);
  }

  private measure(): void {
    for (const one of this.list.querySelectorAll<HTMLElement>("[data-command]")) {
      this.heights.set(one.dataset["command"] ?? "", one.offsetHeight);
    }
  }

  /** The spacers, for the window as it is. */
  private spread(): void {
    const sizes = this.sizes();
    const [from, to] = sizes.length <= ALL ? [0, sizes.length] : this.range.value;
    const sum = (some: readonly number[]) => some.reduce((total, one) => total + one, 0);
    this.above.style.height = `${sum(sizes.slice(0, from))}px`;
    this.below.style.height = `${sum(sizes.slice(to))}px`;
  }

  private onScroll(): void {
    const { scroller } = this;
    // The event comes a frame after the move. What has grown meanwhile is no reason to stop following: going up is.
    const isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight <= FOLLOW_PX;
    if (isAtEnd || scroller.scrollTop < this.lastTop) this.follows.value = isAtEnd;
    this.lastTop = scroller.scrollTop;
    this.look();
    this.remember();
    if (scroller.scrollTop < MARGIN_PX / 2) this.onTop();
  }

  /** Moves the window to where the reader is. */
  private look(): void {
    const count = this.facts().length;
    if (count <= ALL) return;
    this.measure();
    const [from, to] = windowOf(this.sizes(), this.scroller.scrollTop, this.scroller.clientHeight);
    const [oldFrom, oldTo] = this.range.value;
    const isInside = from >= oldFrom && to <= oldTo && oldTo <= count;
    if (isInside && oldTo - oldFrom <= 2 * (to - from) + ALL && (to < count || oldTo === count)) return;
    this.range.value = [Math.max(0, from - 4), Math.min(count, to + 4)];
    this.spread();
  }

  private remember(): void {
    const top = this.scroller.getBoundingClientRect().top;
    this.anchor = null;
    for (const one of this.list.querySelectorAll<HTMLElement>("[data-command]")) {
      const place = one.getBoundingClientRect();
      if (place.bottom <= top) continue;
      this.anchor = { command: one.dataset["command"] ?? "", offset: place.top - top };
      break;
    }
    const { command = null, offset = 0 } = this.anchor ?? {};
    places.set(this.terminal, { command, offset, follows: this.follows.value });
  }

  /** Something has another size: follow the end, or keep the first visible block where it is. */
  private settle(): void {
    const { scroller } = this;
    this.look();
    if (this.follows.value) {
      scroller.scrollTop = scroller.scrollHeight;
      this.lastTop = scroller.scrollTop;
      return;
    }
    if (this.anchor === null) return;
    const element = this.element(this.anchor.command);
    if (element === null) return;
    const offset = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
    if (Math.abs(offset - this.anchor.offset) >= 1) scroller.scrollTop += offset - this.anchor.offset;
  }
}
