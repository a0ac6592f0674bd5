import assert from "node:assert/strict";
import { test } from "node:test";
import { asksPerson, grouped, needs, secretOf } from "../src/groups.ts";
import type { Question } from "../src/model.ts";
import { standing } from "../src/state.ts";
import { Store } from "../src/store.ts";
import type { Event } from "../src/wire.ts";
import { command, terminal, waiting } from "./hand.ts";

let seq = 0;
function event(facts: object): Event {
  return { seq: ++seq, epoch: "E", at: 1000, ...facts } as unknown as Event;
}

function question(id: string): Question {
  return { id, command: "rm -rf build", reason: "rm asks", rule: "rm *", suggestions: [], terminal_id: "t1", task: null, client: "claude-code", asked_at: 990 };
}

function filled(): Store {
  const store = new Store();
  const running = command("t1-1");
  store.apply(event({ event: "reset", terminals: [terminal("t1", { command: running, busy: true }), terminal("t2")], commands: [running], questions: [] }), 1000);
  return store;
}

const groups = (store: Store) => grouped(store).map((one) => `${one.terminal.id} ${one.group}`);

test("a reset is how everything stands; a page that comes late sees open questions", () => {
  const store = new Store();
  const asking = command("t1-1", { state: "waiting", waiting: waiting(), episode: 3, waiting_since: 940 });
  store.apply(event({ event: "reset", terminals: [terminal("t1", { command: asking })], commands: [asking], questions: [question("q1")] }), 1000);
  assert.deepEqual(needs(store).map((one) => `${one.kind} ${one.key}`).sort(), ["answer t1-1:3", "question q1"]);
  assert.equal(needs(store).find((one) => one.kind === "answer")?.since, 940);
});

test("a waiting makes a need, by its episode, and going on takes it away", () => {
  const store = filled();
  assert.deepEqual(groups(store), ["t1 running", "t2 quiet"]);
  store.apply(event({ event: "waiting", command_id: "t1-1", terminal_id: "t1", episode: 1, waiting: waiting(), waiting_since: 900 }), 1000);
  assert.deepEqual(groups(store), ["t1 needs", "t2 quiet"]);
  store.apply(event({ event: "resumed", command_id: "t1-1", terminal_id: "t1", episode: null, waiting: null, waiting_since: null }), 1000);
  store.apply(event({ event: "waiting", command_id: "t1-1", terminal_id: "t1", episode: 2, waiting: waiting({ kind: "secret" }), waiting_since: 900 }), 1000);
  assert.deepEqual(needs(store).map((one) => `${one.kind} ${one.key} ${one.since}`), ["secret t1-1:2 900"]);
});

test("what is asked for with echo off has one name everywhere", () => {
  const asks = (word: string | null) => secretOf(command("t1-1", { waiting: waiting({ kind: "secret", asks: word }) }));
  assert.deepEqual(["passphrase", "code", "other", null].map(asks), ["passphrase", "code", "password", "password"]);
});

test("a prompt that reads all day needs nobody", () => {
  for (const facts of [{ kind: "fullscreen" }, { kind: "shell" }, { asks: "repl" }, { asks: "pager", kind: "key" }] as const) {
    assert.equal(asksPerson(command("t1-1", { state: "waiting", waiting: waiting(facts), episode: 1 })), false, JSON.stringify(facts));
  }
  assert.ok(asksPerson(command("t1-1", { state: "waiting", waiting: waiting({ asks: "text" }), episode: 1 })));
  assert.ok(!asksPerson(command("t1-1", { state: "finished", finished: true })));
});

test("an end replaces the command, and a failure is shown until it was seen", () => {
  const store = filled();
  store.apply(event({ event: "progress", command_id: "t1-1", terminal_id: "t1", output_bytes: 10, last_line: "a" }), 1000);
  assert.deepEqual(store.progress.value.get("t1-1")?.lines, ["a"]);
  store.apply(event({ event: "finished", command: command("t1-1", { state: "finished", finished: true, exit_code: 2, cwd: "/x" }) }), 1000);
  assert.deepEqual(groups(store), ["t1 failed", "t2 quiet"]);
  assert.equal(store.terminals.value.get("t1")?.cwd, "/x");
  assert.equal(store.progress.value.size, 0);
  store.apply(event({ event: "started", command: command("t1-2") }), 1000);
  assert.deepEqual(store.commandsOf("t1").value.map((one) => one.id), ["t1-1", "t1-2"]);
  assert.deepEqual(groups(store), ["t1 running", "t2 quiet"]);
});

