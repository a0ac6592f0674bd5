"""Settings: every one of them from the file, from a variable and as an argument, and what it then does."""

from __future__ import annotations

import gc
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import truetty
from tests.rows import each_row
from tests.stage import until
from truetty import events
from truetty.cli import settings as command_line
from truetty.questions.replies import Reply
from truetty.service.registry import MOST_TERMINALS, Registry
from truetty.service.service import Service
from truetty.settings import FIELDS, PolicySettings, Settings, places, strangers
from truetty.store import spill, transcript
from truetty.terminal import options
from truetty.text import digest

ROOT = Path(__file__).resolve().parent.parent

# For each setting: how it is written in the file, in a variable, as an argument, and what that is.
CASES: Mapping[str, tuple[str, str, object, object]] = {
    "shell": ('"dash"', "dash", "dash", "dash"),
    "rc": ("false", "no", False, False),
    "history": ("true", "yes", True, True),
    "startup": ("2.5", "2.5", 2.5, 2.5),
    "size": ("[80, 24]", "80x24", (80, 24), (80, 24)),
    "workspace": ('"/tmp"', "/tmp", Path("/tmp"), "/tmp"),
    "inherit_env": ("false", "0", False, False),
    "env": ('{ CI = "1", N = 2, GONE = false }', '{CI="1", N=2, GONE=false}', {"CI": "1", "N": "2", "GONE": None},
            {"CI": "1", "N": "2", "GONE": None}),
    "budget": ("5_000", "5000", 5000, 5000),
    "head_share": ("0.5", "0.5", 0.5, 0.5),
    "memory": ('"2 MiB"', "2M", 2 << 20, 2 << 20),
    "quota": ("1000", "1000", 1000, 1000),
    "total_quota": ('"3 GiB"', "3 GB", 3 << 30, 3 << 30),
    "coalesce": ("0.02", "0.02", 0.02, 0.02),
    "terminals": ("7", "7", 7, 7),
    "per_task": ("3", "3", 3, 3),
    "idle": ("90", "90", 90, 90.0),
    "warm": ("2", "2", 2, 2),
    "policy": (
        '{ allow = ["ls"], deny = ["rm"], typing = "deny", default = "allow" }',
        '{allow=["ls"], deny=["rm"], typing="deny", default="allow"}',
        {"allow": ["ls"], "deny": ["rm"], "typing": "deny", "default": "allow"},
        PolicySettings(allow=("ls",), deny=("rm",), typing="deny", default="allow"),
    ),
    "reply": (
        '[{ pattern = "y/n", answer = "y", limit = 2, program = "apt" }]',
        '[{pattern="y/n", answer="y", limit=2, program="apt"}]',
        [Reply("y/n", "y", 2, "apt")],
        (Reply("y/n", "y", 2, "apt"),),
    ),
    "sandbox": ('"workspace+network"', "workspace+network", "workspace+network", "workspace+network"),
    "audit": ('"/tmp/audit"', "/tmp/audit", "/tmp/audit", "/tmp/audit"),
}  # fmt: skip


