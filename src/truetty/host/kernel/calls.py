"""What a thread is blocked on, decoded from /proc/PID/syscall for each architecture.

Rule 1: a thread *reads* when our tty is among the descriptors it waits to read from; it is *stuck* when the tty is
        the only one and nothing else, no timeout, can wake it.
Rule 2: descriptors are compared by device, never by the text of their links, and never by the kernel's names of
        functions: those differ between kernels.
Rule 3: a thread that waits for more than the tty may only listen to the tty. A descriptor by which a process wakes
        itself, an eventfd or a pipe of its own, does not count as more. A time limit beside such a descriptor does: an
        event loop has a timer.
Rule 4: what may not be read, or cannot be decoded for this machine, is `hidden`, not "does not read".
"""

from __future__ import annotations

import errno
import os
import stat as modes
import struct
from typing import Literal, NamedTuple

from truetty.host.kernel import proc

# poll, select and epoll_wait exist on x86_64 only; newer machines share one table.
_X86_64 = {
    0: "read",
    7: "poll",
    19: "readv",
    23: "select",
    35: "nanosleep",
    61: "wait4",
    202: "futex",
    219: "restart_syscall",
    230: "clock_nanosleep",
    232: "epoll_wait",
    247: "waitid",
    270: "pselect6",
    271: "ppoll",
    281: "epoll_pwait",
    426: "io_uring_enter",
    441: "epoll_pwait2",
}
_GENERIC = {
    22: "epoll_pwait",
    63: "read",
    65: "readv",
    72: "pselect6",
    73: "ppoll",
    95: "waitid",
    98: "futex",
    101: "nanosleep",
    115: "clock_nanosleep",
    128: "restart_syscall",
    260: "wait4",
    426: "io_uring_enter",
    441: "epoll_pwait2",
}
TABLES = {"x86_64": _X86_64, "aarch64": _GENERIC, "riscv64": _GENERIC, "loongarch64": _GENERIC}
_CALLS = TABLES.get(os.uname().machine, {})
CALLS_ARE_KNOWN = bool(_CALLS)

# The kernel names a socket's protocol by this attribute; TCP, TCPv6, UDP and their like are the network.
_PROTOCOL = "system.sockprotoname"
_LOCAL_PROTOCOLS = (b"UNIX", b"NETLINK")
# In these a thread may wait for another thread or process of the same program.
_IDLE_CALLS = frozenset(
    {"read", "readv", "select", "pselect6", "poll", "ppoll", "epoll_wait", "epoll_pwait", "epoll_pwait2"}
    | {"futex", "wait4", "waitid"}
)
# What these wait for is a list in the process's memory, or in its epoll.
_LISTS = frozenset({"select", "pselect6", "poll", "ppoll", "epoll_wait", "epoll_pwait", "epoll_pwait2"})
# By these a process only wakes itself.
_WAKE_UPS = ("anon_inode:[eventfd]", "anon_inode:[signalfd]", "anon_inode:[io_uring]")
_DEV_TTY = os.makedev(5, 0)
_POLLIN = 0x001
_POLL_EVENTS = 0x3FFF  # every bit that poll knows
_MOST_POLLED = 4096
# What is raised if a process changes while it is read: it is gone, or that memory is.
_CHANGED = {errno.ENOENT, errno.ESRCH, errno.EIO, errno.EFAULT}
_MOST_SELECTED = 65536
_COMPAT_STACK = 1 << 32  # a stack below this belongs to a 32-bit program, whose call numbers are others


class Device(NamedTuple):
    """Which terminal: the pts, and the file system it lies on (containers have pts of the same number)."""

    rdev: int
    dev: int

    @property
    def packed(self) -> int:
        """As /proc/PID/stat writes it."""
        major, minor = os.major(self.rdev), os.minor(self.rdev)
        return (minor & 0xFF) | (major << 8) | ((minor & ~0xFF) << 12)


State = Literal[
    "running",  # on a CPU, or about to be
    "reads",
    "elsewhere",  # blocked on something that is not our tty
    "hidden",
]


Others = Literal[
    "none",
    "some",  # a pipe, a file, a timer, a local socket
    "network",  # a connection, or a port it listens on
]


class Block(NamedTuple):
    """What one thread is at."""

    state: State
    stuck: bool = False
    timed: bool = False  # wakes by itself after a time
    others: Others = "none"  # which descriptors it waits for besides our tty
    call: str = ""
    size: int = 0  # how many bytes a `read` asks for
    stack: int = 0  # the stack pointer
    raw: bytes = b""  # as read, to see later whether it is still the same

    @property
    def has_work(self) -> bool:
        """Whether it is blocked on something that goes on without the keyboard: a sleep, a connection, an unknown call.

        A pipe, a child process, a lock and an event loop are not: the process at their other end is asked itself.
        """
        if self.state != "elsewhere":
            return self.state == "hidden"
        return self.call not in _IDLE_CALLS or self.others == "network" or (self.call == "futex" and self.timed)


_RUNNING = Block("running")
_HIDDEN = Block("hidden")


