"""What a terminal was made with, as the journal has it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from truetty.core.standing import Standing
from truetty.host.wall import Sandbox
from truetty.questions.replies import Reply
from truetty.terminal.options import Options
from truetty.text.digest import Budget

_PLAIN: Final = ("shell", "cwd", "rc", "history", "size", "name", "task", "startup", "quota", "coalesce")


def to_json(options: Options) -> Standing:
    plain = {name: getattr(options, name) for name in _PLAIN}
    return {
        **plain,
        "budget": asdict(options.budget),
        "replies": [asdict(one) for one in options.replies],
        "sandbox": None if options.sandbox is None else asdict(options.sandbox),
    }


def from_json(values: Standing) -> Options:
    given: dict[str, Any] = {name: values[name] for name in _PLAIN if name in values}
    shell = given.pop("shell", None)
    given["size"] = tuple(given["size"])
    given["budget"] = Budget(**values["budget"])
    given["replies"] = [Reply(**one) for one in values["replies"]]
    if (sandbox := values["sandbox"]) is not None:
        given["sandbox"] = Sandbox(**{**sandbox, "writable": tuple(sandbox["writable"])})
    return Options.of(shell, **given)
