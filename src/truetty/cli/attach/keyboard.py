"""The keys with which a person leaves: found among all that is typed."""

from __future__ import annotations

from typing import Final, Self

from truetty.core.errors import BadKey, Misuse
from truetty.terminal import keys

_FORM: Final = "It takes names of keys with blanks between them, such as 'C-] C-]' or 'C-a d'."
USUAL: Final = "C-] C-]"  # no shell and no editor uses it twice


class DetachKeys:
    """Keys that begin the sequence are held back until it is clear whether the rest of it follows."""

    def __init__(self, name: str, sequence: bytes) -> None:
        self.name: Final = name
        self._sequence = sequence
        self._begun = 0  # how many bytes of it have come

    @classmethod
    def read(cls, text: str | None) -> Self:
        names = (USUAL if text is None else text).split()
        if not names:
            raise Misuse(f"--detach-keys {text!r}: no key is named. {_FORM}")
        try:
            return cls(" ".join(names), keys.encode(*names))
        except BadKey as error:
            name = error.facts["key"]
            raise BadKey(f"--detach-keys {text!r}: {name!r} is no key. {_FORM}", **error.facts) from None

    def take(self, data: bytes) -> tuple[bytes, bool]:
        """What of these keys is for the terminal, and whether the person leaves."""
        passed = bytearray()
        for byte in data:
            if byte != self._sequence[self._begun]:
                passed += self._sequence[: self._begun]
                self._begun = 0
            if byte != self._sequence[self._begun]:
                passed.append(byte)
                continue
            self._begun += 1
            if self._begun == len(self._sequence):
                self._begun = 0
                return bytes(passed), True
        return bytes(passed), False
