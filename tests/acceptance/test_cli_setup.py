"""`truetty setup` and `truetty schema` as people have them: real files in a fresh home."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import truetty
from tests import warm
from tests.acceptance.watched import Watched
from tests.patience import PATIENCE
from truetty.service.text_file import change

SOURCE = str(Path(truetty.__file__).parents[1])
FILES = {
    "claude-code": ".claude.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "vscode": ".config/Code/User/mcp.json",
    "cursor": ".cursor/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
    "opencode": ".config/opencode/opencode.json",
    "copilot": ".copilot/mcp-config.json",
    "continue": ".continue/mcpServers/truetty.json",
}
TABLES = {"vscode": "servers", "codex": "mcp_servers", "opencode": "mcp"}
PROJECT_FILES = {
    "claude-code": ".mcp.json",
    "vscode": ".vscode/mcp.json",
    "cursor": ".cursor/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
    "opencode": "opencode.json",
    "continue": ".continue/mcpServers/truetty.json",
}


@pytest.fixture(autouse=True)
def environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    monkeypatch.setenv("NO_COLOR", "1")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME", "CONTINUE_GLOBAL_DIR"):
        monkeypatch.delenv(name, raising=False)


def run(*words: str, cwd: Path | None = None, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = warm.run(*words, stdin=None, cwd=cwd)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == status and "Traceback" not in err, (out, err)
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def entry(client: str, path: Path) -> dict:
    text = path.read_text()
    value = tomllib.loads(text) if client == "codex" else json.loads(text)
    return value[TABLES.get(client, "mcpServers")]["truetty"]


def words(entry: dict) -> list[str]:
    """What it starts."""
    command = entry["command"]
    return [*(command if isinstance(command, list) else [command]), *entry.get("args", [])]


def only(folder: Path) -> list[str]:
    """Every file below that is not the fixture's, so that what was left over is seen."""
    files = [path for path in folder.rglob("*") if path.is_file() or path.is_symlink()]
    return sorted(str(path.relative_to(folder)) for path in files if path.name != ".zshrc")


@pytest.mark.parametrize("client", FILES)
def test_setup_undo_and_print(client: str, home: Path) -> None:
    path = home / FILES[client]
    shown = run("setup", client, "--print").stdout
    assert str(path) in shown and "truetty" in shown and only(home) == []

    assert str(path) in run("setup", client).stdout
    assert only(home) == [FILES[client]]
    written = entry(client, path)
    assert words(written) == [sys.executable, "-m", "truetty", "mcp"]
    assert os.path.isabs(words(written)[0])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    pasted = shown.partition("\n")[2]
    assert entry_of(client, pasted) == written

    before = path.stat()
    assert "already there" in run("setup", client).stdout
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)

    assert run("setup", client, "--print", "--undo").stdout.count(str(path)) == 1 and path.exists()
    assert "removed" in run("setup", client, "--undo").stdout
    assert only(home) == []
    assert "no entry" in run("setup", client, "--undo").stdout


@pytest.mark.parametrize("client", FILES)
def test_setup_with_terminals_that_outlive_the_client(client: str, home: Path) -> None:
    path = home / FILES[client]
    run("setup", client)
    assert "written to" in run("setup", client, "--shared").stdout
    assert words(entry(client, path)) == [sys.executable, "-m", "truetty", "mcp", "--shared"]
    (row,) = (line for line in run("setup").stdout.splitlines() if line.split()[0] == client)
    assert "configured with --shared" in row
    assert "written to" in run("setup", client).stdout
    assert words(entry(client, path)) == [sys.executable, "-m", "truetty", "mcp"]


def entry_of(client: str, text: str) -> object:
    value = tomllib.loads(text) if client == "codex" else json.loads(text)
    return value[TABLES.get(client, "mcpServers")]["truetty"]


