"""What the generated faces stand on: one face for one object, callbacks in threads, streams as iterators.

Rule 1: an object of the loop has at most one face at a time, so `registry.get(terminal.id) is terminal`. The table of
        faces is weak: a face keeps its object alive, and a face without references is freed. Faces of objects that
        exist already are made in the loop's thread, so no two threads make one for the same object.
Rule 2: a face belongs to the process in which it was made. After a fork the child's use of it is refused: no loop of
        the child's serves it, and a wait would never end.
Rule 3: a callback is called in a thread of its own, where it may block and may use `truetty.sync`.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Generic, Protocol, Self, TypeVar, overload
from weakref import WeakValueDictionary

from truetty.core.errors import Misuse
from truetty.core.outcome import Waiting
from truetty.questions.replies import OnWaiting
from truetty.sync.loop import loop
from truetty.terminal.options import Making

T = TypeVar("T")
R = TypeVar("R")
T_co = TypeVar("T_co", covariant=True)


class Face(Generic[T_co]):
    """The blocking side of one object of the event loop."""

    def __init__(self, inner: T_co) -> None:
        self.__wrapped__ = inner
        self._process = os.getpid()
        _faces[id(inner)] = self  # no other object has this id while the face lives, since the face holds this one

    def __repr__(self) -> str:
        return loop.ask(lambda: repr(self._inner))

    @property
    def _inner(self) -> T_co:
        if self._process != os.getpid():
            raise Misuse("this was made before a fork and belongs to the parent process: make one here instead")
        return self.__wrapped__


_faces: Final[WeakValueDictionary[int, Face[object]]] = WeakValueDictionary()
F = TypeVar("F", bound=Face[object])


def face(kind: type[F], inner: object) -> F:
    """The face of an object: the one there is, or a new one. In the loop's thread."""
    found = _faces.get(id(inner))
    if isinstance(found, kind):
        return found
    made = kind.__new__(kind)
    Face.__init__(made, inner)
    return made


def face_or_none(kind: type[F], inner: object | None) -> F | None:
    return None if inner is None else face(kind, inner)


async def then(work: Awaitable[T], convert: Callable[[T], R]) -> R:
    return convert(await work)


@overload
def unwrap(value: Face[T]) -> T: ...
@overload
def unwrap(value: T) -> T: ...
def unwrap(value: object) -> object:
    """The object behind a face; anything else as it is."""
    return value.__wrapped__ if isinstance(value, Face) else value


# -- opening


class Opens(Protocol):
    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    async def close(self) -> None: ...


O = TypeVar("O", bound=Opens)  # noqa: E741


def open_in_loop(make: Callable[[], O]) -> O:
    """Made and opened in the loop, and closed at the end of the program if not before."""

    return keep(loop.call(lambda: make().__aenter__()))


def keep(inner: O) -> O:
    loop.keep(inner)
    return inner


# -- callbacks


@dataclass(frozen=True, slots=True)
class InThread:
    """A callback that is called in a thread; what a coroutine function returns is awaited in the loop.

    Two of the same callback are equal: a registry takes a terminal that was made with one for the other.
    """

    callback: OnWaiting

    async def __call__(self, waiting: Waiting) -> str | None:
        answer = await _in_new_thread(lambda: self.callback(waiting))
        return await answer if inspect.isawaitable(answer) else answer


def in_thread(callback: OnWaiting | None) -> OnWaiting | None:
    """None stays None, and what cannot be called is left for the terminal to refuse."""
    return InThread(callback) if callable(callback) else callback


M = TypeVar("M", bound=Making)


def with_thread(arguments: M) -> M:
    """The arguments of a call, a copy of its own, with their callback in a thread."""
    if "on_waiting" in arguments:
        arguments["on_waiting"] = in_thread(arguments["on_waiting"])
    return arguments


async def _in_new_thread(work: Callable[[], T]) -> T:
    """A daemon thread, not one of a pool: an `input()` that is never answered must not keep Python from ending, and six
    of them must not keep a seventh from being asked."""
    answer: Future[T] = Future()

    def run() -> None:
        if answer.set_running_or_notify_cancel():
            try:
                answer.set_result(work())
            except BaseException as error:
                answer.set_exception(error)

    threading.Thread(target=run, name="truetty.sync callback", daemon=True).start()
    return await asyncio.wrap_future(answer)


# -- streams


class Stream(Protocol[T_co]):
    def __anext__(self) -> Awaitable[T_co]: ...
    def aclose(self) -> Awaitable[None]: ...


def iterate(stream: Stream[T]) -> Iterator[T]:
    """Closed at the end of the loop over it. That is not waited for: the collector ends a generator in any thread."""
    try:
        while True:
            try:
                item = loop.call(stream.__anext__)
            except StopAsyncIteration:
                return
            yield item
    finally:
        loop.post(stream.aclose)
