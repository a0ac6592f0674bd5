"""A public path of `Sandbox`. The class is in `host/wall.py`."""

from truetty.host.wall import Sandbox as Sandbox
