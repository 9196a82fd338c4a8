"""Record batches of the command in memory that both processes share, which is up to twice as fast as a pipe."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import mmap
import os
import struct
import sys
import weakref
from typing import TYPE_CHECKING, Any, Sequence

from tfrecord_tools._command import Process

if TYPE_CHECKING:
    import pyarrow as pa

_SLOT = 1 << 36  # bytes from a slot to the next one in the file, of which only what is written takes memory
_AHEAD = 4  # free slots that the command has: it is at most so many batches ahead
_SMALL = 64 << 10  # bytes of a piece that is copied at once: its slot is free again
_MOST = 10_000  # mappings of this process; a process has 65,530, for its other memory too
_PUNCH_HOLE = 3  # mode of fallocate that gives memory back, and keeps the size of the file
_MOVE_TO = 3  # flags of mremap that put the memory in the place of a mapping


@functools.cache
def _libc() -> Any:
    """Return the functions of the C library about memory."""
    libc = ctypes.CDLL(None, use_errno=True)
    address, size, number, offset = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_long
    libc.mmap.restype = libc.mremap.restype = address
    libc.mmap.argtypes = [address, size, number, number, number, offset]
    libc.mremap.argtypes = [address, size, size, number, address]
    libc.munmap.argtypes = [address, size]
    libc.madvise.argtypes = [address, size, number]
    libc.fallocate.argtypes = [number, number, offset, offset]
    return libc


def _mapped(address: int | None) -> int:
    """Return the result of mmap or mremap; raise an OSError for that of a failure."""
    if address is None or address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return address


def memory_file() -> int | None:
    """Return the descriptor of a new file in memory; None where there is no such file or its size is limited."""
    try:
        import fcntl
        import resource

        if sys.maxsize < 1 << 32 or resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
            return None
        file = os.memfd_create("tfparse")
        try:
            return fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, 3)  # lower numbers are the standard streams of the command
        finally:
            os.close(file)
    except (ImportError, AttributeError, OSError):  # not Linux, or not allowed
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
        self.slot: int | None = slot  # None: the memory is not that of a slot any more
        self._reader, self._size = reader, size
        self.address = 0
        access = mmap.PROT_READ | mmap.PROT_WRITE  # nothing writes, but only so memory can be given back
        self.address = _mapped(_libc().mmap(None, size, access, mmap.MAP_SHARED, reader.file, slot * _SLOT))
        _mappings.add(self)

    def prepare_fork(self) -> None:
        """Keep a copy of the bytes in the same place: the command would change what the other process sees."""
        if self.slot is None:
            return
        slot, self.slot = self.slot, None
        if self._reader.closed:  # nothing is written any more
            return
        access = mmap.PROT_READ | mmap.PROT_WRITE
        try:
            copy = _mapped(_libc().mmap(None, self._size, access, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0))
            ctypes.memmove(copy, self.address, self._size)
            _mapped(_libc().mremap(copy, self._size, self._size, _MOVE_TO, self.address))
        except OSError:  # the slot is not used again
            return
        self._reader.release(slot)

    def __del__(self) -> None:
        if not self.address:
            return
        if self.slot is not None:
            if self._reader.closed:
                _libc().madvise(self.address, self._size, mmap.MADV_REMOVE)
            self._reader.release(self.slot)
        _libc().munmap(self.address, self._size)


_mappings: weakref.WeakSet[_Mapping] = weakref.WeakSet()  # all that this process has


def _prepare_fork() -> None:
    for mapping in list(_mappings):
        mapping.prepare_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_prepare_fork)


class SlotReader:
    """The stream of ``tfparse export --slots``, as a file that pyarrow reads.

    The command writes each piece of the stream, a batch with its metadata, to a free slot of the file, and pyarrow uses the bytes where
    they are. When nothing refers to a piece, its slot is free again: kept batches are never overwritten, and take a slot each.
    """

    def __init__(self, process: Process, file: int) -> None:
        self.closed = False
        self.file = file
        self._process = process
        self._pid = os.getpid()
        self._count = 0  # slots so far
        self._free: list[int] = []  # slots that nothing refers to, and the command does not have
        self._used: set[int] = set()  # slots that a mapping has
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
        piece = None
        if size > _SMALL and len(_mappings) < _MOST:
            with contextlib.suppress(OSError):  # of a limit of the address space
                mapping = _Mapping(self, slot, size)
                self._used.add(slot)
                piece = pa.foreign_buffer(mapping.address, size, mapping)
        if piece is None:
            piece = self._copy(slot * _SLOT, size)
            self._free.append(slot)
        self._offer()
        return piece

    def _copy(self, offset: int, size: int) -> pa.Buffer:
        """Return a copy of bytes of the file."""
        import pyarrow as pa

        piece = pa.allocate_buffer(size)
        view = memoryview(piece)
        done = 0
        while done < size:
            if not (n := os.preadv(self.file, [view[done:]], offset + done)):
                raise OSError(errno.EIO, f"a batch of {size} bytes ends after {done}")
            done += n
        return piece

    def release(self, slot: int) -> None:
        """Let the command use a slot again."""
        self._used.discard(slot)
        if not self.closed:
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
        if self.closed or self._pid != os.getpid():  # a fork must not take away what this process reads
            return
        self.closed = True
        self._piece = None
        for slot in range(self._count):
            if slot not in self._used:
                _libc().fallocate(self.file, _PUNCH_HOLE, slot * _SLOT, _SLOT)
        os.close(self.file)