@pytest.fixture
def written(home: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = home / ".config/truetty/truetty.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)
        return path

    return write


def test_every_setting_is_tried() -> None:
    assert CASES.keys() == FIELDS.keys()


@pytest.mark.parametrize("name", CASES)
def test_file_then_variable_then_argument(name: str, home: Path, written: Callable[[str], Path]) -> None:
    in_file, in_variable, argument, value = CASES[name]
    nothing = Settings.load({"HOME": str(home)})
    assert getattr(nothing, name) == FIELDS[name].default != value and nothing.origins[name] == "default"

    path = written(f"{name} = {in_file}")
    from_file = Settings.load({"HOME": str(home)})
    assert getattr(from_file, name) == value and from_file.origins[name] == str(path)
    assert {other for other, origin in from_file.origins.items() if origin != "default"} == {name}
    assert Settings.load({}, path) == from_file

    variables = {"HOME": str(home / "nowhere"), f"TRUETTY_{name.upper()}": in_variable}
    from_variable = Settings.load(variables)
    assert getattr(from_variable, name) == value and from_variable.origins[name] == f"TRUETTY_{name.upper()}"

    named: dict[str, Any] = {name: argument}
    given = Settings.load({"HOME": str(home / "nowhere")}, **named)
    assert given == from_variable == from_file and given.origins[name] == "argument"


def test_the_later_one_wins(home: Path, written: Callable[[str], Path]) -> None:
    path = written('budget = 1\nwarm = 1\nidle = 1\nenv = { A = "1" }')
    environ = {"HOME": str(home), "TRUETTY_WARM": "2", "TRUETTY_IDLE": "2", "TRUETTY_ENV": '{ B = "2" }'}
    settings = Settings.load(environ, idle=3, budget=None)
    assert (settings.budget, settings.warm, settings.idle, settings.env) == (1, 2, 3, {"B": "2"})
    origins = [settings.origins[name] for name in ("budget", "warm", "idle", "env")]
    assert origins == [str(path), "TRUETTY_WARM", "argument", "TRUETTY_ENV"]
    assert Settings.load(environ, idle="off").idle is None


def test_where_the_file_is(home: Path, written: Callable[[str], Path], tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "truetty.toml").write_text("budget = 2")
    (folder / "truetty.toml").chmod(0o600)
    written("budget = 1")
    assert Settings.load({"HOME": str(home)}).budget == 1
    assert Settings.load({"HOME": str(home), "XDG_CONFIG_HOME": "relative"}).budget == 1
    assert Settings.load({"HOME": str(home), "XDG_CONFIG_HOME": str(folder)}).budget == 2
    assert all(os.path.isabs(path) for path in places({}))


def test_nothing_is_read_from_the_working_directory(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    for place in (project, project / ".config/truetty", project / "truetty", project / ".truetty"):
        place.mkdir(parents=True, exist_ok=True)
        (place / "truetty.toml").write_text("budget = 1")
        (place / "truetty.toml").chmod(0o600)
    monkeypatch.chdir(project)
    assert Settings.load({"HOME": str(home)}) == Settings()
    assert Settings.load({"HOME": str(home), "XDG_CONFIG_HOME": "."}) == Settings()


# -- what cannot be meant


def test_a_variable_is_one_value(home: Path) -> None:
    with pytest.raises(truetty.Misuse, match="budget"):
        Settings.load({"HOME": str(home), "TRUETTY_BUDGET": "5\nrc = false"})


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("budget = -1", "less than 0"),
        ("budget = true", "no number"),
        ("budget = 1.5", "no whole number"),
        ('budget = "many"', "no number"),
        ("rc = 2", "neither true nor false"),
        ("size = [80]", "two whole numbers"),
        ("size = [0, 24]", "0 × 24"),
        ("size = [70000, 24]", "70000 × 24"),
        ("size = [true, 24]", "two whole numbers"),
        ("head_share = 1.5", "between 0 and 1"),
        ("head_share = nan", "between 0 and 1"),
        ("startup = inf", "no such length of time"),
        ("idle = 0", "no such length of time"),
        ('memory = "1 lot"', "no number of bytes"),
        ("memory = -5", "no number of bytes"),
        ("terminals = 0", "less than 1"),
        ('shell = "./evil"', "no absolute path"),
        ('shell = ""', "empty"),
        ("shell = []", "no text"),
        ('shell = "a\\u0000b"', "NUL"),
        ('audit = "log"', "no absolute path"),
        ('workspace = "."', "no absolute path"),
        ('env = { "A=B" = "x" }', "no name of a variable"),
        ("env = { A = [1] }", "A: it is no text"),
        ("env = 3", "no table"),
        ('policy = { alow = ["ls"] }', "did you mean allow"),
        ('policy = { allow = "ls" }', "a list"),
        ('policy = { default = "perhaps" }', "default is 'perhaps'"),
        ('reply = { pattern = "x" }', "no list"),
        ('[[reply]]\npattern = "x"', "needs its answer"),
        ('[[reply]]\npattern = "("\nanswer = "x"', "not a regular expression"),
        ('[[reply]]\npattern = "x"\nanswer = "y"\nlimit = 0', "less than 1"),
        ('[[reply]]\npattern = "x"\nanswer = "y"\nlimt = 1', "did you mean limit"),
    ],
)
def test_a_wrong_value_says_where_and_what(line: str, words: str, home: Path, written: Callable[[str], Path]) -> None:
    path = written(line)
    name = "reply" if "reply" in line else line.split()[0]
    with pytest.raises(truetty.Misuse) as refused:
        Settings.load({"HOME": str(home)})
    message = str(refused.value)
    assert message.startswith(f"{path}: {name} = ") and words in message
    assert f"allowed: {FIELDS[name].kind.allowed}" in message
    assert (refused.value.key, refused.value.origin, refused.value.allowed) == (
        name,
        str(path),
        FIELDS[name].kind.allowed,
    )


