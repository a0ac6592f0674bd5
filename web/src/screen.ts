// The live end of a terminal in the page: an emulator in a frame, cropped to what is there, or full while it is held.
//
// Rule 1: a viewer has no size of its own. The font is made smaller until the terminal's columns fit.
// Rule 2: of a watched terminal, rows above the command's own line and empty rows below are cropped. Nothing of the
//         command is hidden: the crop begins at the line that holds its text, or not at all.
// Rule 3: to screen readers the drawing is hidden. A button fills a plain text with the last lines. A held terminal is
//         read aloud where the person has chosen so: it says what is typed twice.

import { computed, effect, signal, untracked } from "@preact/signals-core";
import type { Page } from "./context.ts";
import { h, onEnd, region } from "./dom.ts";
import { askPaste } from "./dialogs.ts";
import { systemClock } from "./clock.ts";
import { saved } from "./saved.ts";
import { isDark } from "./theme.ts";
import { Watching } from "./watching.ts";
import type { Emulator } from "./xterm.ts";

const FONT = 12.5;
const SMALLEST_FONT = 9; // below it nothing can be read: the frame scrolls sideways
const MOST_ROWS = 30; // of a watched terminal that is no full-screen program

export interface Live {
  readonly element: HTMLElement;
  /** Types; false where it was dropped. */
  type(text: string): boolean;
  applicationArrows(): boolean;
}

export interface LiveFacts {
  readonly command: () => string | null; // the text of the one that runs: rows above it are cropped
  readonly isHeld: () => boolean;
  readonly giveBack: () => void;
  readonly onLines: (count: number) => void; // so many were printed
}

export function liveScreen(page: Page, id: string, { command, isHeld, giveBack, onLines }: LiveFacts): Live {
  const host = h("div", { class: "emulator", "aria-hidden": () => !isHeld() && "true" });
  const crop = h("div", { class: "crop" }, host);
  const status = signal<"loading" | "live" | "flood" | "gone">("loading");
  const read = signal<string | null>(null);
  let drawn: Emulator | null = null;
  let watching: Watching | null = null;
  let hasEnded = false;
  const lease = computed(() => page.store.leases.value.get(id)?.lease ?? null);
  let joined: "no" | "sized" | "yes" = "no"; // the keyboard to this lease

  const show = async () => {
    const { emulator } = await import("./xterm.ts");
    if (hasEnded) return;
    const made = emulator(host, page.store.terminals.value.get(id)?.size ?? [80, 24], {
      dark: isDark.value,
      onData: (text) => void (isHeld() && type(text)),
      onKey: (event) => onKey(event),
      onDraw: () => layOut(),
      onLink: (address) => openLink(address),
    });
    drawn = made;
    const drawer = {
      write: (data: string | Uint8Array, done: () => void) => made.write(data, done),
      resize: (columns: number, rows: number) => {
        made.resize(columns, rows);
        scale();
      },
    };
    watching = new Watching((from, epoch) => page.wire.view(id, from, epoch), drawer, {
      onBytes: (data) => onLines(data.reduce((sum, byte) => sum + Number(byte === 10), 0)),
      onPicture: (frame) => (status.value = frame.why === "flood" || frame.why === "late" ? "flood" : "live"),
      onLease: () => {},
      onLive: () => join(),
      onBye: (code) => {
        if (code === "closed" || code === "kicked") status.value = "gone";
      },
      onError: (message) => page.say(message),
    }, systemClock);
    stops.push(
      effect(() => made.setDark(isDark.value)),
      effect(() => made.setAloud(lease.value !== null && saved.reader.value)),
      effect(() => scale()),
      effect(() => {
        const isLive = page.isLive;
        if (isLive && wasLost) untracked(renew);
        wasLost = !isLive;
      }),
      effect(() => {
        const named = lease.value;
        untracked(() => {
          made.setHeld(named !== null);
          watching?.hold(named);
          joined = "no";
          if (named !== null) takeSize();
        });
      }),
    );
    look();
  };

  const stops: (() => void)[] = [];
  /** No socket for a page that is not looked at; a held terminal keeps it. */
  const look = () => {
    if (document.hidden && !isHeld()) watching?.pause();
    else watching?.start();
  };
  document.addEventListener("visibilitychange", look);

  /** The page's connection was lost, and this one may be dead without having said so: another goes on behind what is drawn. */
  const renew = () => {
    watching?.pause();
    look();
  };
  let wasLost = false;

  /** The keyboard goes to the program when the terminal has its size and is drawn: a shell draws its line anew then. */
  const join = () => {
    if (drawn === null || joined !== "sized" || !watching?.canType) return;
    joined = "yes";
    page.early.release(id, drawn.applicationArrows(), type);
    drawn.focus();
  };

  const type = (text: string): boolean => {
    if (page.early.type(id, text)) return true;
    const done = page.isLive && (watching?.type(text) ?? false);
    if (!done) page.say("Not connected: the key was dropped.");
    return done;
  };

  const onKey = (event: KeyboardEvent): boolean => {
    if (event.type !== "keydown" || !event.ctrlKey || !event.shiftKey) return true;
    const key = event.key.toLowerCase();
    if (key === "g") giveBack();
    else if (key === "c") copy();
    else if (key !== "v") return true; // Ctrl Shift V is the browser's paste, which `paste` below sees
    if (key !== "v") event.preventDefault();
    return false;
  };

  const copy = () => void navigator.clipboard.writeText(drawn?.selection() ?? "").catch(() => page.say("The browser does not let this page copy."));

  // xterm.js keeps the wheel for itself. Over a terminal that is only watched, it moves the page.
  const leaveWheel = (event: Event) => {
    if (!isHeld()) event.stopPropagation();
  };
  host.addEventListener("wheel", leaveWheel, { capture: true, passive: true });

  host.addEventListener("paste", (event) => {
    if (!isHeld()) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    event.preventDefault();
    event.stopPropagation();
    if (!/[\r\n]/.test(text.trimEnd())) drawn?.paste(text.trimEnd() === "" ? text : text.replace(/[\r\n]+$/, ""));
    else void askPaste(text).then((yes) => yes && drawn?.paste(text));
  }, true);

  /** The terminal gets the size of the frame: only its holder says one, and only from an element that is seen. */
  const takeSize = () => {
    requestAnimationFrame(() => {
      if (!isHeld()) return;
      const size = host.offsetParent === null || host.clientWidth < 40 ? null : (drawn?.fit() ?? null);
      if (size !== null) watching?.resize(size);
      if (joined === "no") joined = "sized";
      join();
    });
  };

  const scale = () => {
    if (drawn === null) return;
    if (isHeld()) {
      drawn.setFont(FONT);
      return;
    }
    const columns = page.store.terminals.value.get(id)?.size[0] ?? 80;
    const width = crop.clientWidth;
    if (width === 0) return;
    const wanted = (width / (columns * widthOf(host))) * 0.995;
    drawn.setFont(Math.max(SMALLEST_FONT, Math.min(FONT, Math.floor(wanted * 4) / 4)));
  };

  const layOut = () => {
    if (drawn === null) return;
    const height = drawn.rowHeight();
    const isWhole = isHeld() || drawn.isAlternate();
    const rows = drawn.rows();
    const [first, last] = isWhole ? [0, rows.length - 1] : cropOf(rows, drawn.cursorRow(), command());
    const from = isHeld() ? 0 : Math.max(first, drawn.isAlternate() ? 0 : last + 1 - MOST_ROWS);
    crop.classList.toggle("whole", isHeld());
    set(host, "marginTop", isHeld() ? "" : `${-from * height}px`);
    set(crop, "height", isHeld() ? "" : `${Math.ceil((last + 1 - from) * height)}px`);
  };

  const resized = new ResizeObserver(() => {
    scale();
    if (isHeld()) takeSize();
  });
  resized.observe(crop);

  const readAloud = () =>
    void page.attempt(() => page.wire.screenLines(id)).then((lines) => {
      if (lines !== null) read.value = lines.join("\n").trimEnd().split("\n").slice(-12).join("\n");
    });

  const openLink = (address: string) => {
    if (/^https?:/i.test(address) && confirm(`Open this address?\n\n${address}`)) window.open(address, "_blank", "noopener,noreferrer");
  };

  void show();
  onEnd(() => {
    hasEnded = true;
    document.removeEventListener("visibilitychange", look);
    resized.disconnect();
    stops.forEach((stop) => stop());
    watching?.end();
    drawn?.dispose();
  });

  const element = h(
    "div",
    { class: () => `live ${isHeld() ? "held" : ""}` },
    region(() => isHeld(), (is) => (is ? heldLine(page, id) : null)),
    crop,
    region(() => status.value === "loading" && page.store.link.value.kind !== "live", (is) => (is ? h("p", { class: "note flood" }, "The screen is shown as soon as the page is connected again.") : null)),
    region(() => status.value === "flood", (is) => (is ? h("p", { class: "note flood" }, "Printing faster than it can be read: showing the end.") : null)),
    h("button", { type: "button", class: "spoken-button", on: { click: readAloud } }, "Read the last lines"),
    region(() => read.value, (text) => (text === null ? null : h("pre", { class: "read", tabindex: "0", "aria-label": "The last lines" }, text))),
  );
  return { element, type, applicationArrows: () => drawn?.applicationArrows() ?? false };
}

