"""The table of commands, and what is made from it: the reader, the help pages, the errors."""

from __future__ import annotations

import inspect
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import truetty
from tests import warm
from tests.patience import PATIENCE
from truetty.cli.commands import load
from truetty.cli.reading import HelpWanted, WrongWords, read
from truetty.cli.table import COMMANDS, GROUPS
from truetty.cli.table.row import CommandRow
from truetty.functions.table import RUN_WAIT

SOURCE = str(Path(truetty.__file__).parents[1])


def rows() -> Iterator[tuple[str, CommandRow]]:
    for row in COMMANDS.values():
        yield row.name, row
        yield from ((f"{row.name} {sub.name}", sub) for sub in row.commands)


ROWS = dict(rows())
PAGES = [("--help",), *((*path.split(), "--help") for path in ROWS)]


def run(*words: str, **env: str) -> tuple[int, str, str]:
    done = warm.run(*words, stdin=None, env={**os.environ, "NO_COLOR": "1", **env})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("path", [path for path, row in ROWS.items() if row.alone])
def test_a_function_takes_what_its_row_reads(path: str) -> None:
    row = ROWS[path]
    fields = [*(word.field for word in row.words), *(option.field for option in row.options)]
    assert sorted(inspect.signature(load(path.split())).parameters) == sorted(fields)
    assert len({option.name for option in row.options}) == len(row.options)


def test_the_overview_is_ordered_by_use() -> None:
    names = [[row.name for row in rows] for rows in GROUPS.values()]
    assert names[0] == ["run", "map", "explain"] and names[1] == ["shot", "record", "replay", "clean"]
    assert (
        names[2] == ["mcp", "setup", "answer", "schema"]
        and names[3][0] == "open"
        and names[3][-2:] == ["serve", "dial"]
    )
    assert names[4][:3] == ["doctor", "settings", "policy"]
    assert {path: row.summary for path, row in ROWS.items() if len(row.summary) >= 50} == {}


def test_a_default_that_a_page_names_is_the_one_in_force() -> None:
    [wait] = [option for option in COMMANDS["mcp"].options if option.name == "--wait"]
    assert f"(default: {RUN_WAIT:g})" in wait.help
    for row in ROWS.values():
        for option in row.options:
            if (found := re.search(r"default: ([\w.]+)\)?$", option.help)) and option.default is not None:
                assert found[1] == str(option.default), option


# -- help pages


@pytest.mark.parametrize("columns", [45, 59, 60, 80, 100, 160])
@pytest.mark.parametrize("words", PAGES, ids=" ".join)
def test_a_page_fits_the_terminal(words: tuple[str, ...], columns: int) -> None:
    status, printed, said = run(*words, COLUMNS=str(columns))
    assert (status, said) == (0, "")
    lines = printed.splitlines()
    assert max(map(len, lines)) <= min(columns, 100), printed
    assert printed.split() == run(*words, COLUMNS="100")[1].split()  # nothing is cut
    assert "\x1b" not in printed and "<" not in printed


@pytest.mark.parametrize("words", PAGES, ids=" ".join)
def test_examples_come_first(words: tuple[str, ...]) -> None:
    page = run(*words, COLUMNS="80")[1].split("\n\n")
    assert page[1].startswith("  ") and "truetty" in page[1]
    assert page[2].startswith("Usage: truetty")


def test_the_page_of_run() -> None:
    page = run("run", "--help", COLUMNS="80")[1]
    assert page.startswith("Run a command in a real shell and exit with its exit code.\n\n  truetty run 'make")
    for line in (
        "Usage: truetty run [OPTIONS] COMMAND...",
        "Where it runs",
        "  --cwd DIR          start in this directory",
        "  --env NAME=VALUE   set a variable; NAME alone unsets it; may be repeated",
        "How long",
        "  --timeout SECONDS  stop the command after this long",
        "What is printed",
        "  -h, --help         show this",
    ):
        assert line in page.splitlines(), page
    narrow = run("run", "--help", COLUMNS="45")[1]
    assert "  --timeout SECONDS\n      stop the command after this long\n" in narrow


