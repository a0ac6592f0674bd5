"""How a command's terminal is made: from the settings, and from the command line, which wins over them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from truetty import Settings, Terminal
from truetty.cli.variables import variables
from truetty.host.environment import DENIED
from truetty.host.wall import Sandbox
from truetty.service.defaults import terminal_arguments
from truetty.terminal.options import Making


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
        made = self._arguments(settings, size, beneath or {})
        return Terminal(shell or settings.shell, cwd=self.cwd or settings.workspace, **made)

    def fields(self, *, size: tuple[int, int] | None = None, beneath: Mapping[str, str | None]) -> dict[str, object]:
        """Of the verb `open`, for the server of this machine: the terminal is as one that is made here would be."""
        settings = self.settings()
        made = self._arguments(settings, size, beneath)
        del made["total"]  # the server has one for all its terminals
        made["sandbox"] = settings.sandbox
        # The server passes over such names in what it inherits. A terminal that is made here has them.
        denied = {name: value for name, value in os.environ.items() if DENIED.fullmatch(name)}
        made["env"] = {**denied, **(made["env"] or {})}
        where = self.cwd or settings.workspace
        from truetty.client.making import making_fields

        return making_fields(settings.shell, where, None, made, None, is_here=True)

    def far_fields(self, size: tuple[int, int] | None) -> dict[str, object]:
        """The same for a server elsewhere: what is not named is as that server makes its terminals."""
        rc = None if self.rc else False
        named = {"shell": self.shell, "cwd": self.cwd, "rc": rc, "size": size, "sandbox": self.sandbox}
        return {**named, "env": variables(self.env)}

    def _arguments(self, settings: Settings, size: tuple[int, int] | None, beneath: Mapping[str, str | None]) -> Making:
        made = terminal_arguments(settings)
        made["env"] = {**beneath, **(made["env"] or {}), **variables(self.env)}
        made["size"] = size or settings.size
        return made