test("an unknown exit code is no failure and no success", () => {
  const store = filled();
  store.apply(event({ event: "finished", command: command("t1-1", { state: "finished", finished: true, exit_code: null }) }), 1000);
  assert.deepEqual(groups(store), ["t1 quiet", "t2 quiet"]);
});

test("what was read of the past is put in its order, and told once", () => {
  const store = filled();
  const old = [10, 9, 2].map((number) => command(`t1-${number}`, { finished: true, state: "finished", exit_code: 0 }));
  store.merge(old);
  store.merge(old);
  assert.deepEqual(store.commandsOf("t1").value.map((one) => one.id), ["t1-1", "t1-2", "t1-9", "t1-10"]);
});

test("a reset keeps what was read, and drops what is gone", () => {
  const store = filled();
  store.hold("t1", { lease: "L", holder: "you", until: 5 });
  store.apply(event({ event: "question", question: question("q2") }), 1000);
  store.apply(event({ event: "reset", terminals: [terminal("t1")], commands: [], questions: [] }), 1000);
  assert.equal(store.commandsOf("t1").value.length, 1);
  assert.deepEqual([...store.terminals.value.keys()], ["t1"]);
  assert.equal(store.questions.value.size, 0);
  assert.equal(store.leases.value.size, 0, "the server knows no lease of it");
});

test("a lease is seen, and its end takes this page's own away", () => {
  const store = filled();
  store.apply(event({ event: "lease", terminal_id: "t1", holder: "ana", reason: "", until: 2000 }), 1000);
  assert.equal(store.terminals.value.get("t1")?.lease?.holder, "ana");
  store.hold("t1", { lease: "L", holder: "ana", until: 2000 });
  assert.deepEqual(groups(store), ["t1 mine", "t2 quiet"]);
  store.apply(event({ event: "lease", terminal_id: "t1", holder: null, reason: "It was given back.", until: null, did: [{ text: "ls", exit_code: 0 }] }), 1000);
  assert.equal(store.leases.value.size, 0);
  assert.deepEqual(store.did.value.get("t1"), [{ text: "ls", exit_code: 0 }]);
});

test("time is the server's", () => {
  const store = filled(); // its event is of 1000, the page's clock says so too
  store.apply(event({ event: "heartbeat", at: 5000 }), 1000);
  store.tick(1010);
  assert.equal(store.now.value, 5010);
});

test("a receipt is there for five seconds", () => {
  const store = filled();
  store.receipt("q1", "Allowed once", true, 1000);
  store.tick(1004);
  assert.equal(store.receipts.value.length, 1);
  store.tick(1006);
  assert.equal(store.receipts.value.length, 0);
});

test("a terminal that closes is gone; a question that is settled too", () => {
  const store = filled();
  store.apply(event({ event: "question", question: question("q1") }), 1000);
  assert.deepEqual(groups(store), ["t1 needs", "t2 quiet"]);
  store.apply(event({ event: "settled", question_id: "q1", id: "q1", answer: "allow", by: "page-1", rule: null, word: null }), 1000);
  store.apply(event({ event: "closed", terminal: terminal("t1", { closed: true }) }), 1000);
  assert.deepEqual(groups(store), ["t2 quiet"]);
});

test("who waits longest stands first", () => {
  const store = filled();
  const waits = (id: string, waiting_since: number) => command(id, { state: "waiting", waiting: waiting(), episode: 1, waiting_since });
  const terminals = [terminal("t1", { command: waits("t1-1", 950) }), terminal("t2", { command: waits("t2-1", 900) })];
  store.apply(event({ event: "reset", terminals, commands: terminals.map((one) => one.command), questions: [] }), 1000);
  assert.deepEqual(groups(store), ["t2 needs", "t1 needs"]);
});

