"""Joins one link to the command that runs on it, in four steps: feed, take signs, write, act.

Rule 1: nothing here waits and nothing here decides that a command has ended; `core/machine.py` does.
Rule 2: one timer, set to the machine's one deadline.
Rule 3: one thing after the other (`Steps`): a reply rule that types does so after the look that made it answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain
from math import inf
from typing import Final

from truetty.core.life import State, Want
from truetty.core.observation import Observation
from truetty.core.standing import Standing
from truetty.host.base import USUAL, Ended
from truetty.questions.programs import is_unfinished, plain
from truetty.shells.row import Typed
from truetty.terminal.wire import records
from truetty.terminal.wire.alarm import Alarm
from truetty.terminal.wire.link import Link
from truetty.terminal.wire.queries import TerminalQueries
from truetty.terminal.wire.receiver import Receiver
from truetty.terminal.wire.run import FOLDER_GONE, Run
from truetty.terminal.wire.sender import Sender
from truetty.terminal.wire.steps import Steps


class Conversation:
    """What is going on between us and one shell. `changed` is called after anything did; `cursor` says where it is."""

    def __init__(self, link: Link, changed: Callable[[], None], cursor: Callable[[], tuple[int, int]]) -> None:
        self.link: Final = link
        self.run: Run | None = None  # the last one that was begun
        self._changed = changed
        self._loop = asyncio.get_running_loop()
        self._queries = TerminalQueries(link.channel, cursor, link.transcript)
        self._sender = Sender(
            link.typist,
            link.prompt,
            link.timeline,
            link.integration,
            link.processes,
            self._note_sending,
            self._note_typed,
        )
        self._receiver = Receiver(link, self._sender, self._queries)
        self._looking: Run | None = None  # the run that the next look is for
        self._steps = Steps(self._act)
        self._alarm = Alarm(self._on_time)

    def attach(self) -> None:
        """From now on the channel delivers to us."""
        self.link.channel.attach(self)

    def take_over(self, run: Run | None, begun: Standing | None, printed: Iterable[bytes]) -> None:
        """Go on where a process before this one has stopped. `run`: the last command; `begun`: its record.

        `printed`: all since the last record.
        """
        now, link, self.run = self._loop.time(), self.link, run
        runs = run is not None and run.machine.ending is None
        pieces, before = iter(printed), link.transcript.size
        first = next(pieces, b"")
        has_printed = bool(first) or link.transcript.size > before  # which may not be stored
        pieces = chain([first], pieces)
        if run is None or begun is None or not runs:
            self._receiver.read_again(pieces, run, now)
            link.prompt.on_leftover()  # keys may stand there of which nothing was written down
            link.channel.learn()
            self.attach()
        elif records.was_typed(link, begun, printed=has_printed):
            self._sender.on_typed_before(run, records.typed_again(begun), now, surely="typed" in begun)
            self._receiver.read_again(pieces, run, now)
            self.attach()
            self._steps.take(run.machine.on_time, now)
        else:
            self._receiver.read_again(pieces, None, now)
            self.attach()
            self._steps.take(self._begin, run, self._sender.send_late)

    def now(self) -> float:
        """The time by which everything here goes."""
        return self._loop.time()

    # -- commands

    def prepare(self, text: str | None, *, limit: float = inf) -> Run:
        """A command, not begun yet. None: just await the prompt."""
        return self.link.prepare(text, self._loop.time(), limit=limit)

    def begin(self, run: Run) -> None:
        """It is typed when the prompt is free, which may be now. OSError: it could not be, and nothing has happened."""
        self._steps.take(self._begin, run, self._sender.send)

    def send(self, data: bytes) -> None:
        """Keys for the running command, or for the program that reads the terminal now."""
        self._steps.take(self._send_keys, data)

    @property
    def holds_keys(self) -> bool:
        """Whether keys wait until the command has started. What modes it will have by then is not known yet."""
        return self.run is not None and self.run.holds_keys

    def answer(self, run: Run, data: bytes) -> None:
        """Keys for this command, if it still runs."""
        if run is self.run and run.machine.ending is None and not self.link.closed:
            self.send(data)

    def resize(self, columns: int, rows: int) -> None:
        self.link.resize(columns, rows, self._loop.time())

    # -- the channel's side

    def on_data(self, data: bytes) -> None:
        self._steps.take(self._take, data)

    def on_look(self, seen: Observation, at: int) -> None:
        self._steps.take(self._take_look, seen, at)

    def on_end(self, ended: Ended) -> None:
        self._steps.take(self._end, ended)

    # -- what happened

    def _begin(self, run: Run, send: Callable[[Run, float], None]) -> None:
        link = self.link
        before, self.run = self.run, run
        link.processes.begin()
        try:
            if link.prompt.is_clean or link.typist.types_unasked:
                self._on_free_prompt(run, send)
            elif link.ledger is not None and run.text is not None:
                link.ledger.on_ask(records.asked(run))
        except OSError:
            self.run = before
            raise

    def _note_sending(self, run: Run, typed: Typed) -> None:
        if self.link.ledger is not None:
            self.link.ledger.on_send(records.sent(self.link, run, typed))

    def _note_typed(self, run: Run) -> None:
        if self.link.ledger is not None:
            self.link.ledger.on_typed(run.serial)

    def _send_keys(self, data: bytes) -> None:
        now, run, link = self._loop.time(), self.run, self.link
        read = run is not None and run.reader.waiting is not None
        left, asleep = link.typist.on_keys(data, read=read), None
        if left and link.channel.pid is not None and link.typist.interrupts(data):
            asleep = link.channel.family.wakes(link.channel.pid)
        link.prompt.on_keys(data, link.transcript.size, left=left, asleep=asleep)
        held = run is not None and run.holds_keys
        # The line editors of mksh and busybox switch the key off; the command will have it.
        interrupt = link.typist.interrupts(data) or (held and USUAL.interrupt in data)
        behind = run is not None and run.machine.state is State.RUNNING and bool(run.early_keys)
        if run is not None and (held or behind or (interrupt and self._is_starting(run, now))):
            run.early_keys.add(data, now, interrupt=interrupt)
            run.machine.on_early_keys(now)
        else:
            self._sender.send_keys(run, data, now)

    def _is_starting(self, run: Run, now: float) -> bool:
        """Whether the shell may be on its way to a program of the command: there it drops a SIGINT."""
        if run.machine.state is not State.RUNNING or run.reader.waiting is not None:
            return False
        processes = self.link.processes
        return not processes.programs_in_front() and run.early_keys.is_starting(now, processes.work())

    def _take(self, data: bytes) -> None:
        self._receiver.on_bytes(data, self.run, self._loop.time())

    def _end(self, ended: Ended) -> None:
        self.link.on_end(ended)
        if self.run is not None:
            self.run.on_shell_end(ended, self._loop.time())

    def _take_look(self, seen: Observation, at: int) -> None:
        now, link = self._loop.time(), self.link
        run, self._looking = self._looking, None
        if run is None or run is not self.run or run.machine.ending:
            return
        machine, output_from = run.machine, run.machine.testimony.output_from
        if (output_from or 0) > at:
            return  # C came after the look, which shows the shell on its way to the command
        if machine.state is State.RUNNING and output_from is not None:
            link.typist.drop_texts()
            link.typist.on_look()
        if seen.place is not None:
            machine.testimony.on_place(seen.place, at)
        if size := self._queries.answer(seen):
            # The program waited for the terminal, and has its answer. If it is the shell, it has yet to read it.
            machine.on_input(now, size + (seen.consumed or 0))
            return
        if self._queries.is_awaited(seen):
            seen = Observation("running", conclusive=False, consumed=seen.consumed)
        starts_up = not (link.integration.marks_work or link.typist.interrupted)
        if starts_up and seen.kind == "shell" and link.typist.reads_before_hook():
            seen = replace(seen, kind="line")
        elif machine.state is State.QUEUED and seen.kind == "line" and link.typist.reads_without_editor(seen):
            link.channel.learn()
            seen = replace(seen, seen="ready")
        elif not link.shell.has_marks and machine.state is State.RUNNING:
            seen = self._without_marks(run, seen)
        run.on_look(seen, now, link.shell)
        if machine.ending is not None and machine.ending.evidence == "mark" and seen.seen != "ready":
            link.channel.learn()  # a prompt that a mark has confirmed, and that looked strange
        if machine.ending is not None:
            for place in machine.testimony.hooks:
                link.channel.learn_hook(place)
        typed_into = link.prompt.is_free and link.prompt.keys_left
        if machine.state is State.QUEUED and typed_into and link.typist.is_drawn_unseen():
            self._on_free_prompt(run, self._sender.send_late)
        if run.early_keys:
            self._release_keys(run, seen, now)
        if self._is_first_prompt(run, seen):
            link.channel.learn()

    def _without_marks(self, run: Run, seen: Observation) -> Observation:
        """A look at a program that is no shell of ours: what resembles its prompt may be a question of the command.

        Its prompt is the place where it first read. A read of a line anywhere else is the prompt if the same text
        stands there as before the command, and else a question. A known text for the rest of a statement is no prompt.
        """
        if seen.reader != self.link.channel.pid:
            return seen
        if seen.seen == "ready":
            unfinished = is_unfinished(run.span.last_line(), plain(seen.program))
            return replace(seen, seen="waiting", kind="line") if unfinished else seen
        if seen.kind not in ("shell", "line", "continuation"):
            return seen
        if run.span.ends_with_prompt():
            return replace(seen, kind="shell", conclusive=False)
        if seen.kind == "continuation":
            return seen
        modes = self.link.channel.tty.modes() or USUAL
        return replace(seen, kind="secret" if modes.canonical and not modes.echo else "line")

    def _release_keys(self, run: Run, seen: Observation, now: float) -> None:
        """After a look: send the keys that wait if they can reach the command now."""
        if run.reader.waiting is not None or (seen.seen != "ready" and self._are_due(run, seen, now)):
            self._sender.send_early_keys(run, now)
        else:
            run.machine.on_early_keys(now)

    def _are_due(self, run: Run, seen: Observation, now: float) -> bool:
        """Whether the keys go to a command that no look shows reading."""
        state, keys = run.machine.state, run.early_keys
        if state is State.RUNNING:
            return not self._is_starting(run, now)
        if state is State.ASKING or run.machine.is_on_its_way(seen):
            return False
        if not keys.interrupt and (state is State.QUEUED or run.reader.can_tell):
            return False
        processes = self.link.processes
        return keys.are_due(now, processes.work(), program=processes.programs_in_front())

    def _is_first_prompt(self, run: Run, seen: Observation) -> bool:
        """Whether an unknown program reads for the first time: that must be its prompt."""
        link, waiting = self.link, run.reader.waiting
        if link.shell.has_marks or run.machine.state is not State.QUEUED or waiting is None:
            return False
        return waiting.kind != "secret" and seen.reader == link.channel.pid and not link.channel.knows_prompt

    # -- acting

    def _act(self) -> None:
        """After anything happened: do what the machine wants, tell the owner, set the one timer."""
        if (run := self.run) is not None:
            machine = run.machine
            while machine.wants:
                self._do(machine.wants.pop(0), run)
            if machine.ending is not None and not run.concluded:
                self._conclude(run)
            if run is self.run:
                self._alarm.set(machine.deadline)
        self._changed()

    def _do(self, want: Want, run: Run) -> None:
        match want:
            case Want.LOOK:
                self._look(run)
            case Want.SEND:
                self._on_free_prompt(run, self._sender.send_late)
            case Want.ASK:
                self._sender.ask(run, self._loop.time())
            case Want.CANCEL:
                self._sender.cancel(run)
            case Want.RELEASE:
                self._sender.end_pause(run)
            case Want.STOP:
                run.time_is_over = True

    def _on_time(self) -> None:
        if self.run is not None and self.run.machine.ending is None:
            self._steps.take(self.run.machine.on_time, self._loop.time())

    def _look(self, run: Run) -> None:
        channel = self.link.channel
        if self.link.prompt.output_stopped:
            channel.tty.resume()
        self._looking = run
        channel.look()

    def _on_free_prompt(self, run: Run, send: Callable[[Run, float], None]) -> None:
        """The prompt is ours: type the command, if there is one."""
        if run.text is None:
            self.link.prompt.on_free()
            self.run = None
        else:
            self.link.begin(run)
            send(run, self._loop.time())

    def _conclude(self, run: Run) -> None:
        """The command has ended: settle where its output ends and what must be said of it."""
        link, ending = self.link, run.machine.ending
        assert ending is not None
        link.timeline.end_echo(link.transcript.size)  # what is still hidden of our line stays hidden
        if link.ended is None and ending.code is None and not link.typist.has_end():
            run.notes.append(FOLDER_GONE.format(link.typist.folder))
        strangers = () if ending.proven else link.channel.family.strangers()
        run.conclude(link.shell, link.facts(), shell_ended=link.ended is not None, strangers=strangers)
        if run.machine.healed:
            link.integration.on_answer()
        link.typist.drop_all()
        self._queries.forget(ending.at)
        if link.ended is None:
            if ending.at_prompt or not (link.channel.sees or link.integration.marks_work):
                link.prompt.on_free()
            else:
                link.prompt.on_end_mark()
            link.typist.last_code = ending.code or 0
            if ending.lost and link.channel.process.consumed() != run.read_before:
                link.typist.clear(continuation=link.prompt.is_continuation)  # a part of the line stands there
                link.prompt.on_leftover()
            elif link.channel.tty.unread():
                link.prompt.on_leftover()
            if ending.code != 0 and link.refusals.are_possible:
                run.notes.extend(link.refusals.notes(run.span.last_text(), link.cwd))
            run.survivors = link.processes.survivors()
        if link.ledger is not None:
            link.ledger.on_end(records.ended(link, run))
