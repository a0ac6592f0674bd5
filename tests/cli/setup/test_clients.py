"""Where clients keep their configuration, and that changing one entry of it changes nothing else."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from truetty.cli.setup import clients, json_text, toml_text
from truetty.cli.setup.clients import CLIENTS, Client, Launch
from truetty.core.errors import Misuse

HOME = {"HOME": "/home/ada"}
OURS = Launch("/opt/bin/truetty", ("mcp",))
KEYS = ("mcpServers", "truetty")
ENTRY: dict[str, object] = {"command": "/opt/bin/truetty", "args": ["mcp"]}

# -- the table


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
    assert (entry["command"], entry["args"]) == ("/opt/bin/truetty", ["mcp"])
    assert entry.get("type") == ("stdio" if client.name in ("vscode", "claude-code") else None)
    assert client.table == {"vscode": "servers", "codex": "mcp_servers"}.get(client.name, "mcpServers")
    assert (client.format == "toml") == (client.name == "codex")


@pytest.mark.parametrize(
    ("said", "name"),
    [("VS Code", "vscode"), ("vs-code", "vscode"), ("code", "vscode"), ("claude", "claude-code"),
     ("Claude Desktop", "claude-desktop"), ("claude_code", "claude-code"), ("gemini-cli", "gemini"),
     ("CODEX", "codex"), ("codex-cli", "codex"), ("Cursor", "cursor")],
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
    assert clients.launch("/x/bin/truetty", "/x/bin/python") == Launch("/x/bin/truetty", ("mcp",))
    assert clients.launch("/x/bin/truetty", "/p", uvx="/bin/uvx") == Launch("/x/bin/truetty", ("mcp",))
    assert clients.launch("/x/truetty/__main__.py", "/p/python") == Launch("/p/python", ("-m", "truetty", "mcp"))
    assert clients.launch(cached, "/p", uvx="/bin/uvx").args == ("--from", "truetty[mcp]", "truetty", "mcp")
    assert clients.launch(cached, "/p").command == cached


# -- JSON


def spaced(indent: int | str | None, value: object, tight: bool, end: str) -> str:
    separators = (",", ":") if tight and indent is None else None
    return json.dumps(value, indent=indent, separators=separators, ensure_ascii=False).replace("\n", end) + end


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
others = st.dictionaries(st.text(max_size=6).filter(lambda key: key != "truetty"), plain, max_size=3)
files = st.builds(
    lambda before, servers, after: {**before, **servers, **after},
    st.dictionaries(st.text(max_size=6), plain, max_size=2),
    st.just({}) | st.builds(lambda servers: {"mcpServers": servers}, others),
    st.dictionaries(st.text(max_size=6), plain, max_size=2),
)


@given(files, st.sampled_from([None, 0, 1, 2, 4, "\t"]), st.booleans(), st.sampled_from(["\n", "\r\n"]))
@example({}, None, False, "\n")
@example({"mcpServers": {}}, 2, False, "\n")
@example({"a": 1}, 2, False, "\n")
def test_whatever_else_is_in_a_json_file_stays(value: dict, indent: int | str | None, tight: bool, end: str) -> None:
    before = spaced(indent, value, tight, end)
    after = json_text.put(before, KEYS, ENTRY)
    expected = {**value, "mcpServers": {**value.get("mcpServers", {}), "truetty": ENTRY}}
    assert json.loads(after) == expected
    assert list(json.loads(after)) == [*value, *([] if "mcpServers" in value else ["mcpServers"])]
    assert json_text.put(after, KEYS, ENTRY) == after
    assert json_text.read(after, KEYS) == ENTRY
    assert json_text.drop(after, KEYS) == before


def _no_json(name: str) -> None:
    raise ValueError(f"{name} is Python's own")


@given(st.text(max_size=30) | st.text(alphabet='{}[]",:/*\n 1a\\', max_size=30), st.booleans())
@example('"' + "a" * 5000, False)
@example("[" * 100_000, False)
def test_what_json_does_not_read_is_refused_with_its_line(text: str, comments: bool) -> None:
    try:
        node = json_text.parse(text, comments=comments)
    except Misuse as error:
        line = error.facts["line"]
        assert isinstance(line, int) and 1 <= line <= text.count("\n") + 1 and str(error).startswith(f"line {line}: ")
        if not comments and len(text) < 5000:
            with pytest.raises(ValueError):
                json.loads(text, parse_constant=_no_json)
    else:
        if node is not None and not comments:
            assert json.loads(text, parse_int=float) == node.value
        if node is None:
            assert comments or not text.strip(" \t\r\n")


COMMENTED = [
    '// mine\n{\n  // servers\n  "mcpServers": {\n    "a": {"b": "x"} // the first\n    /* and */\n  }, // so\n}\n',
    '{\n\t"mcpServers": {\n\t\t"a": 1,\n\t\t"b": 2, // last comma\n\t},\n}',
    '{"mcpServers": {"a": 1 /* one */}}',
    '{"mcpServers": {"a": 1 // one\n}}',
    '{\n  "x": 1, // first\n  "y": 2 // "mcpServers": {}\n}\n',
    '{ /* empty */ }',
    '{\n  // empty\n}\n',
    '{ "mcpServers": { } }\n',
    '{"a": "// no comment", "b": "/* neither */"}',
]  # fmt: skip


@pytest.mark.parametrize("before", COMMENTED)
def test_comments_stay(before: str) -> None:
    after = json_text.put(before, KEYS, ENTRY, comments=True)
    assert json_text.read(after, KEYS, comments=True) == ENTRY
    for piece in ("// mine", "// servers", "// the first", "/* and */", "// so", "// last comma", "/* one */",
                  "// one", "// first", '// "mcpServers": {}', "/* empty */", "// empty"):  # fmt: skip
        assert before.count(piece) == after.count(piece)
    assert json_text.drop(after, KEYS, comments=True) == before
    others = json_text.read(before, ("mcpServers", "a"), comments=True)
    assert json_text.read(after, ("mcpServers", "a"), comments=True) == others


def test_a_comment_behind_a_value_stays_with_it() -> None:
    after = json_text.put('{\n  "a": 1 // of a\n}\n', ("b",), 2, comments=True)
    assert after == '{\n  "a": 1, // of a\n  "b": 2\n}\n'


@pytest.mark.parametrize(
    ("text", "line"),
    [("{\n  // no\n}", 2), ("{\n}\nx", 3), ('{\n "a": 1,\n}', 3), ('{\n "a" 1}', 2), ('{\n\n "a": tru}', 3),
     ('{\n "a": "x\n"}', 2), ("[1,\n2", 2), ("nan", 1), ("{'a': 1}", 1), ('{"a": 01}', 1), ('{"a": /* x', 1)],
)  # fmt: skip
def test_lines_of_what_is_wrong(text: str, line: int) -> None:
    with pytest.raises(Misuse, match=f"^line {line}: "):
        json_text.parse(text)


@pytest.mark.parametrize("text", ["[]", '{"mcpServers": []}', '{"mcpServers": 3}', '"text"', "null"])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(Misuse, match="is not an object"):
        json_text.put(text, KEYS, ENTRY)
    assert json_text.drop(text, KEYS) == text


def test_values_are_replaced_in_place() -> None:
    before = (
        '{\n  "mcpServers": {\n    "truetty": {"command": "old", "args": [], "env": {"A": "b"}},\n    "z": 1\n  }\n}\n'
    )
    after = json_text.put(before, (*KEYS, "command"), "new")
    assert after == before.replace('"old"', '"new"')


def test_an_entry_between_others_is_removed_alone() -> None:
    for text, rest in [
        ('{"mcpServers": {"truetty": {}, "b": 1}}', '{"mcpServers": {"b": 1}}'),
        ('{"mcpServers": {"a": 1, "truetty": {}, "b": 1}}', '{"mcpServers": {"a": 1, "b": 1}}'),
        (
            '{"mcpServers": {\n  "a": 1,\n  "truetty": {},\n  "b": 1\n}}',
            '{"mcpServers": {\n  "a": 1,\n  "b": 1\n}}',
        ),
        ('{"mcpServers": {"truetty": 1, "a": 2, "truetty": 3}}', '{"mcpServers": {"a": 2}}'),
    ]:
        assert json_text.drop(text, KEYS) == rest


def test_what_was_made_from_nothing_leaves_nothing() -> None:
    made = json_text.put("", KEYS, ENTRY)
    assert json.loads(made) == {"mcpServers": {"truetty": ENTRY}} and made.endswith("}\n")
    assert json_text.drop(made, KEYS) is None


# -- TOML

TABLE = ("mcp_servers", "truetty")
pieces = st.sampled_from(
    [
        'model = "o3" # mine\n',
        "# a comment about truetty\n",
        "\n",
        "x = 1\n",
        'text = """\n[mcp_servers.truetty]\n"""\n',
        '[projects."/home/ada/truetty"]\ntrust_level = "trusted"\n',
        "[mcp_servers.other]\ncommand = 'c'\nargs = [\n 'a', # b\n]\n",
        "[mcp_servers.other.env]\nA = 'truetty'\n",
        "[[list]]\na = 1\n",
        "[[list]]\na = nan\n",
        "[empty]\n",
        "y.z = 1e5\n",
        "[profiles.truetty]\ncommand = 'not ours'\n",
    ]
)


def is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


@given(st.lists(pieces, max_size=6).map("".join).filter(is_toml), st.booleans(), st.booleans())
@example("", False, False)
def test_whatever_else_is_in_a_toml_file_stays(before: str, cut: bool, windows: bool) -> None:
    before = before[:-1] if cut else before
    before = before.replace("\n", "\r\n") if windows else before
    after = toml_text.put(before, TABLE, ENTRY)
    assert after.startswith(before) and toml_text.read(after, TABLE) == ENTRY
    assert toml_text.put(after, TABLE, ENTRY) == after
    assert toml_text.drop(after, TABLE) == (before or None)
    # A person adds things below it, and changes what it says.
    more = after + "\n[later]\na = 1\n"
    changed = toml_text.put(more, TABLE, {**ENTRY, "command": "new"})
    assert toml_text.read(changed, TABLE) == {**ENTRY, "command": "new"}
    rest = toml_text.drop(changed, TABLE)
    assert rest is not None and rest.startswith(before) and rest.endswith("[later]\na = 1\n")
    assert len(rest) <= len(before) + len("\r\n\n[later]\na = 1\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[mcp_servers.truetty]\ncommand = 'x'\n[mcp_servers.truetty.env]\nA = '1'\n[b]\nc = 1\n", "[b]\nc = 1\n"),
        ("[mcp_servers]\ntruetty = { command = 'x' }\nother = { command = 'y' }\n",
         "[mcp_servers]\nother = { command = 'y' }\n"),
        ('a = 1\n["mcp_servers"."truetty"]\nargs = [\n  "x",\n  "y",\n]\n# about b\n[b]\n', "a = 1\n# about b\n[b]\n"),
        ("mcp_servers.truetty.command = 'x'\nmcp_servers.truetty.args = []\na = 1\n", "a = 1\n"),
        ("a = 1\n\n[mcp_servers.truetty]\ncommand = 'x'\n\n[b]\n", "a = 1\n\n[b]\n"),
    ],
)  # fmt: skip
def test_an_entry_however_it_is_written_is_removed_alone(before: str, after: str) -> None:
    assert toml_text.drop(before, TABLE) == after


def test_a_table_in_place_keeps_what_a_person_added() -> None:
    before = '[mcp_servers.truetty] # ours\ncommand = "old"\nargs = [\n  "a",\n]\ntimeout = 5 # mine\n'
    after = toml_text.put(before, TABLE, ENTRY)
    assert after == '[mcp_servers.truetty] # ours\ncommand = "/opt/bin/truetty"\nargs = ["mcp"]\ntimeout = 5 # mine\n'
    lacking = toml_text.put("[mcp_servers.truetty]\nenabled = true", TABLE, ENTRY)
    assert tomllib.loads(lacking)["mcp_servers"]["truetty"] == {**ENTRY, "enabled": True}


@pytest.mark.parametrize(
    "text", ["mcp_servers = { a = { command = 'x' } }\n", "x = 1\nmcp_servers = 3\n", "[[mcp_servers]]\na = 1\n"]
)
def test_what_cannot_be_changed_is_refused(text: str) -> None:
    with pytest.raises(Misuse):
        toml_text.put(text, TABLE, ENTRY)


def test_toml_that_is_wrong_is_refused_with_its_line() -> None:
    for text, line in [("a = 1\nb = \n", 2), ("a = 1\na = 2", 2), ('\n\n"x', 3)]:
        with pytest.raises(Misuse, match=f"^line {line}: ") as caught:
            toml_text.put(text, TABLE, ENTRY)
        assert caught.value.facts["line"] == line


@given(st.text(max_size=20))
def test_any_path_can_be_written(command: str) -> None:
    entry: dict[str, object] = {"command": command, "args": ["mcp"]}
    assert toml_text.read(toml_text.put("a = 1\n", TABLE, entry), TABLE) == entry
    assert json.loads(json_text.put("{}", KEYS, entry)) == {"mcpServers": {"truetty": entry}}
