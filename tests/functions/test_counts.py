"""What an answer leaves out, it counts: `omitted`, `next_offset`, and how many lines match."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from truetty import functions
from truetty.functions import Result
from truetty.service.registry import Registry
from truetty.service.service import MOST_MATCHES, Service

PATIENCE = 60.0
WHOLE = "".join(f"{number}\n" for number in range(1, 20_001))


@pytest.fixture
async def service(home: Path) -> AsyncIterator[Service]:
    async with Service(Registry(shell="bash", rc=False, cwd=home, env={"HOME": str(home)})) as made:
        yield made


async def call(service: Service, name: str, **sent: object) -> Result:
    result = await functions.call(service, name, sent)
    assert result.error is None, result.text
    return result


async def ran(service: Service, command: str = "seq 20000") -> str:
    """A command of whose output no answer has shown anything."""
    started = await service.start(command)
    await started.wait(PATIENCE, "finished")
    return started.id


async def test_a_read_of_much_says_how_much_is_missing_and_where_it_begins(service: Service) -> None:
    id = await ran(service)
    read = await call(service, "read", id=id)
    output, omitted, gap = str(read.data["output"]), read.data["omitted"], read.data["next_offset"]
    assert isinstance(omitted, int) and isinstance(gap, int) and len(output) <= 30_000
    assert WHOLE.startswith(output[:gap]) and not WHOLE.startswith(output[: gap + 1])
    assert output.endswith(WHOLE[gap + omitted :]) and gap + omitted + len(output.rpartition("…]\n")[2]) == len(WHOLE)
    assert f"{omitted:,} characters are left out" in read.text and f"offset={gap}" in str(read.data["next"])
    again = await call(service, "read", id=id)
    assert (again.data["output"], again.data["omitted"], again.data["next_offset"]) == ("", 0, None)


@pytest.mark.parametrize("limit", [1, 50, 199, 200, 1000])
async def test_a_limit_is_kept(service: Service, limit: int) -> None:
    id = await ran(service)
    read = await call(service, "read", id=id, limit=limit)
    assert 0 < len(str(read.data["output"])) <= limit and read.data["omitted"] and read.data["next_offset"] is not None


@pytest.mark.parametrize("sent", [{"offset": 0}, {"offset": 7, "limit": 50}, {"tail": 3}, {"tail": 3, "limit": 4}])
async def test_every_read_counts(service: Service, sent: dict[str, int]) -> None:
    id = await ran(service)
    asked = WHOLE[sent["offset"] :] if "offset" in sent else "19998\n19999\n20000\n"
    read = await call(service, "read", id=id, **sent)
    output, omitted, following = str(read.data["output"]), read.data["omitted"], read.data["next_offset"]
    assert omitted == len(asked) - len(output)
    if "offset" in sent:
        assert asked.startswith(output) and following == sent["offset"] + len(output)
    else:
        assert asked.endswith(output) and following == (len(WHOLE) - len(asked) if omitted else None)
        assert read.data["offset"] == len(WHOLE) - len(output)


async def test_a_last_page_leaves_nothing_out(service: Service) -> None:
    id = await ran(service)
    read = await call(service, "read", id=id, offset=len(WHOLE) - 6)
    assert (read.data["output"], read.data["omitted"], read.data["next_offset"]) == ("20000\n", 0, None)
    behind = await call(service, "read", id=id, offset=10**9)
    assert (behind.data["output"], behind.data["omitted"], behind.data["next_offset"]) == ("", 0, None)


async def test_grep_says_how_many_lines_match(service: Service) -> None:
    id = await ran(service)
    read = await call(service, "read", id=id, grep="1")
    matching = [number for number in range(1, 20_001) if "1" in str(number)]
    assert f"{MOST_MATCHES} of {len(matching):,} matching lines" in read.text
    assert isinstance(read.data["matches"], list) and len(read.data["matches"]) == MOST_MATCHES
    assert read.data["omitted"] == sum(len(f"{number}\n") for number in matching[MOST_MATCHES:])
    following = read.data["next_offset"]
    assert isinstance(following, int) and WHOLE[following:].startswith(f"{matching[MOST_MATCHES]}\n")
    few = await call(service, "read", id=id, grep="^1999[0-4]$")
    assert (few.data["omitted"], few.data["next_offset"]) == (0, None) and "matching lines" not in few.text


async def test_lines_around_matches_come_once_and_within_the_limit(service: Service) -> None:
    id = await ran(service)
    read = await call(service, "read", id=id, grep="1", context=2000, limit=1000)
    assert len(str(read.data["output"])) <= 1000 and len(json.dumps(read.data["matches"])) < 10_000
    assert read.data["omitted"] and read.data["next_offset"]
    near = await call(service, "read", id=id, grep="^1999[79]$", context=1)
    assert near.data["output"] == "19996-19996\n19997:19997\n19998-19998\n19999:19999\n20000-20000\n"
    assert near.data["matches"] == [
        {"line_number": 19997, "line": "19997", "before": ["19996"], "after": ["19998"]},
        {"line_number": 19999, "line": "19999", "before": [], "after": ["20000"]},
    ]


async def test_one_line_that_is_longer_than_the_limit_is_cut(service: Service) -> None:
    id = await ran(service, "head -c 5000 /dev/zero | tr '\\0' x; echo")
    read = await call(service, "read", id=id, grep="x", limit=100)
    assert read.data["output"] == "1:" + "x" * 98
    assert (read.data["omitted"], read.data["next_offset"]) == (5001 - 98, 98)
    whole = await call(service, "read", id=id, limit=100)
    assert (whole.data["output"], whole.data["omitted"], whole.data["next_offset"]) == ("x" * 100, 4901, 100)


async def test_a_read_of_what_folds_counts_what_was_folded(service: Service) -> None:
    id = await ran(service, "for i in $(seq 3000); do echo the same line of text; done")
    read = await call(service, "read", id=id, limit=2000)
    assert "more times" in str(read.data["output"]) and len(str(read.data["output"])) <= 2000
    assert isinstance(read.data["omitted"], int) and read.data["omitted"] > 60_000 and read.data["next_offset"] == 0
