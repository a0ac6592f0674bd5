# Sourced by ./truetty and ./test: `environment run|extras|dev` makes `.venv` in $here, with what they need.
#
# If it is there already, this starts two small processes and no Python. All messages go to stderr.

environment() {
    # The tree's own path is in the key because a virtual environment does not survive being moved or copied.
    key="$(cat "$here/pyproject.toml" "$here/requirements.lock" | cksum) $here"
    stamp=
    { IFS= read -r stamp <"$here/.venv/$1.stamp"; } 2>/dev/null || :
    if [ "$stamp" != "$key" ] || [ ! -x "$here/.venv/bin/python" ]; then
        python=$(choose_python) || return 1
        "$python" "$here/tools/environment.py" "$1" "$key" </dev/null >&2
    fi
}

# Prints a Python that is new enough and can fill a virtual environment.
choose_python() {
    found=
    if [ -n "${TRUETTY_PYTHON:-}" ]; then
        set -- "$TRUETTY_PYTHON"
    else
        set -- python3.13 python3.12 python3.11 python3
    fi
    for candidate; do
        # Being there is not enough: pyenv's python3.13 is a script that may only say that there is none.
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' </dev/null >/dev/null 2>&1 || continue
        found=$candidate
        "$candidate" -c 'import venv
try: import ensurepip
except ImportError: import pip' </dev/null >/dev/null 2>&1 || continue
        echo "$candidate"
        return
    done
    if [ -n "$found" ]; then
        echo "truetty: $found has neither ensurepip nor pip. On Debian: apt-get install python3-venv" >&2
    else
        echo "truetty: no Python 3.11 or newer found (looked for $*). TRUETTY_PYTHON may name one." >&2
    fi
    return 1
}