def call_of(pid: int, thread: int) -> bytes:
    return proc.read(f"/proc/{pid}/task/{thread}/syscall", 256)


def block_of(of: proc.Stat, thread: int, device: Device, raw: bytes | None = None) -> Block:
    """What `thread` of the process `of` is at. `raw` is its `syscall` file, if that was read already."""
    if raw is None:
        try:
            raw = call_of(of.pid, thread)
        except (FileNotFoundError, ProcessLookupError):
            return _RUNNING  # it ended just now: not something that waits
        except OSError:
            return _HIDDEN
    words = raw.split()
    if not words or not _CALLS:
        return _HIDDEN
    if words[0] == b"running":
        return _RUNNING
    if len(words) < 9:
        return Block("elsewhere")  # blocked outside of any call: a page fault, a fresh thread
    args = [int(word, 16) for word in words[1:8]]
    stack = args[6]
    if stack < _COMPAT_STACK:
        return _HIDDEN
    call = _CALLS.get(int(words[0]))
    if call is None:
        return Block("elsewhere", stack=stack)
    try:
        block = _decode(of, call, args, stack, device)
        if block.state == "elsewhere" and call in _LISTS:
            block = _decode_again(of, thread, call, args, stack, device, raw)
        return block._replace(raw=raw)
    except OSError as error:
        return _RUNNING if error.errno in _CHANGED else _HIDDEN


def _decode_again(
    of: proc.Stat, thread: int, call: str, args: list[int], stack: int, device: Device, raw: bytes
) -> Block:
    """The kernel clears the list of a `select` that has ended. A list without our tty counts only if the thread did not
    run while the list was read: between two polls a poller would seem to wait for nothing."""
    before = proc.wakes(of.pid, thread)
    if call_of(of.pid, thread) != raw:
        return _RUNNING
    again = _decode(of, call, args, stack, device)
    return again if proc.wakes(of.pid, thread) == before else _RUNNING


def _decode(of: proc.Stat, call: str, args: list[int], stack: int, device: Device) -> Block:
    match call:
        case "read" | "readv":
            if _is_ours(of, args[0] & 0xFFFFFFFF, device):
                return Block("reads", stuck=True, call=call, size=args[2], stack=stack)
            return Block("elsewhere", others=_kind_of(of.pid, args[0] & 0xFFFFFFFF), call=call, stack=stack)
        case "wait4" | "waitid":
            return Block("elsewhere", call=call, stack=stack)
        case "select" | "pselect6":
            return _waits(of, call, _selects(of.pid, args), args[4] != 0, stack, device)
        case "poll" | "ppoll":
            timed = args[2] != 0 if call == "ppoll" else args[2] & 0xFFFFFFFF < 0x80000000
            return _waits(of, call, _polls(of.pid, args[0], args[1]), timed, stack, device)
        case "epoll_wait" | "epoll_pwait" | "epoll_pwait2":
            timed = args[3] != 0 if call == "epoll_pwait2" else args[3] & 0xFFFFFFFF < 0x80000000
            return _waits(of, call, _epolls(of.pid, args[0] & 0xFFFFFFFF), timed, stack, device)
        case "io_uring_enter":
            # The ring lists polls, not descriptors: some wait is pending, and it is unknown on what.
            ring = proc.read(f"/proc/{of.pid}/fdinfo/{args[0] & 0xFFFFFFFF}", 65536)
            pending = b"op=" in ring.partition(b"PollList")[2]
            return Block("reads" if pending and _holds(of, device) else "elsewhere", timed=True, call=call, stack=stack)
        case "restart_syscall":
            return _restart(of, args, stack, device)
        case "futex":
            return Block("elsewhere", timed=args[3] != 0, call=call, stack=stack)
        case _:
            return Block("elsewhere", timed=True, call=call, stack=stack)


def _restart(of: proc.Stat, args: list[int], stack: int, device: Device) -> Block:
    """A call taken up again after a stop: `poll`, a sleep or a futex. The arguments are still the first call's, but
    which one it was is forgotten. Only what makes sense as a `poll` on our tty is taken for one, and never as stuck."""
    if 0 < args[1] <= _MOST_POLLED:
        try:
            watched = _polls(of.pid, args[0], args[1], strict=True)
        except PermissionError:
            raise
        except (OSError, ValueError):
            watched = []
        if any(reads and _is_ours(of, fd, device) for fd, reads in watched):
            return Block("reads", timed=True, call="poll", stack=stack)
    return Block("elsewhere", timed=True, call="restart_syscall", stack=stack)


def _waits(of: proc.Stat, call: str, watched: list[tuple[int, bool]], timed: bool, stack: int, device: Device) -> Block:
    if not watched:  # aarch64 has no call `pause`: its C library calls `ppoll` without descriptors
        return Block("elsewhere", timed=timed, call="pause", stack=stack)
    ours = [fd for fd, reads in watched if reads and _is_ours(of, fd, device)]
    others = _others(of.pid, [fd for fd, _ in watched if fd not in ours])
    if not ours:
        return Block("elsewhere", timed=timed, others=others, call=call, stack=stack)
    alone = len(ours) == len(watched)
    if timed and not alone and others == "none":
        others = "some"
    return Block("reads", stuck=alone and not timed, timed=timed, others=others, call=call, stack=stack)


