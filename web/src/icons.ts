// Glyphs. Each has a shape of its own: a colour is never the only difference.

import { svg } from "./dom.ts";

const STROKE = { fill: "none", stroke: "currentColor", "stroke-width": 1.8, "stroke-linecap": "round", "stroke-linejoin": "round" };

export type Glyph =
  | "run" | "ok" | "okUnknown" | "bad" | "need" | "lock" | "mine" | "idle" | "lost"
  | "now" | "terminal" | "history" | "play" | "pause" | "mark" | "more";

const PATHS: Record<Glyph, readonly string[]> = {
  run: ["M8 2.6a5.4 5.4 0 1 1-5.4 5.4"],
  ok: ["M3.2 8.6l3.1 3.1 6.5-7"],
  okUnknown: ["M5.2 8.2l2 2 3.6-4", "M8 1.9a6.1 6.1 0 1 1 0 12.2a6.1 6.1 0 1 1 0-12.2"],
  bad: ["M4 4l8 8", "M12 4l-8 8"],
  need: ["M8 1.9a6.1 6.1 0 1 1 0 12.2a6.1 6.1 0 1 1 0-12.2", "M6.3 6.4a1.75 1.75 0 1 1 2.5 1.6c-.5.25-.8.6-.8 1.1v.2", "M8 11.3v.01"],
  lock: ["M4 7.2h8v6H4z", "M5.6 7V5.2a2.4 2.4 0 0 1 4.8 0V7"],
  mine: ["M1.8 4.2h12.4v7.6H1.8z", "M4.4 6.8h.01M7 6.8h.01M9.4 6.8h.01M11.8 6.8h.01M5 9.4h6"],
  idle: ["M8 8v.01"],
  lost: ["M8 3v6.4", "M8 12.6v.01"],
  now: ["M2.6 7.4L8 2.6l5.4 4.8", "M4 6.6v6.8h8V6.6"],
  terminal: ["M2 3h12v10H2z", "M4.6 6.2L6.6 8l-2 1.8"],
  history: ["M8 1.9a6.1 6.1 0 1 1 0 12.2a6.1 6.1 0 1 1 0-12.2", "M8 4.8V8l2.2 1.4"],
  play: ["M5 3.2l7.6 4.8L5 12.8z"],
  pause: ["M5.4 3.6v8.8", "M10.6 3.6v8.8"],
  mark: ["M2.6 1.8h10.8q1.2 0 1.2 1.2v10q0 1.2-1.2 1.2H2.6q-1.2 0-1.2-1.2V3q0-1.2 1.2-1.2z", "M4.4 5.4L6.8 8l-2.4 2.6", "M8 10l1.6 1.6 3-3.8"],
  more: ["M3.4 8h.01", "M8 8h.01", "M12.6 8h.01"],
};

export function glyph(name: Glyph, label?: string): SVGElement {
  const spoken = label === undefined ? { "aria-hidden": "true" } : { role: "img", "aria-label": label };
  const drawn = PATHS[name].map((d) => svg("path", { ...STROKE, d }));
  return svg("svg", { class: `glyph glyph-${name}`, viewBox: "0 0 16 16", ...spoken }, ...drawn);
}
