"""Ways to write outside a wall, to reach out of it and to touch processes beyond it, each tried once from inside.

    python3 ways.py FACTS     a file with one JSON object: where the targets are (`attempt.py` makes both)

It prints one JSON object: for each way `done`, or the name of the error that the kernel gave. A way leaves its traces:
`attempt.py` looks for them from outside. What would harm a machine without a wall is opened only, or changes nothing.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import mmap
import os
import platform
import signal
import socket
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Way = tuple[str, Callable[[], object]]

X86 = platform.machine() == "x86_64"
NUMBERS = (
    {"process_vm_readv": 310, "ptrace": 101, "add_key": 248, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323}
    if X86
    else {
        "process_vm_readv": 270,
        "ptrace": 117,
        "add_key": 217,
        "bpf": 280,
        "perf_event_open": 241,
        "userfaultfd": 282,
    }
)
NUMBERS["io_uring_setup"] = 425
SHARED_KEYRING = -4  # KEY_SPEC_USER_KEYRING
PTRACE_SEIZE = 0x4206  # unlike PTRACE_ATTACH it does not stop the process
MS_REMOUNT, MS_BIND = 32, 4096
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
TIOCLINUX = 0x541C
AF_ALG, AF_VSOCK = 38, 40

libc = ctypes.CDLL(None, use_errno=True)


def files(facts: dict[str, Any]) -> Iterator[Way]:
    home, workspace, folder, name = facts["home"], facts["workspace"], facts["folder"], facts["name"]
    git = f"{workspace}/.git"
    yield "f01 a new file in home", lambda: append(f"{home}/f01")
    yield "f02 more in ~/.bashrc", lambda: append(f"{home}/.bashrc")
    yield "f03 a new file in /etc", lambda: append(f"/etc/{name}")
    yield "f04 more in /etc/hosts", lambda: only_open("/etc/hosts")
    yield "f05 a new file in /tmp", lambda: append(f"/tmp/{name}")
    yield "f06 a new file in /var/tmp", lambda: append(f"/var/tmp/{name}")
    yield "f07 a new file in /dev/shm", lambda: append(f"/dev/shm/{name}")
    yield "f08 a new file in the workspace", lambda: append(f"{workspace}/f08")
    yield "f09 a hook of git", lambda: append(f"{git}/hooks/pre-commit")
    yield "f10 git's configuration", lambda: append(f"{git}/config")
    yield "f11 a hook by moving .git away", lambda: replace_git(git, f"{workspace}/moved")
    yield "f12 a hard link to an outside file", lambda: os.link(f"{home}/.bashrc", f"{workspace}/f12")
    yield "f13 through a symbolic link", lambda: through_link(f"{workspace}/f13", f"{home}/.profile")
    yield "f14 by /proc/self/root", lambda: append(f"/proc/self/root{home}/f14")
    yield "f15 by /proc/1/root", lambda: append(f"/proc/1/root{home}/f15")
    yield "f16 by the root of an outside process", lambda: append(f"/proc/{facts['process']}/root{home}/f16")
    yield "f17 a new file in truetty's folder", lambda: append(f"{folder}/f17")
    yield "f18 truetty's own file for the shell", lambda: append(facts["own_file"])
    yield "f19 another terminal's folder", lambda: append(f"{facts['other_folder']}/f19")
    yield "f20 / mounted anew, writable", lambda: remount("/")
    yield "f21 what covers /tmp unmounted", lambda: checked(libc.umount2(b"/tmp", 0))
    yield "f22 a user namespace of its own", own_namespace
    yield "f23 a block device by mknod", lambda: os.mknod(f"{workspace}/f23", 0o60600, os.makedev(254, 0))
    yield "f24 the disk's device", lambda: only_open(facts["disk"])
    yield "f25 a setuid program", lambda: gain_rights(facts["setuid"])
    yield "f26 a setuid file in the workspace", lambda: make_setuid(f"{workspace}/f26")
    yield "f27 a file for cron", lambda: append(f"{facts['spool']}/{name}")
    yield "f28 /proc/sys", lambda: only_open("/proc/sys/kernel/core_pattern")
    yield "f29 /proc/sysrq-trigger", lambda: only_open("/proc/sysrq-trigger")
    yield "f30 /sys", lambda: only_open(facts["sys"])
    yield "f31 the rest of /proc", open_any_of_proc


def network(facts: dict[str, Any]) -> Iterator[Way]:
    stream, datagram = socket.SOCK_STREAM, socket.SOCK_DGRAM
    yield "n01 tcp to the loopback", lambda: send(socket.AF_INET, stream, ("127.0.0.1", facts["tcp"]))
    yield "n02 udp to the loopback", lambda: send(socket.AF_INET, datagram, ("127.0.0.1", facts["udp"]))
    yield "n03 tcp to an address of nobody", lambda: send(socket.AF_INET, stream, ("192.0.2.1", 80))
    yield "n04 a name (DNS)", lambda: socket.getaddrinfo("example.invalid", 80)
    yield "n05 an abstract unix socket", lambda: send(socket.AF_UNIX, stream, "\0" + facts["name"])
    yield "n06 a unix socket in home", lambda: send(socket.AF_UNIX, stream, facts["agent"])
    yield "n07 a unix socket in /tmp", lambda: send(socket.AF_UNIX, stream, facts["display"])
    yield "n08 a datagram pair, connected again", lambda: send_by_pair(datagram, facts["log"])
    yield "n09 io_uring", lambda: os.close(call("io_uring_setup", 8, ctypes.create_string_buffer(120)))
    yield "n10 AF_VSOCK", lambda: socket.socket(AF_VSOCK, stream).close()
    yield "n11 AF_NETLINK", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close()
    yield "n12 AF_PACKET", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
    yield "n13 AF_ALG", lambda: socket.socket(AF_ALG, socket.SOCK_SEQPACKET).close()
    yield "n14 raw ICMP", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close()
    yield "n15 a raw pair, which is a datagram pair", lambda: send_by_pair(socket.SOCK_RAW, facts["raw_log"])
    yield "n16 a unix socket by the numbers of 32 bits", socket_of_32_bits


def processes(facts: dict[str, Any]) -> Iterator[Way]:
    process = facts["process"]
    yield "p01 a signal to an outside process", lambda: os.kill(facts["target"], signal.SIGUSR1)
    yield "p02 ptrace of an outside process", lambda: call("ptrace", PTRACE_SEIZE, process, None, None)
    yield "p03 an outside process's memory", lambda: read_memory(process, facts["address"])
    yield "p04 its environment", lambda: Path(f"/proc/{process}/environ").read_bytes()
    yield "p05 its priority", lambda: starve(process)
    yield "p06 shared memory of outside", lambda: checked(libc.shmget(facts["memory"], 1, 0))
    yield "p07 another terminal's pty", lambda: write_to(facts["pty"])
    yield "p08 keys typed by TIOCSTI", type_key
    yield "p09 TIOCLINUX", lambda: of_tty(lambda tty: fcntl.ioctl(tty, TIOCLINUX, b"\x06"))
    yield "p10 a key in the user's keyring", lambda: call("add_key", b"user", b"canary", b"x", 1, SHARED_KEYRING)
    yield "p11 bpf", lambda: call("bpf", 0, None, 0)
    yield "p12 perf_event_open", lambda: call("perf_event_open", perf_attributes(), 0, -1, -1, 0)
    yield "p13 the host's name", rename_host
    yield "p14 a program in memory, executed", execute_memory
    yield "p15 userfaultfd", lambda: os.close(call("userfaultfd", os.O_CLOEXEC))
    yield "p16 a descriptor from outside", inherited


def outcome(way: Callable[[], object]) -> str:
    try:
        way()
    except socket.gaierror as error:
        return next(name for name in dir(socket) if name.startswith("EAI_") and getattr(socket, name) == error.errno)
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, repr(error))
    except Exception as error:
        return repr(error)
    return "done"


def checked(result: int) -> int:
    """What a call of the C library gave; its error is raised."""
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def call(name: str, *arguments: Any) -> int:
    """Each number is as wide as a register: `syscall` takes any arguments, so ctypes does not know that."""
    wide = (ctypes.c_long(one) if isinstance(one, int) else one for one in arguments)
    return checked(libc.syscall(NUMBERS[name], *wide))


def refused(error: int) -> OSError:
    return OSError(error, os.strerror(error))


# -- files


def append(path: str) -> None:
    with open(path, "a") as file:
        file.write("# canary\n")


def only_open(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY))


def write_to(device: str) -> None:
    descriptor = os.open(device, os.O_WRONLY | os.O_NOCTTY)
    os.write(descriptor, b"canary")
    os.close(descriptor)


def replace_git(git: str, away: str) -> None:
    os.rename(git, away)
    os.makedirs(f"{git}/hooks")
    append(f"{git}/hooks/post-commit")


def through_link(link: str, target: str) -> None:
    os.symlink(target, link)
    append(link)


def remount(path: str) -> None:
    checked(libc.mount(None, path.encode(), None, MS_REMOUNT | MS_BIND, None))


def own_namespace() -> None:
    """In a child, which stays in it."""
    child = os.fork()
    if child == 0:
        try:
            checked(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS))
            remount("/")
            os._exit(0)
        except OSError as error:
            os._exit(error.errno or 255)
    if code := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise refused(code)


def gain_rights(program: str) -> None:
    """`program`: a copy of `id` that belongs to another user and has the bit."""
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    if "euid=" not in printed:
        raise refused(errno.EPERM)


def make_setuid(path: str) -> None:
    Path(path).touch()
    os.chmod(path, 0o4755)
    if not os.stat(path).st_mode & 0o4000:
        raise refused(errno.EPERM)


def open_any_of_proc() -> None:
    """What is no process's. EACCES: none of it can be opened to write."""
    own = {"self", "thread-self", "net", "mounts"}  # links to what is this process's
    own.add("pressure")  # of each that opens it: when to be woken
    tops = [top for top in os.listdir("/proc") if not top.isdigit() and top not in own]
    below = (f"{folder}/{name}" for top in tops for folder, _, names in os.walk(f"/proc/{top}") for name in names)
    for path in (*(f"/proc/{top}" for top in tops), *below):
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            continue
        raise RuntimeError(f"{path} can be opened to write")
    raise refused(errno.EACCES)


