"""Playback: what draws goes through, whatever the cutting; nothing else does, however it is dressed up."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import each_row
from truetty.text.playback import LONGEST_STRING, Playback
from truetty.text.screen import Model

RECORDINGS = sorted(Path(__file__).with_name("recordings").glob("*.raw"))


def shown(*pieces: str) -> str:
    playback = Playback()
    return "".join(map(playback.show, pieces))


def screen(text: str) -> object:
    model = Model((120, 30))
    model.feed(text.encode())
    shown = model.screen()
    return model.rows(), shown.cursor, shown.cursor_visible, shown.title, shown.alternate


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_looks_the_same(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "replace")
    whole = shown(text)
    assert screen(whole) == screen(text)
    assert shown(*text) == whole
    chance = random.Random(path.stem)
    cuts = sorted(chance.randrange(len(text) + 1) for _ in range(40))
    assert shown(*(text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True))) == whole


@each_row(
    "sequence",
    [
        *("\x1b[31m", "\x1b[38;5;200;48:2:1:2:3m", "\x1b[2J", "\x1b[H", "\x1b[10;20H", "\x1b[3A", "\x1b[?25l"),
        *("\x1b[?1049h", "\x1b[5;10r", "\x1b7", "\x1b8", "\x1bM", "\x1b(0", "\x1b[4 q", "\x1b[!p", "\x1b[?2026h"),
        *("\x1b[2K", "\x1b[1;2;3;4$z", "\x1b]0;title\x1b\\", "\x1b]8;;https://example.org\x1b\\", "\a\b\t\r\n"),
        *("plain é 日本 👩‍🚀", "\x1b#8", "\x1b[J", "\x1b[1J", "\x1b[?2J", "\x1b[4h", "\x1b[20l", "\x1b)0\x0e"),
    ],
)
def test_what_draws_is_shown(sequence: str) -> None:
    assert shown(sequence) == sequence == shown(*sequence)


REACHING = [
    *("\x1b[c", "\x1b[0c", "\x1b[>c", "\x1b[=c", "\x1b[6n", "\x1b[5n", "\x1b[?6n", "\x1b[?996n", "\x05", "\x1bZ"),
    *("\x1b[>q", "\x1b[?1$p", "\x1b[4$p", "\x1b[x", "\x1b[18t", "\x1b[21t", "\x1b[8;50;200t", "\x1b[?u", "\x1b[>1u"),
    *("\x1b[?1000h", "\x1b[?1004h", "\x1b[?2004h", "\x1b[?2031h", "\x1b[?2048h", "\x1b[?3h", "\x1b[>4;2m", "\x1b[1*y"),
    *("\x1b]52;c;aGVsbG8=\a", "\x1b]52;c;?\x1b\\", "\x1b]10;?\a", "\x1b]4;1;?\a", "\x1b]11;#ffffff\a", "\x1b]0;?\a"),
    *("\x1b]1337;File=x\a", "\x1b]777;notify;a;b\a", "\x1bP+q544e\x1b\\", "\x1bP$qm\x1b\\", "\x1bPtmux;\x1b\\"),
    *("\x1b_Gt=f,f=100;L2V0Yy9wYXNzd2Q=\x1b\\", "\x1b^x\x1b\\", "\x1bXx\x1b\\", "\x9bc", "\x9b6n", "\x9d52;c;eA==\x9c"),
    *("\x1b[2h", "\x1b[12l", "\x1b[3J", "\x1b[03J", "\x1b[2;3J", "\x1b[3:1J", "\x1b[?3J", "\x1b[\x003J", "\x9b3J"),
    *("\x1b[g", "\x1b[0g", "\x1b[3g", "\x1bH", "\x88", "\x1b[h", "\x1b[;l"),
    *("\x1b[\b6n", "\x1b[6\x00n", "\x1b[\r\x1f>c", "\x1b]5\x002;c;eA==\a", "\x1bn", "\x1b|", "\x1b[i", "\x1b[5i"),
]


@each_row("sequence", REACHING)
def test_what_reaches_out_is_not(sequence: str) -> None:
    for given_ in (shown(f"a{sequence}b"), shown("a", *sequence, "b")):
        assert re.sub("[\x00-\x1f]", "", given_) == "ab"


def test_modes_are_let_through_one_by_one() -> None:
    assert shown("\x1b[?1049;1000;25h") == "\x1b[?1049;25h"
    assert shown("\x1b[?0025;;2004l") == "\x1b[?0025l".replace("00", "")
    assert shown("\x1b[2;4;12;020h") == "\x1b[4;20h"


def test_a_sequence_that_never_ends_takes_nothing_with_it() -> None:
    playback = Playback()
    assert playback.show("a\x1b]52;c;") == "a"
    assert "".join(playback.show("x" * 1000) for _ in range(100)) == ""
    assert playback.show("\x1b") + playback.show("\\b") == "b"
    assert len(playback._cut) <= LONGEST_STRING
    assert shown("\x1b]0;" + "x" * 5000, "\x1b[31mred") == "\x1b[31mred"
    assert shown("\x1b[" + "1" * 5000, "m") == "m"
    assert shown("\x1b]52;c;abc\x18text") == "]52;c;abctext".replace("]", "")


def test_the_terminal_is_as_it_was() -> None:
    playback = Playback()
    playback.show("\x1b[?1049h\x1b[?25l\x1b[31m")
    end = playback.restore()
    assert end.startswith("\x1b[?1049l") and "\x1b[?25h" in end and "\x1b[0m" in end
    assert "1049" not in Playback().restore()  # leaving a screen that was not entered would move the cursor
    playback.show("\x1b[?1049l")
    assert "1049" not in playback.restore()
    model = Model((20, 5))
    model.feed(b"one\r\ntwo")
    before = model.screen()
    model.feed(Playback().restore().encode())
    assert (model.screen().lines, model.screen().cursor) == (before.lines, before.cursor)


def test_letters_are_letters_afterwards() -> None:
    playback = Playback()
    given_ = playback.show("\x1b)0\x0eqqq\x1b(0") + playback.restore() + "qqq"
    model = Model((20, 5))
    model.feed(given_.encode())
    assert model.screen().lines[0] == "───qqq"
    assert "\x0f\x1b(B\x1b)B" in playback.restore()


def test_a_full_reset_empties_the_screen_and_nothing_else() -> None:
    """Some terminals forget what was scrolled away, and all of them their person's tab stops."""
    text = "\x1b[?1049h\x1b[?25l\x1b[4h\x1b[31m\x1b)0\x0eqq\x1b[3;4r\x1bcq"
    given_ = shown(text)
    assert "\x1bc" not in given_ and screen(given_) == screen(text) and shown(*text) == given_
    playback = Playback()
    playback.show(text)
    assert "?" not in playback.restore()


