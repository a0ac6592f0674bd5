import assert from "node:assert/strict";
import { test } from "node:test";
import { optionsOf } from "../src/answer.ts";
import { usualExtent } from "../src/blocks.ts";
import { countUntil, readCast } from "../src/cast.ts";
import { readRoute } from "../src/context.ts";
import { windowOf } from "../src/feed.ts";
import { control } from "../src/early_keys.ts";
import { extended, gapOf, known, parts } from "../src/lines.ts";
import { cropOf } from "../src/screen.ts";
import { ago, bytes, duration, elapsed, path, pieces, visible, moment } from "../src/words.ts";
import { command, waiting } from "./hand.ts";

test("times and sizes", () => {
  assert.deepEqual([0, 38, 102, 3700, 40_000].map(elapsed), ["0:00", "0:38", "1:42", "1:01:40", "11 h"]);
  assert.deepEqual([0.04, 3.14, 41, 130, 7300].map(duration), ["0.0 s", "3.1 s", "41 s", "2 min 10 s", "2 h 01 min"]);
  assert.deepEqual([5, 65, 7200, 90_000].map(ago), ["5 s", "1 min", "2 h", "1 d"]);
  assert.deepEqual([118, 14_200, 4_200_000].map(bytes), ["118 B", "14.2 kB", "4.2 MB"]);
  assert.deepEqual(["/home/ana/src", "/home/anatole", "/srv/home/x", null].map(path), ["~/src", "~", "/srv/home/x", ""]);
});

test("a moment to come is named with its day where that is another one", () => {
  const noon = new Date(2026, 10, 18, 12).getTime() / 1000;
  assert.equal(moment(noon + 3600, noon), "13:00");
  assert.equal(moment(noon + 26 * 3600, noon), "19 Nov, 14:00");
});

test("hidden characters are written out", () => {
  assert.equal(visible("rm \u202e gpj.\u200b\u0007"), "rm <U+202E> gpj.<U+200B><U+0007>");
  assert.equal(visible("tab\tand\nline, ä, 漢, 👍"), "tab\tand\nline, ä, 漢, 👍");
  assert.equal(visible("\u{e0041}"), "<U+E0041>");
  assert.deepEqual(pieces("a\u202eb").map((one) => one.hidden), [false, true, false]);
});

test("addresses", () => {
  assert.deepEqual(readRoute("/", "", ""), { place: "now" });
  assert.deepEqual(readRoute("/", "", "#terminals"), { place: "terminals" });
  assert.deepEqual(readRoute("/t/t3/c/t3-14", "", "#L118"), { place: "terminal", id: "t3", command: "t3-14", line: 118, take: false });
  assert.deepEqual(readRoute("/t/t3", "?take", ""), { place: "terminal", id: "t3", command: null, line: null, take: true });
  const found = readRoute("/history", "?q=a+b", "");
  assert.ok(found.place === "history" && found.query.get("q") === "a b");
});

test("choices: the default first, letters and digits as keys", () => {
  const yesNo = optionsOf(waiting({ choices: ["y", "n"], default: "n" }));
  assert.deepEqual(yesNo.map((one) => [one.text, one.label, one.key, one.isDefault]), [["n", "No", "n", true], ["y", "Yes", "y", false]]);
  const menu = optionsOf(waiting({ asks: "choice", choices: ["1", "2"], labels: ["staging", "production"], default: null }));
  assert.deepEqual(menu.map((one) => [one.label, one.key]), [["1 · staging", "1"], ["2 · production", "2"]]);
  assert.deepEqual(optionsOf(waiting({ asks: "menu", kind: "key", choices: ["Medium"] })), [], "arrow keys move it");
});

test("what is folded by what it is", () => {
  const ended = (code: number) => command("t1-1", { finished: true, state: "finished", exit_code: code });
  assert.equal(usualExtent(ended(1), 30), "open");
  assert.equal(usualExtent(ended(0), 30), "none");
  assert.equal(usualExtent(ended(0), 2), "last");
  assert.equal(usualExtent(command("t1-1"), 0), "none");
});

const numbers = (first: number, count: number) => Array.from({ length: count }, (_, index) => String(first + index));