def test_a_wrong_variable_or_argument_is_named(home: Path) -> None:
    with pytest.raises(truetty.Misuse, match=r"^TRUETTY_WARM: warm = 'x'"):
        Settings.load({"HOME": str(home), "TRUETTY_WARM": "x"})
    with pytest.raises(truetty.Misuse, match=r"^argument: warm = -1"):
        Settings.load({"HOME": str(home)}, warm=-1)


def test_unknown_keys_are_told_the_near_ones(home: Path, written: Callable[[str], Path]) -> None:
    path = written("budgte = 1")
    with pytest.raises(truetty.Misuse, match="did you mean budget") as refused:
        Settings.load({"HOME": str(home)})
    assert str(path) in str(refused.value) and refused.value.key == "budgte"
    with pytest.raises(truetty.Misuse, match="there are shell, rc"):
        Settings.load({}, path=written(""), zzzzzz=1)
    assert strangers({"TRUETTY_BUDGTE": "1", "TRUETTY_BUDGET": "1", "OTHER": "1"}) == ["TRUETTY_BUDGTE"]


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_to(mode: int, home: Path, written: Callable[[str], Path]) -> None:
    written("budget = 1").chmod(mode)
    with pytest.raises(truetty.Misuse, match="others may write to it"):
        Settings.load({"HOME": str(home)})


def test_a_file_in_a_folder_that_others_may_write_to(home: Path, written: Callable[[str], Path]) -> None:
    path = written("budget = 1")
    path.parent.chmod(0o777)
    with pytest.raises(truetty.Misuse, match="others may write to its folder"):
        Settings.load({"HOME": str(home)})
    path.parent.chmod(0o755)
    assert Settings.load({"HOME": str(home)}).budget == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_folder_of_another_user(home: Path, written: Callable[[str], Path]) -> None:
    os.chown(written("budget = 1").parent, 12345, 12345)
    with pytest.raises(truetty.Misuse, match=r"folder .* belongs to another user"):
        Settings.load({"HOME": str(home)})


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user(home: Path, written: Callable[[str], Path]) -> None:
    os.chown(written("budget = 1"), 12345, 12345)
    with pytest.raises(truetty.Misuse, match="belongs to another user"):
        Settings.load({"HOME": str(home)})


def test_files_that_cannot_be_read(home: Path, written: Callable[[str], Path]) -> None:
    path = written("budget = ")
    with pytest.raises(truetty.Misuse, match="not TOML"):
        Settings.load({"HOME": str(home)})
    path.write_bytes(b"shell = '\xff'")
    with pytest.raises(truetty.Misuse, match="not TOML"):
        Settings.load({"HOME": str(home)})
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(truetty.Misuse, match="it is no file"):
        Settings.load({"HOME": str(home)})
    path.unlink()
    assert Settings.load({"HOME": str(home)}) == Settings()
    with pytest.raises(truetty.Misuse, match="No such file"):
        Settings.load({}, path)


# -- what they do


def registry(home: Path, **arguments: Any) -> Registry:
    return Registry.from_settings(Settings.load({"HOME": str(home)}, **{"shell": "bash", "rc": False, **arguments}))


async def said(home: Path, command: str, **arguments: object) -> str:
    async with registry(home, **arguments) as made:
        return (await (await made.acquire()).run(command)).output


async def test_the_shell_and_its_files(home: Path) -> None:
    (home / ".bashrc").write_text("kept=yes\n")
    assert await said(home, 'echo "$kept"', rc=True) == "yes\n"
    assert await said(home, 'echo "$kept"', rc=False) == "\n"
    async with registry(home, shell=["dash"]) as made:
        assert (await made.acquire()).shell == "dash"
    assert await said(home, "shopt -qo posix && echo posix", shell=["bash", "--posix"]) == "posix\n"


async def test_a_slow_start_is_waited_for_so_long(home: Path) -> None:
    (home / ".bashrc").write_text("read never\n")
    async with registry(home, rc=True, startup=0.05) as made:
        assert (await made.acquire()).strategy == "none"


async def test_the_size(home: Path) -> None:
    assert await said(home, "stty size", size=(77, 11)) == "11 77\n"


