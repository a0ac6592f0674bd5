"""What a shell behind the wall can reach: profiles, as arguments of bubblewrap.

    read-only    everything readable, nothing writable but private places; no network
    workspace    as read-only, and the workspace is writable; git's hooks and configuration are not

Rule 1: later mounts cover earlier ones, so the order of the arguments is the order of the rules.
Rule 2: only what exists is bound. bubblewrap would make a mount point that is not there, on the disk.
Rule 3: private places are memory, and empty when the shell starts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from truetty.core.errors import Misuse

Profile = Literal["read-only", "workspace"]

# Each is a file system of its own, in memory, with this many bytes at most.
_FOR_FILES: Final = ("/tmp", "/var/tmp")
PRIVATE: Final = (*_FOR_FILES, "/run")
PRIVATE_SIZE: Final = 1 << 30
# They name sockets that are not there.
UNREACHABLE: Final = (
    "SSH_AUTH_SOCK",
    "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "DOCKER_HOST",
)
# What a name may allow besides.
_MORE: Final = ("network", "sockets")
NAMES: Final = "read-only, workspace or none, and the first two may end in +network or +sockets"
# Of git: what it runs, and what says what it runs.
_GIT_GUARDS: Final = ("hooks", "config")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What a terminal may reach."""

    profile: Profile
    workspace: str | None = None  # None: the directory in which the shell starts
    network: bool = False
    unix_sockets: bool = False  # agents, docker, X11: each of them may do more than the wall allows
    writable: tuple[str, ...] = ()  # with `workspace`: more places, such as caches

    def __post_init__(self) -> None:
        if self.profile not in get_args(Profile):
            raise Misuse(f"no sandbox is called {self.profile!r}: it is {' or '.join(get_args(Profile))}")

    @classmethod
    def of(cls, given: str | Sandbox | None) -> Sandbox | None:
        """From a name, with what else is allowed behind a plus: `workspace+network`. `none` and None: no wall."""
        if given is None or isinstance(given, Sandbox):
            return given
        profile, *more = given.split("+")
        if (given != "none" and profile not in get_args(Profile)) or not set(more) <= set(_MORE):
            raise Misuse(f"no sandbox is called {given!r}: it is {NAMES}", sandbox=given)
        if given == "none":
            return None
        return cls(profile, network="network" in more, unix_sockets="sockets" in more)  # type: ignore[arg-type]

    def within(self, workspace: str) -> Sandbox:
        """The same, with this workspace if it has none yet."""
        return self if self.workspace is not None else replace(self, workspace=workspace)

    def description(self) -> str:
        """For the agent that works in it."""
        places = ", ".join(PRIVATE)
        writes = (
            "nothing else can be written"
            if self.profile == "read-only"
            else "beside them only the workspace is writable"
        )
        guard = "" if self.profile == "read-only" else ", and git's hooks and configuration are not"
        network = "the network is open" if self.network else "there is no network"
        return f"sandbox {self.profile}: {places} are private to this terminal, {writes}{guard}; {network}"

    def refusal(self, workspace: str, home: str | None) -> str | None:
        """Why this directory cannot be a workspace that is writable; None: it can."""
        if self.profile != "workspace":
            return None
        if workspace == "/":
            return "the workspace is /: all files would be writable"
        if home is not None and _is_within(os.path.realpath(home), workspace):
            return f"the workspace {workspace} holds your home directory: name a directory below it"
        return None

    def arguments(self, workspace: str, folder: str, cwd: str, *, outlives_us: bool = False) -> list[str]:
        """`workspace`: its real path. `folder`: our private one, which the shell reads."""
        return [
            *_NAMESPACES,
            *(() if outlives_us else ("--die-with-parent",)),
            *(() if self.network else ("--unshare-net",)),
            *_SYSTEM,
            *self._private(),
            *_beginning(workspace, cwd),
            *self._workspace(workspace),
            # Last, so that nothing covers it.
            *("--ro-bind", folder, folder, "--chdir", cwd),
        ]

    def _private(self) -> Iterator[str]:
        for place in PRIVATE:
            if os.path.isdir(place) and not os.path.islink(place):
                yield from ("--perms", "0755" if place == "/run" else "1777")
                yield from ("--size", str(PRIVATE_SIZE), "--tmpfs", place)
        names = os.path.realpath("/etc/resolv.conf")
        if self.network and any(_is_within(names, place) for place in PRIVATE) and os.path.isfile(names):
            yield from ("--ro-bind", names, names)

    def _workspace(self, workspace: str) -> Iterator[str]:
        if self.profile == "read-only":
            yield from ("--ro-bind", workspace, workspace)  # again: it may lie in a private place
            return
        yield from ("--bind", workspace, workspace)
        places = [*self._writable(workspace)]
        for place in places:
            yield from ("--bind", place, place)
        yield from _git_guards(workspace, [workspace, *places])

    def _writable(self, workspace: str) -> Iterator[str]:
        """The other places, by their real paths. One below another is left out: it is writable already, and a program
        inside may have made it a link."""
        places = [os.path.abspath(place) for place in self.writable]
        tops = {workspace, *places, *map(os.path.realpath, places)}
        for place in places:
            if os.path.exists(place) and not any(top != place and _is_within(place, top) for top in tops):
                yield os.path.realpath(place)


