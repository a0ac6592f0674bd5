// Elements, and what changes in them. There is no virtual tree: a function among the attributes or children is
// evaluated again whenever a signal that it has read changes, and writes one text or one attribute.
//
// Rule 1: text goes in as text. Nothing here parses HTML.
// Rule 2: a row of `each` keeps its elements for as long as its key is there, so that a field keeps its focus and what
//         is typed in it.
// Rule 3: what is made inside `region` and `each` ends with it: effects stop, `onEnd` is called.

import { type ReadonlySignal, type Signal, effect, signal, untracked } from "@preact/signals-core";

type End = () => void;
type Value = string | number | boolean | null | undefined;
export type Child = Node | Value | (() => Value) | readonly Child[];
type Listeners = { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
export interface Attributes {
  on?: Listeners;
  [name: string]: Value | (() => Value) | Listeners;
}

let ends: End[] | null = null;

/** Calls `make`; the second value ends everything that was made by it. */
export function scope<T>(make: () => T): [T, End] {
  const outer = ends;
  const own: End[] = [];
  ends = own;
  try {
    return [untracked(make), () => own.splice(0).forEach((end) => end())];
  } finally {
    ends = outer;
  }
}

/** Called when the region or row that is being made ends. */
export function onEnd(end: End): void {
  ends?.push(end);
}

/** Runs now, and again whenever a signal that it reads changes. */
export function watch(run: () => void): void {
  onEnd(effect(run));
}

function setAttribute(element: Element, name: string, value: Value): void {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

function fill(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") listen(element, value as Listeners);
    else if (typeof value === "function") watch(() => setAttribute(element, name, value()));
    else setAttribute(element, name, value as Value);
  }
  append(element, children);
}

function listen(element: Element, listeners: Listeners): void {
  for (const [name, listener] of Object.entries(listeners)) {
    if (listener !== undefined) element.addEventListener(name, listener as EventListener);
  }
}

function append(parent: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || typeof child === "boolean") continue;
    if (child instanceof Node) parent.appendChild(child);
    else if (Array.isArray(child)) append(parent, child as readonly Child[]);
    else if (typeof child === "function") {
      const text = document.createTextNode("");
      watch(() => {
        const value = child();
        text.data = value === null || value === undefined || typeof value === "boolean" ? "" : String(value);
      });
      parent.appendChild(text);
    } else parent.appendChild(document.createTextNode(String(child)));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag) as SVGElement;
  fill(element, attributes, children);
  return element;
}

/** What `render` makes of the key; made anew when the key changes. */
export function region<K>(key: () => K, render: (key: K) => Node | null): Node {
  const end = document.createComment("");
  const made = document.createDocumentFragment();
  made.appendChild(end);
  let nodes: ChildNode[] = [];
  let dispose: End = () => {};
  let last: { key: K } | null = null;
  watch(() => {
    const now = key();
    if (last !== null && last.key === now) return;
    last = { key: now };
    dispose();
    for (const node of nodes) node.remove();
    const [node, over] = scope(() => render(now));
    dispose = over;
    nodes = node === null ? [] : node instanceof DocumentFragment ? [...node.childNodes] : [node as ChildNode];
    for (const one of nodes) end.parentNode?.insertBefore(one, end);
  });
  onEnd(() => dispose());
  return made;
}

interface Row<T> {
  item: Signal<T>;
  node: Element;
  dispose: End;
}

/** One element for each item, in their order. */
export function each<T>(
  items: () => readonly T[],
  key: (item: T) => string,
  render: (item: ReadonlySignal<T>) => Element,
): Node {
  const end = document.createComment("");
  const made = document.createDocumentFragment();
  made.appendChild(end);
  const rows = new Map<string, Row<T>>();
  watch(() => {
    const now = items();
    untracked(() => {
      const wanted = new Map(now.map((item) => [key(item), item]));
      for (const [name, row] of rows) {
        if (wanted.has(name)) continue;
        row.dispose();
        row.node.remove();
        rows.delete(name);
      }
      let next: Node = end;
      for (const [name, item] of [...wanted].reverse()) {
        let row = rows.get(name);
        if (row === undefined) {
          const value = signal(item);
          const [node, dispose] = scope(() => render(value));
          row = { item: value, node, dispose };
          rows.set(name, row);
        } else row.item.value = item;
        if (row.node.nextSibling !== next || row.node.parentNode !== end.parentNode) place(row.node, next);
        next = row.node;
      }
    });
  });
  onEnd(() => rows.forEach((row) => row.dispose()));
  return made;
}

type Mover = Node & { moveBefore?: (node: Node, next: Node) => void };

function place(node: Element, next: Node): void {
  const parent = next.parentNode as Mover;
  // moveBefore (Chromium 133) keeps the focus and the scroll position of what is moved.
  if (parent.moveBefore !== undefined && node.isConnected && node.parentNode === parent) parent.moveBefore(node, next);
  else parent.insertBefore(node, next);
}
