"""Stacks of real shells, recorded on x86_64 and aarch64, so that each machine's comparison is tested on both.

A line of `data/MACHINE.jsonl` is one blocked shell: its `syscall` file, where its stack and its text began, the stack
from the pointer outwards with everything blanked but pointers into stack and text, and which places in the text follow
a call. Recorded with bash 5.2, zsh 5.9, fish 3.6, ksh93u+m 1.0.4, dash 0.5.12, mksh 59c, tcsh 6.24, busybox 1.35.
"""

from __future__ import annotations

import base64
import json
import zlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from truetty.host.kernel import calls
from truetty.host.kernel.prompts import ReadShape
from truetty.host.kernel.stack import CallPath, Stack, path_on

MACHINES = ("aarch64", "x86_64")


class Recording(NamedTuple):
    shape: ReadShape
    path: CallPath


@cache
def recordings(machine: str) -> dict[tuple[str, str], Recording]:
    """By shell and situation."""
    lines = (Path(__file__).parent / "data" / f"{machine}.jsonl").read_text().splitlines()
    return {(one["shell"], one["situation"]): _read(one) for one in map(json.loads, lines)}


def _read(one: dict[str, str]) -> Recording:
    words = one["syscall"].split()
    pointer, start, code = int(words[7], 16), int(one["startstack"], 16), int(one["code"], 16)
    behind_calls = {code + int(place, 16) for place in one["after_a_call"]}
    memory = zlib.decompress(base64.b64decode(one["stack_zlib_base64"]))
    stack = Stack(one["machine"], code, int(one["code_end"], 16), pointer, memory, behind_calls.__contains__)
    call = calls.TABLES[one["machine"]].get(int(words[0]), "")
    size = int(words[3], 16) if call == "read" else 0
    return Recording(ReadShape(call, size, start - pointer, bool(one["editing"])), path_on(stack))
