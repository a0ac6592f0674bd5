"""`truetty` as its users have it: a process, with pipes around it or a person's terminal."""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import truetty
from tests import warm
from tests.acceptance import watched
from tests.acceptance.watched import PATIENCE
from tests.server.live import Live

RUN = [sys.executable, "-m", "truetty", "run", "--shell", "bash", "--no-rc"]
SOURCE = str(Path(truetty.__file__).parents[1])


@pytest.fixture(autouse=True)
def environment(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TRUETTY_STATE", str(tmp_path / "state"))
    yield
    Live(tmp_path / "state").end()  # `run --json` starts one


def run(*words: str, stdin: str | None = "", plain: bool = True) -> subprocess.CompletedProcess[str]:
    """`truetty run` with pipes; with `plain=False` any subcommand."""
    start = RUN[3:] if plain else []
    done = warm.run(*start, *words, stdin=None if stdin is None else stdin.encode())
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


class Watched(watched.Watched):
    """`truetty run` while it runs."""

    def __init__(self, *words: str, person: bool = True) -> None:
        super().__init__(*RUN[3:], *words, person=person)


def gone(pid: int) -> bool:
    """Ended, or ended and not yet waited for by the process that adopted it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def eventually(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


# -- exit status and output


@pytest.mark.parametrize("code", [0, 1, 3, 42, 124, 125, 126, 127, 130, 255])
def test_the_commands_exit_code_is_ours(code: int) -> None:
    done = run(f"(exit {code})")
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


def test_how_else_a_shell_ends() -> None:
    assert run("exit 3").returncode == 3
    assert run("kill -9 $$").returncode == 137
    assert run("kill -TERM $BASHPID; sleep 5; exec false").returncode in (1, 143)
    assert run("nosuchprogram").returncode == 127
    assert run('echo "abc').returncode == 2


def test_output_in_a_pipe_is_clean_text() -> None:
    done = run(r"printf '\033[31mred\033[0m\n10%%\r100%%\n\033]0;title\007plain\tend'")
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "red\n100%\nplain   end",
        "",
    ) or done.stdout == "red\n100%\nplain\tend"
    assert "\x1b" not in done.stdout


def test_several_words_are_one_command() -> None:
    assert run("echo", "a  b", "$HOME", "it's", "*").stdout == "a  b $HOME it's *\n"
    assert run("echo", "--json", "-x").stdout == "--json -x\n"


def test_long_and_wide_output_comes_whole() -> None:
    done = run("seq 200000")
    assert done.returncode == 0 and done.stdout == "".join(f"{n}\n" for n in range(1, 200001))


def test_output_streams_while_the_command_runs(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with Watched(f"echo first; until [ -e {gate} ]; do sleep 0.05; done; echo last", person=False) as running:
        running.until("first\n")  # or it is held back, which is no stream
        gate.touch()
        assert running.ends() == 0 and running.seen == b"first\nlast\n"


def test_a_reader_that_goes_away() -> None:
    """`truetty run … | head -1`: no traceback."""
    piped = f"{' '.join(RUN)} 'seq 1000000' </dev/null | head -1"
    done = subprocess.run(["sh", "-c", piped], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout == "1\n" and len(done.stderr.splitlines()) <= 1, done.stderr


# -- the options


def test_env_cwd_shell_and_rc(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAKEN", "away")
    given = run("--env", "A=1=2", "--env", "B=", "--env", "TAKEN", 'echo "$A,$B,${TAKEN-unset}"')
    assert given.stdout == "1=2,,unset\n"
    assert run("--cwd", str(tmp_path), "pwd").stdout == f"{tmp_path}\n"
    (home / ".bashrc").write_text("FROM_RC=yes\necho noise of the rc file\n")
    words = ["--shell", "bash", "echo ${FROM_RC-no}"]
    assert run("run", *words, plain=False).stdout == "yes\n"
    assert run("run", "--no-rc", *words, plain=False).stdout == "no\n"
    for shell, name in [("dash", "dash"), ("zsh", "zsh"), ("/bin/bash", "bash")]:
        assert (
            run("run", "--no-rc", "--shell", shell, "readlink /proc/$$/exe", plain=False).stdout.rstrip().endswith(name)
        )
    assert run("run", "--no-rc", "readlink /proc/$$/exe", plain=False).stdout.rstrip().endswith("bash")  # $SHELL


def test_json_has_the_fields_of_the_outcome() -> None:
    done = run("--json", "echo hello; (exit 7)")
    told = json.loads(done.stdout)
    assert done.returncode == 7 and done.stderr == ""
    assert set(told) == {field.name for field in dataclasses.fields(truetty.Outcome)}
    facts = {
        name: told[name]
        for name in ("state", "exit_code", "output", "output_bytes", "output_lines", "evidence", "strategy")
    }
    assert facts == {
        "state": "finished", "exit_code": 7, "output": "hello\n", "output_bytes": 7, "output_lines": 1,
        "evidence": "mark", "strategy": "rich",
    }  # fmt: skip
    assert told["waiting"] is None and told["complete"] is True and told["omitted"] == 0 and told["closed"] is False


def test_json_reports_what_waits_and_leaves_it() -> None:
    done = run("--json", "read -p 'Name: ' x", stdin=None)
    told = json.loads(done.stdout)
    assert done.returncode == 124 and told["state"] == "waiting"
    assert (told["waiting"]["kind"], told["waiting"]["prompt"]) == ("line", "Name: ")


def test_patience_is_124(tmp_path: Path) -> None:
    done = run("--wait", "1", "echo go; echo $$; sleep 1000", stdin=None)
    assert done.returncode == 124 and done.stdout.startswith("go\n")
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("truetty: ")
    eventually(lambda: gone(int(done.stdout.split()[1])), "the shell lives on")
    told = run("--json", "--wait", "0.5", "echo go; sleep 1000", stdin=None)
    assert told.returncode == 124 and json.loads(told.stdout)["state"] == "running"


def test_time_out_is_124_and_ends_the_command() -> None:
    done = run("--timeout", "1", "sh -c 'echo $$; exec sleep 1000'", stdin=None)
    assert done.returncode == 124 and len(done.stderr.splitlines()) == 1
    eventually(lambda: gone(int(done.stdout.split()[0])), "the command lives on")
    told = run("--json", "--timeout", "1", "sleep 1000", stdin=None)
    assert told.returncode == 124
    assert json.loads(told.stdout)["state"] == "finished" and json.loads(told.stdout)["notes"]
    assert run("--timeout", "20", "echo quick").returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ("--shell", "nosuchshell", "true"), ("--cwd", "/no/such/place", "true"), ("",), ("  ",),
        ("--env", "=x", "true"),
        ("--cwd", "/etc/passwd", "true"), ("--shell", "/etc", "true"),
    ],
)  # fmt: skip
def test_our_own_errors_are_125_and_one_line(words: tuple[str, ...]) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (125, "")
    assert re.fullmatch(r"truetty: .+\n", done.stderr), done.stderr


@pytest.mark.parametrize(
    "call",
    [
        "run --nonsense true",
        "run",
        "nonsense",
        "--nonsense",
        "run --wait soon true",
        "run --wait -1 true",
        "doctor extra",
    ],
)
def test_a_wrong_call_is_said_to_be_one(call: str) -> None:
    done = run(*call.split(), plain=False)
    assert done.returncode == 125 and done.stdout == "" and "Traceback" not in done.stderr
    assert re.fullmatch(r"truetty: .+\nSee truetty( \w+)? --help\.\n", done.stderr)


OPTIONS = ["--shell", "--cwd", "--env", "--wait", "--timeout", "--json", "--no-rc", "COMMAND"]


def test_help_and_version() -> None:
    for words, expected in [(("--help",), ["run", "doctor"]), (("-h",), ["run"]), (("doctor", "--help"), ["--json"]),
                            (("run", "--help"), OPTIONS),
                            (("run", "-h"), ["--shell"]), (("doctor", "-h"), ["--json"])]:  # fmt: skip
        done = run(*words, plain=False)
        assert done.returncode == 0 and done.stderr == ""
        assert not [word for word in expected if word not in done.stdout], done.stdout
    version = run("--version", plain=False)
    assert (version.returncode, version.stdout) == (0, f"truetty {truetty.__version__}\n"), version


# -- input


def test_piped_input_reaches_the_command() -> None:
    assert run('read a; read b; echo "$b $a"', stdin="one\ntwo\n").stdout.endswith("two one\n")
    counted = run("wc -l", stdin="".join(f"line {n}\n" for n in range(50)))
    assert counted.returncode == 0 and counted.stdout.split()[-1] == "50"


@pytest.mark.parametrize("command", ["read x; echo got $x", "head -n 1", "python3 -c 'input()'", "python3 -q"])
def test_input_that_the_command_does_not_read_is_not_run(command: str, tmp_path: Path) -> None:
    done = run(command, stdin=f"exit()\ntouch {tmp_path}/file\n")
    assert done.returncode == 0 and "touch" not in done.stdout
    assert not (tmp_path / "file").exists()


def test_the_end_of_the_input_is_passed_on() -> None:
    assert run("echo hello", stdin="nobody reads this\n").stdout == "hello\n"
    done = run("cat >/dev/null; echo over", stdin=None)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "over")


def test_input_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "answers"
    file.write_text("ada\n")
    with file.open() as source:
        done = subprocess.run(
            [*RUN, 'read x; echo "hi $x"'], stdin=source, capture_output=True, text=True, timeout=PATIENCE
        )
    assert done.returncode == 0 and done.stdout.endswith("hi ada\n")


# -- a person


def test_a_person_is_asked_and_answers() -> None:
    with Watched("read -p 'Name: ' x; echo \"hello $x\"; exit 9") as person:
        person.until("Name: ")
        person.type("Ada\r")
        person.until("hello Ada\r\n")
        assert person.ends() == 9
        assert b"Traceback" not in person.seen and b"7717" not in person.seen


def test_a_person_sees_the_bytes_as_they_are() -> None:
    with Watched(r"printf '\033[31mred\033[0m\n10%%\r20%%\n'; test -t 1 && stty size") as person:
        assert person.ends() == 0
        assert b"\x1b[31mred\x1b[0m\r\n10%\r20%\r\n" in person.seen


def test_a_password_is_not_shown() -> None:
    with Watched("read -s -p 'Password: ' x; echo; echo ${#x}") as person:
        person.until("Password: ")
        person.type("secret\r")
        person.until("6\r\n")
        assert person.ends() == 0 and b"secret" not in person.seen


def test_ctrl_c_goes_to_the_command() -> None:
    with Watched("""bash -c "trap 'echo caught; exit 5' INT; echo go; while :; do sleep 0.1; done" """) as person:
        person.until("go\r\n")
        person.type("\x03")
        person.until("caught")
        assert person.ends() == 5
    with Watched("sh -c 'echo go; exec sleep 1000'") as person:
        person.until("go\r\n")
        person.type("\x03")
        assert person.ends() == 130
        assert b"bash" not in person.seen  # its prompt is no part of the command's output


def test_an_interrupt_goes_to_the_command(tmp_path: Path) -> None:
    file = tmp_path / "go"
    with Watched(f"sh -c 'touch {file}; exec sleep 1000'", person=False) as running:
        eventually(file.exists, "it does not start")
        os.kill(running.pid, signal.SIGINT)
        assert running.ends() == 130


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_is_left_behind(number: int | None, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    rest = "" if number is None else "; sleep 1000"
    with Watched(f"sleep 1000 & echo $! $$ >{file}.new; mv {file}.new {file}{rest}", person=False) as running:
        if number is not None:
            eventually(file.exists, "it does not start")
            os.kill(running.pid, number)
        status = running.ends()
    assert status in ((0,) if number is None else (-number, 128 + number, 124, 125))
    pids = [int(word) for word in file.read_text().split()]
    eventually(lambda: all(map(gone, pids)), f"left behind: {[pid for pid in pids if not gone(pid)]}")
    owners = [owner.read_text().split()[0] for owner in Path("/dev/shm").glob("tt-*/owner")]
    assert number is not None or str(running.pid) not in owners  # after a violent end the next terminal sweeps them


# -- doctor


def test_doctor_says_the_truth(program: Callable[[str], str]) -> None:
    done = run("doctor", "--json", "--no-rc", plain=False)
    assert done.returncode == 0 and done.stderr == ""
    told = json.loads(done.stdout)
    assert told["host"]["pidfd"] is True and told["host"]["sees_blocked_calls"] is True
    shells = {shell["name"]: shell for shell in told["shells"]}
    for name in ("bash", "zsh", "fish", "dash", "mksh", "busybox", "tcsh"):
        assert shells[name]["path"] == program(name)
        assert shells[name]["works"] and shells[name]["strategy"] == "rich" and shells[name]["exit_codes"], shells[name]
        assert shells[name]["output_exact"] and shells[name]["waiting_seen"] and shells[name]["problem"] is None, (
            shells[name]
        )
    for name in ("xonsh", "nu"):
        if shells[name]["path"] is None:
            assert not shells[name]["works"] and shells[name]["problem"] == "not installed"


def test_doctor_in_plain_words() -> None:
    done = run("doctor", "--no-rc", plain=False)
    assert done.returncode == 0 and "\x1b" not in done.stdout and "Traceback" not in done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("bash"))
    assert "rich" in line and "no" not in line.split()


def test_doctor_tells_of_a_shell_that_does_not_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("bash", "zsh"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 3\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    told = {shell["name"]: shell for shell in json.loads(run("doctor", "--json", plain=False).stdout)["shells"]}
    for name in ("bash", "zsh"):
        assert told[name]["path"] == str(tmp_path / name) and told[name]["works"] is False and told[name]["problem"]
    assert told["dash"]["works"] is True


@pytest.mark.parametrize("entry", ["", ".", "bin"])
def test_doctor_runs_nothing_of_a_relative_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Callable[[str], str], entry: str
) -> None:
    bash = program("bash")
    (tmp_path / entry).mkdir(exist_ok=True)
    (tmp_path / entry / "bash").write_text(f"#!/bin/sh\ntouch {tmp_path}/made\nexit 3\n")
    (tmp_path / entry / "bash").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{entry}:{os.environ['PATH']}")
    shells = {shell["name"]: shell for shell in json.loads(run("doctor", "--json", plain=False).stdout)["shells"]}
    assert shells["bash"]["path"] == bash and shells["bash"]["works"] and not (tmp_path / "made").exists()


def test_doctor_takes_no_mksh_for_ksh93(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Callable[[str], str]
) -> None:
    for name, target in (("ksh", "mksh"), ("mksh", "mksh"), ("sh", "dash")):
        (tmp_path / name).symlink_to(program(target))
    monkeypatch.setenv("PATH", str(tmp_path))
    told = {shell["name"]: shell for shell in json.loads(run("doctor", "--json", plain=False).stdout)["shells"]}
    assert told["mksh"]["path"] == str(tmp_path / "mksh") and told["mksh"]["works"]
    assert told["ksh93"]["path"] is None and told["ksh93"]["problem"] == "not installed"


@pytest.mark.parametrize("words", [("--nosuch", "true"), ("--wait", "abc", "true"), ()])
def test_a_wrong_command_line_is_an_error_of_ours(words: tuple[str, ...]) -> None:
    assert run(*words).returncode == 125
    assert run("exit 2").returncode == 2


def test_an_error_is_an_object_too() -> None:
    ended = run("--json", "--cwd", "/no/such/place", "true")
    assert ended.returncode == 125
    error = json.loads(ended.stdout)["error"]
    assert error["code"] == "spawn_failed" and "/no/such/place" in error["message"]


def test_a_time_out_ends_a_loop_that_does_not_react() -> None:
    ended = run("--json", "--timeout", "0.2", "--shell", "bash", "trap '' INT; while :; do sleep 0.2; done")
    outcome = json.loads(ended.stdout)
    assert (ended.returncode, outcome["state"], outcome["closed"]) == (124, "finished", True)
    assert "its shell was ended too" in outcome["notes"][0]


def test_json_waits_for_the_next_part_of_its_input() -> None:
    words = [*RUN, "--json", "read a; read b; echo $b $a"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("one\n")
        process.stdin.flush()
        pipe, pid = process.stdin.fileno(), process.pid
        eventually(
            lambda: process.poll() is not None or (not count_unread(pipe) and awaits_input(pid)), "no input is awaited"
        )
        print("two", file=process.stdin)
        process.stdin.close()
        told = json.loads(process.stdout.read())
    assert (told["state"], told["output"].splitlines()[-1]) == ("finished", "two one")


def count_unread(pipe: int) -> int:
    """How many bytes the pipe holds."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def awaits_input(pid: int) -> bool:
    """Whether its event loop watches standard input."""
    try:
        files = [path.read_text() for path in Path(f"/proc/{pid}/fdinfo").iterdir()]
    except OSError:  # one was closed meanwhile
        return False
    return any(re.search(r"^tfd: +0 ", file, re.MULTILINE) for file in files)


@pytest.mark.parametrize("size", [3999, 4000, 4001, 4095, 4096, 8000, 50_000])
def test_long_lines_arrive_whole(size: int) -> None:
    ended = run("--json", "--shell", "bash", "wc -c", stdin="x" * size + "\n" + "y" * 5000 + "\n")
    assert json.loads(ended.stdout)["output"].splitlines()[-1] == str(size + 5002)