async def test_the_workspace(home: Path) -> None:
    assert await said(home, "pwd", workspace=home) == f"{home}\n"


async def test_variables(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTER", "seen")
    monkeypatch.setenv("PAGER", "less")
    asked = 'echo "$OUTER,$MINE,$HOME,$PAGER"'
    assert await said(home, asked, env={"MINE": "1"}) == f"seen,1,{home},cat\n"
    assert await said(home, asked, env={"OUTER": False}) == f",,{home},cat\n"
    assert await said(home, asked, inherit_env=False, env={"MINE": "1"}) == f",1,{home},cat\n"
    assert await said(home, "command -v ls >/dev/null && echo found", inherit_env=False) == "found\n"


async def test_the_budget_and_its_head(home: Path) -> None:
    everything = await said(home, "seq 1 5000", budget=100_000)
    assert everything.splitlines() == [str(number) for number in range(1, 5001)]
    last = await said(home, "seq 1 5000", budget=1000, head_share=0)
    assert len(last) <= 1000 and "5000\n" in last and not last.startswith("1\n")
    first = await said(home, "seq 1 5000", budget=1000, head_share=0.8)
    assert first.startswith("1\n") and first.index("left out") > 500


async def test_the_limits(home: Path) -> None:
    async with registry(home, terminals=1) as made:
        await made.acquire(task="a")
        with pytest.raises(truetty.LimitReached) as refused:
            await made.acquire(task="b")
        assert refused.value.limit == "terminals"
    async with registry(home, per_task=1) as made:
        await (await made.acquire(task="a")).start("read x")
        with pytest.raises(truetty.LimitReached) as refused:
            await made.acquire(task="a")
        assert refused.value.limit == "per_task"
    async with registry(home, idle=0.01) as made:
        mine = await made.acquire()
        await until(lambda: mine.closed)


async def test_the_warm_pool(home: Path) -> None:
    async with registry(home, warm=2) as made:
        await until(lambda: made.warm == 2)


async def test_the_memory_and_the_quotas_of_transcripts(home: Path) -> None:
    print_much = "head -c 300000 /dev/zero | tr '\\0' x"
    async with registry(home) as made:
        mine = await made.acquire()
        assert (await mine.run(print_much)).complete and mine.transcript.path is None
    async with registry(home, memory=10_000) as made:
        mine = await made.acquire()
        assert (await mine.run(print_much)).complete and mine.transcript.path is not None
    async with registry(home, memory=10_000, quota=20_000) as made:
        mine = await made.acquire()
        outcome = await mine.run(print_much)
        assert not outcome.complete and outcome.output_bytes == 300_000
    async with registry(home, memory=10_000, total_quota=400_000) as made:
        first, second = await made.acquire(), await made.acquire()
        complete = [(await mine.run(print_much)).complete for mine in (first, second)]
        assert complete == [True, False]


async def test_the_pace_of_events(home: Path) -> None:
    async with registry(home, coalesce=0.25) as made:
        mine = await made.acquire()
        assert mine.options.coalesce == 0.25
        command = await mine.start("for i in $(seq 1 40); do echo $i; sleep 0.01; done")
        pieces = [event async for event in command.events() if isinstance(event, events.Output)]
        assert len(pieces) < 20  # forty, one for each, without it


async def test_replies(home: Path) -> None:
    async with registry(home, reply=[{"pattern": "sure", "answer": "y"}]) as made:
        outcome = await (await made.acquire()).run("read -p 'sure? ' x; echo got $x")
        assert outcome.output.endswith("got y\n") and "by rule 'sure'" in outcome.notes[0]


async def test_the_policy_and_the_audit_log(home: Path) -> None:
    log = home / "audit.jsonl"
    policy = {"allow": ["echo"], "deny": ["rm"], "default": "ask", "typing": "deny"}
    settings = Settings.load({"HOME": str(home)}, shell="bash", rc=False, policy=policy, audit=str(log))
    async with Service.from_settings(settings) as service:
        assert (await service.run("echo yes")).outcome.output == "yes\n"
        for refused in ("rm x", "make"):
            with pytest.raises(truetty.Denied):
                await service.run(refused)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        assert [(line["command"], line["verdict"]) for line in lines] == [
            ("echo yes", "allow"), ("rm x", "deny"), ("make", "deny"),
        ]  # fmt: skip
    async with Service.from_settings(Settings.load({"HOME": str(home)}, shell="bash", rc=False)) as service:
        assert (await service.run("true && ls -d /")).outcome.output == "/\n"


def test_the_defaults_are_those_of_the_parts() -> None:
    settings = Settings()
    assert settings.startup == options.STARTUP
    assert settings.budget == digest.DEFAULT_BUDGET and settings.head_share == digest.Budget().head_share
    assert settings.memory == transcript.DEFAULT_MEMORY
    assert (settings.quota, settings.total_quota) == (spill.DEFAULT_QUOTA, spill.DEFAULT_TOTAL)
    assert settings.coalesce == options.COALESCE and settings.terminals == MOST_TERMINALS


# -- said to people


ENDLESS = {
    "deep": "[" * 3000,
    "deep and closed": "[" * 3000 + "]" * 3000,
    "digits": "9" * 5000,
    "hex": "0x" + "f" * 5000,
    "in a table": "{ A = 0x" + "f" * 5000 + ", typing = 0x" + "f" * 5000 + " }",
    "no float": "9" * 400,
    "size": '"' + "9" * 5000 + 'x30"',
    "bytes": '"' + "9" * 5000 + ' kB"',
}


@pytest.fixture
def no_collector() -> Iterator[None]:
    """What another test has left would be collected at the deepest call, where its finalizers cannot run."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@each_row("name", [name for name in FIELDS if name not in ("shell", "workspace", "audit")])
@each_row("text", ENDLESS.values())
def test_what_has_no_end_is_misuse(no_collector: None, tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / "truetty.toml"
    path.write_text(f"{name} = {text}")
    path.chmod(0o600)
    with pytest.raises(truetty.Misuse, match=re.escape(str(path))):
        Settings.load({}, path)
    with pytest.raises(truetty.Misuse, match=f"TRUETTY_{name.upper()}"):
        Settings.load({f"TRUETTY_{name.upper()}": text.strip('"'), "HOME": str(tmp_path)})


def test_the_documentation_has_every_setting() -> None:
    text = (ROOT / "docs/settings.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| `(.*?)` \| (.*?) \| (.*?) \|$", text, re.MULTILINE)
    assert rows == [
        (name, command_line.format_value(row.default), row.help, row.kind.allowed) for name, row in FIELDS.items()
    ]


def test_the_example_in_the_documentation_works(tmp_path: Path) -> None:
    text = (ROOT / "docs/settings.md").read_text()
    example = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert example is not None
    path = tmp_path / "truetty.toml"
    path.write_text(example[1])
    path.chmod(0o600)
    settings = Settings.load({}, path)
    changed = {name for name, origin in settings.origins.items() if origin == str(path)}
    assert changed == tomllib.loads(example[1]).keys()
    assert settings.reply[0].answer == "n" and settings.env["NODE_OPTIONS"] is None


def test_the_command_says_where_each_came_from(
    home: Path, written: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written('shell = "dash"\nenv = { API_TOKEN = "hunter2", CI = "1" }')
    monkeypatch.setenv("TRUETTY_BUDGET", "77")
    monkeypatch.setenv("TRUETTY_BUDGTE", "77")
    assert command_line.settings(json=True, all=False) == 0
    said = capsys.readouterr().out
    document = json.loads(said)
    settings = document["settings"]
    assert settings.keys() == FIELDS.keys() and document["file"] == str(path)
    assert (settings["shell"]["value"], settings["shell"]["origin"]) == ("dash", str(path))
    assert (settings["budget"]["value"], settings["budget"]["origin"]) == (77, "TRUETTY_BUDGET")
    assert (settings["rc"]["value"], settings["rc"]["origin"]) == (True, "default")
    assert settings["env"]["value"] == {"API_TOKEN": "(hidden)", "CI": "1"} and "hunter2" not in said
    assert "TRUETTY_BUDGTE" in document["unknown_variables"]
    assert command_line.settings(json=False, all=True) == 0
    said = capsys.readouterr().out
    lines = {line.split()[0]: line for line in said.splitlines() if line.strip()}
    assert "77" in lines["budget"] and "TRUETTY_BUDGET" in lines["budget"]
    assert f'shell = "dash"\n    ({path})\n' in said  # a path may be too long for the line
    assert FIELDS.keys() <= lines.keys() and "hunter2" not in said and "TRUETTY_BUDGTE" in said
