"""What the shell and its programs print: kept, searched for signs, and each sign dealt with.

Rule 1: bytes are stored before they are looked at, and the secrets of our marks are blanked where they lie.
Rule 2: a mark counts only with its secret. Everything else is output.
"""

from __future__ import annotations

from collections.abc import Iterable
from signal import SIGINT

from truetty.core import marks
from truetty.core.life import State
from truetty.core.scanner import Scanner
from truetty.core.signs import Hint, Mark, Mode, Query, Sign
from truetty.terminal.wire.link import Link
from truetty.terminal.wire.queries import TerminalQueries
from truetty.terminal.wire.run import Run
from truetty.terminal.wire.sender import Sender


class Receiver:
    def __init__(self, link: Link, sender: Sender, queries: TerminalQueries) -> None:
        self._link = link
        self._sender = sender
        self._queries = queries
        self._scanner = Scanner(link.transcript.size)
        self._reads_again = False  # nothing is typed then: the process before may have done it

    def on_bytes(self, data: bytes, run: Run | None, now: float) -> None:
        """`run`: the last command that was begun."""
        link = self._link
        link.timeline.on_bytes(link.transcript.append(data), now)
        if run is not None:
            sleeper = run.reader.sleeper
            ran = sleeper is None or link.channel.family.wakes(sleeper[0]) != sleeper[1]
            run.on_bytes(now, reader_ran=ran)
        for sign in self._scanner.feed(data):
            self._on_sign(sign, run, now)

    def read_again(self, pieces: Iterable[bytes], run: Run | None, now: float) -> None:
        """What was printed to a process before this one."""
        self._reads_again = True
        for data in pieces:
            self._scanner.skip_to(self._link.transcript.size)  # over what could not be stored
            self.on_bytes(data, run, now)
        self._scanner.skip_to(self._link.transcript.size)
        self._reads_again = False
        self._queries.forget_answered()

    def _on_sign(self, sign: Sign, run: Run | None, now: float) -> None:
        link = self._link
        in_front: bool | None = True
        match sign:
            case Mark():
                for span in marks.secret_spans(sign):
                    link.transcript.blank(*span)
                link.typist.lines.follow(sign)
                if sign.letter == "D" and not link.typist.tells_end(sign):
                    self._on_unsure_end(sign, run)
                    return
                if run is not None and self._is_empty_line(sign, run):
                    link.typist.on_end(sign, of_command=True)
                    run.machine.on_empty_line(now)
                    return
                in_front = self._on_mark(sign, run)
            case Mode():
                link.modes.on_mode(sign)
                self._on_mode(sign, run, now)
            case Query():
                self._on_query(sign, run)
            case Hint(protocol="133" | "633"):
                link.integration.foreign_marks = True
        if run is None or run.machine.ending is not None:
            return
        if isinstance(sign, Mark) and sign.letter == "P" and not link.typist.has_end():
            sign = sign._replace(code=None)
        if isinstance(sign, Mark) and sign.letter in "DP" and run.lost_interrupt and sign.code == 0:
            sign = sign._replace(code=128 + SIGINT)
        if run.on_sign(sign, now, link.shell, in_front=in_front, is_echo=link.typist.is_echo):
            link.integration.on_mark(run)
            link.timeline.end_echo(run.machine.testimony.output_from or 0, run.text or "")
            self._queries.forget(None)  # a hook no longer waits for what it asked
            run.early_keys.on_start(now)
            if not run.early_keys.interrupt:
                self._sender.send_early_keys(run, now)

    def _on_mode(self, mode: Mode, run: Run | None, now: float) -> None:
        """The hooks behind P are done when the editor asks for pastes: at the first prompt, and where there are none.

        Elsewhere a program that a hook runs may have asked, and a look must show the prompt.
        """
        prompt = self._link.prompt
        if mode.name != "bracketed-paste" or not mode.on or not prompt.is_marked:
            return
        if run is None or run.text is None:
            prompt.on_free()
        elif self._link.typist.editor_follows:
            prompt.on_free()
            run.machine.on_editor(now)

    def _on_mark(self, mark: Mark, run: Run | None) -> bool | None:
        """Returns whether the shell alone holds the terminal: one cheap look at what may end something."""
        link = self._link
        match mark.letter:
            case "2" if link.typist.lines.knows_continuation(mark.secret):
                link.prompt.is_continuation = True
            case "P" if link.typist.lines.knows_prompt(mark):
                link.integration.on_mark(run)
                link.prompt.on_mark(mark)
                link.typist.on_prompt(mark)
                if run is None or run.text is None:
                    link.typist.on_first_prompt(mark)
                    # Without the next secret it is not yet the P of the hook that works with the editor.
                    if link.typist.announces_editor:
                        link.prompt.on_early_mark()
                    elif mark.next or link.shell.editor is None or not link.channel.sees:
                        link.prompt.on_free()
                elif run.machine.state in (State.QUEUED, State.ENDED):
                    if link.shell.hooks_follow_mark and link.channel.sees:
                        link.prompt.on_early_mark()
                    else:
                        link.prompt.on_free()
            case "D" if run is not None and mark.secret == run.secrets.end:
                link.prompt.begins_at = mark.end
                link.typist.on_end(mark, of_command=True)
                return link.processes.shell_alone_in_front()
            case "D" if link.typist.lines.knows(mark.secret):
                link.typist.on_end(mark, of_command=False)
            case "H" if run is not None and mark.secret == run.secrets.answer:
                link.typist.on_answer()
            case "M" if run is not None and mark.secret == run.secrets.start:
                link.timeline.on_pause(mark.end)
                if self._reads_again:
                    run.machine.on_pause_before()
                elif link.typist.is_checking:  # looks have not let it go on before
                    self._sender.end_pause(run)
            case _:
                return True
        return link.channel.tty.shell_in_front()

    def _is_empty_line(self, mark: Mark, run: Run) -> bool:
        """D of the line that was to be the command, and it has run nothing."""
        if mark.letter != "D" or mark.secret != run.secrets.end or run.machine.state is not State.SENT:
            return False
        return run.by_editor and self._link.typist.is_empty(mark, printed=run.span.has_printed(mark.start))

    def _on_unsure_end(self, mark: Mark, run: Run | None) -> None:
        """D whose code may be a hook's: P will end the command."""
        if self._link.typist.lines.knows(mark.secret):
            self._link.typist.on_end(mark, of_command=run is not None and mark.secret == run.secrets.end)
            if run is not None:
                run.span.window.leave_out(mark.start, mark.end)
                if mark.secret == run.secrets.end and run.machine.ending is None:
                    run.span.end(mark.start)  # what follows is the hooks', as it seems; P will tell

    def _on_query(self, query: Query, run: Run | None) -> None:
        if (run is not None and run.machine.state is State.RUNNING) or not self._link.shell.asks_terminal:
            self._queries.ask(query)  # where no command runs, a prompt hook may have asked
        elif not self._reads_again:
            self._queries.answer_at_once(query)
            # At the start it may have been a program that asked: then the answer stands at the prompt.
            if run is not None:
                self._link.prompt.on_leftover()
