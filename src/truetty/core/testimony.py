"""What marks have said of one command, and which of it a look at the prompt confirms.

Rule 1: a mark counts only with its own secret: C, D, R and H with this command's, P, 2 and D of another line with the
        shell's (`core/chain.py`).
Rule 2: D is the end only while the shell alone holds the terminal. While another group is in front, it is a claim.
Rule 3: a look at the prompt confirms the claim, unless a later P carried another code and none the same. A program
        that printed our D by force cannot know the shell's `$?`.
Rule 4: a look at a hook of the prompt confirms it too, unless two D marks carried different codes. The shell prints D
        before its hooks run programs, so what is in front then has not printed it.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from truetty.core.chain import Chain
from truetty.core.observation import Observation
from truetty.core.signs import Hint, Mark

# A prompt that runs git takes a while to draw; what is printed after its mark for longer is output after all.
DRAWING: Final = 1.0
MOST_PLACES: Final = 4  # the first ones: an end is told at the first hook


class Secrets:
    """What makes our marks ours: one for each end of this command, one for its question, and those of the shell."""

    __slots__ = ("answer", "drawn", "end", "lines", "start")

    def __init__(self, start: str, end: str, answer: str, key: str | Chain) -> None:
        self.start = start
        self.end = end
        self.answer = answer
        self.drawn = (start, end, answer)
        self.lines = key if isinstance(key, Chain) else Chain(key)

    @property
    def key(self) -> str:
        """Of the marks of the line that the shell reads or runs now."""
        return self.lines.current

    def use_line(self) -> None:
        """The shell's next line is this command: its marks tell both ends."""
        self.start = self.end = self.lines.current

    @property
    def are_of_line(self) -> bool:
        """Whether the shell's own line is the command. Of a text with a syntax error D then comes without C."""
        return self.start == self.end

    def use_own(self) -> None:
        """The trigger prints both marks."""
        self.start, self.end, _ = self.drawn


class Says(Enum):
    """What one mark says."""

    START = auto()
    END = auto()
    CLAIM = auto()  # an end, while the shell is not alone in front
    PROMPT = auto()
    UNSEEN = auto()  # a prompt that no look will ever confirm
    LINE_END = auto()  # D of the line that runs the trigger: a look must confirm it, as with P
    CONTINUATION = auto()
    REFUSED = auto()  # the editor did not run the text
    ANSWER = auto()
    NOTHING = auto()  # a mark with another secret is output


