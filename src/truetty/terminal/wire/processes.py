"""What a command has started: its processes while it runs, and those that outlive it."""

from __future__ import annotations

from typing import ClassVar

from truetty.core.standing import Stands
from truetty.host.base import Channel, Process, Work
from truetty.terminal.wire.survivors import HALTED, Survivors


class Processes(Stands):
    STANDS: ClassVar = ("_known", "_mark", "_before", "_left_since")

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._known: set[int] = set()  # jobs of earlier commands, and of the shell's start
        self._mark: int | None = None  # the last process id before the command, where its orphans can be told
        self._before: float | None = None  # what the shell had used of the CPU when the command began
        self._left_since: int | None = None  # the mark of the first command whose orphans may live; None: none do

    def begin(self) -> None:
        children = self._channel.family.children() or ()
        self._known = {process.pid for process in children}
        # An orphan does not show whose it was: where an earlier job runs, it may be that job's.
        has_jobs = any(process.group != self._channel.pid for process in children)
        self._mark = None if has_jobs else self._channel.family.last_pid()
        self._before = self._channel.process.cpu()

    @property
    def may_read_keys(self) -> bool:
        """Whether an orphan of an earlier command may: one that was blocked in a read when the shell took the terminal
        back gets the first key. A job in the background is stopped when it reads."""
        return self._left_since is not None

    def cpu(self) -> float | None:
        """Seconds of CPU that the running command has used, as far as the kernel tells."""
        now, running = self._channel.process.cpu(), self.running()
        if now is None or self._before is None or running is None:
            return None
        return now - self._before + sum(process.cpu for process in running)

    def running(self) -> list[Process] | None:
        """What the running command has started and is still alive; not what a job of an earlier one has started since.

        None: processes cannot be seen.
        """
        living = self._channel.family.children()
        if not living:
            return living
        old: set[int] = set()
        for one in living:  # parents come first
            if one.pid in self._known or one.parent in old:
                old.add(one.pid)
        return [one for one in living if one.pid not in old]

    def work(self) -> Work | None:
        """What the shell and the processes of the running command do. None: it cannot be seen."""
        return self._channel.family.work(self._known)

    def programs_in_front(self) -> bool:
        """Whether only programs are, each executed: one part of a pipeline may run when another is only forked."""
        front, living = self._channel.tty.foreground(), self._channel.family.children()
        members = [one for one in living or () if one.group == front]
        return bool(members) and not any(one.forked for one in members)

    def shell_alone_in_front(self) -> bool | None:
        """Whether only the shell could have printed a mark of this command.

        A child in the shell's own group, as in $(…), could. One from before the command could not: it was forked when
        the secret was not drawn yet. fish computes completions in such a child after its first start.
        """
        front, new = self._channel.tty.foreground(), self.running()
        if new and any(process.group == front for process in new):
            return False
        in_front = self._channel.tty.shell_in_front()
        return None if new is None and in_front else in_front

    def living(self, *, prompt_is_due: bool) -> list[Process] | None:
        """Those that commands have started. Until the prompt is there, its hooks run too. None: they cannot be seen.

        Orphans of the running command are not among them: they are known when it has ended.
        """
        living = self._channel.family.children()
        if living is None:
            return None
        living = living + self._orphans()
        if not prompt_is_due:
            return living
        prompt = self._groups_of_prompt()
        return [one for one in living if one.group not in prompt]

    def _orphans(self) -> list[Process]:
        """Those that ended commands have left."""
        orphans = self._channel.family.orphans(self._left_since) if self._left_since is not None else []
        if not orphans:
            self._left_since = None
        return orphans

    def _groups_of_prompt(self) -> set[int | None]:
        """Between commands: whatever shares the shell's own group or holds the terminal belongs to the prompt."""
        return {self._channel.pid, self._channel.tty.foreground()}

    def survivors(self) -> Survivors | None:
        """The command has ended: those it left behind. None: there are none, or they cannot be seen."""
        family = self._channel.family
        living = family.children()
        if living is None:
            return None
        orphans = family.orphans(self._mark)
        if not living and not orphans:
            return None
        if orphans and self._left_since is None:
            self._left_since = self._mark
        prompt = self._groups_of_prompt()
        known, pids = self._known, {process.pid for process in living}
        new = [one for one in living if one.group not in prompt and one.pid not in known and one.parent not in pids]
        stopped = any(one.state in HALTED and one.group not in prompt for one in living)
        new += [one for one in orphans if one.group not in prompt]
        return Survivors(family, new, mark=self._mark, job_is_stopped=stopped)
