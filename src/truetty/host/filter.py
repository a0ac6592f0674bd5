"""The system calls that the wall refuses: what namespaces leave open, shut by a filter of the kernel's (seccomp).

Rule 1: a call is refused with an error, never by a signal: programs go on without it.
Rule 2: only numbers and plain arguments can be judged. A path lies behind a pointer, which no filter may follow.

    sockets of other families than the internet's and netlink ...... EACCES   vsock reaches the hypervisor
    Unix sockets, unless they are allowed ........................... EACCES   agents, docker, X11
    pairs of sockets but of streams, unless Unix sockets are allowed  EACCES   datagrams can be sent on, to a path
    io_uring ........................................................ ENOSYS   it makes calls that no filter sees
    keys, bpf, perf, userfaultfd .................................... EPERM
    calls of another machine's numbers (32 bits, x32) ............... ENOSYS
"""

from __future__ import annotations

import errno
import os
import struct
from typing import Final, NamedTuple


class _Machine(NamedTuple):
    """The numbers of one architecture."""

    audit: int  # as the kernel names it to a filter
    socket: int
    socketpair: int
    refused: tuple[int, ...]  # add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd
    first_foreign: int | None = None  # from this number on: the calls of another machine's programs


_MACHINES: Final = {
    "x86_64": _Machine(0xC000003E, 41, 53, (248, 249, 250, 321, 298, 323), first_foreign=0x40000000),
    "aarch64": _Machine(0xC00000B7, 198, 199, (217, 218, 219, 280, 241, 282)),
}
_IO_URING: Final = (425, 426, 427)  # setup, enter, register: the same everywhere

_UNIX: Final = 1
_INTERNET_AND_NETLINK: Final = (2, 10, 16)
# Of these a pair stays one. One of datagrams can be connected again, and the kernel makes one of a raw pair too.
_STREAM_AND_PACKETS: Final = (1, 5)
_KIND_BITS: Final = 0xF  # beside them a kind has flags

# Where a filter finds what it judges, in struct seccomp_data.
_NUMBER, _AUDIT, _FIRST, _SECOND = 0, 4, 16, 24
# Operations of the kernel's packet filter.
_LOAD, _AND, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW: Final = 0x7FFF0000
_FAIL: Final = 0x00050000  # with the error in its low half


def program(*, unix: bool = False, machine: str | None = None) -> bytes | None:
    """The filter as the kernel takes it; None: the numbers of this machine are not known. `unix`: Unix sockets are
    allowed."""
    known = _MACHINES.get(machine or os.uname().machine)
    if known is None:
        return None
    steps = [_step(_LOAD, _AUDIT), *_unless_equal(known.audit, errno.ENOSYS), _step(_LOAD, _NUMBER)]
    if known.first_foreign is not None:
        steps += [_step(_IF_AT_LEAST, known.first_foreign, 0, 1), _fail(errno.ENOSYS)]
    for number in _IO_URING:
        steps += [_step(_IF_EQUAL, number, 0, 1), _fail(errno.ENOSYS)]
    for number in known.refused:
        steps += [_step(_IF_EQUAL, number, 0, 1), _fail(errno.EPERM)]
    families = (*_INTERNET_AND_NETLINK, *((_UNIX,) if unix else ()))
    steps += _for_call(known.socket, [_step(_LOAD, _FIRST), *_unless_one_of(families, errno.EACCES)])
    if not unix:
        kind = [_step(_LOAD, _SECOND), _step(_AND, _KIND_BITS)]
        steps += _for_call(known.socketpair, [*kind, *_unless_one_of(_STREAM_AND_PACKETS, errno.EACCES)])
    steps.append(_step(_RETURN, _ALLOW))
    return b"".join(steps)


def _step(operation: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """The last two: how many steps are passed over."""
    return struct.pack("=HBBI", operation, if_true, if_false, value)


def _fail(error: int) -> bytes:
    return _step(_RETURN, _FAIL | error)


def _unless_equal(value: int, error: int) -> list[bytes]:
    return [_step(_IF_EQUAL, value, 1, 0), _fail(error)]


def _unless_one_of(values: tuple[int, ...], error: int) -> list[bytes]:
    checks = [_step(_IF_EQUAL, value, len(values) - at, 0) for at, value in enumerate(values)]
    return [*checks, _fail(error)]


def _for_call(number: int, steps: list[bytes]) -> list[bytes]:
    """Those steps for one call, which is allowed where they end. The call's number is lost by them."""
    return [_step(_IF_EQUAL, number, 0, len(steps) + 1), *steps, _step(_RETURN, _ALLOW)]
