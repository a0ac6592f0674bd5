"""Makes or renews `.venv`: what pyproject.toml names, in the versions and with the hashes requirements.lock gives.

Rule 1: one process at a time; the second waits for the first and finds its work done.
Rule 2: the stamp is written last, so that an interrupted set-up is begun again from nothing.
Rule 3: standard library only: this runs before anything is installed, with the Python that tools/environment.sh chose.
Rule 4: what takes long shows that it works: on a terminal by a line that moves, elsewhere by few lines.

    environment.py run|extras|dev KEY      KEY goes into the stamp

`run` is what `./truetty run` needs, `extras` what other commands need too (`mcp`), `dev` what `./test` needs. Each has
all of the one before it.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"

UNFINISHED = "unfinished"
KINDS = ("run", "extras", "dev")
LARGE = ("dev", "ray")  # extras that are for `./test` alone
WORDS = {"run": "", "extras": "for this command; ", "dev": "for tests; "}

# Seconds between two looks of the line that moves, and between two lines where there is no terminal.
MOVES = 0.2
EVERY = 10.0

# Settings of the caller's pip that would send packages elsewhere than into `.venv`.
MISLEADING = ("PIP_PREFIX", "PIP_ROOT", "PIP_TARGET", "PIP_USER", "PYTHONHOME", "PYTHONPATH")


def main(kind: str, key: str) -> None:
    with locked() as lock:
        if stamp(kind) == key and PYTHON.exists():
            return
        say(f"setting up {VENV} ({WORDS[kind]}this happens once)")
        clear_if_useless(key)
        VENV.mkdir(exist_ok=True)
        for each in KINDS[1:]:
            (VENV / f"{each}.stamp").unlink(missing_ok=True)
        (VENV / "run.stamp").write_text(UNFINISHED)
        make()
        pip = installer()
        chosen = needed(roots(kind), blocks((ROOT / "requirements.lock").read_text()))
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as listed:
            listed.write("".join(chosen))
            listed.flush()
            count = len(chosen)
            install(f"installing {count} packages", pip, lock, "--require-hashes", "-r", listed.name, count=count)
        install("installing truetty itself", pip, lock, "--no-deps", "-e", str(ROOT))
        for each in KINDS[: KINDS.index(kind) + 1]:
            (VENV / f"{each}.stamp").write_text(key + "\n")
        say("done")


@contextlib.contextmanager
def locked() -> Iterator[int]:
    try:
        lock = os.open(ROOT / ".venv.lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        why = f"cannot set up {VENV}: {error.strerror}"
        sys.exit(f"truetty: {why}. Install the package instead: pip install {ROOT}")
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another set-up to end")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock
    finally:
        os.close(lock)


def stamp(kind: str) -> str | None:
    try:
        return (VENV / f"{kind}.stamp").read_text().rstrip("\n")
    except FileNotFoundError:
        return None


def clear_if_useless(key: str) -> None:
    """Remove an environment that was interrupted, made elsewhere, or has lost its Python; others are renewed."""
    if not VENV.exists():
        return
    found = stamp("run")
    elsewhere = found is not None and found.split(" ", 2)[2:] != key.split(" ", 2)[2:]
    if elsewhere or not PYTHON.exists() or not succeeds(PYTHON, "-c", "import sys; assert sys.version_info >= (3, 11)"):
        shutil.rmtree(VENV)


def make() -> None:
    if not PYTHON.exists():
        # Debian without python3-venv has no ensurepip: then the pip outside does the work.
        without_pip = ["--without-pip"] if importlib.util.find_spec("ensurepip") is None else []
        command = [sys.executable, "-m", "venv", "--symlinks", *without_pip, str(VENV)]
        if not attended("making the environment", command):
            sys.exit("truetty: the set-up failed; the next start tries again")


def installer() -> list[str]:
    inside = [str(PYTHON), "-m", "pip"]
    return inside if succeeds(*inside, "--version") else [sys.executable, "-m", "pip", "--python", str(PYTHON)]


def succeeds(*command: str | Path) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def install(doing: str, pip: list[str], lock: int, *arguments: str, count: int = 0) -> None:
    environ = {name: value for name, value in os.environ.items() if name not in MISLEADING}
    command = [*pip, "install", "--progress-bar", "off", "--disable-pip-version-check", "--no-input", *arguments]
    # pip inherits the lock: should this process be killed, no other begins before pip is gone.
    if not attended(doing, command, count, env=environ, pass_fds=(lock,)):
        sys.exit("truetty: the set-up failed; the next start tries again")


def attended(
    doing: str, command: list[str], count: int = 0, *, env: dict[str, str] | None = None, pass_fds: tuple[int, ...] = ()
) -> bool:
    """Run it, and show meanwhile how far it is. What it prints is shown if it fails.

    `count` is the number of packages that pip is to find.
    """
    moves = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    began, printed = time.monotonic(), b""
    if not moves:
        say(doing)
    with subprocess.Popen(
        command,
        env=env,
        pass_fds=pass_fds,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout is not None
        due = began + EVERY
        while True:
            now = time.monotonic()
            text = f"{doing}{_progress(printed, count)}, {now - began:.0f} s"
            if moves:
                columns = shutil.get_terminal_size().columns
                print(f"\r{f'truetty: {text}'[: columns - 1]}\x1b[K", end="", file=sys.stderr, flush=True)
            elif now >= due:
                say(text)
                due = now + EVERY
            if select.select([process.stdout], [], [], MOVES if moves else max(0.0, due - now))[0]:
                part = os.read(process.stdout.fileno(), 65536)
                if not part:
                    break
                printed += part
    if moves:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if process.returncode != 0:
        print(printed.decode(errors="replace"), end="", file=sys.stderr, flush=True)
    return process.returncode == 0


def _progress(printed: bytes, count: int) -> str:
    """From what pip has printed so far."""
    if not count:
        return ""
    lines = printed.split(b"\n")
    if any(line.startswith(b"Installing collected packages") for line in lines):
        return ": unpacking them"
    return f": {sum(line.startswith(b'Collecting ') for line in lines)} of them found"


def roots(kind: str) -> set[str]:
    """The packages pyproject.toml asks for: the dependencies, and the extras that belong to the kind."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    chosen = [extra for name, extra in extras.items() if kind == "dev" or (kind == "extras" and name not in LARGE)]
    wanted = [*project["dependencies"], *(requirement for extra in chosen for requirement in extra)]
    return {canonical(re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]) for requirement in wanted}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def blocks(lock: str) -> dict[str, str]:
    """The lock file's text for each package."""
    texts = re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE)
    return {canonical(text.split("==")[0]): text for text in texts if "==" in text}


def needed(wanted: Iterable[str], lock: dict[str, str]) -> list[str]:
    """The blocks of these packages and of all that they require, found by the `# via` notes in the lock.

    Were one missed, pip would refuse the rest: with hashes it installs nothing that is not listed.
    """
    brought: dict[str, set[str]] = {}
    for name, block in lock.items():
        for parent in re.findall(r"^ +# +(?:via )?([A-Za-z0-9._-]+)", block, flags=re.MULTILINE):
            brought.setdefault(canonical(parent), set()).add(name)
    chosen: set[str] = set()
    open_ = [name for name in wanted if name in lock]
    while open_:
        name = open_.pop()
        if name not in chosen:
            chosen.add(name)
            open_ += brought.get(name, ())
    return [lock[name] for name in sorted(chosen)]


def say(text: str) -> None:
    print(f"truetty: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
