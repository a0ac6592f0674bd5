"""Which way a text takes into a shell, and by which keys."""

from __future__ import annotations

import pytest

from truetty.shells import table
from truetty.shells.editors.keys import ENTER, FILE, PASTE, PASTE_END, PAUSE
from truetty.shells.row import Request
from truetty.shells.way import editor_for

OPTIONS = {
    "bash": "1braceexpand:emacs:history:interactive-comments:",
    "zsh": "on:off:scalar:offoff:!^#:1",
    "fish": "",
}


def request(shell: str, text: str, *, at_editor: bool = True, probe: bool = False, special: bytes = b"") -> Request:
    return Request(
        "/f", "_tt_n", 1, text, "s", "e", at_editor=at_editor, probe=probe, options=OPTIONS[shell], special=special
    )


@pytest.mark.parametrize(
    ("text", "shells"),
    [
        ("true", "bash zsh fish"),
        ("a | b && c; d &", "bash zsh fish"),
        ("", ""),
        (" # only a comment", ""),
        ("echo 'open", "fish"),  # fish itself says at once that it is unfinished
        ("if true", "fish"),
        ("cat <<E\na\nE", "fish"),
        ("echo a\necho b", "zsh fish"),  # after Ctrl-C in the first line readline would run the second
        ("f() {\n  a\n}", "bash zsh fish"),
        ("for x in 1; do a; done", "bash zsh fish"),
        ("{ X=1 }", "fish"),  # behind an assignment `}` is a word like others
        ("f( )", "fish"),
        ("a[1", "fish"),
        ("echo $(( 1 + 2 )) a=(1 2)", "bash zsh fish"),
        ("echo a # b", "bash fish"),  # `#` is no comment at zsh's prompt
        ("exit 3", "bash zsh"),  # fish prints D before it exits
        ("echo a; and exit", "bash zsh"),
        ("set -v", "zsh fish"),
        ("set +H; echo '!'", "zsh fish"),
        ("echo \x07", "bash zsh"),  # it would end the title that fish sets
        ("echo " + "x" * 20_000, ""),
    ],
)
def test_who_takes_a_text(text: str, shells: str) -> None:
    takers = [name for name in OPTIONS if editor_for(table.recognise(name), request(name, text)) is not None]
    assert " ".join(takers) == shells


@pytest.mark.parametrize("shell", OPTIONS)
def test_not_before_its_prompt_has_come(shell: str) -> None:
    assert editor_for(table.recognise(shell), request(shell, "true", at_editor=False)) is None


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_beside_an_orphan_nothing_is_pasted(shell: str) -> None:
    """It may read the first bytes of what is typed. Of a key the editor runs nothing then."""
    editor = table.recognise(shell).editor
    assert editor is not None
    assert editor.keys(request(shell, "true")._replace(shared=True)).line == FILE


def test_shells_without_an_editor_have_only_the_trigger() -> None:
    row = table.recognise("dash")
    assert row.editor is None and editor_for(row, request("bash", "true")) is None


@pytest.mark.parametrize(
    ("shell", "text", "special", "probe", "keys"),
    [
        ("bash", "true", b"", False, PASTE + b"true" + PASTE_END + ENTER),
        ("bash", "true", b"", True, FILE),  # the file says that PS0 stops for us
        ("bash", "true", b"e", False, FILE),  # `stty erase e`: the tty would take a letter away
        ("bash", "echo a\tb", b"", False, FILE),
        ("bash", "echo !x", b"", False, FILE),
        ("bash", "echo a! b", b"", False, PASTE + b"echo a! b" + PASTE_END + ENTER),
        ("bash", "echo " + "x" * 92, b"", False, FILE),
        ("zsh", "true", b"", False, PASTE + b"true" + PASTE_END),
        ("zsh", "true", b"", True, PAUSE + PASTE + b"true" + PASTE_END),
        ("zsh", "echo a!", b"", False, FILE),
        ("fish", "true", b"", False, FILE),
    ],
)
def test_the_keys(shell: str, text: str, special: bytes, probe: bool, keys: bytes) -> None:
    editor = table.recognise(shell).editor
    assert editor is not None
    typed = editor.keys(request(shell, text, probe=probe, special=special))
    assert (typed.line, typed.by_editor, "x" in typed.files) == (keys, True, FILE in keys)


TITLE = b"\x1b]0;echo a /tmp\x07\x1b[30m\x1b(B\x1b[m\r"


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (b"\x1b[?2004l" + TITLE + b"a\r\n", 8 + len(TITLE)),
        (TITLE + b"\x1b[1mbold\r", len(TITLE)),
        (b"\x1b[?2004la\r\n", 8),  # no title is set
        (b"a\r\n", 0),
        (b"\x1b[1mbold", 0),
        (b"\x1b]0;a title of the program's own\x07text", 0),
        (b"", None),
    ],
)
def test_what_fish_prints_before_the_output(data: bytes, size: int | None) -> None:
    editor = table.recognise("fish").editor
    assert editor is not None and editor.preface(data) == size


def test_what_fish_prints_before_the_output_may_come_byte_by_byte() -> None:
    editor = table.recognise("fish").editor
    assert editor is not None
    data = b"\x1b[?2004l" + TITLE
    assert [editor.preface(data[:end]) for end in range(len(data))] == [None] * len(data)
