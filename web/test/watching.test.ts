import assert from "node:assert/strict";
import { test } from "node:test";
import { Watching } from "../src/watching.ts";
import { readFrame } from "../src/wire.ts";
import { HandClock, HandSocket, bytes } from "./hand.ts";

function watched() {
  const clock = new HandClock();
  const sockets: HandSocket[] = [];
  const asked: [number | null, string | null][] = [];
  const drawn: string[] = [];
  const sizes: number[][] = [];
  const waiting: (() => void)[] = [];
  const lives: number[] = [];
  const watching = new Watching(
    (from, epoch) => {
      asked.push([from, epoch]);
      sockets.push(new HandSocket());
      return (sockets.at(-1) as HandSocket);
    },
    {
      write: (data, done) => {
        drawn.push(typeof data === "string" ? data : new TextDecoder().decode(data));
        waiting.push(done);
      },
      resize: (columns, rows) => void sizes.push([columns, rows]),
    },
    { onBytes: () => {}, onPicture: () => {}, onLease: () => {}, onLive: () => void lives.push(clock.now()), onBye: () => {}, onError: () => {} },
    clock,
  );
  watching.start();
  const socket = sockets[0] as HandSocket;
  socket.open();
  socket.say({ t: "hello", protocol: 1, terminal: "t1", epoch: "E", size: [80, 24], from: null, lease: null, may: ["watch", "type"] });
  const draw = () => waiting.splice(0).forEach((done) => done());
  return { clock, sockets, socket, asked, drawn, sizes, lives, watching, draw };
}

const picture = { t: "picture", n: 1, seq: 100, size: [80, 24], dump: "hello", cursor: [0, 0], alternate: false, title: null, skipped: 0, why: "first" };

test("a picture is one write of a reset and the dump, then bytes follow", () => {
  const { socket, drawn, sizes } = watched();
  socket.say(picture);
  socket.say(bytes(2, 100, 105, " more"));
  assert.deepEqual(drawn, ["\u001bchello", " more"]);
  assert.deepEqual(sizes, [[80, 24]]);
});

test("a gap asks for a picture, and nothing is drawn before it comes", () => {
  const { socket, drawn } = watched();
  socket.say(picture);
  socket.say(bytes(3, 120, 125, "later"));
  socket.say(bytes(4, 125, 130, "still"));
  assert.deepEqual(socket.sent, [{ t: "picture" }]);
  assert.equal(drawn.length, 1);
  socket.say({ ...picture, n: 5, seq: 130, why: "asked" });
  socket.say(bytes(6, 130, 131, "!"));
  assert.equal(drawn.at(-1), "!");
});

test("what is drawn is acknowledged: after 250 ms, or each 64 kB", () => {
  const { clock, socket, draw } = watched();
  socket.say(picture);
  clock.turn(1000);
  assert.deepEqual(socket.sent, [], "nothing was drawn yet");
  draw();
  clock.turn(250);
  assert.deepEqual(socket.sent, [{ t: "ack", seq: 100 }]);
  socket.say(bytes(2, 100, 70_000, "x"));
  draw();
  assert.deepEqual(socket.sent.at(-1), { t: "ack", seq: 70_000 });
});

test("after a loss it asks for what comes behind the place where it is", () => {
  const { clock, socket, asked, sockets, drawn, lives, draw } = watched();
  socket.say(picture);
  assert.equal(lives.length, 0);
  draw();
  assert.equal(lives.length, 1);
  socket.say(bytes(2, 100, 105, " more"));
  socket.lose();
  clock.turn(400);
  assert.deepEqual(asked[1], [105, "E"]);
  const next = sockets[1] as HandSocket;
  next.open().say({ t: "hello", epoch: "E", size: [80, 24], from: 105, lease: null, may: [] });
  assert.equal(lives.length, 2, "it is drawn already");
  next.say(bytes(1, 105, 109, "here"));
  assert.equal(drawn.at(-1), "here");
});

test("keys and sizes need a lease, a socket that is open, and a screen that is drawn", () => {
  const { socket, watching, draw } = watched();
  assert.equal(watching.type("y"), false);
  watching.resize([10, 10]);
  assert.deepEqual(socket.sent, []);
  watching.hold("L1");
  assert.equal(watching.type("y"), false);
  socket.say(picture);
  draw();
  assert.equal(watching.type("y"), true);
  watching.resize([100, 40]);
  assert.deepEqual(socket.sent, [{ t: "lease", lease: "L1" }, { t: "keys", lease: "L1", text: "y" }, { t: "size", lease: "L1", size: [100, 40] }]);
  socket.readyState = 3;
  assert.equal(watching.type("y"), false, "a key that cannot be sent now is dropped");
});

test("a closed terminal is not looked for again", () => {
  const { clock, socket, sockets } = watched();
  socket.say({ t: "bye", code: "closed" });
  socket.lose();
  clock.turn(60_000);
  assert.equal(sockets.length, 1);
});

test("frames that are too short, broken or unknown are none", () => {
  assert.equal(readFrame(new ArrayBuffer(19)), null);
  assert.equal(readFrame("{"), null);
  assert.equal(readFrame("[1]"), null);
  assert.equal(readFrame('{"t":"unheard"}'), null);
  const frame = readFrame(bytes(2, 2 ** 40, 2 ** 40 + 3, "abc"));
  assert.ok(frame?.t === "bytes" && frame.from === 2 ** 40 && frame.data.length === 3);
});
