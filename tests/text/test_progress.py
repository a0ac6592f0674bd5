"""What tells how far some work is, and what asks."""

from __future__ import annotations

import pytest

from truetty.text.progress import is_progress


@pytest.mark.parametrize(
    "line",
    [
        "50%",
        "  7.5 %",
        "Reading package lists... 45%",
        "Receiving objects:  45% (450/1000), 1.20 MiB | 2.00 MiB/s",
        "file.iso            45%[====>               ]   1.20M  3.40MB/s    eta 2s",
        "file.iso            45%[========>",
        "     1,234,567  45%    1.20MB/s    0:00:03",
        "0% [Working]",
        "Progress: [ 45%] [##########..............] ",
        "############                  17.3%",
        "############",
        "━━━━━━━━━━━━━━━╸     1.2/3.4 MB 5.0 MB/s eta 0:00:01",
        "a1b2c3: Downloading [====>              ]  1.1MB/9.9MB",
        ".",
        "....",
        "⠋ Loading",
        " 45%|████▌     | 45/100 [00:04<00:05,  9.8it/s]",
    ],
)
def test_progress(line: str) -> None:
    assert is_progress(line)


@pytest.mark.parametrize(
    "line",
    [
        "Name? ",
        "Password: ",
        "user@host:~$ ",
        "web01% ",
        "ada@web-01% ",
        "root@10.0.0.1# ",
        "[root@box ~]# ",
        "85% ❯ ",
        "... ",
        ">>> ",
        "-> ",
        "> ",
        "% ",
        "# ",
        "Press Enter to continue...",
        "Press any key to continue . . .",
        "Continue? [Y/n] ",
        "The disk is 95% full. Delete the logs (y/n) ",
        "The disk is 95% full. Go on? [yes] ",
        "Share in %: ",
        "Choose [1-5]: ",
        "[x] one  [ ] two",
        "Compiling",
    ],
)
def test_no_progress(line: str) -> None:
    assert not is_progress(line)
