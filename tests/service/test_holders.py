"""Seats are found by the tasks that hold them as if all had been looked at, whatever has happened to them."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from tests.service.test_seat import EVENTS
from truetty.service.holders import Holders
from truetty.service.seat import Seat
from truetty.service.seat_request import complete
from truetty.service.states import Claim, Closing, Own
from truetty.terminal.options import Options
from truetty.terminal.terminal import Terminal

CLAIMS = [Claim("a", "me"), Claim("b", "me"), Claim(None, "me")]


async def follow(claims: list[Claim], events: list[tuple[int, str]], removed: int) -> None:
    request = complete(Options("bash"))
    holders, seats = Holders(), [Seat(request, Terminal("bash"), claim) for claim in claims]
    for seat in seats:
        holders.add(seat)
    for at, event in events:
        EVENTS[event](seats[at % len(seats)])
    gone = seats.pop(removed % len(seats))
    holders.remove(gone)
    gone.close()  # what becomes of it is told to nobody
    alive = [seat for seat in seats if not isinstance(seat.state, Closing)]
    assert holders.places == len(alive)
    for task in ("a", "b", None):
        near = [seat for seat in alive if seat.task in (task, None) and seat.state != Own(None)]
        assert holders.near(task) == near


@given(
    st.lists(st.sampled_from(CLAIMS), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(sorted(EVENTS))), max_size=20),
    st.integers(0, 4),
)
def test_seats_are_found_by_their_holders(claims: list[Claim], events: list[tuple[int, str]], removed: int) -> None:
    asyncio.run(follow(claims, events, removed))
