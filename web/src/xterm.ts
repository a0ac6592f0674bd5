// The terminal emulator, in a file of its own: it is loaded when a live end or a replay is shown.
//
// Rule 1: an emulator answers queries (what are you, where is the cursor) by typing. The server has answered them
//         already, so the queries are swallowed here: otherwise the program would read the answers twice.
// Rule 2: style elements that xterm.js makes get the nonce of the page; without it the browser refuses them.
// Rule 3: links are opened only after the person has seen where they lead, and only http and https.
// Rule 4: its scrollback is never the history; blocks are.

import { FitAddon } from "@xterm/addon-fit";
import { type ITheme, Terminal } from "@xterm/xterm";
import { UnicodeV11 } from "unicode-table";

const DARK: ITheme = {
  background: "#0b0e12", foreground: "#d3d8e0", cursor: "#e3e7ee", cursorAccent: "#0b0e12", selectionBackground: "#35507a",
  black: "#6c7686", red: "#f08a86", green: "#74bf8f", yellow: "#dcb35a", blue: "#7fb2f0", magenta: "#c9a0f0", cyan: "#6bc5d0", white: "#d3d8e0",
  brightBlack: "#8a94a4", brightRed: "#ffa8a3", brightGreen: "#93dcac", brightYellow: "#f4cf7c", brightBlue: "#a3ccff", brightMagenta: "#dfc0ff", brightCyan: "#8fe0ea", brightWhite: "#ffffff",
};
const LIGHT: ITheme = {
  background: "#f4f2ed", foreground: "#2a313a", cursor: "#1e242c", cursorAccent: "#f4f2ed", selectionBackground: "#bcd3f5",
  black: "#1e242c", red: "#b3261e", green: "#1d7343", yellow: "#7d5200", blue: "#1a56b8", magenta: "#7b3fb0", cyan: "#08687c", white: "#5f6873",
  brightBlack: "#5f6873", brightRed: "#c2352c", brightGreen: "#1f6b40", brightYellow: "#855900", brightBlue: "#1f5fc4", brightMagenta: "#8547bd", brightCyan: "#0b6d82", brightWhite: "#2a313a",
};

export interface Emulator {
  readonly element: HTMLElement;
  write(data: string | Uint8Array, done?: () => void): void;
  resize(columns: number, rows: number): void;
  fit(): [number, number] | null;
  setFont(size: number): void;
  setDark(is: boolean): void;
  setHeld(is: boolean): void;
  /** Whether what is printed is written out for screen readers. */
  setAloud(is: boolean): void;
  focus(): void;
  paste(text: string): void;
  selection(): string;
  /** The rows that are shown, each without blanks at its end; wrapped ones are marked. */
  rows(): { text: string; wrapped: boolean }[];
  cursorRow(): number;
  rowHeight(): number;
  isAlternate(): boolean;
  applicationArrows(): boolean;
  dispose(): void;
}

export interface Options {
  readonly dark: boolean;
  readonly onData: (text: string) => void;
  readonly onKey: (event: KeyboardEvent) => boolean; // false: it is the page's
  readonly onDraw: () => void;
  readonly onLink: (address: string) => void;
}

let isWrapped = false;

function giveNonces(): void {
  if (isWrapped) return;
  isWrapped = true;
  const nonce = document.querySelector('meta[name="nonce"]')?.getAttribute("content") ?? "";
  const create = document.createElement.bind(document);
  document.createElement = ((name: string, options?: ElementCreationOptions) => {
    const made = create(name, options);
    if (name.toLowerCase() === "style") made.nonce = nonce;
    return made;
  }) as typeof document.createElement;
}

function swallowQueries(terminal: Terminal): void {
  const { parser } = terminal;
  const yes = () => true;
  for (const id of [
    { final: "c" }, { prefix: ">", final: "c" }, { prefix: "=", final: "c" }, // device attributes
    { final: "n" }, { prefix: "?", final: "n" }, // status, cursor position
    { intermediates: "$", final: "p" }, { prefix: "?", intermediates: "$", final: "p" }, // modes
    { final: "t" }, { prefix: ">", final: "q" }, { prefix: "?", final: "u" }, { final: "x" }, // window, version, keyboard, parameters
  ]) {
    parser.registerCsiHandler(id, yes);
  }
  parser.registerDcsHandler({ intermediates: "$", final: "q" }, yes);
  parser.registerDcsHandler({ intermediates: "+", final: "q" }, yes);
  for (const number of [4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 52]) {
    parser.registerOscHandler(number, (data) => number === 52 || data.includes("?"));
  }
}

export function emulator(host: HTMLElement, size: readonly [number, number], options: Options): Emulator {
  giveNonces();
  const [cols, rows] = size;
  const font = getComputedStyle(host).fontFamily;
  const terminal = new Terminal({
    cols,
    rows,
    allowProposedApi: true, // unicode11 asks for it
    fontFamily: font,
    fontSize: 12.5,
    lineHeight: 1.1,
    scrollback: 0,
    theme: options.dark ? DARK : LIGHT,
    minimumContrastRatio: 4.5,
    drawBoldTextInBrightColors: false,
    cursorBlink: false,
    disableStdin: true,
    linkHandler: { activate: (_, address) => options.onLink(address), allowNonHttpProtocols: false },
    windowOptions: {},
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.unicode.register(new UnicodeV11());
  terminal.unicode.activeVersion = "11";
  swallowQueries(terminal);
  terminal.open(host);
  terminal.attachCustomKeyEventHandler(options.onKey);
  terminal.onData(options.onData);
  terminal.onBinary((text) => options.onData(text));
  terminal.onRender(options.onDraw);
  // It draws no cursor before it had the focus once. One that is only watched never has it: its cursor is an outline.
  for (const name of ["focus", "blur"]) terminal.textarea?.dispatchEvent(new FocusEvent(name));
  const element = terminal.element as HTMLElement;
  return {
    element,
    write: (data, done) => terminal.write(data, done),
    resize: (columns, height) => {
      if (terminal.cols !== columns || terminal.rows !== height) terminal.resize(columns, height);
    },
    fit: () => {
      const found = fit.proposeDimensions();
      return found === undefined || Number.isNaN(found.cols) ? null : [Math.max(20, found.cols), Math.max(5, found.rows)];
    },
    setFont: (size_) => {
      if (terminal.options.fontSize !== size_) terminal.options.fontSize = size_;
    },
    setDark: (is) => (terminal.options.theme = is ? DARK : LIGHT),
    setHeld: (is) => {
      terminal.options.disableStdin = !is;
      terminal.options.cursorBlink = is && !matchMedia("(prefers-reduced-motion: reduce)").matches;
      terminal.options.scrollback = is ? 2000 : 0;
    },
    setAloud: (is) => (terminal.options.screenReaderMode = is),
    focus: () => terminal.focus(),
    paste: (text) => terminal.paste(text),
    selection: () => terminal.getSelection(),
    rows: () => {
      const { active } = terminal.buffer;
      return Array.from({ length: terminal.rows }, (_, y) => {
        const line = active.getLine(active.baseY + y);
        return { text: line?.translateToString(true) ?? "", wrapped: line?.isWrapped ?? false };
      });
    },
    cursorRow: () => terminal.buffer.active.cursorY,
    rowHeight: () => (element.querySelector<HTMLElement>(".xterm-screen")?.offsetHeight ?? 0) / terminal.rows,
    isAlternate: () => terminal.buffer.active.type === "alternate",
    applicationArrows: () => terminal.modes.applicationCursorKeysMode,
    dispose: () => terminal.dispose(),
  };
}
