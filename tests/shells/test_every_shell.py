"""What every shell that integrates must do, each in its own language."""

from __future__ import annotations

import os
import re
import termios

import pytest

from tests.shells.conftest import Open
from tests.shells.driver import Session, visible
from tests.shells.languages import BOURNE, INSTALLED, Language
from truetty.shells.table import recognise

every = pytest.mark.parametrize("language", INSTALLED, ids=str)


@every
def test_first_prompt_says_p_and_codes_come_back(language: Language, open_session: Open) -> None:
    session = open_session(language.shell)
    assert session.code == 0
    for code in (0, 1, 7, 255):
        assert session.run(f'sh -c "exit {code}"').code == code
        told = session.run(f"echo {language.status}")
        assert visible(told.raw) == f"{code}\n"
        assert told.by == "D"


@every
def test_without_rc_files(language: Language, open_session: Open) -> None:
    session = open_session(language.shell, rc=False)
    assert visible(session.run("echo hi").raw) == "hi\n"


@every
def test_text_of_several_lines_is_one_command(language: Language, open_session: Open) -> None:
    session = open_session(language.shell)
    ended = session.run(language.loop)
    assert (visible(ended.raw), ended.code, ended.by) == ("1\n2\n", 0, "D")


@every
def test_names_stay(language: Language, open_session: Open) -> None:
    session = open_session(language.shell)
    session.run(language.set_variable)
    assert visible(session.run(language.show_variable).raw) == "5\n"


@every
def test_unbalanced_quote_is_an_error_and_not_a_stuck_prompt(language: Language, open_session: Open) -> None:
    session = open_session(language.shell)
    assert session.run('echo "abc').code == language.unbalanced
    assert visible(session.run(f"echo {language.status}").raw) == f"{language.unbalanced}\n"


