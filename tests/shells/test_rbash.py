"""rbash: restricted all the same, and told what to do all the same."""

from __future__ import annotations

from tests.shells.conftest import Open
from tests.shells.driver import visible


def test_it_stays_restricted(open_session: Open) -> None:
    session = open_session("rbash", files={".bashrc": "order=rc\n"})
    assert visible(session.run("echo $order").raw) == "rc\n"
    for text in ("cd /", "/bin/ls", "echo x >file", "PATH=/", ". /etc/profile", "exec ls"):
        ended = session.run(text)
        assert ended.code != 0
        assert "restricted" in ended.output or "readonly" in ended.output


def test_history_stays_clean(open_session: Open) -> None:
    session = open_session("rbash")
    session.run("echo ours")
    session.settle()
    session.heal()
    assert session.run("history").output == ""


def test_nothing_stays_in_its_variables(open_session: Open) -> None:
    session = open_session("rbash")
    session.run("false")
    names = [line.split("=")[0] for line in visible(session.run("set").raw).splitlines() if "_tt" in line]
    assert names == []
