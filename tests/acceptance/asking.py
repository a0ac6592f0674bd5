"""A program that asks the terminal something and prints what it gets.

    python3 asking.py HOW SECONDS QUESTION

HOW is how it waits for the first byte: `select`, or `vtime`, by the tty's own limit. QUESTION is written as Python
writes bytes.
"""

from __future__ import annotations

import ast
import os
import select
import sys
import termios
import tty

how, seconds, question = sys.argv[1], float(sys.argv[2]), ast.literal_eval(f"b'{sys.argv[3]}'")
old = termios.tcgetattr(0)
tty.setraw(0)
if how == "vtime":
    modes = termios.tcgetattr(0)
    modes[6][termios.VMIN], modes[6][termios.VTIME] = 0, int(seconds * 10)
    termios.tcsetattr(0, termios.TCSANOW, modes)
os.write(1, question)
answer = b""
if how == "vtime" or select.select([0], [], [], seconds)[0]:
    answer = os.read(0, 100)
termios.tcsetattr(0, termios.TCSANOW, old)
print(answer)