@pytest.mark.parametrize("path", ROWS)
def test_help_is_the_same_however_it_is_asked_for(path: str) -> None:
    words = path.split()
    page = run(*words, "--help")
    assert page[0] == 0 and run(*words, "-h") == page == run("help", *words)


def test_the_overview_and_the_version() -> None:
    assert run() == run("-h") == run("--help") == run("help") == run("help", "--help")
    assert all(f"\n  {name} " in run()[1] for name in COMMANDS)
    version = (0, f"truetty {truetty.__version__}\n", "")
    assert run("-V") == run("--version") == run("version") == version


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_headings_are_bold_on_a_terminal(variables: dict[str, str], coloured: bool) -> None:
    ours, theirs = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")} | variables
    env["PYTHONPATH"] = SOURCE
    command = [sys.executable, "-m", "truetty", "doctor", "--help"]
    subprocess.run(command, stdout=theirs, stdin=subprocess.DEVNULL, env=env, timeout=PATIENCE, check=True)
    os.close(theirs)
    assert (b"\x1b[1mOptions\x1b[0m" in os.read(ours, 65536)) is coloured
    os.close(ours)


@pytest.mark.parametrize("words", [("--help",), ("run", "--help"), ("help", "mcp"), ("run", "--nope")])
def test_a_page_needs_the_table_only(words: tuple[str, ...]) -> None:
    code = (
        f"import sys\nfrom truetty.cli import main\nsys.argv = ['truetty', *{words!r}]\n"
        "try:\n    main()\nfinally:\n    print(*sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE, env={**os.environ, "PYTHONPATH": SOURCE})
    loaded = set(done.stderr.decode().splitlines()[-1].split())
    assert "truetty.cli.table" in loaded
    slow = {"argparse", "asyncio", "dataclasses", "inspect", "rich", "subprocess", "truetty.settings", "typer"}
    assert not loaded & slow
    assert not loaded & {f"truetty.cli.{name}" for name in COMMANDS}


# -- words


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("run ls -l", {"command": ["ls", "-l"], "json": False}),
        ("run --json ls --json", {"command": ["ls", "--json"], "json": True}),
        ("run -- --json -- x", {"command": ["--json", "--", "x"], "json": False}),
        ("run ls -- x", {"command": ["ls", "--", "x"]}),
        ("run --env A=1 --env=B=2 --cwd=/ x", {"env": ["A=1", "B=2"], "cwd": "/"}),
        ("run --wait 1.5 --wait 2 x", {"wait": 2.0}),
        ("run - x", {"command": ["-", "x"]}),
        ("run --shell --json x", {"shell": "--json", "json": False}),
        ("shot a.svg ls -l", {"file": "a.svg", "command": ["ls", "-l"]}),
        ("shot --size 80x24 a.svg --title T ls --at 1", {"size": (80, 24), "command": ["ls", "--at", "1"]}),
        ("shot - --cast x.cast --at 5", {"file": "-", "cast": "x.cast", "at": 5.0, "command": []}),
        ("record x.cast -- make --input", {"file": "x.cast", "command": ["make", "--input"], "input": False}),
        ("record --input x.cast make", {"command": ["make"], "input": True}),
        ("replay --speed inf x", {"file": "x", "speed": float("inf")}),
        ("replay x --speed 2", {"file": "x", "speed": 2.0}),
        ("replay -- --speed", {"file": "--speed", "speed": None}),
        ("clean", {"file": None, "columns": 120}),
        ("clean - --columns 80", {"file": "-", "columns": 80}),
        ("setup --print codex", {"client": "codex", "show": True}),
        ("mcp --port=0", {"port": 0, "policy": "settings", "allow_host": []}),
        ("schema", {"form": "openai"}),
    ],
)  # fmt: skip
def test_how_words_are_read(words: str, expected: dict[str, object]) -> None:
    name, *rest = words.split()
    arguments = read(COMMANDS[name], rest)
    assert {key: arguments[key] for key in expected} == expected