# -- network


def send(family: int, kind: int, address: object) -> None:
    with socket.socket(family, kind) as one:
        one.settimeout(30)
        one.connect(address)  # type: ignore[arg-type]
        one.send(b"canary")


def send_by_pair(kind: int, path: str) -> None:
    one, two = socket.socketpair(socket.AF_UNIX, kind)
    with one, two:
        one.connect(path)
        one.send(b"canary")


def socket_of_32_bits() -> None:
    """`int 0x80` makes calls by the numbers of i386, where socket is 359."""
    code = bytes.fromhex(
        "53"  # push rbx
        "b867010000"  # mov eax, 359
        "bb01000000"  # mov ebx, AF_UNIX
        "b901000000"  # mov ecx, SOCK_STREAM
        "31d2"  # xor edx, edx
        "cd80"  # int 0x80
        "5b"  # pop rbx
        "c3"  # ret
    )
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
    if (result := function()) < 0:
        raise refused(-result)
    os.close(result)


# -- processes


def perf_attributes() -> ctypes.Array[ctypes.c_char]:
    """struct perf_event_attr: cycles of the hardware, and its own size."""
    return ctypes.create_string_buffer(struct.pack("=II", 0, 112), 112)


class Piece(ctypes.Structure):
    """struct iovec"""

    _fields_ = (("base", ctypes.c_void_p), ("size", ctypes.c_size_t))