test("a card that is settled elsewhere says so; one that was never there, or was settled here, does not", () => {
  const store = filled();
  const texts = () => store.receipts.value.map((one) => `${one.key} ${one.text.replace(/\d+:\d+:\d+/, "TIME")}`);
  const settled = (id: string, answer: string | null, facts = {}) => store.apply(event({ event: "settled", question_id: id, id, answer, by: "page-2", rule: null, word: null, ...facts }), 1000);
  for (const id of ["q1", "q2", "q3", "q4", "q5"]) store.apply(event({ event: "question", question: question(id) }), 1000);
  let sent: string | null = null;
  for (const id of ["q2", "q3", "q4"]) store.cards.set(id, { sent: { peek: () => null } });
  store.cards.set("q5", { sent: { peek: () => sent } });
  settled("q1", "allow");
  settled("q2", "allow");
  settled("q3", "deny");
  settled("q4", "always", { rule: "rm *" });
  sent = "Allow once";
  settled("q5", "allow");
  assert.deepEqual(texts(), ["q2 Allowed once at TIME by page-2", "q3 Denied at TIME by page-2", "q4 Allowed from now on (rm *) at TIME by page-2"]);
});

test("a card of a program that has gone on says so", () => {
  const store = filled();
  store.cards.set("t1-1:1", { sent: { peek: () => null } });
  const asks = (episode: number, prompt: string) => store.apply(event({ event: "waiting", command_id: "t1-1", terminal_id: "t1", episode, waiting: waiting({ prompt }), waiting_since: 900 }), 1000);
  asks(1, "Go on?");
  asks(1, "Go on? [Y/n]");
  assert.equal(store.receipts.value.length, 0, "it is the same waiting");
  asks(2, "Sure?");
  assert.match(store.receipts.value[0]?.text ?? "", /^No longer waiting since /);
});

test("lines from before the page came are shown until others come", () => {
  const store = filled();
  store.recall("t1-1", ["old", ""]);
  assert.deepEqual(store.progress.value.get("t1-1")?.lines, ["old"]);
  store.apply(event({ event: "progress", command_id: "t1-1", terminal_id: "t1", output_bytes: 20, last_line: "new" }), 1000);
  store.recall("t1-1", ["late"]);
  assert.deepEqual(store.progress.value.get("t1-1")?.lines, ["old", "new"]);
});

test("a job that was stopped is no failure, and neither is a code that stands for the same", () => {
  const ended = (facts: object) => {
    const store = filled();
    store.apply(event({ event: "finished", command: command("t1-1", { state: "finished", finished: true, ...facts }) }), 1000);
    const [first] = store.terminals.value.values();
    return [standing(store, first!).badge, groups(store)[0]];
  };
  const notes = ["stopped in the background: sleep (77)"];
  assert.deepEqual(ended({ exit_code: 148, notes }), ["stopped", "t1 quiet"]);
  assert.deepEqual(ended({ exit_code: 148 }), ["exit 148", "t1 failed"]);
  assert.deepEqual(ended({ exit_code: 0, notes }), ["", "t1 quiet"]);
  assert.deepEqual(ended({ exit_code: 1, notes }), ["exit 1", "t1 failed"]);
  assert.deepEqual(ended({ exit_code: 143, signal: "SIGTERM", notes }), ["SIGTERM", "t1 failed"]);
});

test("a command that prints nothing says for how long, and whether it works", () => {
  const store = filled();
  const badge = () => standing(store, store.terminals.value.get("t1")!).badge;
  const look = (at: number, quiet: number, cpu: number | null) => {
    store.tick(at);
    store.look("t1-1", { output_bytes: 10, quiet_seconds: quiet, cpu_seconds: cpu }, at);
  };
  store.tick(1500);
  assert.equal(badge(), "running", "nobody was asked when it has printed last");
  look(1500, 130, 2);
  assert.equal(badge(), "quiet 2:10");
  look(1520, 150, 21);
  assert.equal(badge(), "quiet 2:30 · CPU 95 %");
  look(1540, 170, 21);
  assert.equal(badge(), "quiet 2:50 · sleeping");
  look(1560, 190, null);
  assert.equal(badge(), "quiet 3:10", "the kernel does not show it");
  store.apply(event({ event: "progress", command_id: "t1-1", terminal_id: "t1", output_bytes: 14, last_line: "on", at: 1570 }), 1570);
  assert.equal(badge(), "running");
  look(1570, 0, 30);
  store.apply(event({ event: "finished", command: command("t1-1", { state: "finished", finished: true, exit_code: 0 }) }), 1571);
  assert.equal(store.activity.value.size, 0);
  look(1572, 0, 30);
  assert.equal(store.activity.value.size, 0, "an answer that comes behind the end");
});