@pytest.mark.parametrize("words", ["run --help", "run --json -h x", "shot a.svg -h", "replay x --help"])
def test_help_is_an_option_of_ours(words: str) -> None:
    name, *rest = words.split()
    with pytest.raises(HelpWanted):
        read(COMMANDS[name], rest)
    assert read(COMMANDS["run"], ["ls", "--help"])["command"] == ["ls", "--help"]


@pytest.mark.parametrize(
    ("words", "message", "page"),
    [
        ("run --nope x", "no option --nope; did you mean --no-rc?", "truetty run"),
        ("run --zzzzzz x", "no option --zzzzzz.", "truetty run"),
        ("run -x y", "no option -x.", "truetty run"),
        ("run --jso x", "no option --jso; did you mean --json?", "truetty run"),
        ("run", "run needs COMMAND.", "truetty run"),
        ("run --wait", "--wait needs a value: --wait SECONDS.", "truetty run"),
        ("run --wait soon x", "--wait takes seconds, 0 or more; got 'soon'.", "truetty run"),
        ("run --wait -1 x", "--wait takes seconds, 0 or more; got '-1'.", "truetty run"),
        ("run --wait nan x", "--wait takes seconds, 0 or more; got 'nan'.", "truetty run"),
        ("run --json=1 x", "--json takes no value; got '1'.", "truetty run"),
        ("shot --size big a.svg x", "--size takes COLSxROWS, such as 80x24; got 'big'.", "truetty shot"),
        ("map --at-once 0 x", "--at-once takes a whole number, 1 or more; got '0'.", "truetty map"),
        ("run --timeout 0 x", "--timeout takes seconds, more than 0; got '0'.", "truetty run"),
        ("mcp --port 65536", "--port takes a whole number from 0 to 65535; got '65536'.", "truetty mcp"),
        ("replay --speed quick x", "--speed takes a number; got 'quick'.", "truetty replay"),
        ("replay x y", "replay takes no word behind FILE; got 'y'.", "truetty replay"),
        ("doctor extra", "doctor takes no words; got 'extra'.", "truetty doctor"),
        ("policy", "policy needs a command: check or try.", "truetty policy"),
        ("policy chekc ls", "no command policy chekc; did you mean check?", "truetty policy"),
        ("policy bogus", "no command policy bogus; there are check and try.", "truetty policy"),
        (
            "settings bogus",
            "no command settings bogus; there are get, set, unset, init and edit.",
            "truetty settings",
        ),
        ("settings gte size", "no command settings gte; did you mean get?", "truetty settings"),
        ("settings set size -x", "no option -x.", "truetty settings set"),
        ("run -4", "no option -4.", "truetty run"),
        ("policy --nope", "no option --nope.", "truetty policy"),
        ("policy check", "check needs COMMAND.", "truetty policy check"),
        ("rnu x", "no command rnu; did you mean run?", "truetty"),
        ("help rnu", "no command rnu; did you mean run?", "truetty"),
        ("cat -n x", "no command cat. To run it in a shell: truetty run cat -n x", "truetty"),
        ("nosuchprogram", "no command nosuchprogram.", "truetty"),
        ("--nope", "no option --nope.", "truetty"),
        ("--version x", "--version takes no words; got 'x'.", "truetty"),
    ],
)
def test_a_wrong_word_is_two_lines(words: str, message: str, page: str) -> None:
    assert run(*words.split()) == (125, "", f"truetty: {message}\nSee {page} --help.\n")


def test_reading_raises_errors_of_its_own() -> None:
    with pytest.raises(WrongWords) as raised:
        read(COMMANDS["run"], ["--wait", "x", "y"])
    assert raised.value.code == "misuse" and raised.value.facts == {"option": "--wait", "value": "x"}
