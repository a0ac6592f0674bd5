"""One entry of a JSON text is changed, and nothing else of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.rows import each_row
from truetty.cli.setup import json_text
from truetty.core.errors import Misuse

KEYS = ("mcpServers", "truetty")
ENTRY: dict[str, object] = {"command": "/opt/bin/truetty", "args": ["mcp"]}


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


@each_row(
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


@pytest.mark.parametrize(
    ("there", "kept"),
    [
        ({"timeout": 600000, "trust": False}, {"timeout": 600000, "trust": False}),
        ({"command": "old", "env": {"A": "b"}}, {"env": {"A": "b"}}),
        ({}, {}),
        ({"url": "https://example.org", "timeout": 5}, {}),  # another server: nothing there is about ours
        ({"httpUrl": "https://example.org", "headers": {}}, {}),
        ("old", {}),
    ],
)
def test_what_a_person_added_to_our_entry_stays(there: object, kept: dict[str, object]) -> None:
    after = json_text.put_entry(json.dumps({"mcpServers": {"truetty": there, "z": 1}}), KEYS, ENTRY)
    assert json.loads(after) == {"mcpServers": {"truetty": {**kept, **ENTRY}, "z": 1}}
    assert json_text.put_entry(after, KEYS, ENTRY) == after


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


@given(st.text(max_size=20))
def test_any_path_can_be_written(command: str) -> None:
    entry: dict[str, object] = {"command": command, "args": ["mcp"]}
    assert json.loads(json_text.put("{}", KEYS, entry)) == {"mcpServers": {"truetty": entry}}
