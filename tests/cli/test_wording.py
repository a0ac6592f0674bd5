"""Errors of the library and of the server, as the command line words them: by its own commands and options."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests import warm
from tests.server.live import Live


@pytest.fixture
def server(own_server: Live) -> Live:
    return own_server


def refusal(*words: str) -> str:
    """What stands on standard error, in one line, with nothing on standard output."""
    done = warm.run(*words, env=dict(os.environ))
    said = done.stderr.decode()
    assert (done.returncode, done.stdout, said.count("\n")) == (125, b"", 1), (words, done)
    return said.removeprefix("truetty: ").rstrip("\n")


def test_without_a_server_no_questions_are_open(server: Live) -> None:
    done = warm.run("questions", env=dict(os.environ))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"no questions are open: no server runs\n")
    done = warm.run("questions", "--json", env=dict(os.environ))
    assert (done.returncode, json.loads(done.stdout)["questions"], done.stderr) == (0, [], b"")
    assert not server.is_running()


def test_no_terminal_of_this_name(server: Live) -> None:
    assert refusal("log", "nowhere") == "no terminal 'nowhere': none is open. truetty open opens one."
    server.post("/v1/terminals", shell="bash", rc=False, name="build")
    server.post("/v1/terminals", shell="bash", rc=False)
    assert refusal("log", "nowhere") == "no terminal 'nowhere'; open: t1 (build), t2"
    done = warm.run("log", "nowhere", "--json", env=dict(os.environ))
    assert (done.returncode, done.stderr) == (125, b"")
    assert json.loads(done.stdout)["error"]["message"] == "no terminal 'nowhere'; open: t1 (build), t2"


def test_no_question_of_this_number(server: Live) -> None:
    server.post("/v1/terminals", shell="bash", rc=False)
    for verb in ("allow", "deny"):
        assert refusal(verb, "q7") == "no question 'q7': none is open. Nothing was answered."


def test_a_busy_terminal(server: Live) -> None:
    where = f"unix:{server.post('/v1/terminals', shell='bash', rc=False) and server.get('/v1/status')['socket']}"
    server.post("/v1/run", command="read -p 'Sure? ' x", terminal="t1", wait=60)
    asks = "terminal t1 is busy: \"read -p 'Sure? ' x\" (t1-1) asks 'Sure? '. "
    ways = "truetty answer{0} t1-1 answers it, and truetty stop{0} t1-1 ends it. Nothing was run."
    assert refusal("run", "--in", "t1", "true") == asks + ways.format("")
    assert refusal("run", "--on", where, "--in", "t1", "true") == asks + ways.format(f" --on {where}")
    server.post("/v1/terminals", shell="bash", rc=False)
    server.post("/v1/commands", command="sleep 1000", terminal="t2")
    assert refusal("run", "--in", "t2", "true") == (
        "terminal t2 is busy with 'sleep 1000' (t2-1). truetty wait t2-1 waits for it, and truetty stop t2-1 ends it. "
        "Nothing was run."
    )


def test_a_terminal_that_a_person_has(server: Live) -> None:
    server.post("/v1/terminals", shell="bash", rc=False)
    server.post("/v1/terminals/t1/lease", holder="ana", reason="a\nlook")
    said = refusal("run", "--in", "t1", "true")
    held = r"terminal t1 is held by ana \(a⏎look\) until \d\d:\d\d:\d\d, or longer if they type\. "
    assert re.fullmatch(held + r"truetty attach t1 shows it meanwhile\. Nothing was run\.", said), said


def test_words_that_the_server_refuses(server: Live) -> None:
    name = "--name 't7': it looks like an id, as t3 and t3-14 do, and a name must not. Nothing was opened."
    assert refusal("open", "--name", "t7") == name
    server.post("/v1/terminals", shell="bash", rc=False)
    server.post("/v1/run", command="true", terminal="t1", wait=60)
    assert refusal("wait", "t1", "--until", "prot:1") == (
        "--until 'prot:1': until is settled, exit, input, match:REGEX, idle:SECONDS or port:NUMBER, not 'prot:1'. "
        "Did you mean port?"
    )
    assert refusal("send", "t1", "--key", "Nope") == (
        "--key 'Nope' cannot be pressed: no key has this name; text is sent, not pressed. Keys have names, such as "
        "Enter, C-c, Up or F5; TEXT is typed as it stands."
    )
    keys = "It takes names of keys with blanks between them, such as 'C-] C-]' or 'C-a d'."
    assert refusal("attach", "t1", "--detach-keys", "foo") == f"--detach-keys 'foo': 'foo' is no key. {keys}"
    assert refusal("attach", "t1", "--detach-keys", " ") == f"--detach-keys ' ': no key is named. {keys}"


@pytest.mark.parametrize("words", [("open",), ("run", "true")])
def test_a_variable_has_a_name_without_blanks(server: Live, words: tuple[str, ...]) -> None:
    said = refusal(words[0], "--env", "X Y=1", *words[1:])
    assert said == "--env 'X Y=1': the name of a variable has no blanks. It takes NAME=VALUE."
    assert not server.is_running()


def test_a_client_of_the_command_line_is_named_after_its_user(server: Live) -> None:
    warm.run("open", "--no-rc", env=dict(os.environ))
    assert re.fullmatch(r"\S+@\S+ with truetty/\S+", server.get("/v1/terminals/t1")["client"])


def test_a_server_that_needs_a_token(server: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    web = server.post("/v1/web", port=0, with_token=True)
    where, token = web["url"], Path(web["token_file"]).read_text().strip()
    file = "It is in the file that truetty serve --web --token names on that machine."
    monkeypatch.delenv("TRUETTY_TOKEN", raising=False)
    for words in (["list"], ["wait", "t1"], ["run", "--in", "t1", "true"], ["mcp", "--shared"]):
        needs = f"a server at {where} needs a token: set TRUETTY_TOKEN to it. {file}"
        at = words.index("--in") if "--in" in words else len(words)
        assert refusal(*words[:at], "--on", where, *words[at:]) == needs
    monkeypatch.setenv("TRUETTY_TOKEN", f"{token}x")
    assert refusal("list", "--on", where) == f"the server at {where} does not take the token in TRUETTY_TOKEN. {file}"
    monkeypatch.setenv("TRUETTY_TOKEN", token)
    server.post("/v1/terminals", shell="bash", rc=False, name="build")
    done = warm.run("run", "--on", where, "--in", "build", "echo $TRUETTY_TOKEN-", env=dict(os.environ))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"-\n", b"")
