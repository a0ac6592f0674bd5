"""The path on which a shell was reached, from stacks recorded on both machines."""

from __future__ import annotations

import pytest

from tests.host.kernel.recordings import MACHINES, recordings
from tests.rows import each_row
from truetty.host.kernel.stack import CallPath, Stack, is_behind_call, path_on

# Return addresses of the shells' main loops, the outermost first, as a debugger shows them.
CHAINS = {
    ("bash", "prompt"): (0x34430, 0x33FF4, 0x357EC, 0x35610, 0x35470, 0x3E868),
    ("bash", "PS2 if"): (0x34430, 0x33FF4, 0x357EC, 0x35610, 0x35470, 0x3E868),
    ("bash", "a program runs"): (0x34430, 0x33FF4, 0x3589C, 0x4F7E0),
    ("bash", "read -e x"): (0x34430, 0x33FF4, 0x3589C, 0x4F7E0),
    ("zsh", "prompt"): (0x18EB0, 0x51030, 0x4DA44, 0x7BE8C),
    ("zsh", "PS2 if"): (0x18EB0, 0x51030, 0x4DA44, 0x7BE98),
    ("zsh", "vared PATH"): (0x18EB0, 0x51030, 0x4DC58, 0x39338),
    ("fish", "prompt"): (0x156F0, 0x14358, 0xA2984, 0xA1D48),
    ("fish", "read x"): (0x156F0, 0x14358, 0xA2CB0, 0x83988),
    ("ksh93", "PS2 if"): (0x15270, 0x16490, 0x157F0, 0x53FE4),
    ("dash", "a program runs"): (0x46B0, 0x463C, 0xE2D0, 0x6414),
}


@each_row(("shell", "situation"), CHAINS)
def test_frame_records_of_aarch64_give_the_exact_path(shell: str, situation: str) -> None:
    path = recordings("aarch64")[shell, situation].path
    expected = CHAINS[shell, situation]
    assert path.exact
    assert tuple(place for _, place in path.calls)[: len(expected)] == expected


def test_words_of_x86_64_give_the_path() -> None:
    prompt = recordings("x86_64")["bash", "prompt"].path
    assert not prompt.exact
    assert prompt.calls == ((3, 0x2771), (81, 0x23D9), (87, 0x38F6), (93, 0x3744), (95, 0x21602), (97, 0x35B6))


@pytest.mark.parametrize("machine", MACHINES)
def test_paths_part_where_the_main_loop_calls_for_a_line_or_for_a_command(machine: str) -> None:
    for (shell, situation), (_, path) in recordings(machine).items():
        prompt = recordings(machine)[shell, "prompt"].path
        assert len(path) >= 3, (shell, situation)
        assert prompt.parts_from(path) == path.parts_from(prompt), (shell, situation)
        if situation.startswith("prompt"):
            assert not prompt.parts_from(path), (shell, situation)
        elif situation == "a program runs" and shell != "busybox":  # busybox's loop lies further in than six calls
            assert prompt.parts_from(path), (shell, situation)


def test_a_call_that_only_one_has_was_left_over() -> None:
    whole = CallPath(((1, 10), (2, 20), (3, 30), (4, 40)))
    assert not whole.parts_from(CallPath(((1, 10), (3, 30), (4, 40))))
    assert not whole.parts_from(CallPath(((1, 10), (2, 20), (3, 30), (4, 40), (5, 50))))
    assert not whole.parts_from(CallPath())
    assert not whole.parts_from(CallPath(((1, 10), (2, 20), (6, 60))))
    assert whole.parts_from(CallPath(((1, 10), (2, 21), (3, 30), (4, 40))))


def test_what_stays_of_two_prompts_is_the_path() -> None:
    first = CallPath(((1, 10), (2, 20), (3, 30), (4, 41)))
    assert first.staying(CallPath(((1, 10), (2, 20), (3, 30), (5, 50)))).calls == ((1, 10), (2, 20), (3, 30))
    other = CallPath(((1, 10), (2, 20), (8, 80)))
    assert first.staying(other) == other  # too little stays


def record(outer: int, place: int) -> bytes:
    return outer.to_bytes(8, "little") + place.to_bytes(8, "little")


def chained(memory: bytes, *, machine: str = "aarch64") -> CallPath:
    return path_on(Stack(machine, 0x1000, 0x2000, 0x70000, memory, lambda _: False))


def test_a_chain_may_begin_above_the_arguments_of_the_call_and_may_be_signed() -> None:
    signed = 0xAB << 56
    chain = record(0x70030, 0x1111) + record(0x70040, signed | 0x1222) + record(0x70050, 0x1333) + record(0, 0x1444)
    path = chained(bytes(32) + chain)
    assert path == CallPath(((1, 0x444), (2, 0x333), (3, 0x222), (4, 0x111)), exact=True)


@pytest.mark.parametrize(
    "memory",
    [
        b"",
        bytes(4096),
        record(0x70010, 0x1111) + record(0x70000, 0x1222),  # back to where it came from
        record(0x70018, 0x1111) + bytes(8) + record(0, 0x1222),  # not aligned
        record(0x7FFF0, 0x1111),  # out of the stack
        record(0x70010, 0x1111) + record(0, 0x1222),  # too short to be a path
    ],
)
def test_what_is_no_chain_is_no_path(memory: bytes) -> None:
    assert not chained(memory)


@each_row(
    ("machine", "text", "is_call"),
    [
        ("x86_64", "0000e811223344", True),  # call relative
        ("x86_64", "000000000000ffd0", True),  # call *%rax
        ("x86_64", "0000ff1511223344", True),  # call *disp32(%rip)
        ("x86_64", "00000000e9112233", False),  # jmp
        ("x86_64", "000000000000ffe0", False),  # jmp *%rax
        ("aarch64", "00000001020094", True),  # bl
        ("aarch64", "00000000001fd6", False),  # br x0
        ("aarch64", "00000020013fd6", True),  # blr x9
        ("aarch64", "00000001020014", False),  # b
        ("riscv64", "00000000000000", True),  # not known: it may be one
    ],
)
def test_what_a_call_looks_like(machine: str, text: str, is_call: bool) -> None:
    assert is_behind_call(machine, bytes.fromhex(text)[-7:]) == is_call
