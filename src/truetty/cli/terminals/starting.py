"""The start of a command of the server, and typing there, which may need a person's yes.

Rule 1: a start that is not answered soon may wait for a person. Its question is looked for, by the retry key of the
        start, and how to answer it is said at once.
Rule 2: a server that is killed meanwhile has a next one, which is asked again with the same key: nothing runs twice.
Rule 3: when the patience is over, the server takes the question back: nothing was run, and nothing will be. The same
        holds when a signal ends us. It does so at once while a person is asked; otherwise the answer is waited for.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

from truetty.cli.terminals import wakeful
from truetty.cli.terminals.ending import Ended, Ending
from truetty.cli.terminals.server import Server
from truetty.cli.terminals.standing import PATIENCE_OVER, print_json
from truetty.core.errors import ChannelLost, Denied, TruettyError

SOON: Final = 0.3  # seconds in which a command is started that no person is asked about
ANSWER_SECONDS: Final = 10.0  # a server that takes longer to say what has become of a question says nothing
MOST_TRIES: Final = 10  # a server that dies so often while a person is asked is not asked again


class Patience:
    """`--wait`, from now on; None: without end."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds: Final = seconds
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> float | None:
        return None if self._end is None else max(self._end - time.monotonic(), 0)


class NotStarted(Exception):
    """The command was not started: nothing was run. Or, in the state `unknown`, the server does not say so."""

    def __init__(
        self, message: str, status: int, question: str | None = None, reason: str | None = None, *, is_sure: bool = True
    ) -> None:
        super().__init__(message)
        self._status = status
        self._facts = {"question_id": question, "reason": reason, "message": message}
        self._state = "not started" if is_sure else "unknown"

    def tell(self, text: str, words: Sequence[str], *, json: bool) -> int:
        """The exit status. `words`: of a command line that asks again, without the command."""
        from shlex import join

        again = join(["truetty", *words, text])
        if json:
            more = {"go_on": [again]} if self._state == "not started" else {}
            print_json({"command": text, "command_id": None, "state": self._state, **self._facts, **more})
        else:
            print(f"truetty: {self}", file=sys.stderr)
            if self._state == "not started":
                print(f"To ask again: {again}", file=sys.stderr)
        return self._status


def start(server: Server, patience: Patience, ending: Ending, **fields: object) -> Any:
    """The command. Raises NotStarted."""
    key, tries = _new_key(), 0
    questions = _Questions(server, key, ending)

    def post() -> Any:
        return server.post_with_key(key, "/v1/commands", patience=patience.left, **fields)

    try:
        ending.check()
    except Ended as ended:
        raise NotStarted(f"{ended}: nothing was run", ended.status) from None
    while True:
        tries += 1
        try:
            with wakeful.late(SOON, questions.watch):
                return post()
        except Ended as ended:
            server.close()  # so that the server takes the question back
            questions.end(ended)
            return post()  # the answer that was under way
        except ChannelLost:
            if tries == MOST_TRIES:
                raise
        except Denied as denied:
            if denied.facts.get("question_id") is None or denied.facts["answered"] is not None:
                raise
            raise _unanswered(denied, patience) from None


def type_keys(server: Server, path: str, **fields: object) -> Any:
    """What is answered to keys that are typed, about which a person may be asked. If we end, nothing is typed."""
    key = _new_key()
    with wakeful.late(SOON, _Questions(server, key, Ending()).watch):
        return server.post_with_key(key, path, **fields)


def _new_key() -> str:
    """A retry key. `secrets` would import hashlib, which takes longer than all of this."""
    return os.urandom(16).hex()


def _unanswered(denied: Denied, patience: Patience) -> NotStarted:
    within = f"within {patience.seconds:g} s" if patience.seconds is not None else "in time"
    id, reason = str(denied.facts["question_id"]), str(denied.facts["reason"])
    message = f"no person has answered {id} {within}: it is taken back, nothing was run"
    return NotStarted(message, PATIENCE_OVER, id, reason)


class _Answered(Exception):
    """The start is answered, or its connection is lost."""


class _Questions:
    """Those of the start with this key. While one is open, signals end us."""

    def __init__(self, server: Server, key: str, ending: Ending) -> None:
        self._server = server
        self._key = key
        self._ending = ending
        self._last: str | None = None  # the id of the last one
        self._seq = 0  # of the events before that one

    def watch(self, descriptor: int) -> None:
        """Say each, until there is something to read."""

        def stop() -> None:
            raise _Answered

        wakeful.listen(descriptor, stop)
        try:
            with contextlib.suppress(_Answered, ChannelLost), contextlib.ExitStack() as stack:
                for number, question in enumerate(self._ours()):
                    self._last = question["id"]
                    how = f"truetty allow{self._server.on} {self._last}"
                    print(f"truetty: waits for a yes ({self._last}): {how}", file=sys.stderr, flush=True)
                    if number == 0:
                        stack.enter_context(self._ending.open())
        finally:
            wakeful.ignore(descriptor)

    def _ours(self) -> Iterator[Any]:
        server = self._server.again()
        found = server.get("/v1/questions")
        self._seq = found["seq"]
        asked = (event["question"] for event in self._events(server) if event["event"] == "question")
        return (one for one in chain(found["questions"], asked) if one["key"] == self._key)

    def end(self, ended: Ended) -> None:
        """Our connection was closed. Comes back where a yes was quicker: the command was started. Raises NotStarted."""
        with contextlib.suppress(TruettyError):
            for event in self._events(self._server.again(patience=ANSWER_SECONDS)) if self._last else ():
                if event["event"] == "settled" and event["question_id"] == self._last:
                    if event["answer"] in ("allow", "always"):
                        return
                    message = f"{ended}: {self._last} is taken back, nothing was run"
                    raise NotStarted(message, ended.status, self._last)
        message = f"{ended}: the server does not say whether the command was started"
        raise NotStarted(message, ended.status, self._last, is_sure=False)

    def _events(self, server: Server) -> Iterator[Any]:
        return server.stream("/v1/events", since=self._seq)
