# One command of xonsh: run in xonsh's own process and names, as its prompt would run it, between our two marks.
# Python, not xonsh: it is read by exec(), so it must not depend on how xonsh reads a line.
def @NAME@():
    import subprocess
    import sys

    from xonsh.built_ins import XSH
    from xonsh.tools import XonshError, print_exception

    def tell(mark):
        try:
            with open("/dev/tty", "w") as tty:
                tty.write(mark)
        except OSError:
            return False
        return True

    with open("@FOLDER@/t@NUMBER@", encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    XSH.ctx.pop("@NAME@", None)
    history, code = XSH.history, 0
    if history is not None:
        history.last_cmd_rtn = None
    with open("/dev/tty") as tty:
        if @PROBE@:
            tell("\033]7717;M;@START@\007") and tty.readline()
    tell("\033]7717;C;@START@\007")
    try:
        try:
            compiled = XSH.execer.compile(text + "\n", mode="single", glbs=XSH.ctx, locs=None)
        except SyntaxError:  # several statements, or an error that "exec" will tell
            compiled = XSH.execer.compile(text + "\n", mode="exec", glbs=XSH.ctx, locs=None)
        if compiled is not None:
            exec(compiled, XSH.ctx, None)
    except SystemExit:
        raise
    except KeyboardInterrupt:
        code = 130
    except subprocess.CalledProcessError as error:
        code = error.returncode
    except XonshError as error:
        code = 1
        print(error.args[0], file=sys.stderr)
    except BaseException:
        code = 1
        print_exception()
    if history is not None:
        code = history.last_cmd_rtn = history.last_cmd_rtn or code
    sys.stdout.flush()
    sys.stderr.flush()
    tell(f"\033]7717;D;@END@;{code if code >= 0 else 128 - code};\007")


@NAME@()