@every
def test_a_megabyte_arrives_whole(language: Language, open_session: Open) -> None:
    session = open_session(language.shell)
    line = language.filler + "x" * 98 + "\n"
    ended = session.start(line * (1_000_000 // len(line)) + "echo end").end()
    assert (visible(ended.raw), ended.code) == ("end\n", 0)


@every
def test_text_is_not_rewritten(language: Language, open_session: Open) -> None:
    session = open_session(language.shell)
    assert visible(session.run("echo 'wow!  ü # x'").raw) == "wow!  ü # x\n"


@every
def test_interrupt_ends_it(language: Language, open_session: Open) -> None:
    session = open_session(language.shell)
    started = session.start("sh -c 'echo go; exec sleep 600'")
    session.text(b"go\r\n", started.began())
    session.type(b"\x03")
    assert started.end().code == language.interrupted
    session.prompt(started.since)
    session.settle()
    assert visible(session.run("echo hi").raw) == "hi\n"


@every
def test_nothing_of_ours_in_the_environment(language: Language, open_session: Open) -> None:
    session = open_session(language.shell, env={"PS1": "exported> ", "PS2": "exported2> ", "PROMPT_COMMAND": ":"})
    text = session.run("sh -c env").output
    assert "HOME=" in text
    for word in (session.key, "7717;", "_tt"):  # ksh93 tells its process id, which may be 17717
        assert word not in text
    if language.shell != "nu":  # nu tells every program which file it is in
        assert session.folder not in text


@every
def test_heal_brings_the_hook_back_and_keeps_the_status(language: Language, open_session: Open) -> None:
    session = open_session(language.shell)
    session.start(language.lose_hook)
    session.settle()
    if language.shell == "nu":  # there the marks are the hook, and the status is the last command's
        answer, code = session.heal(), 0
    else:
        assert session.run("sh -c 'exit 9'").code == 9
        session.settle()
        answer, code = session.heal(), 9
    assert answer.code == code
    assert session.prompt(answer.end).code == code
    assert visible(session.run(f"echo {language.status}").raw) == f"{code}\n"
    session.settle()
    started = session.start("sh -c 'echo go; exec sleep 600'")
    session.text(b"go\r\n", started.began())
    session.type(b"\x03")
    assert started.end().code == language.interrupted


@every
def test_stops_to_have_the_modes_looked_at(language: Language, open_session: Open) -> None:
    session = open_session(language.shell)
    session.run("sh -c 'exit 4'")
    session.settle()
    started = session.start(f"echo {language.status}", probe=True)
    session.until("M", started.request.start, started.since)
    assert not any((mark.letter, mark.secret) == ("C", started.request.start) for mark in session.marks(started.since))
    assert termios.tcgetattr(session.fd)[3] & termios.ICANON, "the editor is away"
    session.type(b"\n")
    ended = started.end()
    assert (visible(ended.raw), ended.by) == ("4\n", "D")


@every
def test_type_ahead_is_safe(language: Language, open_session: Open) -> None:
    session = open_session(language.shell, ready=False)
    for number in range(10):
        assert visible(session.run(f"echo {number}").raw) == f"{number}\n"


@every
def test_exit_is_the_shells_own(language: Language, open_session: Open) -> None:
    session = open_session(language.shell)
    session.start("exit 3").began()
    assert session.ended() == 3


@every
def test_a_half_typed_line_is_thrown_away(language: Language, open_session: Open) -> None:
    session = open_session(language.shell)
    session.settle()
    since = len(session.buffer)
    session.type(b"touch person")
    session.text(b"person", since)
    session.settle()  # zsh may drop an interrupt that comes while it still draws; no key of ours is sent then
    keys = session.shell.clears_line
    session.type(keys)
    if keys == b"\x03":
        session.prompt(since)
    session.settle()
    assert visible(session.run("echo mine").raw) == "mine\n"
    assert visible(session.run("sh -c 'ls person 2>/dev/null || echo none'").raw) == "none\n"


@every
@pytest.mark.parametrize("nested", BOURNE, ids=str)
def test_nested_shells_do_not_speak_for_us(language: Language, nested: Language, open_session: Open) -> None:
    if language.shell == "rbash" and nested.shell == "ash":
        nested = next(one for one in BOURNE if one.shell == "dash")  # any: rbash may run nothing by a path
    session = open_session(language.shell)
    session.settle()
    started = session.start(f"{nested.shell} -i")
    began = started.began()
    session.type(b"echo nested-$((40+2))\n")
    at = session.text(b"nested-42\r\n", began)
    session.type(b"exit 9\n")
    ended = started.end()
    assert (ended.by, ended.code) == ("D", 9), session.screen(at)


@pytest.mark.parametrize("after", INSTALLED, ids=str)
@pytest.mark.parametrize("before", BOURNE, ids=str)
def test_exec_of_another_shell(before: Language, after: Language, open_session: Open) -> None:
    """Nothing of ours is in the new shell: its own trigger works at once, and healing brings the hook."""
    session = open_session(before.shell)
    session.settle()
    bare = {"bash": " --norc", "zsh": " -f", "fish": " -N", "tcsh": " -f", "xonsh": " --no-rc", "nu": " -n"}
    running = session.words()
    session.start(f"exec {after.shell}{bare.get(after.shell, '')}").began()
    words = session.replaced(running)
    session.shell = recognise(os.readlink(f"/proc/{session.pid}/exe"), words["python" in words[0]])
    assert session.shell.name == after.shell
    session.settle()
    session.code, session.flags = 0, ""
    if after.shell != "nu":
        assert visible(session.run("echo hi").raw) == "hi\n"
        assert session.run("sh -c 'exit 6'").code == 6
        session.settle()
    answer = session.heal()
    assert answer.code == (0 if after.shell == "nu" else 6)
    session.prompt(answer.end)
    assert visible(session.run("echo hi").raw) == "hi\n"


@pytest.mark.parametrize("language", BOURNE, ids=str)
@pytest.mark.parametrize(
    "text", ["exec >/dev/null", "exec 2>/dev/null", "exec >&-", "exec 2>&-", "exec >file", "exec >/dev/null 2>&1"]
)
def test_marks_go_to_the_terminal(text: str, language: Language, open_session: Open) -> None:
    session = open_session(language.shell)
    session.run(text)
    for code in (0, 7):
        ended = session.run(f"(exit {code})")
        assert (ended.by, ended.code) == ("D", code)


@pytest.mark.parametrize("language", BOURNE, ids=str)
@pytest.mark.parametrize(
    "text",
    [
        "PATH=",
        "LC_ALL=C",
        "POSIXLY_CORRECT=1",
        "TERM=dumb",
        "umask 777",
        "mkdir d; cd d; rmdir ../d",
        "TMPDIR=/nonexistent",
    ],
)
def test_surroundings_that_do_not_matter(text: str, language: Language, open_session: Open) -> None:
    session = open_session(language.shell)
    session.run(text)
    session.settle()
    ended = session.run("echo hi; (exit 7)")
    assert (visible(ended.raw), ended.code) == ("hi\n", 7)


def test_marks_are_typed_nowhere(open_session: Open) -> None:
    for language in INSTALLED:
        session = open_session(language.shell, ready=False)
        started = session.start("echo hi")
        assert re.search(rb"7717;|" + started.request.start.encode(), started.typed.line) is None
        assert len(started.typed.line) < 150
        assert started.request.end.encode() not in started.typed.line
        assert isinstance(session, Session)
