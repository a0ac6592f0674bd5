"""Tickets and logins, with a clock that is turned by hand."""

from __future__ import annotations

import pytest

from truetty.server.state.web_book import Address, WebBook
from truetty.web.logins import LOGIN_SECONDS, MOST_LOGINS, Logins
from truetty.web.tickets import MOST_TICKETS, MOST_WRONG, TICKET_SECONDS, WRONG_SECONDS, Tickets, TooManyWrong


def test_a_ticket_is_good_once() -> None:
    tickets = Tickets()
    ticket = tickets.make(0.0)
    assert tickets.take(ticket, 1.0)
    assert not tickets.take(ticket, 1.0)


def test_a_ticket_is_good_for_a_minute() -> None:
    tickets = Tickets()
    first, second = tickets.make(0.0), tickets.make(0.0)
    assert tickets.take(first, TICKET_SECONDS - 0.001)
    assert not tickets.take(second, TICKET_SECONDS)


def test_the_oldest_ticket_gives_way() -> None:
    tickets = Tickets()
    made = [tickets.make(0.0) for _ in range(MOST_TICKETS + 1)]
    assert [tickets.take(one, 1.0) is not None for one in made] == [False, *[True] * MOST_TICKETS]


def test_wrong_tickets_are_counted_for_a_minute() -> None:
    tickets = Tickets()
    for _ in range(MOST_WRONG):
        tickets.count_wrong(0.0)
    with pytest.raises(TooManyWrong) as refused:
        tickets.count_wrong(1.0)
    assert refused.value.seconds == WRONG_SECONDS - 1.0
    tickets.count_wrong(WRONG_SECONDS)


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_login_needs_both_of_its_secrets_and_ends() -> None:
    clock = Clock()
    logins = Logins(WebBook(), clock)
    login, both = logins.begin()
    other, others = logins.begin()
    assert logins.find(both.cookie, both.key) is login
    assert logins.find(both.cookie, others.key) is None
    assert logins.find(both.key, both.cookie) is None
    clock.now += LOGIN_SECONDS
    assert logins.find(both.cookie, both.key) is None
    assert login.over.is_set() and not other.over.is_set()
    assert logins.all == [] and other.over.is_set()


def test_the_oldest_login_gives_way() -> None:
    logins = Logins(WebBook(), Clock())
    first, _ = logins.begin()
    for _ in range(MOST_LOGINS):
        logins.begin()
    assert first.over.is_set() and len(logins.all) == MOST_LOGINS


def test_logins_are_read_back_from_the_journal_of_the_same_keeper() -> None:
    lines: list[object] = []
    book = WebBook((), lines.append, "mark")
    book.open(Address("127.0.0.1", 7717))
    logins = Logins(book, Clock())
    stays, both = logins.begin()
    goes, _ = logins.begin()
    logins.end(goes)
    again = WebBook(lines, keeper="mark")  # type: ignore[arg-type]
    assert again.address == Address("127.0.0.1", 7717)
    found = Logins(again, Clock())
    assert [one.id for one in found.all] == [stays.id]
    assert found.find(both.cookie, both.key) is not None
    third, _ = found.begin()
    assert third.id not in (stays.id, goes.id)
    assert WebBook(again.lines(), keeper="mark").entries.keys() == {stays.id, third.id}
    assert WebBook(lines, keeper="another").address is None  # type: ignore[arg-type]
    book.close()
    assert WebBook(lines, keeper="mark").entries == {}  # type: ignore[arg-type]


def test_a_login_by_a_link_ends_with_the_link() -> None:
    clock = Clock()
    logins = Logins(WebBook(), clock)
    login, both = logins.begin(["watch"], terminal="t3", link="s1", until=clock.now + 60)
    assert login.until == clock.now + 60
    assert login.credential.covers("t3") and login.credential.covers("t3-1") and not login.credential.covers("t31")
    logins.end_link("s1")
    assert logins.find(both.cookie, both.key) is None
