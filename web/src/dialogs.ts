// Small windows above the page: the list of keys, a menu, a question before something that cannot be taken back.

import type { Signal } from "@preact/signals-core";
import { type Child, h } from "./dom.ts";
import { saved } from "./saved.ts";
import { count, visible } from "./words.ts";

function open(dialog: HTMLDialogElement): void {
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // beside it
  });
  dialog.showModal();
  dialog.scrollTop = 0; // where its last button has the focus, a small window shows that alone
}

/** Whether it was agreed to. */
export function ask(title: string, body: Child, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = false;
    const close = (is: boolean) => () => {
      answer = is;
      dialog.close();
    };
    const dialog: HTMLDialogElement = h(
      "dialog",
      { class: "dialog", "aria-label": title },
      h("h2", {}, title),
      body,
      h(
        "div",
        { class: "choices" },
        h("button", { type: "button", class: "button fill", on: { click: close(true) } }, yes),
        h("button", { type: "button", class: "button plain", autofocus: true, on: { click: close(false) } }, "Cancel"),
      ),
    );
    dialog.addEventListener("close", () => resolve(answer));
    open(dialog);
  });
}

/** Something to read, with a button that closes it. */
export function showDialog(title: string, body: Child): void {
  const close = h("form", { method: "dialog", class: "choices" }, h("button", { class: "button plain", autofocus: true }, "Close"));
  open(h("dialog", { class: "dialog wide", "aria-label": title }, h("h2", {}, title), body, close));
}

export function askPaste(text: string): Promise<boolean> {
  const lines = text.split(/\r\n|\r|\n/);
  const runs = lines.at(-1) === "" && lines.length > 1; // a line end behind the last one
  return ask(`Paste ${count(runs ? lines.length - 1 : lines.length, "line")}${runs ? ", with Enter" : ""}?`, h("pre", { class: "command-box", tabindex: "0" }, visible(text)), "Paste");
}

export interface MenuItem {
  readonly label: string;
  readonly act: () => void;
}

/** A menu below a button. */
export function menu(button: HTMLElement, items: readonly MenuItem[]): void {
  const dialog: HTMLDialogElement = h(
    "dialog",
    { class: "menu", "aria-label": "More" },
    items.map(({ label, act }) => {
      const click = () => {
        dialog.close();
        act();
      };
      return h("button", { type: "button", class: "item", on: { click } }, label);
    }),
  );
  open(dialog);
  const place = button.getBoundingClientRect();
  dialog.style.top = `${Math.min(place.bottom + 4, innerHeight - dialog.offsetHeight - 8)}px`;
  dialog.style.left = `${Math.max(8, Math.min(place.right, innerWidth - 8) - dialog.offsetWidth)}px`;
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = [...dialog.querySelectorAll("button")];
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    all[(at + step + all.length) % all.length]?.focus();
  };
  dialog.addEventListener("keydown", move);
}

const KEYS: readonly (readonly [string, string])[] = [
  ["g n", "Now"], ["g h", "History"], ["/", "Search"], ["u", "Next thing that needs you"],
  ["a  d", "Allow once, deny"], ["y n 1…9", "A choice of the card"], ["[  ]", "Previous, next terminal"], ["j  k", "Next, previous command"],
  ["o Enter", "Fold, unfold"], ["e", "Evidence"], ["c  l", "Copy output, copy link"], ["r", "Replay from here"], ["G", "Live end, follow"],
  ["t", "Take over"], ["Ctrl Shift G", "Give back"], ["Ctrl Shift C", "Copy in a held terminal"], ["Ctrl Shift V", "Paste there"], ["?", "This list"],
];

export function keyList(): void {
  const close = () => dialog.close();
  const flip = (one: Signal<boolean>, what: string) => {
    const press = () => {
      one.value = !one.value;
      close();
    };
    return h("button", { type: "button", class: "button ghost", on: { click: press } }, `Turn ${what} ${one.peek() ? "off" : "on"}`);
  };
  const dialog: HTMLDialogElement = h(
    "dialog",
    { class: "dialog keys", "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h("dl", {}, KEYS.map(([key, what]) => h("div", {}, h("dt", {}, key.split(/ +/).map((one) => h("kbd", {}, one))), h("dd", {}, what)))),
    h(
      "div",
      { class: "choices" },
      h("button", { type: "button", class: "button plain", autofocus: true, on: { click: close } }, "Close"),
      flip(saved.letters, "single letters"),
      flip(saved.reader, "reading aloud in a held terminal"),
    ),
  );
  open(dialog);
}

/** A file for the person to keep. */
export function download(name: string, content: Blob | string, type = "text/plain"): void {
  const address = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
