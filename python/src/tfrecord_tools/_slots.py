"""Record batches of the command in memory that both processes share, which is up to twice as fast as a pipe."""

from __future__ import annotations

import mmap
import os
import struct
import weakref
from typing import TYPE_CHECKING, Sequence

from tfrecord_tools._command import Process

if TYPE_CHECKING:
    import pyarrow as pa

_SLOT = 1 << 36  # bytes from a slot to the next one in the file, of which only what is written takes memory
_AHEAD = 4  # free slots that the command has: it is at most so many batches ahead

_forks = 0  # forks of this process so far


def _count_fork() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_count_fork)


def memory_file() -> int | None:
    """Return the descriptor of a new file in memory; None where there is no such file or its size is limited."""
    try:
        import resource

        if resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY:
            return os.memfd_create("tfparse")
    except (ImportError, AttributeError, OSError):  # not Linux, or not allowed
        pass
    return None


def start(args: Sequence[str], names: Sequence[str]) -> tuple[Process, SlotReader | None]:
    """Start tfparse export with a stream in shared memory; without a reader it is on standard output."""
    if (file := memory_file()) is None:
        return Process([*args, "--", *names]), None
    try:
        process = Process([*args, "--slots", str(file), "--", *names], stdin=True, file=file)
        return process, SlotReader(process, file)
    except BaseException:
        os.close(file)
        raise


class SlotReader:
    """The stream of ``tfparse export --slots``, as a file that pyarrow reads.

    The command writes each piece of the stream, a batch with its metadata, to a free slot of the file, and pyarrow uses the bytes where
    they are. When nothing refers to a piece, its slot is free again: kept batches are never overwritten, and take a slot each.
    """

    def __init__(self, process: Process, file: int) -> None:
        self.closed = False
        self._process = process
        self._file = file
        self._count = 0  # slots so far
        self._free: list[int] = []
        self._maps: dict[int, mmap.mmap] = {}  # by slot, of those that are free or the command may write
        self._piece: pa.Buffer | None = None  # the piece that is read; None: the next one comes
        self._at = 0  # bytes of it that were read
        for _ in range(_AHEAD):
            self._offer()

    def _offer(self) -> None:
        """Tell the command of a free slot."""
        if self._free:
            slot = self._free.pop()
        else:
            slot, self._count = self._count, self._count + 1
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(struct.pack("<I", slot))
            self._process.stdin.flush()
        except OSError:  # the command has ended
            pass

    def _next_piece(self) -> pa.Buffer | None:
        import pyarrow as pa

        head = self._process.stdout.read(16)
        if len(head) < 16:
            return None
        slot, size = struct.unpack("<QQ", head)
        mapping = self._maps.pop(slot, None)
        if mapping is None or len(mapping) < size:
            mapping = mmap.mmap(self._file, size, offset=slot * _SLOT)  # writable for MADV_REMOVE only
        view = memoryview(mapping)[:size].toreadonly()
        weakref.finalize(view, self._release, slot, mapping, _forks).atexit = False
        self._offer()
        return pa.py_buffer(view)

    def _release(self, slot: int, mapping: mmap.mmap, forks: int) -> None:
        """Reuse a slot, or give its memory back. A fork of this process may still see its bytes."""
        if forks != _forks:
            return
        if self.closed:
            mapping.madvise(mmap.MADV_REMOVE)
        else:
            self._maps[slot] = mapping
            self._free.append(slot)

    def read_buffer(self, size: int) -> pa.Buffer:
        """Return the next bytes without a copy: at most size, none at the end. pyarrow asks for no more than the piece has."""
        import pyarrow as pa

        if self._piece is None:
            self._piece, self._at = self._next_piece(), 0
            if self._piece is None:
                return pa.py_buffer(b"")
        part = self._piece.slice(self._at, min(size, self._piece.size - self._at))
        self._at += part.size
        if self._at == self._piece.size:
            self._piece = None
        return part

    def read(self, size: int) -> bytes:
        """Return a copy of the next bytes."""
        data: bytes = self.read_buffer(size).to_pybytes()
        return data

    def readable(self) -> bool:
        """Return true: pyarrow asks."""
        return True

    def close(self) -> None:
        """Give back the memory of all pieces that nothing refers to, and of others as soon as nothing does."""
        if not self.closed:
            self.closed = True
            for mapping in self._maps.values():
                mapping.madvise(mmap.MADV_REMOVE)
            self._maps.clear()
            self._piece = None
            os.close(self._file)
