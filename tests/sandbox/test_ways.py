"""Every way out that is known, tried once behind each wall, as root and as an ordinary user.

A way must get the error of the table, and nothing outside may be touched but what the profile allows. Outside the wall
the same script succeeds, and its traces are seen: so this test can fail.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.sandbox.walls import public_place, stop_if
from tests.users import PACKAGE, new_user, own_python

HERE = Path(__file__).parent

# `|`: either is right. A file of root's is refused to a user by its mode, to root by the mount.
# What is done in /tmp, /var/tmp, /dev/shm and on the loopback is done inside.
TABLE = """
                                              read-only           workspace
f01 a new file in home                        EROFS               EROFS
f02 more in ~/.bashrc                         EROFS               EROFS
f03 a new file in /etc                        EROFS               EROFS
f04 more in /etc/hosts                        EACCES|EROFS        EACCES|EROFS
f05 a new file in /tmp                        done                done
f06 a new file in /var/tmp                    done                done
f07 a new file in /dev/shm                    done                done
f08 a new file in the workspace               EROFS               done
f09 a hook of git                             EROFS               EROFS
f10 git's configuration                       EROFS               EROFS
f11 a hook by moving .git away                EROFS               EBUSY
f12 a hard link to an outside file            EROFS               EXDEV
f13 through a symbolic link                   EROFS               EROFS
f14 by /proc/self/root                        EROFS               EROFS
f15 by /proc/1/root                           EROFS               EROFS
f16 by the root of an outside process         ENOENT              ENOENT
f17 a new file in truetty's folder            EROFS               EROFS
f18 truetty's own file for the shell          EROFS               EROFS
f19 another terminal's folder                 ENOENT              ENOENT
f20 / mounted anew, writable                  EPERM               EPERM
f21 what covers /tmp unmounted                EPERM               EPERM
f22 a user namespace of its own               ENOSPC              ENOSPC
f23 a block device by mknod                   EROFS               EPERM
f24 the disk's device                         ENOENT              ENOENT
f25 a setuid program                          EPERM               EPERM
f26 a setuid file in the workspace            EROFS               done
f27 a file for cron                           EACCES|EROFS        EACCES|EROFS
f28 /proc/sys                                 EACCES|EROFS        EACCES|EROFS
f29 /proc/sysrq-trigger                       ENOENT|EACCES|EROFS ENOENT|EACCES|EROFS
f30 /sys                                      EACCES|EROFS        EACCES|EROFS
f31 the rest of /proc                         EACCES              EACCES
n01 tcp to the loopback                       ECONNREFUSED        ECONNREFUSED
n02 udp to the loopback                       done                done
n03 tcp to an address of nobody               ENETUNREACH         ENETUNREACH
n04 a name (DNS)                              EAI_AGAIN           EAI_AGAIN
n05 an abstract unix socket                   EACCES              EACCES
n06 a unix socket in home                     EACCES              EACCES
n07 a unix socket in /tmp                     EACCES              EACCES
n08 a datagram pair, connected again          EACCES              EACCES
n09 io_uring                                  ENOSYS              ENOSYS
n10 AF_VSOCK                                  EACCES              EACCES
n11 AF_NETLINK                                done                done
n12 AF_PACKET                                 EACCES              EACCES
n13 AF_ALG                                    EACCES              EACCES
n14 raw ICMP                                  EPERM               EPERM
n15 a raw pair, which is a datagram pair      EACCES              EACCES
n16 a unix socket by the numbers of 32 bits   ENOSYS              ENOSYS
p01 a signal to an outside process            ESRCH               ESRCH
p02 ptrace of an outside process              ESRCH               ESRCH
p03 an outside process's memory               ESRCH               ESRCH
p04 its environment                           ENOENT              ENOENT
p05 its priority                              ESRCH               ESRCH
p06 shared memory of outside                  ENOENT              ENOENT
p07 another terminal's pty                    ENOENT              ENOENT
p08 keys typed by TIOCSTI                     done|EIO            done|EIO
p09 TIOCLINUX                                 ENOTTY              ENOTTY
p10 a key in the user's keyring               EPERM               EPERM
p11 bpf                                       EPERM               EPERM
p12 perf_event_open                           EPERM               EPERM
p13 the host's name                           EPERM               EPERM
p14 a program in memory, executed             done                done
p15 userfaultfd                               EPERM               EPERM
p16 a descriptor from outside                 EBADF               EBADF
"""
_, *ROWS = [re.split(r"\s{2,}|(?<=EROFS) ", line) for line in TABLE.strip("\n").splitlines()]
READ_ONLY = {name: expected for name, expected, _ in ROWS}
WORKSPACE = {name: expected for name, _, expected in ROWS}
# With the network they would leave this machine.
FAR = ("n03", "n04")
NETWORK = {name: expected for name, expected in WORKSPACE.items() if not name.startswith(FAR)}
NETWORK["n01 tcp to the loopback"] = "done"

# Of each profile: what its ways give, and which targets outside they touch.
PROFILES = {
    "read-only": (READ_ONLY, []),
    "workspace": (WORKSPACE, ["f08", "f26"]),
    "workspace+network": (NETWORK, ["f08", "f26", "n01", "n02"]),
}

# Without a wall these succeed, for the user who owns the targets, and do no harm. The first line leaves no trace.
OUTSIDE = (
    *("f25", "p04", "p06"),
    *("f01", "f02", "f05", "f06", "f07", "f08", "f09", "f10", "f11", "f12", "f13", "f14", "f16", "f17", "f18", "f19"),
    *("f26", "n01", "n02", "n05", "n06", "n07", "n08", "n15", "p01", "p05", "p07"),
)


@dataclass(frozen=True, slots=True)
class Runner:
    """The user who opens the terminal."""

    words: tuple[str, ...]  # what makes a command line his
    python: str  # with which he opens it
    modules: Path  # where it finds truetty
    place: Path
    setuid: Path | None  # a copy of `id` that makes its user another one

    @property
    def can_try(self) -> set[str]:
        missing = {"f25"} if self.setuid is None else set()
        missing |= {"n16"} if platform.machine() != "x86_64" else set()
        return {name.split()[0] for name in WORKSPACE} - missing

    def attempt(self, sandbox: str, ways: set[str]) -> tuple[dict[str, str], list[str]]:
        request = {
            "sandbox": sandbox,
            "place": str(self.place),
            "script": str(self.place / "ways.py"),
            "python": os.path.realpath(self.python),  # a virtual environment may be in a private place
            "setuid": None if self.setuid is None else str(self.setuid),
            "ways": sorted(ways),
            "patience": PATIENCE,
        }
        env = {"PATH": os.defpath, "HOME": str(self.place), "PYTHONPATH": str(self.modules), "LANG": "C.UTF-8"}
        done = subprocess.run(
            [*self.words, self.python, str(self.place / "attempt.py")],
            input=json.dumps(request), cwd=self.place, env=env, capture_output=True, text=True, timeout=2 * PATIENCE,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        stop_if(report.get("problem"))
        return report["results"], report["touched"]


@contextmanager
def root() -> Iterator[Runner]:
    with public_place() as place:
        yield Runner((), sys.executable, PACKAGE.parent, place, setuid_program(place / "id", owner=65534))


@contextmanager
def user() -> Iterator[Runner]:
    """One who is made for this, or ourselves."""
    if os.geteuid() != 0:
        with public_place() as place:
            yield Runner((), sys.executable, PACKAGE.parent, place, None)
        return
    with new_user("/var/lib") as made:
        words = (shutil.which("runuser", path="/usr/sbin:/sbin:/usr/bin:/bin") or "runuser", "-u", made.name, "--")
        setuid = setuid_program(made.home / "id", owner=0)
        yield Runner(words, own_python(made), made.home, made.home, setuid)


def setuid_program(path: Path, owner: int) -> Path:
    shutil.copyfile(shutil.which("id") or "/usr/bin/id", path)
    os.chown(path, owner, -1)
    path.chmod(0o4755)
    return path


@pytest.fixture(scope="module", params=[root, user], ids=["root", "user"])
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    if request.param is root and os.geteuid() != 0:
        pytest.skip("only root can open a terminal as root")
    with request.param() as runner:
        for script in ("attempt.py", "ways.py"):
            shutil.copyfile(HERE / script, runner.place / script)
        yield runner


@pytest.mark.parametrize("profile", PROFILES)
def test_every_way_out_is_refused(runner: Runner, profile: str) -> None:
    table, allowed = PROFILES[profile]
    expected = {name: right for name, right in table.items() if name.split()[0] in runner.can_try}
    results, touched = runner.attempt(profile, {name.split()[0] for name in expected})
    wrong = {name: result for name, result in results.items() if result not in expected[name].split("|")}
    assert wrong == {}
    assert list(results) == list(expected)
    assert touched == allowed


def test_outside_the_wall_the_same_ways_are_open_and_seen(runner: Runner) -> None:
    results, touched = runner.attempt("none", runner.can_try & set(OUTSIDE))
    assert {name: result for name, result in results.items() if result != "done"} == {}
    assert touched == sorted(OUTSIDE[3:])