def _others(pid: int, fds: list[int]) -> Others:
    kinds = {_kind_of(pid, fd) for fd in fds}
    return "network" if "network" in kinds else "some" if "some" in kinds else "none"


def _kind_of(pid: int, fd: int) -> Others:
    path = f"/proc/{pid}/fd/{fd}"
    try:
        target = os.readlink(path)
        if target.startswith("socket:"):
            return "some" if os.getxattr(path, _PROTOCOL).startswith(_LOCAL_PROTOCOLS) else "network"
        if target.startswith("pipe:"):
            folder = f"/proc/{pid}/fd"
            ends = sum(os.readlink(f"{folder}/{name}") == target for name in os.listdir(folder))
            return "some" if ends < 2 else "none"
    except FileNotFoundError:
        return "none"  # it was closed just now
    return "none" if target in _WAKE_UPS else "some"


def _selects(pid: int, args: list[int]) -> list[tuple[int, bool]]:
    """The descriptors of a `select`, and whether it waits to read from them."""
    highest = args[0] & 0xFFFFFFFF
    if not 0 < highest <= _MOST_SELECTED:
        return []
    size = (highest + 63) // 64 * 8
    watched: dict[int, bool] = {}
    for address, reads in ((args[1], True), (args[2], False), (args[3], False)):
        if address:
            bits = int.from_bytes(proc.read_memory(pid, address, size), "little") & ((1 << highest) - 1)
            while bits:
                fd = (bits & -bits).bit_length() - 1
                bits &= bits - 1
                watched[fd] = watched.get(fd, False) or reads
    return list(watched.items())


def _polls(pid: int, address: int, count: int, strict: bool = False) -> list[tuple[int, bool]]:
    """The descriptors of a `poll`. `strict` refuses, with ValueError, memory that is no list of them."""
    if not 0 < count <= _MOST_POLLED:
        return []
    entries = list(struct.iter_unpack("<ihh", proc.read_memory(pid, address, count * 8).ljust(count * 8, b"\xff")))
    if strict and any(not -1 <= fd < 1 << 20 or events & ~_POLL_EVENTS for fd, events, _ in entries):
        raise ValueError("not a list of descriptors")
    return [(fd, bool(events & _POLLIN)) for fd, events, _ in entries if fd >= 0]


def _epolls(pid: int, epoll: int) -> list[tuple[int, bool]]:
    watched = []
    for line in proc.read(f"/proc/{pid}/fdinfo/{epoll}", 65536).split(b"\n"):
        if line.startswith(b"tfd:"):
            words = line.split()
            watched.append((int(words[1]), bool(int(words[3], 16) & _POLLIN)))
    return watched


def _is_ours(of: proc.Stat, fd: int, device: Device) -> bool:
    try:
        found = os.stat(f"/proc/{of.pid}/fd/{fd}")
    except FileNotFoundError:
        return False
    if not modes.S_ISCHR(found.st_mode):
        return False
    if found.st_rdev == _DEV_TTY:
        return is_terminal_of(of, device)
    return found.st_rdev == device.rdev and found.st_dev == device.dev


def is_terminal_of(of: proc.Stat, device: Device) -> bool:
    """Whether our tty controls the process. /proc tells the number only, and another devpts, such as a container's, has
    the same numbers. So the file of that number is looked at where the process itself finds it. A sandbox has a devpts
    of its own, in which ours is not; but there the leader of the session has our tty open."""
    if of.tty != device.packed:
        return False
    try:
        if os.stat(f"/proc/{of.pid}/root/dev/pts/{os.minor(device.rdev)}").st_dev == device.dev:
            return True
    except FileNotFoundError:
        if _has_our_mounts(of.pid):  # a chroot without /dev/pts
            return True
    except OSError:
        return False
    return device in open_devices(of.session)


def _has_our_mounts(pid: int) -> bool:
    try:
        return os.readlink(f"/proc/{pid}/ns/mnt") == os.readlink("/proc/self/ns/mnt")
    except OSError:
        return False


def open_devices(pid: int) -> set[Device]:
    """The character devices that a process has open; none when we may not know."""
    found: set[Device] = set()
    try:
        numbers = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return found
    for number in numbers:
        try:
            at = os.stat(f"/proc/{pid}/fd/{number}")
        except OSError:  # closed since
            continue
        if modes.S_ISCHR(at.st_mode):
            found.add(Device(at.st_rdev, at.st_dev))
    return found


def _holds(of: proc.Stat, device: Device) -> bool:
    return any(_is_ours(of, int(fd), device) for fd in os.listdir(f"/proc/{of.pid}/fd"))


def holds_tty(of: proc.Stat, device: Device) -> bool:
    """Whether the process has our tty open; False too when we may not know."""
    try:
        return _holds(of, device)
    except OSError:
        return False
