"""Record batches of the command in memory that both processes share, which is up to twice as fast as a pipe."""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import sys
from typing import TYPE_CHECKING, Sequence

from tfrecord_tools._command import Process

if TYPE_CHECKING:
    import pyarrow as pa

_SLOT = 1 << 36  # bytes from a slot to the next one in the file, of which only what is written takes memory
_AHEAD = 4  # free slots that the command has: it is at most so many batches ahead
_PUNCH_HOLE = 3  # mode of fallocate that gives memory back, and keeps the size of the file

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

        if sys.maxsize > 1 << 32 and resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY:
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


class _Mapping:
    """A piece of the file in the memory of this process, as long as something refers to it.

    An mmap.mmap would keep a file descriptor each, which a table of many batches has too few of.
    """

    def __init__(self, reader: SlotReader, slot: int, size: int) -> None:
        self.address = 0
        self._reader, self._slot, self._size, self._forks = reader, slot, size, _forks
        access = mmap.PROT_READ | mmap.PROT_WRITE  # nothing writes, but only so memory can be given back
        address = reader.libc.mmap(None, size, access, mmap.MAP_SHARED, reader.file, slot * _SLOT)
        if address == ctypes.c_void_p(-1).value:
            raise OSError(ctypes.get_errno(), "cannot map a batch")
        self.address = address

    def __del__(self) -> None:
        if not self.address:
            return
        if self._forks == _forks:  # else a fork of this process may still see the bytes
            self._reader.release(self._slot, self.address, self._size)
        self._reader.libc.munmap(self.address, self._size)


class SlotReader:
    """The stream of ``tfparse export --slots``, as a file that pyarrow reads.

    The command writes each piece of the stream, a batch with its metadata, to a free slot of the file, and pyarrow uses the bytes where
    they are. When nothing refers to a piece, its slot is free again: kept batches are never overwritten, and take a slot each.
    """

    def __init__(self, process: Process, file: int) -> None:
        self.closed = False
        self.file = file
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.mmap.restype = ctypes.c_void_p
        self.libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        self.libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self.libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self.libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]
        self._process = process
        self._pid = os.getpid()
        self._count = 0  # slots so far
        self._free: list[int] = []  # slots that nothing refers to, and the command does not have
        self._used: set[int] = set()  # slots that something refers to
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
        """Return the next piece; None at the end."""
        import pyarrow as pa

        head = self._process.stdout.read(16)
        if len(head) < 16:
            return None
        slot, size = struct.unpack("<QQ", head)
        try:
            mapping = _Mapping(self, slot, size)
        except OSError:  # as with very many batches, or a limit of the address space
            piece = pa.allocate_buffer(size)
            if os.preadv(self.file, [piece], slot * _SLOT) < size:
                raise
            self._free.append(slot)
        else:
            self._used.add(slot)
            piece = pa.foreign_buffer(mapping.address, size, mapping)
        self._offer()
        return piece

    def release(self, slot: int, address: int, size: int) -> None:
        """Let the command use a slot again, or give its memory back."""
        self._used.discard(slot)
        if self.closed:
            self.libc.madvise(address, size, mmap.MADV_REMOVE)
        else:
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
        if self.closed or self._pid != os.getpid():  # a fork reads nothing, and must not take the memory away
            return
        self.closed = True
        self._piece = None
        for slot in range(self._count):
            if slot not in self._used:
                self.libc.fallocate(self.file, _PUNCH_HOLE, slot * _SLOT, _SLOT)
        os.close(self.file)
