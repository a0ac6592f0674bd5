"""One table of a TOML text is changed, and nothing else of it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.rows import each_row
from truetty.core.errors import Misuse
from truetty.service import toml_text

ENTRY: dict[str, object] = {"command": "/opt/bin/truetty", "args": ["mcp"]}
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


@pytest.mark.parametrize("char", "\u2028\u2029\x85")
def test_a_line_ends_with_a_newline_alone(char: str) -> None:
    comment = f"# once{char}[mcp_servers.truetty]\n"
    before = f'{comment}[mcp_servers.truetty]\ncommand = "old" # mine{char}args = 1\nargs = []\n'
    assert toml_text.drop(before, TABLE) == comment
    assert toml_text.put(before, TABLE, ENTRY) == before.replace('"old"', '"/opt/bin/truetty"').replace("[]", '["mcp"]')
    with pytest.raises(Misuse, match=r"^line 2: "):
        toml_text.put(f'{comment}"x', TABLE, ENTRY)


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


@each_row("end", ["\n", "\r\n"])
@each_row(
    ("old", "new"),
    [
        ('command = "/old"   # keep me', 'command = "/opt/bin/truetty"   # keep me'),
        ('command = "/old#1"# keep # me', 'command = "/opt/bin/truetty"# keep # me'),
        ("  'command'='/old'", "  'command'=\"/opt/bin/truetty\""),
        ("command = [\n  '/old', # one\n] # keep me", 'command = "/opt/bin/truetty" # keep me'),
        ('command = """\n/old"""', 'command = "/opt/bin/truetty"'),
    ],
)
def test_a_renewed_value_keeps_its_comment(old: str, new: str, end: str) -> None:
    above = '[mcp_servers.a]\ncommand = "/old" # not ours\n\n[mcp_servers.truetty] # ours\n'
    before = f'{above}{old}\nargs = ["mcp"]\n[z]\nb = 1\n'
    before = before.replace("\n", end)
    assert toml_text.put(before, TABLE, ENTRY) == before.replace(old.replace("\n", end), new)


def test_dotted_keys_are_renewed_in_place() -> None:
    before = "mcp_servers.truetty.command = '/old' # mine\nmcp_servers.truetty.args = ['mcp']\na = 1\n"
    assert toml_text.put(before, TABLE, ENTRY) == before.replace("'/old'", '"/opt/bin/truetty"')


@pytest.mark.parametrize("servers", [5, 60])
def test_how_often_the_file_is_parsed_does_not_depend_on_the_servers_in_it(
    servers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = "".join(f"[mcp_servers.s{n}]\ncommand = '/old'\nargs = [\n  'x',\n]\n\n" for n in range(servers))
    before = f"{others}[mcp_servers.truetty]\ncommand = '/old'\nargs = ['x']\n"
    whole = 0

    def counted(text: str, parse: Callable[[str], dict[str, object]] = toml_text.parse) -> dict[str, object]:
        nonlocal whole
        whole += len(text) > len(others) // 2
        return parse(text)

    monkeypatch.setattr(toml_text, "parse", counted)
    assert toml_text.put(before, TABLE, ENTRY).startswith(others)
    assert toml_text.drop(before, TABLE) == others[:-1]
    assert whole < 60
