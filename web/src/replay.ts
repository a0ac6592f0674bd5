// A terminal's recording, played in the emulator of the live end.
//
// Rule: forwards only what is new is written; backwards everything is written again from the start, in one piece.

import { effect, signal } from "@preact/signals-core";
import { type Cast, countUntil, readCast } from "./cast.ts";
import type { Page } from "./context.ts";
import { each, h, onEnd, region } from "./dom.ts";
import { nameById } from "./groups.ts";
import { glyph } from "./icons.ts";
import { placeKeys } from "./keys.ts";
import { isDark } from "./theme.ts";
import { elapsed, firstLine, visible } from "./words.ts";
import type { Emulator } from "./xterm.ts";

const SPEEDS = [1, 2, 5] as const;
const FRAME_MS = 33;
const BEFORE = 0.001; // seconds: at a marker, what the command prints is still to come

/** `from`: the id of a command to begin at. */
export function replay(page: Page, terminal: string, from: string | null): Element {
  const cast = signal<Cast | null>(null);
  const trouble = signal<string | null>(null);
  const at = signal(0);
  const plays = signal(false);
  const speed = signal<(typeof SPEEDS)[number]>(1);
  const host = h("div", { class: "emulator", "aria-hidden": "true" });
  let drawn: Emulator | null = null;
  let written = 0; // moments that the emulator has
  let timer: ReturnType<typeof setInterval> | undefined;

  const draw = () => {
    const found = cast.value;
    if (found === null || drawn === null) return;
    const wanted = countUntil(found.moments, at.value);
    if (wanted < written) {
      written = 0;
      drawn.resize(...found.size);
      drawn.write("\u001bc");
    }
    let text = "";
    for (; written < wanted; written += 1) {
      const moment = found.moments[written];
      if (moment === undefined) continue;
      if (moment.size !== null) {
        drawn.write(text);
        text = "";
        drawn.resize(...moment.size);
      } else text += moment.text;
    }
    if (text !== "") drawn.write(text);
  };
  const seek = (to: number) => {
    at.value = Math.min(Math.max(0, to), cast.value?.duration ?? 0);
    draw();
  };
  const toggle = () => {
    if (!plays.value && at.value >= (cast.value?.duration ?? 0)) seek(0);
    plays.value = !plays.value;
  };
  const step = (direction: 1 | -1) => {
    const moments = cast.value?.moments ?? [];
    const index = countUntil(moments, at.value) - 1 + direction;
    seek(index < 0 ? 0 : (moments[index]?.at ?? at.value));
  };
  onEnd(effect(() => {
    clearInterval(timer);
    if (!plays.value) return;
    let last = performance.now();
    timer = setInterval(() => {
      const now = performance.now();
      seek(at.peek() + ((now - last) / 1000) * speed.peek());
      last = now;
      if (at.peek() >= (cast.peek()?.duration ?? 0)) plays.value = false;
    }, FRAME_MS);
  }));
  onEnd(() => clearInterval(timer));

  let hasEnded = false;
  const load = async () => {
    try {
      const [text, { emulator }] = await Promise.all([page.wire.cast(terminal), import("./xterm.ts")]);
      if (hasEnded) return;
      const found = readCast(text);
      drawn = emulator(host, found.size, { dark: isDark.value, onData: () => {}, onKey: () => false, onDraw: () => {}, onLink: () => {} });
      cast.value = found;
      const label = from === null ? null : (page.store.command(from)?.text ?? null);
      const mark = found.markers.findLast((one) => one.label === label);
      seek(mark === undefined ? found.duration : mark.at - BEFORE); // the end is a better picture than an empty screen
    } catch (error) {
      trouble.value = error instanceof Error ? error.message : String(error);
    }
  };
  void load();
  placeKeys.value = (key) => {
    if (key === " ") toggle();
    else if (key === "," || key === ".") step(key === "." ? 1 : -1);
    else return false;
    return true;
  };
  onEnd(() => {
    hasEnded = true;
    placeKeys.value = null;
    drawn?.dispose();
  });

  const range = h("input", {
    type: "range", min: "0", max: () => cast.value?.duration ?? 0, step: "any", class: "seek", "aria-label": "Position", disabled: () => cast.value === null,
    on: { input: () => seek(Number(range.value)) },
  });
  onEnd(effect(() => {
    range.value = String(at.value);
  }));
  return h(
    "section",
    { class: "replay", "aria-label": `Replay of ${terminal}` },
    h(
      "div",
      { class: "controls" },
      h("button", { type: "button", class: "button plain", "data-act": "play", on: { click: toggle } }, region(() => plays.value, (is) => glyph(is ? "pause" : "play")), h("span", {}, () => (plays.value ? "Pause" : "Replay"))),
      h("span", { class: "clock" }, () => `${nameById(page.store, terminal)} · ${elapsed(at.value)} / ${elapsed(cast.value?.duration ?? 0)}`),
      h("span", { class: "speeds", role: "group", "aria-label": "Speed" }, SPEEDS.map((one) => h("button", { type: "button", class: "chip", "aria-pressed": () => String(speed.value === one), on: { click: () => (speed.value = one) } }, `${one}×`))),
      region(() => cast.value !== null, (is) => (is ? h("span", { class: "note push" }, "pauses are cut to 2 s · one step: ", h("kbd", {}, ","), " ", h("kbd", {}, ".")) : null)),
    ),
    range,
    h("div", { class: "crop whole" }, host),
    region(() => trouble.value, (text) => (text === null ? null : h("p", { class: "problem" }, text))),
    h(
      "ol",
      { class: "markers" },
      each(
        () => cast.value?.markers ?? [],
        (mark) => `${mark.at} ${mark.label}`,
        (mark) => h("li", {}, h("button", { type: "button", class: "marker", "aria-current": () => at.value >= mark.value.at - BEFORE && "true", on: { click: () => seek(mark.value.at - BEFORE) } }, h("time", {}, elapsed(mark.value.at)), h("code", {}, firstLine(visible(mark.value.label))))),
      ),
    ),
  );
}
