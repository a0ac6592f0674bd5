"""Asking, and what follows if no person can be asked."""

from __future__ import annotations

import pytest

from truetty.core.errors import Denied
from truetty.policy import Decision, Policy, ask_or_deny

POLICY = Policy.from_lists({"allow": ["ls"], "deny": ["rm"]})


def answering(answer: bool | None, asked: list[Decision] | None = None):
    async def asker(decision: Decision) -> bool | None:
        if asked is not None:
            asked.append(decision)
        return answer

    return asker


async def test_what_is_allowed_is_not_asked() -> None:
    asked: list[Decision] = []
    assert await ask_or_deny(POLICY.decide("ls"), answering(False, asked)) == "rule"
    assert asked == []


async def test_what_is_denied_is_not_asked() -> None:
    asked: list[Decision] = []
    with pytest.raises(Denied, match="denied by the rule 'rm'") as caught:
        await ask_or_deny(POLICY.decide("rm x"), answering(True, asked))
    assert (caught.value.code, caught.value.command, caught.value.rule) == ("denied", "rm x", "rm")
    assert caught.value.reason == "`rm x` is denied by the rule 'rm'."
    assert asked == []


async def test_a_yes_is_a_yes() -> None:
    asked: list[Decision] = []
    decision = POLICY.decide("npm test")
    assert await ask_or_deny(decision, answering(True, asked)) == "answer"
    assert asked == [decision]


async def test_a_no_is_said() -> None:
    with pytest.raises(Denied, match="The answer was no") as caught:
        await ask_or_deny(POLICY.decide("npm test"), answering(False))
    assert caught.value.answered is False


@pytest.mark.parametrize("asker", [None, answering(None)])
async def test_where_nobody_can_answer_the_rule_that_would_help_is_named(asker) -> None:
    with pytest.raises(Denied) as caught:
        await ask_or_deny(POLICY.decide("npm test"), asker)
    assert "No rule allows `npm test`" in str(caught.value)
    assert "no person can be asked" in str(caught.value)
    assert '"npm test"' in str(caught.value)
    assert (caught.value.rule, caught.value.suggestions) == (None, ("npm test",))


async def test_where_no_rule_would_help_none_is_named() -> None:
    with pytest.raises(Denied) as caught:
        await ask_or_deny(POLICY.decide("eval npm test"))
    assert "allow rules" not in str(caught.value)


async def test_only_true_is_a_yes() -> None:
    async def confused(decision: Decision) -> bool | None:
        return "yes"  # type: ignore[return-value]

    with pytest.raises(Denied):
        await ask_or_deny(POLICY.decide("npm test"), confused)


async def test_what_a_person_reads_cannot_redraw_the_screen() -> None:
    decision = POLICY.decide("npm \x1b[2K\u202etest")
    with pytest.raises(Denied) as caught:
        await ask_or_deny(decision)
    assert str(caught.value).isprintable()
    assert decision.command == "npm \x1b[2K\u202etest"
