"""Which `read` of a fish command hides what is typed."""

from __future__ import annotations

from tests.rows import each_row
from truetty.shells.fish_reads import hides_input


@each_row(
    ("text", "line", "hides"),
    [
        ("read -s x", "read> ", True),
        ("read --silent x", "read> ", True),
        ("read -ls x", "read> ", True),
        ("read -sP 'pw> ' x", "pw> ", True),
        ("read -P 'pw> ' -s x; and echo $x", "pw> ", True),
        ("set x (read -s)", "read> ", True),
        ("read x", "read> ", False),
        ("read -P 'the -s flag> ' x", "the -s flag> ", False),
        ("read -P name x", "name", False),
        ("echo -s; read x", "read> ", False),
        ("thread -s x", "", False),
        ("read -P 'user> ' u; read -s -P 'pw> ' p", "user> ", False),
        ("read -P 'user> ' u; read -s -P 'pw> ' p", "pw> ", True),
        ("read -P 'user> ' u; read -s p", "user> ", False),
        ("read -P 'user> ' u; read -s p", "read> ", True),
        ("read -P 'user> ' u; read -s -P $ask p", "Passwort: ", True),
        ("read u; read -s p", "read> ", True),  # in doubt
        ("read -P 'a;b> ' -s x", "a;b> ", True),
    ],
)
def test_reads(text: str, line: str, hides: bool) -> None:
    assert hides_input(text, line) is hides
