"""A host with one shell that runs already."""

from __future__ import annotations

import errno
from collections.abc import Mapping

import pytest

from truetty.core.errors import SpawnFailed
from truetty.host.base import Order
from truetty.host.fake import FakeChannel, FakeFiles
from truetty.host.single import SingleChannel


class FullFiles(FakeFiles):
    def write(self, files: Mapping[str, bytes], *, lasting: bool = False) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


async def test_files_that_cannot_be_written_are_refused_as_on_every_host() -> None:
    channel = FakeChannel()
    channel.files = FullFiles()
    host = SingleChannel(channel)
    with pytest.raises(SpawnFailed, match="private files: No space left on device") as refusal:
        await host.start(Order(await host.find("bash", {}), "key"))
    assert refusal.value.reason == "No space left on device"
    assert channel.size is None


async def test_a_shell_without_a_name_is_the_program_that_runs() -> None:
    channel = FakeChannel()
    channel.observer.running = "/usr/bin/zsh"
    assert (await SingleChannel(channel).find(None, {})).row.name == "zsh"
