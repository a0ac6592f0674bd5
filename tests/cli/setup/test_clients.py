"""Where clients keep their configuration, and what stands there for us."""

from __future__ import annotations

import pytest

from tests.rows import each_row
from truetty.cli.setup import clients
from truetty.cli.setup.clients import CLIENTS, Client, ServerLaunch
from truetty.core.errors import Misuse

HOME = {"HOME": "/home/ada"}
OURS = ServerLaunch("/opt/bin/truetty", ("mcp",))


@pytest.mark.parametrize(
    ("name", "linux", "mac", "project"),
    [
        ("claude-code", "/home/ada/.claude.json", "/home/ada/.claude.json", ".mcp.json"),
        (
            "claude-desktop",
            "/home/ada/.config/Claude/claude_desktop_config.json",
            "/home/ada/Library/Application Support/Claude/claude_desktop_config.json",
            None,
        ),
        (
            "vscode",
            "/home/ada/.config/Code/User/mcp.json",
            "/home/ada/Library/Application Support/Code/User/mcp.json",
            ".vscode/mcp.json",
        ),
        ("cursor", "/home/ada/.cursor/mcp.json", "/home/ada/.cursor/mcp.json", ".cursor/mcp.json"),
        ("codex", "/home/ada/.codex/config.toml", "/home/ada/.codex/config.toml", ".codex/config.toml"),
        ("gemini", "/home/ada/.gemini/settings.json", "/home/ada/.gemini/settings.json", ".gemini/settings.json"),
        ("qwen", "/home/ada/.qwen/settings.json", "/home/ada/.qwen/settings.json", ".qwen/settings.json"),
        (
            "opencode",
            "/home/ada/.config/opencode/opencode.json",
            "/home/ada/.config/opencode/opencode.json",
            "opencode.json",
        ),
        ("copilot", "/home/ada/.copilot/mcp-config.json", "/home/ada/.copilot/mcp-config.json", None),
        (
            "continue",
            "/home/ada/.continue/mcpServers/truetty.json",
            "/home/ada/.continue/mcpServers/truetty.json",
            ".continue/mcpServers/truetty.json",
        ),
    ],
)
def test_where_each_keeps_its_file(name: str, linux: str, mac: str, project: str | None) -> None:
    client = clients.find(name)
    assert (client.path(HOME, mac=False), client.path(HOME, mac=True), client.project) == (linux, mac, project)


@pytest.mark.parametrize(
    ("name", "variable", "value", "path"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "/cfg", "/cfg/.claude.json"),
        ("codex", "CODEX_HOME", "/cfg", "/cfg/config.toml"),
        ("gemini", "GEMINI_CLI_HOME", "/cfg", "/cfg/.gemini/settings.json"),
        ("copilot", "COPILOT_HOME", "/cfg", "/cfg/mcp-config.json"),
        ("continue", "CONTINUE_GLOBAL_DIR", "/cfg", "/cfg/mcpServers/truetty.json"),
        ("opencode", "XDG_CONFIG_HOME", "/cfg", "/cfg/opencode/opencode.json"),
        ("vscode", "XDG_CONFIG_HOME", "/cfg", "/cfg/Code/User/mcp.json"),
        ("claude-desktop", "XDG_CONFIG_HOME", "/cfg", "/cfg/Claude/claude_desktop_config.json"),
        ("vscode", "XDG_CONFIG_HOME", "not/absolute", "/home/ada/.config/Code/User/mcp.json"),
    ],
)
def test_the_clients_own_variables_count(name: str, variable: str, value: str, path: str) -> None:
    assert clients.find(name).path({**HOME, variable: value}, mac=False) == path


def test_without_a_home_nobody_guesses() -> None:
    with pytest.raises(Misuse, match="HOME"):
        clients.find("cursor").path({}, mac=False)


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_entries(client: Client) -> None:
    entry = client.entry(OURS)
    if client.name == "opencode":
        assert entry["command"] == ["/opt/bin/truetty", "mcp"] and "args" not in entry
    else:
        assert (entry["command"], entry["args"]) == ("/opt/bin/truetty", ["mcp"])
    types = {"vscode": "stdio", "claude-code": "stdio", "opencode": "local", "copilot": "local"}
    assert entry.get("type") == types.get(client.name)
    tables = {"vscode": "servers", "codex": "mcp_servers", "opencode": "mcp"}
    assert client.table == tables.get(client.name, "mcpServers")
    assert (client.format == "toml") == (client.name == "codex")
    assert entry.items() >= {setting.key: setting.value for setting in client.settings}.items()


def test_what_a_person_has_set_stays() -> None:
    codex = clients.find("codex")
    entry = codex.entry(OURS, {"command": "/old", "required": False, "tool_timeout_sec": 600})
    assert (entry["command"], entry["required"], entry["tool_timeout_sec"]) == ("/opt/bin/truetty", False, 600)
    assert entry["startup_timeout_sec"] == 30


def test_no_approval_is_written_unasked() -> None:
    approvals = [client for client in CLIENTS if client.approval is not None]
    assert [client.name for client in approvals] == ["codex"]
    for client in approvals:
        assert client.approval is not None and client.approval.key not in client.entry(OURS)


@pytest.mark.parametrize(
    ("name", "entry", "seconds"),
    [
        ("codex", {}, 0.5),
        ("codex", {"required": True}, 10),
        ("codex", {"required": True, "startup_timeout_sec": 30}, 30),
        ("opencode", {"timeout": 30_000}, 30),
        ("gemini", {}, 10),
    ],
)
def test_how_long_each_waits(name: str, entry: dict[str, object], seconds: float) -> None:
    patience = clients.find(name).patience
    assert patience is not None and patience(entry)[0] == seconds


@each_row(
    ("said", "name"),
    [("VS Code", "vscode"), ("vs-code", "vscode"), ("code", "vscode"), ("claude", "claude-code"),
     ("Claude Desktop", "claude-desktop"), ("claude_code", "claude-code"), ("gemini-cli", "gemini"),
     ("CODEX", "codex"), ("codex-cli", "codex"), ("Cursor", "cursor"), ("Qwen Code", "qwen"),
     ("copilot-cli", "copilot"), ("OpenCode", "opencode")],
)  # fmt: skip
def test_names_may_be_spelled_as_people_do(said: str, name: str) -> None:
    assert clients.find(said).name == name


@pytest.mark.parametrize("said", ["emacs", "", "claude-"[:3], "7"])
def test_an_unknown_client_is_answered_with_the_known_ones(said: str) -> None:
    with pytest.raises(Misuse) as caught:
        clients.find(said)
    assert all(client.name in str(caught.value) for client in CLIENTS)


def test_what_is_started() -> None:
    cached = "/home/ada/.cache/uv/archive-v0/a1/bin/truetty"
    assert clients.launch("/x/bin/truetty", "/x/bin/python") == ServerLaunch("/x/bin/truetty", ("mcp",))
    assert clients.launch("/x/truetty/__main__.py", "/p/python") == ServerLaunch("/p/python", ("-m", "truetty", "mcp"))
    clients.require_lasting(clients.launch("/x/bin/truetty", "/p"))
    for program, python in ((cached, "/p"), ("/x/__main__.py", "/home/ada/.cache/uv/environments-v2/b/bin/python")):
        with pytest.raises(Misuse, match="install truetty"):  # the path may be gone tomorrow
            clients.require_lasting(clients.launch(program, python))
