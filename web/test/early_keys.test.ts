import assert from "node:assert/strict";
import { test } from "node:test";
import { EarlyKeys, type Pressed } from "../src/early_keys.ts";
import { HandClock } from "./hand.ts";

function keyboard() {
  const clock = new HandClock();
  const sent: string[] = [];
  const losses: number[] = [];
  const early = new EarlyKeys(clock, () => losses.push(clock.now()));
  const press = (key: string, more: Partial<Pressed> = {}) =>
    early.press({ key, ctrlKey: false, altKey: false, metaKey: false, shiftKey: false, repeat: false, ...more });
  const release = (application = false) => early.release("t1", application, (text) => sent.push(text));
  return { clock, early, sent, losses, press, release };
}

test("keys are the page's before a terminal is taken, and again after it can be typed into", () => {
  const { early, sent, press, release } = keyboard();
  assert.equal(press("a"), false);
  early.begin("t1");
  assert.equal(press("a"), true);
  release();
  assert.equal(press("b"), false);
  release();
  assert.deepEqual(sent, ["a"]);
});

test("keys are sent in order, once, in one text", () => {
  const { early, sent, press, release } = keyboard();
  early.begin("t1");
  press("l");
  early.begin("t1"); // asked for twice, by the address and by the key
  press("S", { shiftKey: true });
  assert.equal(early.type("t1", "pasted"), true);
  assert.equal(early.type("t2", "another terminal"), false);
  for (const key of ["Enter", "Tab", "Backspace", "Escape", "ArrowUp", " "]) press(key);
  press("Tab", { shiftKey: true });
  press("c", { ctrlKey: true });
  press("x", { altKey: true });
  press("ü");
  release();
  assert.deepEqual(sent, ["lSpasted\r\t\u007f\u001b\u001b[A \u001b[Z\u0003\u001bxü"]);
});

test("repeats of the key that took the terminal are not typed", () => {
  const { early, sent, press, release } = keyboard();
  early.begin("t1");
  assert.equal(press("t", { repeat: true }), true);
  press("x");
  press("x", { repeat: true });
  release();
  assert.deepEqual(sent, ["xx"]);
});

test("an arrow is sent as the program wants it", () => {
  const { early, sent, press, release } = keyboard();
  early.begin("t1");
  press("ArrowUp");
  release(true);
  assert.deepEqual(sent, ["\u001bOA"]);
});

test("keys of the page and the browser are not kept", () => {
  const { early, press } = keyboard();
  early.begin("t1");
  assert.equal(press("G", { ctrlKey: true, shiftKey: true }), false);
  assert.equal(press("Shift", { shiftKey: true }), false);
  assert.equal(press("r", { metaKey: true }), false);
  assert.equal(press("1", { ctrlKey: true }), false);
});

test("where the terminal is refused or left, nothing is sent", () => {
  const { early, sent, press, release } = keyboard();
  early.begin("t1");
  press("a");
  early.end("t2");
  early.end("t1");
  release();
  assert.equal(press("b"), false);
  assert.deepEqual(sent, []);
});

test("another terminal gets none of the keys", () => {
  const { early, sent, press, release } = keyboard();
  early.begin("t2");
  press("a");
  early.begin("t1");
  press("b");
  release();
  assert.deepEqual(sent, ["b"]);
});

test("after five seconds all of them are thrown away, and what follows as well", () => {
  const { clock, early, sent, losses, press, release } = keyboard();
  early.begin("t1");
  clock.turn(20_000);
  press("r");
  press("m");
  clock.turn(5000);
  assert.deepEqual(losses, [25_000]);
  assert.equal(press("x"), true, "it is no key of the page");
  release();
  assert.deepEqual(sent, []);
  assert.equal(press("y"), false);
  clock.turn(60_000);
  assert.equal(losses.length, 1);
});