@pytest.mark.parametrize("client", FILES)
@pytest.mark.parametrize("indent", [None, 2, "\t"])
def test_the_rest_of_the_file_stays(client: str, indent: int | str | None, home: Path) -> None:
    path = home / FILES[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    table = TABLES.get(client, "mcpServers")
    if client == "codex":
        text = 'model = "o3" # mine\n\n[mcp_servers.other]\ncommand = "x" # theirs\n'
    else:
        text = json.dumps({"z": [1, {"ä": None}], table: {"other": {"command": "x"}}, "a": 1.50}, indent=indent)
    path.write_text(text)
    path.chmod(0o640)
    run("setup", client)
    assert words(entry(client, path))[-1] == "mcp" and stat.S_IMODE(path.stat().st_mode) == 0o640
    run("setup", client, "--undo")
    assert path.read_text() == text and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert only(home) == [FILES[client]]


def test_comments_stay_where_the_client_allows_them(home: Path) -> None:
    path = home / FILES["vscode"]
    path.parent.mkdir(parents=True)
    text = '{\n  // my servers\n  "servers": {\n    "a": {"type": "stdio", "command": "x"}, // the first\n  },\n}\n'
    path.write_text(text)
    run("setup", "vscode")
    assert "// my servers" in path.read_text() and "// the first" in path.read_text()
    assert '"type": "stdio"' in path.read_text() and '"truetty": {' in path.read_text()
    run("setup", "VS Code", "--undo")
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("client", "text", "line"),
    [
        ("claude-code", '{\n  "a": 1,\n  // no comments here\n  "b": 2\n}', 3),
        ("claude-desktop", '{\n  "mcpServers": {},\n}', 3),
        ("cursor", '{\n  "mcpServers": {\n', 3),
        ("gemini", '{"mcpServers": [\n]}', 1),
        ("codex", "a = 1\nb = = 2\n", 2),
        ("codex", 'a = 1\nmcp_servers = { other = { command = "x" } }\n', 2),
    ],
)
def test_what_cannot_be_read_is_refused_and_left_alone(client: str, text: str, line: int, home: Path) -> None:
    path = home / FILES[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    refused = run("setup", client, status=125)
    assert f"{path}: line {line}: " in refused.stderr and refused.stdout == ""
    assert "truetty" in refused.stderr.partition("by hand:")[2]
    assert path.read_text() == text and only(home) == [FILES[client]]
    assert str(path) in run("setup", client, "--print").stdout


@pytest.mark.parametrize("data", [b'{"a": "\xff"}', b'{\n\n"a": "\xff"}'])
def test_a_file_that_is_not_utf8_is_left_alone(data: bytes, home: Path) -> None:
    path = home / ".claude.json"
    path.write_bytes(data)
    line = data.count(b"\n") + 1
    assert f"line {line}" in run("setup", "claude-code", status=125).stderr and path.read_bytes() == data


def test_a_byte_order_mark_stays(home: Path) -> None:
    path = home / ".claude.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n')
    run("setup", "claude-code")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf{")
    run("setup", "claude-code", "--undo")
    assert path.read_bytes() == b'\xef\xbb\xbf{"a": 1}\r\n'


def test_links_are_followed_and_stay(home: Path) -> None:
    real = home / "dotfiles" / "cursor.json"
    real.parent.mkdir()
    real.write_text("{}\n")
    link = home / FILES["cursor"]
    link.parent.mkdir()
    link.symlink_to("../dotfiles/cursor.json")
    run("setup", "cursor")
    assert link.is_symlink() and "truetty" in real.read_text()
    run("setup", "cursor", "--undo")
    assert link.is_symlink() and real.read_text() == "{}\n"


def test_what_is_no_file_is_refused(home: Path) -> None:
    path = home / ".claude.json"
    path.mkdir()
    assert str(path) in run("setup", "claude-code", status=125).stderr
    path.rmdir()
    os.mkfifo(path)
    assert str(path) in run("setup", "claude-code", status=125).stderr and stat.S_ISFIFO(path.stat().st_mode)


def test_an_older_entry_is_renewed_and_a_persons_additions_stay(home: Path) -> None:
    path = home / ".claude.json"
    old = {"command": "/gone/truetty", "args": ["mcp"], "env": {"TRUETTY_SHELL": "zsh"}}
    path.write_text(json.dumps({"mcpServers": {"truetty": old, "b": {}}}, indent=2))
    assert "another command" in run("setup").stdout
    run("setup", "claude-code")
    renewed = entry("claude-code", path)
    assert renewed["command"] == sys.executable and renewed["env"] == {"TRUETTY_SHELL": "zsh"}
    assert list(json.loads(path.read_text())["mcpServers"]) == ["truetty", "b"]


def test_an_entry_that_starts_no_program_is_replaced(home: Path) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"truetty": {"url": "http://x"}}}))
    run("setup", "cursor")
    assert set(entry("cursor", path)) == {"command", "args"}