class Testimony:
    """`has_marks`: the shell prints our marks. `sees`: a look can show a prompt."""

    __slots__ = (
        "_claimed_at",
        "_confirmed",
        "_end_claim",
        "_prompt_mark",
        "_secrets",
        "_sees",
        "_status_is_ours",
        "_told_twice",
        "continuation",
        "has_marks",
        "hint_code",
        "hinted",
        "output_from",
        "waits_at",
    )  # fmt: skip

    def __init__(self, secrets: Secrets, *, has_marks: bool, sees: bool) -> None:
        self.has_marks = has_marks
        self.output_from: int | None = None  # offset where the command's own output begins: behind its C
        self.continuation = False  # the shell has printed its PS2 (mark 2) since the last C
        self.hinted = False  # foreign marks (OSC 133, 633) were seen
        self.hint_code: int | None = None  # of the last foreign D
        # Where the shell was seen to wait for programs since the last D that is a claim: prompts run several.
        self.waits_at: tuple[object, ...] = ()
        self._status_is_ours = True  # what the shell has in `$?` when it is asked can only be this command's
        self._claimed_at: float | None = None  # when a D or P came after the start that a look has yet to confirm
        self._secrets = secrets
        self._sees = sees
        self._end_claim: Mark | None = None  # a D that came while the shell was not alone in front
        self._told_twice = False  # such D marks carried different codes
        self._prompt_mark: Mark | None = None  # the last P after the start
        self._confirmed = False  # D and a later P carried the same code: a further P is of a line typed ahead

    def on_mark(self, mark: Mark, in_front: bool | None) -> Says:
        """`in_front`: whether the shell alone holds the terminal, None where that is unknown."""
        secrets = self._secrets
        match mark:
            case Mark(letter="C", secret=secrets.start):
                return Says.START
            case Mark(letter="D", secret=secrets.end) if not (self.started or secrets.are_of_line):
                return Says.NOTHING
            case Mark(letter="D", secret=secrets.end) if in_front is not False:
                return Says.END
            case Mark(letter="D", secret=secrets.end):
                self._told_twice |= self._end_claim is not None and self._end_claim.code != mark.code
                self._end_claim, self.waits_at = mark, ()
                return Says.CLAIM
            case Mark(letter="D") if secrets.lines.knows(mark.secret) and self._sees:
                return Says.LINE_END
            case Mark(letter="P") if secrets.lines.knows_prompt(mark):
                return Says.UNSEEN if in_front is None or (in_front and not self._sees) else Says.PROMPT
            case Mark(letter="R", secret=secrets.start):
                return Says.REFUSED
            case Mark(letter="H", secret=secrets.answer):
                return Says.ANSWER
            case Mark(letter="2") if secrets.lines.knows_continuation(mark.secret):
                self.continuation = True
                return Says.CONTINUATION
            case _:
                return Says.NOTHING

    def on_hint(self, hint: Hint) -> None:
        if hint.protocol in ("133", "633"):
            self.hinted = True
            if hint.letter == "D":
                self.hint_code = hint.code

    def on_start(self, mark: Mark, *, first: bool) -> None:
        """C. Where a shell must say it twice, the second stands right behind the first."""
        if first or mark.start == self.output_from:
            self.output_from = mark.end
        self.continuation = False

    def on_untyped(self) -> None:
        """What is typed next decides anew whose marks tell the ends."""
        self._secrets.use_own()

    def on_echo(self, at: int) -> None:
        """The tty's echo of our line came late, behind the first C: output begins at the second, which is at `at`."""
        self.output_from = at

    def on_prompt(self, mark: Mark, now: float, in_front: bool | None) -> None:
        """P after the start, or before it D of the same line, which is nearer to the end of the output.

        Where it is unknown which group is in front, its code may be another shell's.
        """
        before = self._prompt_mark
        if before is None or before.letter != "D" or before.secret != mark.secret:
            self._prompt_mark = mark if in_front is not None else mark._replace(code=None)
        self._claimed_at = now
        if self._end_claim is not None and self._end_claim.code == mark.code:
            self._confirmed = True

    def on_claim(self, now: float) -> None:
        """D, while the shell was not alone in front: its hooks may run programs already."""
        self._claimed_at = now

    def on_question(self, *, status_is_ours: bool) -> None:
        """The shell is asked for `$?`."""
        self._status_is_ours = status_is_ours

    def on_place(self, place: object, at: int) -> None:
        """Where the shell waited for programs, when `at` bytes of the stream had been read."""
        if self._end_claim is not None and self._end_claim.end <= at and place not in self.waits_at:
            self.waits_at = (*self.waits_at, place)[:MOST_PLACES]

    def on_look(self, look: Observation, now: float) -> None:
        """A look that has ended nothing may show that the last P was no prompt: then the output goes on."""
        if self._claimed_at is None:
            return
        if now > self._claimed_at + DRAWING or (look.seen == "waiting" and look.kind != "shell"):
            self._claimed_at = None

    def on_keys(self) -> None:
        self._confirmed = False

    @property
    def started(self) -> bool:
        """Whether the text is known to run: by its C mark, or because it was typed to a program without marks."""
        return self.output_from is not None or not self.has_marks

    @property
    def claims_end(self) -> bool:
        """D has come while the shell was not alone in front."""
        return self._end_claim is not None

    @property
    def claimed(self) -> Mark | None:
        """The D or P that came after the start, while a look must still show the shell at its prompt."""
        return None if self._claimed_at is None else self._end_claim or self._prompt_mark

    @property
    def is_continuation(self) -> bool:
        """Whether a shell that reads a command line is at PS2: bash reads both from the same place of its stack."""
        return self.continuation and self._prompt_mark is None

    def code_of(self, answer: Mark | None) -> int | None:
        """The exit code that the answer to our question tells, if it can be this command's."""
        return answer.code if answer is not None and self.started and self._status_is_ours else None

    @property
    def hooks(self) -> tuple[object, ...]:
        """Where the shell was seen to wait for programs between D and a P with the same code: in its prompt's hooks."""
        return self.waits_at if self._confirmed and not self._told_twice else ()

    def for_hook(self) -> Mark | None:
        """The mark that a look at a hook of the prompt confirms."""
        return None if self._told_twice else self._end_claim

    def for_prompt(self) -> Mark | None:
        """The mark that a look at the prompt confirms: the claim, unless only P marks came later that contradict it."""
        claim, prompt = self._end_claim, self._prompt_mark
        contradicted = claim is not None and prompt is not None and prompt.start > claim.start and not self._confirmed
        return prompt if contradicted else claim or prompt
