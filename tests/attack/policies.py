"""Four policies that are attacked: the read-only one, and what three kinds of users write into their settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tests.attack.keeper import WORK
from truetty.policy import READ_ONLY, Policy, rules_from
from truetty.policy.parser import Parser

READS_ONLY: Final = "read-only"

_RULES: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "web": {
        "allow": (
            *("npm test", "npm run lint", "npm run build", "npx tsc", "eslint", "prettier --check", "tsc", "curl -I"),
            *("git", "git add", "git commit", "git checkout", "git fetch", "find", "sed", "rg", "sort"),
        ),
        "ask": ("git push",),
        "deny": ("rm -rf",),
    },
    "data": {
        "allow": (
            *("pytest", "python -m pytest", "ruff check", "mypy", "pip list", "pip show", "python manage.py", "make"),
            *("sqlite3 -readonly", "tar -tf", "jupyter nbconvert"),
        )
    },
    "ops": {
        "allow": (
            *("systemctl status", "journalctl", "kubectl get", "kubectl logs", "docker ps", "docker logs", "ss", "tar"),
            *("ip addr", "ip route", "rsync -n", "terraform plan", "less", "dmesg", "mount", "date", "hostname"),
            "xargs grep",
        )
    },
}


USERS: Final = tuple(_RULES)


def policies(parser: Parser) -> dict[str, Policy]:
    """The users' ones have the folder of the line for their workspace: a file that is written there is no way round."""
    users = {
        name: Policy((*READ_ONLY, *rules_from(rules)), workspace=WORK, parser=parser) for name, rules in _RULES.items()
    }
    return {READS_ONLY: Policy(READ_ONLY, parser=parser), **users}
