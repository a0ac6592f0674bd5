"""The start of a command of the server, which may need a person's yes.

Rule 1: a start that is not answered soon may wait for a person. Its question is looked for, by the retry key of the
        start, and how to answer it is said at once.
Rule 2: a server that is killed meanwhile has a next one, which is asked again with the same key: nothing runs twice.
Rule 3: when the patience is over, the server takes the question back: nothing was run, and nothing will be. The same
        holds when we end.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Sequence
from typing import Any, Final

from truetty.cli.terminals import wakeful
from truetty.cli.terminals.server import Server
from truetty.cli.terminals.standing import PATIENCE_OVER, print_json
from truetty.core.errors import ChannelLost, Denied

SOON: Final = 0.3  # seconds in which a command is started that no person is asked about
MOST_TRIES: Final = 10  # a server that dies so often while a person is asked is not asked again


class Patience:
    """`--wait`, from now on; None: without end."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds: Final = seconds
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> float | None:
        return None if self._end is None else max(self._end - time.monotonic(), 0)


class Unanswered(Exception):
    """No person has answered the question in time. It is taken back: nothing was run."""

    def __init__(self, denied: Denied, patience: Patience) -> None:
        self.question_id: Final = str(denied.facts["question_id"])
        self.reason: Final = str(denied.facts["reason"])
        within = f"within {patience.seconds:g} s" if patience.seconds is not None else "in time"
        super().__init__(f"no person has answered {self.question_id} {within}: it is taken back, nothing was run")

    def tell(self, text: str, words: Sequence[str], *, json: bool) -> int:
        """The exit status. `words`: of a command line that asks again, without the command."""
        from shlex import join

        again = join(["truetty", *words, text])
        if json:
            facts = {"question_id": self.question_id, "reason": self.reason, "message": str(self)}
            print_json({"command": text, "command_id": None, "state": "not started", **facts, "go_on": [again]})
        else:
            print(f"truetty: {self}", file=sys.stderr)
            print(f"To ask again: {again}", file=sys.stderr)
        return PATIENCE_OVER


def start(server: Server, patience: Patience, **fields: object) -> Any:
    """The command. Raises Unanswered."""
    from secrets import token_urlsafe

    key, tries = token_urlsafe(16), 0
    questions = _Questions(server, key)
    while True:
        tries += 1
        try:
            with wakeful.late(SOON, questions.watch):
                return server.post_with_key(key, "/v1/commands", patience=patience.left, **fields)
        except ChannelLost:
            if tries == MOST_TRIES:
                raise
        except Denied as denied:
            if denied.facts.get("question_id") is None or denied.facts["answered"] is not None:
                raise
            raise Unanswered(denied, patience) from None


class _Answered(Exception):
    """The start is answered, or its connection is lost."""


class _Questions:
    """Those of the start with this key."""

    def __init__(self, server: Server, key: str) -> None:
        self._server = server
        self._key = key

    def watch(self, descriptor: int) -> None:
        """Say each, until there is something to read."""

        def stop() -> None:
            raise _Answered

        wakeful.listen(descriptor, stop)
        try:
            with contextlib.suppress(_Answered, ChannelLost):
                server = self._server.again()
                found = server.get("/v1/questions")
                for question in found["questions"]:
                    self._say(question)
                for event in server.stream("/v1/events", since=found["seq"]):
                    if event["event"] == "question":
                        self._say(event["question"])
        finally:
            wakeful.ignore(descriptor)

    def _say(self, question: Any) -> None:
        if question["key"] == self._key:
            how = f"truetty allow{self._server.on} {question['id']}"
            print(f"truetty: waits for a yes ({question['id']}): {how}", file=sys.stderr, flush=True)