test("head, gap and tail never overlap and lose nothing", () => {
  const plain = { cut: [], colours: [], tail_colours: [] };
  const far = known({ first: 1, lines: numbers(1, 4), tail_first: 111, tail: numbers(111, 8), total: 118, ...plain });
  assert.equal(gapOf(far), 106);
  const near = known({ first: 1, lines: numbers(1, 4), tail_first: 3, tail: numbers(3, 8), total: 10, ...plain });
  assert.equal(gapOf(near), 0);
  assert.deepEqual([...near.lines, ...near.tail].map((one) => one.text), numbers(1, 10));
  const more = extended(far, { first: 5, lines: numbers(5, 106), tail_first: null, tail: [], total: 118, ...plain });
  assert.deepEqual([...more.lines, ...more.tail].map((one) => one.text), numbers(1, 118));
  assert.equal(extended(far, { first: 9, lines: ["x"], tail_first: null, tail: [], total: 118, ...plain }), far, "what does not join on is not taken");
});

test("a line of which only the beginning came is known as such, in the head and in the tail", () => {
  const some = known({ first: 1, lines: ["a", "b"], tail_first: 9, tail: ["i", "j"], total: 10, cut: [2, 9], colours: [], tail_colours: [] });
  assert.deepEqual([...some.lines, ...some.tail].map((one) => one.cut), [false, true, true, false]);
});

test("a line is cut where its look changes, and only known looks become classes", () => {
  assert.deepEqual(parts("😀 ok bad", [[2, 4, "1;32"], [5, 99, "31;x y;200"]]), [["😀 ", ""], ["ok", "sgr-1 sgr-32"], [" ", ""], ["bad", "sgr-31"]]);
  assert.deepEqual(parts("abc", [[0, 2, "7"], [1, 3, "31"], [9, 12, "1"]]), [["ab", "sgr-7"], ["c", ""]], "what overlaps or lies behind the end is passed over");
});

test("a window of blocks around the reader", () => {
  assert.deepEqual(windowOf(Array<number>(50).fill(40), 0, 600), [0, 50]);
  const [from, to] = windowOf(Array<number>(1000).fill(40), 20_000, 600);
  assert.ok(from <= 500 && to >= 515 && to - from < 70, `${from} ${to}`);
  assert.equal(windowOf(Array<number>(1000).fill(40), 40_000, 600)[1], 1000);
});

test("a live end begins behind the command's own line, also where that wraps", () => {
  const rows = (...texts: string[]) => texts.map((text) => ({ text: text.replace(/^>/, ""), wrapped: text.startsWith(">") }));
  assert.deepEqual(cropOf(rows("$ ls", "a", "$ make", "one", "two", "", ""), 4, "make"), [3, 4]);
  assert.deepEqual(cropOf(rows("$ make al", ">l the things", "one", ""), 2, "make all the things"), [2, 2]);
  assert.deepEqual(cropOf(rows("x", "y", ""), 1, "make"), [0, 1], "its line has left the screen: nothing is cropped");
  assert.deepEqual(cropOf(rows("$ make", ""), 0, "make"), [0, 0]);
});

test("a recording: pauses are cut, markers are kept", () => {
  const three = readCast('{"version":3,"term":{"cols":100,"rows":30}}\n[0.5,"o","a"]\n[60,"m","t1-1 make"]\n[0.1,"o","b"]\n[0,"r","80x24"]\n# no line\n');
  assert.deepEqual(three.size, [100, 30]);
  assert.deepEqual(three.markers, [{ at: 2.5, label: "t1-1 make" }]);
  assert.equal(three.duration, 2.6);
  assert.deepEqual(three.moments.at(-1)?.size, [80, 24]);
  assert.deepEqual([0, 0.5, 2.55, 9].map((at) => countUntil(three.moments, at)), [0, 1, 1, 3]);
  assert.equal(readCast('{"version":2,"width":80,"height":24}\n[1,"o","a"]\n[2,"o","b"]').duration, 2);
  const tenths = readCast(`{"version":3,"term":{"cols":80,"rows":24}}\n${'[0.1,"o","a"]\n'.repeat(3)}`);
  assert.equal(tenths.duration, 0.3); // added up it is 0.30000000000000004, of which a slider keeps 0.3
  assert.equal(countUntil(tenths.moments, 0.3), 3);
});

test("the Ctrl key of the key bar", () => {
  assert.equal(control("c"), "\u0003");
  assert.equal(control("["), "\u001b");
  assert.equal(control("é"), "é");
});
