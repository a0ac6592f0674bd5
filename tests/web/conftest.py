"""A real server with its page on, in a state folder of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.conftest import make_server as make_server
from tests.server.conftest import server as server
from tests.server.live import Live
from tests.web.browser import Page


@pytest.fixture
def page(server: Live) -> Iterator[Page]:
    """The page of the server, on any port."""
    server.post("/v1/web", port=0)
    made = Page(server)
    yield made
    made.close()