def read_memory(process: int, address: int) -> None:
    room = ctypes.create_string_buffer(8)
    here, there = Piece(ctypes.addressof(room), 8), Piece(address, 8)
    call("process_vm_readv", process, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)


def starve(process: int) -> None:
    """Two calls: one of them changes something even where tests run at the lowest priority."""
    os.setpriority(os.PRIO_PROCESS, process, 19)
    os.sched_setscheduler(process, os.SCHED_BATCH, os.sched_param(0))


def of_tty(use: Callable[[int], object]) -> None:
    tty = os.open("/dev/tty", os.O_RDWR)
    try:
        use(tty)
    finally:
        os.close(tty)


def type_key() -> None:
    def use(tty: int) -> None:
        fcntl.ioctl(tty, termios.TIOCSTI, b"\n")
        termios.tcflush(tty, termios.TCIFLUSH)

    of_tty(use)


def rename_host() -> None:
    """To what it is."""
    name = os.uname().nodename.encode()
    checked(libc.sethostname(name, len(name)))


def execute_memory() -> None:
    with open(os.memfd_create("program", 0), "wb", buffering=0) as memory:
        memory.write(Path("/bin/true").read_bytes())
        subprocess.run([f"/proc/self/fd/{memory.fileno()}"], pass_fds=[memory.fileno()], check=True)


def inherited() -> None:
    """Done: there is one beside the terminal's three."""
    for number in range(3, 1024):
        try:
            os.fstat(number)
        except OSError:
            continue
        return
    raise refused(errno.EBADF)


def main() -> None:
    facts = json.loads(Path(sys.argv[1]).read_text())
    ways = [*files(facts), *network(facts), *processes(facts)]
    print(json.dumps({name: outcome(way) for name, way in ways if name.split()[0] in facts["ways"]}))


if __name__ == "__main__":
    main()
