import assert from "node:assert/strict";
import { test } from "node:test";
import { Link, type LinkState } from "../src/link.ts";
import type { Event } from "../src/wire.ts";
import { HandClock, HandSocket } from "./hand.ts";

function linked(isWelcome = true) {
  const clock = new HandClock();
  const sockets: HandSocket[] = [];
  const asked: [number | null, string | null][] = [];
  const events: Event[] = [];
  const states: LinkState[] = [];
  const open = (since: number | null, epoch: string | null) => {
    asked.push([since, epoch]);
    sockets.push(new HandSocket());
    return sockets.at(-1) as HandSocket;
  };
  const link = new Link(open, () => Promise.resolve(isWelcome), (event) => events.push(event), (state) => states.push(state), clock, () => 0.5);
  link.start();
  return { clock, sockets, asked, events, states, link, kind: () => states.at(-1)?.kind };
}

const reset = { seq: 7, epoch: "E", at: 1, event: "reset", terminals: [], commands: [], questions: [] };

test("it begins with everything, and is live with the first event", () => {
  const { sockets, asked, events, kind } = linked();
  assert.deepEqual(asked, [[null, null]]);
  assert.equal(kind(), "connecting");
  sockets[0]?.open().say(reset);
  assert.equal(kind(), "live");
  assert.equal(events[0]?.event, "reset");
});

test("after a loss it goes on behind the last event", () => {
  const { clock, sockets, asked, events, kind } = linked();
  sockets[0]?.open().say(reset);
  sockets[0]?.say({ seq: 8, epoch: "E", at: 2, event: "heartbeat" });
  sockets[0]?.lose();
  assert.equal(kind(), "connecting");
  clock.turn(200);
  assert.deepEqual(asked[1], [8, "E"]);
  sockets[1]?.open().say({ t: "pong", x: 0 });
  assert.equal(kind(), "live");
  sockets[1]?.say({ seq: 8, epoch: "E", at: 2, event: "server" });
  assert.equal(events.length, 2, "an event that is known is passed over");
});

test("it waits longer each time, five seconds at most, and for ever", () => {
  const { clock, sockets } = linked();
  for (const pause of [200, 400, 800, 1600, 3200, 5000, 5000]) {
    const before = sockets.length;
    sockets.at(-1)?.lose();
    clock.turn(pause - 1);
    assert.equal(sockets.length, before);
    clock.turn(1);
    assert.equal(sockets.length, before + 1);
  }
});

test("a page that wakes up asks for a pong; without one the socket is replaced", () => {
  const { clock, sockets, kind, link } = linked();
  sockets[0]?.open().say(reset);
  link.wake();
  assert.deepEqual(sockets[0]?.sent.at(-1), { t: "ping", x: 1 });
  sockets[0]?.say({ t: "pong", x: 1 });
  clock.turn(5000);
  assert.equal(kind(), "live");
  link.wake();
  clock.turn(3000);
  assert.equal(kind(), "connecting");
  assert.ok(sockets[0]?.isClosed);
});

test("a wake-up while it waits connects at once", () => {
  const { sockets, link } = linked();
  sockets[0]?.lose();
  link.wake();
  assert.equal(sockets.length, 2);
});

test("a session that has ended is not tried again", async () => {
  const { clock, sockets, kind } = linked(false);
  sockets[0]?.lose();
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(kind(), "over");
  clock.turn(60_000);
  assert.equal(sockets.length, 1);
});

test("a frame of a later version is passed over", () => {
  const { sockets, events } = linked();
  sockets[0]?.open().say(reset);
  sockets[0]?.say({ news: 1 });
  sockets[0]?.say({ t: "unheard" });
  assert.equal(events.length, 1);
});
