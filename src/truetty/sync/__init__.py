"""The blocking face: the same names, for plain scripts and threads.

Rule 1: one event loop in one background thread serves every terminal of the process; it starts with the first.
Rule 2: every call may come from any thread, several at once; each blocks its own caller only.
Rule 3: Ctrl-C in a waiting caller ends the wait, not the command.
Rule 4: a `Terminal` and a `Registry` are open as soon as they are made. What is not closed is closed when Python ends.
Rule 5: `face.py` is written by `tools/make_sync.py` from the async classes. `bridge.py` and `loop.py` are by hand.
"""

from __future__ import annotations

from truetty.batch.task import Task as Task
from truetty.batch.task import TaskResult as TaskResult
from truetty.core.errors import BadCommand as BadCommand
from truetty.core.errors import BadKey as BadKey
from truetty.core.errors import Busy as Busy
from truetty.core.errors import ChannelLost as ChannelLost
from truetty.core.errors import Closed as Closed
from truetty.core.errors import Denied as Denied
from truetty.core.errors import Held as Held
from truetty.core.errors import HostError as HostError
from truetty.core.errors import LimitReached as LimitReached
from truetty.core.errors import Misuse as Misuse
from truetty.core.errors import SpawnFailed as SpawnFailed
from truetty.core.errors import TruettyError as TruettyError
from truetty.core.errors import UnknownTerminal as UnknownTerminal
from truetty.core.outcome import CommandFailed as CommandFailed
from truetty.core.outcome import Outcome as Outcome
from truetty.core.outcome import Waiting as Waiting
from truetty.questions.replies import Reply as Reply
from truetty.settings import Settings as Settings
from truetty.sync.connecting import cluster as cluster
from truetty.sync.connecting import connect as connect
from truetty.sync.face import Command as Command
from truetty.sync.face import Output as Output
from truetty.sync.face import Recording as Recording
from truetty.sync.face import Registry as Registry
from truetty.sync.face import Terminal as Terminal
from truetty.sync.face import Transcript as Transcript
from truetty.terminal.command import Activity as Activity
from truetty.text.digest import Budget as Budget
from truetty.text.screen import Screen as Screen
