"""What is asked of a user, as a value. How it is read from the screen is in `prompts.py`, which few commands need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from truetty.core.outcome import Asks

SECRETS: Final[frozenset[Asks]] = frozenset({"password", "passphrase", "code", "secret"})


@dataclass(frozen=True, slots=True)
class Description:
    """A question, as `prompts.py` reads it."""

    asks: Asks
    prompt: str  # the line that asks, as it stands there
    about: tuple[str, ...] = ()  # the lines above it that belong to the question: a menu, a key's fingerprint
    choices: tuple[str, ...] = ()  # what can be answered, as typed; for arrow keys, the options as they are called
    labels: tuple[str, ...] = ()  # what each choice means, where that is said: as many as choices, or none
    default: str | None = None  # what Enter alone means, where that is shown
    hint: str = ""  # what to do about it, in a sentence
    has_buttons: bool = False  # Enter presses one of them, whatever was typed before

    @property
    def secret(self) -> bool:
        return self.asks in SECRETS
