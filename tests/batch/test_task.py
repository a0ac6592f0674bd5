"""Tasks as JSON says them, and the file of results."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import pytest

from truetty import HostError, Misuse, Task, TaskResult
from truetty.batch.book import Book


def test_a_task_is_read_from_json() -> None:
    task = Task.of({"id": "a", "commands": "make", "env": {"X": "1"}, "timeout": 5, "resources": {"gpu": 1}})
    assert task == Task("a", ("make",), (), None, {"X": "1"}, 5.0, {"gpu": 1})
    assert Task.of(task) is task
    assert Task.of({"id": "b", "commands": ["x", "y"], "setup": ["z"], "cwd": "/"}).setup == ("z",)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([], "a task is a mapping"),
        ({"commands": ["x"]}, "the id of a task"),
        ({"id": "", "commands": ["x"]}, "the id of a task"),
        ({"id": 1, "commands": ["x"]}, "the id of a task"),
        ({"id": "a"}, "commands of task 'a' must be a text or a list of texts"),
        ({"id": "a", "commands": []}, "at least one command"),
        ({"id": "a", "commands": [1]}, "a text or a list of texts"),
        ({"id": "a", "commands": "x", "cwd": 1}, "cwd of task 'a' must be a path"),
        ({"id": "a", "commands": "x", "env": {"X": 1}}, "env of task 'a' must be names with texts"),
        ({"id": "a", "commands": "x", "env": {"A=B": "1"}}, "env of task 'a': 'A=B' cannot be the name of a variable"),
        ({"id": "a", "commands": "x", "env": {"A": "\ud800"}}, r"env of task 'a': env\['A'\] holds half a character"),
        ({"id": "a", "commands": "x", "timeout": 0}, "more than 0"),
        ({"id": "a", "commands": "x", "timeout": 10**400}, "more than 0"),
        ({"id": "a", "commands": "x", "resources": {"gpu": 10**400}}, "names with numbers"),
        ({"id": "a", "commands": "x", "timeout": True}, "more than 0"),
        ({"id": "a", "commands": "x", "resources": {"gpu": True}}, "names with numbers"),
        ({"id": "a", "commands": "x", "resources": {"gpu": -1}}, "names with numbers, 0 or more"),
        ({"id": "a", "commands": "x", "resources": {"gpu": float("nan")}}, "names with numbers, 0 or more"),
        ({"id": "a", "commands": "x", "command": "y"}, "a task has no field 'command'; it has id, commands,"),
    ],
)
def test_a_wrong_task_is_refused(given: Any, says: str) -> None:
    with pytest.raises(Misuse, match=says):
        Task.of(given)


def test_a_file_says_what_was_begun_and_finished(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with Book(str(path)) as book:
        book.start("a", 1)
        book.start("b", 1)
        book.end(TaskResult("a", "failed", (), 1, 0.5))
        with pytest.raises(Misuse, match="another run writes its results there"):
            Book(str(path))
    with Book(str(path)) as book:
        assert (book.finished, book.begun) == ({"a": "failed"}, {"b": 1})
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(one["event"], one["id"]) for one in lines] == [("started", "a"), ("started", "b"), ("done", "a")]
    assert (lines[2]["state"], lines[2]["outcomes"], lines[2]["attempts"]) == ("failed", [], 1)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_line_that_was_cut_counts_as_not_written(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with Book(str(path)) as book:
        book.start("a", 1)
        book.end(TaskResult("a", "done", (), 1, 0.5))
    path.write_bytes(path.read_bytes()[:-20])
    with Book(str(path)) as book:
        assert (book.finished, book.begun) == ({}, {"a": 1})
        book.end(TaskResult("a", "done", (), 2, 0.5))
    with Book(str(path)) as book:
        assert (book.finished, book.begun) == ({"a": "done"}, {})


def test_a_line_behind_one_that_was_cut_is_whole(tmp_path: Path) -> None:
    """The disk is full in the middle of a line, and has room again."""
    path = tmp_path / "out.jsonl"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Book(str(path)) as book:
        book.start("a", 1)
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, limits[1]))
        try:
            with pytest.raises(HostError, match="cannot write"):
                book.start("b", 1)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        book.start("c", 1)
    assert [len(line) for line in path.read_bytes().splitlines()][1] == 20
    with Book(str(path)) as book:
        assert book.begun == {"a": 1, "c": 1}


def test_what_is_no_regular_file_is_not_read() -> None:
    """/dev/full can be read without an end."""
    with Book("/dev/full") as book, pytest.raises(HostError, match="cannot write /dev/full: No space left on device"):
        book.start("a", 1)


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"id": "a", "commands": "x"}\n')
    with pytest.raises(Misuse, match=r"tasks.jsonl:1 is no result of a map: give another file"):
        Book(str(path))
    assert path.read_text() == '{"id": "a", "commands": "x"}\n'
    for text in ("A letter.\n", "no line"):
        path.write_text(text)
        with pytest.raises(Misuse, match=r"tasks.jsonl:1 is no result of a map: give another file"):
            Book(str(path))
        assert path.read_text() == text
    with pytest.raises(HostError, match="cannot write"):
        Book(str(tmp_path / "no" / "such" / "folder"))
