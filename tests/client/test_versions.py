"""A client and a server of different versions: they speak the highest number of the protocol that both know.

The other side is a real one of this version whose range is changed: the client's by its constant, the server's in what
it says of itself first. Protocol 1 is the first, so 0 stands for one before it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import truetty
from tests.client.proxy import proxy
from tests.patience import PATIENCE
from truetty.client.wire import agreed
from truetty.server import forms

VERSION = truetty.__version__
Span = tuple[int, int]


async def meet(where: str, tmp_path: Path, theirs: Span) -> str:
    """What a command prints that is run by this client in a server that speaks these numbers."""
    async with proxy(tmp_path, where) as cable:
        cable.rewrites = (b'"protocol":[1,1]', f'"protocol":[{theirs[0]},{theirs[1]}]'.encode())
        async with truetty.connect(cable.where) as registry:
            terminal = await registry.open("bash", rc=False)
            return (await terminal.run("echo hi", wait=PATIENCE)).output


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ((1, 1), (1, 2)),  # the client is of the previous number
        ((1, 2), (1, 1)),  # the server is
        ((0, 1), (1, 1)),
        ((1, 1), (0, 1)),
        ((0, 1), (1, 2)),
    ],
)
async def test_neighbours_work_together(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ours: Span, theirs: Span
) -> None:
    monkeypatch.setattr(forms, "PROTOCOL", ours)
    assert await meet(where, tmp_path, theirs) == "hi\n"


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ((1, 1), (2, 3), "the server is truetty {0} and speaks protocol 2 to 3; this is truetty {0} and speaks 1"),
        ((7, 9), (1, 1), "the server is truetty {0} and speaks protocol 1; this is truetty {0} and speaks 7 to 9"),
    ],
)
async def test_no_number_that_both_speak(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ours: Span, theirs: Span, said: str
) -> None:
    monkeypatch.setattr(forms, "PROTOCOL", ours)
    with pytest.raises(truetty.HostError) as caught:
        await meet(where, tmp_path, theirs)
    assert str(caught.value) == f"{said.format(VERSION)}: install the same version"
    assert (caught.value.facts["server"], caught.value.facts["client"]) == (VERSION, VERSION)


@pytest.mark.parametrize(
    ("ours", "theirs", "number"),
    [((1, 3), (2, 5), 3), ((2, 5), (1, 3), 3), ((1, 1), (1, 2), 1), ((4, 4), (1, 9), 4)],
)
def test_the_highest_number_is_taken(monkeypatch: pytest.MonkeyPatch, ours: Span, theirs: Span, number: int) -> None:
    monkeypatch.setattr(forms, "PROTOCOL", ours)
    assert agreed(forms.Hello("9.9", theirs, (), 1, "e")) == number