def test_only_what_was_switched_is_switched_back() -> None:
    playback = Playback()
    playback.show("\x1b[?7l\x1b[?1h\x1b[?25l\x1b[?25h\x1b[?47h")
    end = playback.restore()
    assert end.startswith("\x1b[?47l") and "\x1b[?7h" in end and "\x1b[?1l" in end and "25" not in end
    playback.show("\x1bc")
    assert "?" not in playback.restore()


_LET_THROUGH = re.compile(
    "\x1b\\[(?:[0-9:;]*[@-IK-MPSTXZ`abdefmrsu]|\\??0*[012]?J|(?:4|20)(?:;4|;20)*[hl]|\\?[0-9;]*[hlK]"
    "|[0-9:;]*(?:!p| q|\\$[rtvxz{]))"
    "|\x1b\\][0128];[^\x00-\x1f\x7f]*\x1b\\\\|\x1b(?:[78DEM=>NO]|#[34568]|[()*+][0-9A-Z<=>`])|[\a\b\t\n\v\f\r\x0e\x0f]"
)


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [*REACHING, "\x1b", "[", "]", "?", ";", "5", "2", "n", "c", "P", "_", "\\", "\a", "\x9c", "m"]
            ),
            st.text(max_size=4),
        ),
        max_size=12,
    )
)
def test_whatever_comes_only_what_draws_is_left(pieces: list[str]) -> None:
    given_ = shown(*pieces)
    assert re.search("[\x00-\x1f\x7f-\x9f]", _LET_THROUGH.sub("", given_)) is None