function set(element: HTMLElement, name: "height" | "marginTop", value: string): void {
  if (element.style[name] !== value) element.style[name] = value;
}

function heldLine(page: Page, id: string): Node {
  const waiting = () => page.store.terminals.value.get(id)?.command?.waiting ?? null;
  const program = () => {
    const command = page.store.terminals.value.get(id)?.command ?? null;
    return waiting()?.program ?? (command === null || command.finished ? "the shell" : "the program");
  };
  return h(
    "div",
    { class: "held-line" },
    h("span", {}, () => `live · typing goes to ${program()}`),
    h("span", {}, () => (waiting()?.kind === "secret" ? "echo is off: nothing you type is shown or recorded" : "")),
  );
}

/** The first and last row that are shown. */
export function cropOf(rows: readonly { text: string; wrapped: boolean }[], cursor: number, command: string | null): [number, number] {
  let last = cursor;
  for (let y = rows.length - 1; y > cursor; y -= 1) {
    if (rows[y]?.text !== "") {
      last = y;
      break;
    }
  }
  const wanted = command?.split("\n")[0]?.trim() ?? "";
  if (wanted === "") return [0, last];
  for (let y = last; y >= 0; y -= 1) {
    if (rows[y]?.wrapped) continue;
    let end = y;
    let text = rows[y]?.text ?? "";
    while (rows[end + 1]?.wrapped) text += rows[(end += 1)]?.text ?? "";
    if (text.trimEnd().endsWith(wanted)) return [Math.min(end + 1, last), last];
  }
  return [0, last];
}

let ratio: number | null = null;

/** The width of a character, in parts of the font's size. */
function widthOf(host: HTMLElement): number {
  if (ratio !== null) return ratio;
  const probe = h("span", { class: "probe" }, "m".repeat(100));
  host.parentElement?.append(probe);
  ratio = probe.getBoundingClientRect().width / 100 / 100;
  probe.remove();
  if (ratio > 0) return ratio;
  ratio = null; // it was not laid out yet
  return 0.6;
}