@pytest.mark.parametrize("client", PROJECT_FILES)
def test_a_projects_own_file(client: str, home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    run("setup", client, "--project", cwd=project)
    assert only(project) == [PROJECT_FILES[client]] and only(home) == []
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((project / PROJECT_FILES[client]).stat().st_mode) == 0o666 & ~umask
    run("setup", client, "--project", "--undo", cwd=project)
    assert only(project) == []


def test_who_has_no_project_file_says_so(home: Path) -> None:
    assert "Claude Desktop" in run("setup", "claude-desktop", "--project", status=125).stderr and only(home) == []


def test_alone_it_lists_the_clients(home: Path) -> None:
    run("setup", "codex")
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").write_text("{")
    rows = {line.split()[0]: line for line in run("setup").stdout.splitlines()}
    assert list(rows) == list(FILES)
    assert "  configured  " in rows["codex"] and "not configured" in rows["gemini"]
    assert "unreadable" in rows["cursor"] and "line 1" in rows["cursor"]
    assert all(row.endswith(str(home / FILES[name])) for name, row in rows.items())


def test_on_a_narrow_terminal_the_paths_stand_below(home: Path) -> None:
    with Watched("setup", size=(60, 40)) as person:
        person.until(r"\r\ncodex +not configured\r\n    \S+config\.toml\r\n")
        assert person.ends() == 0


def test_it_says_what_it_has_written_beside_the_command(home: Path) -> None:
    said = run("setup", "codex").stdout
    written = entry("codex", home / FILES["codex"])
    assert written["required"] is True and written["env_vars"] == ["SSH_AUTH_SOCK", "VIRTUAL_ENV"]
    assert all(f"  {key} = " in said for key in written if key not in ("command", "args"))


def test_what_a_person_has_set_there_stays(home: Path) -> None:
    path = home / FILES["codex"]
    path.parent.mkdir()
    path.write_text('[mcp_servers.truetty]\ncommand = "/old"\nrequired = false # mine\n')
    run("setup", "codex")
    assert "required = false # mine" in path.read_text()
    written = entry("codex", path)
    assert (written["command"], written["tool_timeout_sec"]) == (sys.executable, 120)
    assert "already there" in run("setup", "codex").stdout


def test_an_approval_is_written_only_when_it_is_asked_for(home: Path) -> None:
    path = home / FILES["codex"]
    run("setup", "codex")
    assert "default_tools_approval_mode" not in entry("codex", path)
    assert "outside the sandbox" in run("setup", "codex", "--approve").stdout
    assert entry("codex", path)["default_tools_approval_mode"] == "approve"
    run("setup", "codex")
    assert entry("codex", path)["default_tools_approval_mode"] == "approve"
    run("setup", "codex", "--undo")
    assert only(home) == []
    assert "no such setting" in run("setup", "gemini", "--approve", status=125).stderr and only(home) == []


def test_which_clients_are_here(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "none" in run("setup", "--list").stdout
    (home / ".codex").mkdir()
    program = tmp_path / "opencode"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    rows = {line.split()[0]: line for line in run("setup", "--list").stdout.splitlines()}
    assert list(rows) == ["codex", "opencode"]
    assert str(home / ".codex") in rows["codex"] and str(program) in rows["opencode"]
    assert all("not configured" in row for row in rows.values())


def test_a_check_starts_what_the_client_would(home: Path) -> None:
    before = run("setup", "codex", "--check").stdout
    assert "would write" in before and "tools/list after" in before and "run, read, wait" in before
    assert only(home) == []
    run("setup", "codex")
    assert f"as in {home / FILES['codex']}" in run("setup", "codex", "--check").stdout


def stand_in(folder: Path, script: str) -> Path:
    """A program in the place of the server."""
    program = folder / "server"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def test_a_check_says_what_keeps_the_server_from_starting(home: Path, tmp_path: Path) -> None:
    path = home / FILES["cursor"]
    path.parent.mkdir()
    broken = stand_in(tmp_path, "echo no such thing >&2; exit 3")
    for command, words in ((str(broken), "no such thing"), ("/nowhere/truetty", "No such file")):
        path.write_text(json.dumps({"mcpServers": {"truetty": {"command": command, "args": []}}}))
        assert words in run("setup", "cursor", "--check", status=1).stdout


def test_a_check_hands_on_only_what_the_client_does(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", "/venv")
    monkeypatch.setenv("MINE", "1")
    path = home / FILES["codex"]
    path.parent.mkdir()
    speaker = stand_in(tmp_path, 'echo "${VIRTUAL_ENV-none} ${MINE-none} $OWN" >&2')
    path.write_text(
        f'[mcp_servers.truetty]\ncommand = "{speaker}"\nenv_vars = ["VIRTUAL_ENV"]\n'
        '[mcp_servers.truetty.env]\nOWN = "o"\n'
    )
    assert "/venv none o" in run("setup", "codex", "--check", status=1).stdout


def test_a_check_of_a_server_that_reads_nothing_says_what_it_said(home: Path, tmp_path: Path) -> None:
    path = home / FILES["codex"]
    path.parent.mkdir()
    deaf = stand_in(tmp_path, "exec <&-\necho no tools today >&2\nsleep 0.2")
    path.write_text(f'[mcp_servers.truetty]\ncommand = "{deaf}"\n')
    assert "no tools today" in run("setup", "codex", "--check", status=1).stdout


def test_an_unknown_client_is_answered_with_the_known_ones() -> None:
    refused = run("setup", "emacs", status=125)
    assert all(name in refused.stderr for name in FILES) and refused.stdout == ""
    assert all(name in run("setup", "--undo", status=125).stderr for name in FILES)


def test_the_program_that_runs_is_the_one_that_is_written(home: Path) -> None:
    program = home / "bin" / "truetty"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom truetty.cli import main\nmain()\n")
    program.chmod(0o755)
    subprocess.run([str(program), "setup", "cursor"], check=True, capture_output=True, timeout=PATIENCE)
    assert entry("cursor", home / FILES["cursor"]) == {"command": str(program), "args": ["mcp"]}
    subprocess.run(["bin/truetty", "setup", "gemini"], check=True, capture_output=True, timeout=PATIENCE, cwd=home)
    assert entry("gemini", home / FILES["gemini"])["command"] == str(program)


def test_what_the_client_writes_meanwhile_is_not_lost(home: Path) -> None:
    path = home / ".claude.json"
    path.write_text('{"numStartups": 1}\n')
    tries: list[str] = []

    def edit(text: str | None) -> str:
        assert text is not None
        tries.append(text)
        if len(tries) == 1:
            path.write_text('{"numStartups": 2}\n')
        return text.replace("}", ', "ours": 1}')

    assert change(str(path), edit) is True
    assert (len(tries), path.read_text()) == (2, '{"numStartups": 2, "ours": 1}\n')

    def fight(text: str | None) -> str:
        path.write_text(f"{text}x")
        return f"{text}y"

    with pytest.raises(truetty.HostError, match="keeps changing it"):
        change(str(path), fight)
    assert only(home) == [".claude.json"] and "y" not in path.read_text()


# -- schema


def test_schemas_are_printed_as_json() -> None:
    verbs = {"run", "read", "wait", "send", "screen", "stop", "terminals", "handoff"}
    openai = json.loads(run("schema", "openai").stdout)
    assert {tool["function"]["name"] for tool in openai} == verbs and json.loads(run("schema").stdout) == openai
    assert {tool["name"] for tool in json.loads(run("schema", "responses").stdout)} == verbs
    assert {tool["name"] for tool in json.loads(run("schema", "anthropic").stdout)} == verbs
    assert json.loads(run("schema", "bash").stdout) == [{"type": "bash_20250124", "name": "bash"}]
    refused = run("schema", "yaml", status=125)
    assert "openai, responses, anthropic, bash" in refused.stderr
