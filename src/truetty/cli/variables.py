"""What `--env` says."""

from __future__ import annotations

from collections.abc import Iterable

from truetty.core.errors import Misuse


def variables(words: Iterable[str]) -> dict[str, str | None]:
    """Each word is NAME=VALUE, or NAME alone, which unsets it."""
    found: dict[str, str | None] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name:
            raise Misuse(f"--env takes NAME=VALUE, or NAME alone to unset it; got {word!r}.", env=word)
        if any(one.isspace() or not one.isprintable() for one in name):
            raise Misuse(f"--env {word!r}: the name of a variable has no blanks. It takes NAME=VALUE.", env=word)
        found[name] = value if equals else None
    return found