_NAMESPACES: Final = (
    # As root too: without capabilities nothing can be mounted anew.
    *("--unshare-user", "--disable-userns", "--cap-drop", "ALL"),
    *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
)
_SYSTEM: Final = (
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
    # For root these stay writable without any capability, and `core_pattern` names a program that the kernel runs.
    *("--ro-bind", "/proc/sys", "/proc/sys"),
)


def _beginning(workspace: str, cwd: str) -> Iterator[str]:
    """The directory in which the shell starts is there, read-only, where it lies in a private place for files."""
    for path in dict.fromkeys((os.path.abspath(cwd), os.path.realpath(cwd))):
        is_private = any(path != place and _is_within(path, place) for place in _FOR_FILES)
        if is_private and not _is_within(path, workspace):
            yield from ("--ro-bind", path, path)


def binds_below(arguments: Sequence[str], place: str) -> list[str]:
    """The paths that these arguments bind, each to itself."""
    paths = [arguments[at + 1] for at, word in enumerate(arguments) if word in ("--bind", "--ro-bind")]
    return [path for path in paths if path != place and _is_within(path, place)]


def _git_guards(workspace: str, writable: Sequence[str]) -> Iterator[str]:
    """What git would run outside the wall later stays as it is.

    A program inside may have made `.git`. So only what is git's is bound because of it: a link may lead anywhere.
    """
    link = os.path.join(workspace, ".git")
    directory = link
    if os.path.islink(link):
        return
    if os.path.isfile(link):  # a worktree or a submodule: its directory lies elsewhere
        found = _git_elsewhere(workspace, link)
        if found is None:
            return
        own, directory = found
        for place in dict.fromkeys((directory, own)):
            if not any(_is_within(place, top) for top in writable):
                yield from ("--bind", place, place)
        yield from ("--ro-bind", link, link)
    elif os.path.isdir(link):
        yield from ("--bind", link, link)  # a mount point cannot be moved away, to put another in its place
    for name in _GIT_GUARDS:
        path = os.path.join(directory, name)
        if os.path.exists(path) and not os.path.islink(path):
            yield from ("--ro-bind", path, path)


def _git_elsewhere(workspace: str, link: str) -> tuple[str, str] | None:
    """Git's directory, and the one with hooks and configuration; None unless it names this workspace in turn."""
    own = _target(link, "gitdir:", workspace)
    if own is None or not os.path.isdir(own):
        return None
    if _target(os.path.join(own, "gitdir"), "", own) == link:  # a worktree
        directory = _target(os.path.join(own, "commondir"), "", own)
        return (own, directory) if directory is not None and own.startswith(f"{directory}/worktrees/") else None
    return (own, own) if _target(os.path.join(own, "config"), "worktree =", own) == workspace else None  # a submodule


def _target(file: str, label: str, base: str) -> str | None:
    """The path that a file of git's names, on the first line with this label."""
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as opened:
            lines = [line.strip() for line in opened.read(1 << 16).split("\n")]
        path = next(line.removeprefix(label).strip() for line in lines if line.startswith(label))
        return os.path.realpath(os.path.join(base, path))
    except (OSError, ValueError, StopIteration):  # a NUL in it is no path
        return None


def _is_within(path: str, place: str) -> bool:
    return os.path.commonpath((path, place)) == place
