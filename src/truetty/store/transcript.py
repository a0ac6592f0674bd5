"""All bytes of one terminal, by absolute offset: the newest in memory, the older in a private file.

Rule 1: an offset, once given, means the same byte for ever; blanking changes a byte, never its place.
Rule 2: appending never fails. What the disk refuses becomes a gap; the next piece is tried anew.
Rule 3: a gap yields nothing when read. Limits are spans of offsets: page on by `offset + limit`.
Rule 4: one thread owns a transcript.
"""

from __future__ import annotations

import errno
import weakref
from collections.abc import Iterable
from typing import Final, Protocol

from truetty.core.errors import HostError, Misuse
from truetty.store.spill import DEFAULT_QUOTA, TOTAL, Allowance, Spill, refused

DEFAULT_MEMORY: Final = 1 << 20  # a terminal may cost 2 MB in all, and a growing bytearray has an eighth of slack

# These say that stored bytes are gone. Anything else (out of descriptors) may be over at the next try.
_GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EIO, errno.ESTALE})

Range = tuple[int, int]


class Forgetful(Protocol):
    def forget(self) -> None:
        """What was made of the bytes is not to be kept any longer."""


class Transcript:
    """All bytes of one terminal."""

    def __init__(
        self,
        *,
        memory: int = DEFAULT_MEMORY,
        folder: str | None = None,
        quota: int | None = DEFAULT_QUOTA,
        total: Allowance = TOTAL,
        store: Spill | None = None,
    ) -> None:
        if memory < 0 or (quota is not None and quota < 0):
            raise Misuse("memory and quota cannot be negative", memory=memory, quota=quota)
        if folder is not None and (why := refused(folder)) is not None:
            raise Misuse(f"{folder}: {why}", folder=folder, reason=why)
        self._memory = memory
        self._recent = bytearray()
        self._base = 0  # the offset of the first byte in memory
        self._gaps: list[Range] = []
        self._store = Spill(folder, quota, total) if store is None else store
        self._kept: weakref.ref[Forgetful] | None = None
        self._kept_end = 0  # of the bytes that it was made of
        self._finalize = weakref.finalize(self, self._store.discard)

    @property
    def size(self) -> int:
        """Bytes ever appended."""
        return self._base + len(self._recent)

    @property
    def path(self) -> str | None:
        """The file, with what is in memory written to it as well; None while everything is in memory."""
        if self._store.holds:
            self._write(len(self._recent))
        return self._store.path

    @property
    def trouble(self) -> str | None:
        """Why the disk did not take what it was last given; None when it did."""
        return self._store.trouble

    def append(self, data: bytes) -> int:
        """Keep bytes; return the offset of the first."""
        recent = self._recent
        at = self._base + len(recent)
        recent += data
        if len(recent) > self._memory:
            self._spill()
        return at

    def keep(self, text: Forgetful, end: int) -> None:
        """Text that was made of the bytes before `end` stays in memory, until the next one is to be kept."""
        self._forget(text)
        self._kept, self._kept_end = weakref.ref(text), end

    def _forget(self, new: Forgetful | None = None) -> None:
        kept = self._kept() if self._kept is not None else None
        if kept is not None and kept is not new:
            kept.forget()
        self._kept = None

    def blank(self, start: int, end: int) -> None:
        """Overwrite by stars, wherever the bytes lie."""
        if start < self._kept_end:
            self._forget()
        base, recent = self._base, self._recent
        if max(base, self._store.holds) <= start < end <= base + len(recent):  # as usual: it has just come
            recent[start - base : end - base] = b"*" * (end - start)
            return
        start, end = max(0, start), min(end, self.size)
        if start >= end:
            return
        if start < self._store.holds:
            for first, last in spans_without(self._gaps, start, min(end, self._store.holds)):
                if not self._store.blank(first, last):
                    self._lose(first, last)  # a byte that cannot be blanked is dropped, so that no secret stays
        if end > self._base:
            first = max(start, self._base)
            self._recent[first - self._base : end - self._base] = b"*" * (end - first)

    def read(self, offset: int = 0, limit: int | None = None) -> bytes:
        """The bytes in [offset, offset + limit), those in a gap left out."""
        start, size = max(0, offset), self.size
        end = size if limit is None else min(size, start + max(0, limit))
        if start >= end:
            return b""
        base = self._base
        if start >= base and not self._gaps:
            with memoryview(self._recent) as view:
                return bytes(view[start - base : end - base])
        return b"".join([self._load(first, last) for first, last in spans_without(self._gaps, start, end)])

    def gaps(self, start: int = 0, end: int | None = None) -> tuple[Range, ...]:
        """What could not be kept, as spans of offsets."""
        stop = self.size if end is None else end
        if start < self._base and not self._store.intact():
            self._lose(0, self._base)
        if not self._gaps:
            return ()
        return tuple((max(a, start), min(b, stop)) for a, b in self._gaps if a < stop and b > start)

    def close(self) -> None:
        """Hold no descriptor any more. Reading goes on; the file is removed with the transcript."""
        if self._store.holds:
            self._write(len(self._recent))
        self._store.close()
        self.gaps()  # what went with the descriptor is known from now on

    def _spill(self) -> None:
        """Move the older half out of memory."""
        base, cut = self._base, len(self._recent) - self._memory // 2
        reached = self._write(cut)
        del self._recent[:cut]
        self._base = base + cut
        if reached < self._base:
            self._lose(reached, self._base)

    def _write(self, cut: int) -> int:
        """Offer the first `cut` bytes in memory to the store; return the offset up to which it has them."""
        known, end = max(self._store.holds, self._base), self._base + cut
        if known >= end:
            return end
        with memoryview(self._recent) as view, view[known - self._base : cut] as part:
            return known + self._store.write(known, part)

    def _load(self, start: int, end: int) -> bytes:
        """Bytes of a span without gaps, from disk and memory."""
        base = self._base
        split = min(max(start, base), end)
        old = b""
        if start < split:
            try:
                old = self._store.read(start, split - start)
            except OSError as error:
                if error.errno not in _GONE:
                    raise HostError(f"the transcript cannot be read: {error}", reason=str(error)) from error
            if len(old) < split - start:
                self._lose(start + len(old), split)
        if split == end:
            return old
        with memoryview(self._recent) as view:
            return old + bytes(view[split - base : end - base])

    def _lose(self, start: int, end: int) -> None:
        gaps = self._gaps
        if gaps and gaps[-1][1] == start:  # a flood onto a full disk
            gaps[-1] = (gaps[-1][0], end)
            return
        apart = [gap for gap in gaps if gap[1] < start or gap[0] > end]
        touching = [gap for gap in gaps if gap[1] >= start and gap[0] <= end]
        whole = (min([start, *(first for first, _ in touching)]), max([end, *(last for _, last in touching)]))
        self._gaps = sorted([*apart, whole])


def spans_without(holes: Iterable[Range], start: int, end: int) -> list[Range]:
    """[start, end) without the holes, which come in order."""
    spans: list[Range] = []
    for first, last in holes:
        if start >= end:
            break
        if first > start:
            spans.append((start, min(first, end)))
        start = max(start, last)
    if start < end:
        spans.append((start, end))
    return spans
