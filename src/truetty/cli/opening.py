"""How a command's terminal is made: from the settings, and from the command line, which wins over them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from truetty import Settings, Terminal
from truetty.cli.variables import variables
from truetty.host.wall import Sandbox
from truetty.service.defaults import terminal_arguments


class OpeningOptions(NamedTuple):
    """What the command line says of the terminal."""

    shell: str | None = None
    cwd: str | None = None
    env: Sequence[str] = ()  # K=V, or K alone to unset it
    rc: bool = True  # False: not even if the settings say so
    sandbox: str | None = None

    def settings(self) -> Settings:
        Sandbox.of(self.sandbox)  # a name that is none is refused without a word about settings
        workspace = os.path.abspath(self.cwd) if self.cwd is not None else None
        return Settings.load(shell=self.shell, workspace=workspace, rc=None if self.rc else False, sandbox=self.sandbox)

    def terminal(
        self,
        *,
        shell: str | None = None,
        size: tuple[int, int] | None = None,
        beneath: Mapping[str, str | None] | None = None,
    ) -> Terminal:
        """Not open yet. `shell` and `size` win over the settings; variables of the settings over those `beneath`."""
        settings = self.settings()
        made = terminal_arguments(settings)
        made["env"] = {**(beneath or {}), **(made["env"] or {}), **variables(self.env)}
        made["size"] = size or settings.size
        return Terminal(shell or settings.shell, cwd=self.cwd or settings.workspace, **made)
