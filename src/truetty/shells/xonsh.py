"""xonsh: the hook comes in as the last control file, a command by a line of Python, P by the event on_pre_prompt.

Rule 1: the text is compiled and run as xonsh's prompt does it, so Python and commands mix as they do when typed.
Rule 2: an exit code below 0 is Python's way to say a signal; our marks say 128 and the signal, as everywhere.
Rule 3: xonsh keeps our lines in its history unless $HISTCONTROL has ignorespace.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from truetty.files import home_of, user_folder
from truetty.shells.row import HealRequest, Launch, LaunchRequest, Request, Typed
from truetty.shells.writing import encode, enter, printf_mark, script

_WITH_VALUE = frozenset({"-D", "-st", "--shell-type"})


def cd(path: str) -> str:
    return f"cd @({path!r})"


def _read_arguments(arguments: Sequence[str]) -> tuple[list[str], list[str] | None, bool] | None:
    """What is kept, the control files named by --rc, and whether --no-rc is there. None: no prompt is asked for."""
    kept: list[str] = []
    files: list[str] | None = None
    no_rc = False
    words = list(arguments)
    while words:
        match words.pop(0):
            case "--no-rc":
                no_rc = True
            case "--rc":
                files = []
                while words and not words[0].startswith("-"):
                    files.append(words.pop(0))
            case "-i" | "--interactive":
                pass
            case word if word in _WITH_VALUE and words:
                kept += [word, words.pop(0)]
            case word if word.startswith("-") and word != "-c":
                kept.append(word)
            case _:
                return None
    return kept, files, no_rc


class Xonsh:
    def launch(self, request: LaunchRequest) -> Launch | None:
        wishes = _read_arguments(request.arguments)
        if wishes is None:
            return None
        kept, named, no_rc = wishes
        theirs = _usual_files(request.env) if named is None else named
        # The folder itself, for directories are loaded after files: ours must be the last.
        control = [*(theirs if request.rc and not no_rc else []), request.folder]
        return Launch((*kept, "-i", "--rc", *control), {}, {"hook.py": encode(_hook(request.name, request.key))})

    def trigger(self, request: Request) -> Typed:
        folder, number = request.folder, request.serial
        code = script(
            "run.xonsh.py",
            folder=folder,
            name=request.name,
            number=str(number),
            start=request.start,
            end=request.end,
            probe=str(request.probe),
        )
        files = {f"t{number}": encode(request.text), f"x{number}": encode(code)}
        return Typed(enter(f" exec(open('{folder}/x{number}').read())"), files)

    def heal(self, request: HealRequest) -> Typed | None:
        name, number = request.name, request.serial
        code = f"from xonsh.built_ins import XSH\n{name}_c = XSH.env.get('LAST_RETURN_CODE', 0) or 0\n"
        mark = printf_mark("H", request.secret, f"{{{name}_c if {name}_c >= 0 else 128 - {name}_c}}", "")
        code += f'with open("/dev/tty", "w") as {name}_f:\n    {name}_f.write(f"{mark}")\n{_hook(name, request.key)}'
        code += f"if XSH.history is not None:\n    XSH.history.last_cmd_rtn = {name}_c\ndel {name}_c, {name}_f\n"
        return Typed(enter(f" exec(open('{request.folder}/h{number}').read(),{{}})"), {f"h{number}": encode(code)})


def _usual_files(env: Mapping[str, str]) -> list[str]:
    """What xonsh would read by itself, files and then directories, as far as it is there: --rc takes nothing else."""
    own = os.path.join(user_folder("XDG_CONFIG_HOME", env), "xonsh")
    files = ["/etc/xonsh/xonshrc", os.path.join(own, "rc.xsh"), os.path.join(home_of(env), ".xonshrc")]
    folders = ["/etc/xonsh/rc.d", os.path.join(own, "rc.d")]
    if "XONSHRC" in env:
        files = env["XONSHRC"].split(os.pathsep)
    if "XONSHRC_DIR" in env:
        folders = env["XONSHRC_DIR"].split(os.pathsep)
    return [path for path in files + folders if os.path.exists(path)]


def _hook(name: str, key: str) -> str:
    return script("hook.xonsh.py", name=name, key=key)
