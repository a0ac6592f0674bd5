"""Runs inside the cage: one line after another, each in a shell of its own, and says what each changed.

Rule 1: it is given to Python as a text and imports the standard library only: the cage holds no file of the project.
Rule 2: it refuses to run anything in a place that it could harm.
Rule 3: before the next line begins, every process of the last one is dead, and the folder is as it was at the start.

One JSON object per line comes in (the arguments of `Keeper.run`), and one goes out.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
from typing import Any, TextIO

CAGE = "/cage"  # everything that a line may change
WORK = "/cage/work"  # where it runs
TEMPORARY = "/tmp"
CANARY = "/watch/canary"  # programs that no policy allows write their names into it
KEPT = "/watch/cage"  # a copy of all that a line may change
COMPLAINTS = "/watch/complaints"  # the standard error of a line
MOST_COMPLAINTS = 64 * 1024
PR_SET_CHILD_SUBREAPER = 36
ENVIRONMENT = {
    "HOME": WORK,
    "LC_ALL": "C.UTF-8",
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    "TERM": "dumb",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}
LIMITS = {
    resource.RLIMIT_FSIZE: 1 << 20,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_NOFILE: 64,
}
# What programs say when the kernel refuses a change of the system.
REFUSALS = ("cannot set date", "Operation not permitted", "you must be root", "Read-only file system")

EVIL = f'#!/bin/sh\necho evil "$*" >>{CANARY}\n'
CANARIES = ("touch", "pr", "man", "more", "vim", "vi", "nano", "ssh", "rm", "mkdir", "chmod", "wget", "nc")
APPLETS = "/watch/applets"  # busybox under the names of its applets: a system that has nothing else finds these

Snapshot = dict[str, tuple[int, ...]]


def check() -> None:
    """Raise where a line could do harm: rights, a network, a system that can be written."""
    with open("/proc/self/status") as status:
        rights = {name: value.strip() for name, _, value in (line.partition(":") for line in status)}
    assert int(rights["CapEff"], 16) == int(rights["CapBnd"], 16) == 0, "there are rights in the cage"
    with open("/proc/net/dev") as devices:
        names = {line.partition(":")[0].strip() for line in devices if ":" in line}
    assert names <= {"lo"}, f"there is a network in the cage: {names}"
    writable = [CAGE, TEMPORARY, "/watch", "/proc", "/dev"]
    with open("/proc/self/mountinfo") as mounts:
        for line in mounts:
            fields = line.split()
            place, options = fields[4], fields[5].split(",")
            assert "ro" in options or any(place == top or place.startswith(f"{top}/") for top in writable), line
    for folder in ("/", "/etc", "/usr", "/usr/bin", "/var/tmp", "/root", "/home"):
        if os.path.isdir(folder):
            with contextlib.suppress(OSError):
                os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
                raise AssertionError(f"{folder} can be written in the cage")
    assert len([name for name in os.listdir("/proc") if name.isdigit()]) < 5, "there are other processes in the cage"


def furnish(evil: str = EVIL) -> None:
    """Two files, a repository, a script in the work folder; beside it a Makefile and a repository that run programs."""
    os.makedirs(WORK)
    for name, text in (("a", "b\na\n"), ("b", "1 2\n3 4\n"), ("evil", evil)):
        with open(f"{WORK}/{name}", "w") as file:
            file.write(text)
    os.chmod(f"{WORK}/evil", 0o755)
    os.mkdir(f"{WORK}/5")  # for a PATH that was calculated
    os.symlink("../evil", f"{WORK}/5/ls")
    os.makedirs(f"{CAGE}/away")
    with open(f"{CAGE}/away/Makefile", "w") as file:
        file.write("all:\n\t@touch F\n")
    git(WORK, "init", "--quiet", "--template=", ".")
    git(WORK, "add", "a", "b")
    git(WORK, "-c", "user.name=n", "-c", "user.email=e@x", "commit", "--quiet", "-m", "first")
    git(CAGE, "clone", "--quiet", "--no-hardlinks", WORK, f"{CAGE}/repository")
    git(f"{CAGE}/repository", "config", "core.fsmonitor", f"{WORK}/evil")
    with open(f"{WORK}/b", "a") as file:
        file.write("5 6\n")


def git(folder: str, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)


def snapshot() -> Snapshot:
    """Each file with what a change of it changes. git refreshes its index when it only reads."""
    found: Snapshot = {}
    folders = [CAGE, TEMPORARY]
    while folders:
        # A folder that its line has shut has a mode that says so.
        with contextlib.suppress(PermissionError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                if is_folder:
                    folders.append(entry.path)
                if entry.path.endswith("/.git/index"):
                    continue
                state = entry.stat(follow_symlinks=False)
                facts = (state.st_mode, state.st_ino)
                found[entry.path] = facts if is_folder else (*facts, state.st_size, state.st_mtime_ns)
    return found


def changes(before: Snapshot, after: Snapshot) -> list[str]:
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def keep() -> None:
    """The cage is as it shall be again."""
    shutil.copytree(CAGE, KEPT, symlinks=True)


def restore() -> None:
    for top in (CAGE, TEMPORARY):
        for entry in os.scandir(top):
            if entry.is_dir(follow_symlinks=False):
                open_all(entry.path)
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
    shutil.copytree(KEPT, CAGE, symlinks=True, dirs_exist_ok=True)


def open_all(folder: str) -> None:
    """So that it can be removed."""
    os.chmod(folder, 0o700)
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            open_all(entry.path)


def link_applets() -> None:
    os.mkdir(APPLETS)
    busybox = shutil.which("busybox", path=ENVIRONMENT["PATH"])
    assert busybox is not None
    listed = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True)
    for name in set(listed.stdout.split()) - set(CANARIES):
        os.symlink(busybox, f"{APPLETS}/{name}")


class Keeper:
    def __init__(self) -> None:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # so that orphans are waited for here
        furnish()
        link_applets()
        keep()
        self.before = snapshot()
        self.nothing = os.open("/dev/null", os.O_RDWR)

    def run(self, command: list[str], patience: float, applets: bool) -> dict[str, Any]:
        path = ENVIRONMENT["PATH"]
        environment = {**ENVIRONMENT, "PATH": f"{APPLETS}:{path}" if applets else path}
        complaints = os.open(COMPLAINTS, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.chdir(WORK)
        files = [
            (os.POSIX_SPAWN_DUP2, source, number)
            for number, source in enumerate((self.nothing, self.nothing, complaints))
        ]
        pid = os.posix_spawnp(command[0], command, environment, file_actions=files, setsid=True)
        finished = self._wait(pid, patience)
        self._end_all()
        said = os.pread(complaints, MOST_COMPLAINTS, 0).decode("utf-8", "replace")
        os.close(complaints)
        canaries: list[str] = []
        with contextlib.suppress(FileNotFoundError), open(CANARY, errors="replace") as file:
            canaries = file.read().splitlines()
            os.unlink(CANARY)
        changed = changes(self.before, snapshot())
        if changed:
            restore()
            self.before = snapshot()
        refusals = [text for text in REFUSALS if text in said]
        return {
            "canaries": canaries,
            "changed": changed,
            "refusals": refusals,
            "finished": finished,
            "said": said[:300],
        }

    def _wait(self, pid: int, patience: float) -> bool:
        descriptor = os.pidfd_open(pid)
        ready, _, _ = select.select([descriptor], [], [], patience)
        os.close(descriptor)
        return bool(ready)

    def _end_all(self) -> None:
        """Everything but this process and the cage's first one."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)


def main(orders: TextIO, answers: TextIO) -> None:
    check()
    for kind, most in LIMITS.items():
        resource.setrlimit(kind, (most, most))
    keeper = Keeper()
    for line in orders:
        order = json.loads(line)
        print(json.dumps(keeper.run(**order)), file=answers, flush=True)


if __name__ == "__main__":
    # Lines have /dev/null for their standard input and output: what they print must not look like an answer.
    main(os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w"))
    sys.exit(0)
