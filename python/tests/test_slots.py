"""Batches in shared memory: kept batches, forks, and memory that is given back."""

from __future__ import annotations

import gc
import itertools
import os
import random
import subprocess
import sys

import pytest
from conftest import SPEC

import tfrecord_tools as tp
from tfrecord_tools import _slots

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="files in memory are of Linux")


def mappings():
    """Return the number of mappings of shared files that this process has."""
    with open("/proc/self/maps") as maps:
        return sum("memfd:tfparse" in line for line in maps)


@pytest.fixture
def many(numbered):
    """Files whose batches take slots again and again."""
    return [numbered[0]] * 40


def test_equal(many, monkeypatch):
    shared = tp.read(many, spec=SPEC)
    monkeypatch.setattr(_slots, "memory_file", lambda: None)
    assert shared.equals(tp.read(many, spec=SPEC), check_metadata=True)


def test_kept(many):
    """Batches that are kept do not change, nor what refers to a part of one; slots of the others are used again."""
    rng = random.Random(1)
    kept = []
    with tp.batches(many, spec=SPEC) as it:
        for batch in it:
            if rng.random() < 0.3:
                kept.append((batch, batch.to_pylist()))
            elif rng.random() < 0.3:
                column = batch.column(0).slice(1)
                kept.append((column, column.to_pylist()))
            if len(kept) > 10:
                kept.pop(rng.randrange(len(kept)))
            del batch
            for values, expected in kept:
                assert values.to_pylist() == expected
        assert 4 < it._slots._count < 24
    for values, expected in kept:
        assert values.to_pylist() == expected


def test_given_back(many, monkeypatch):
    """Kept batches take little more memory than they have, and none when they are dropped."""
    copies = []

    def memory_file(make=_slots.memory_file):
        file = make()
        copies.append(os.dup(file))
        return file

    monkeypatch.setattr(_slots, "memory_file", memory_file)
    table = tp.read(many * 4, spec=SPEC)
    blocks = os.fstat(copies[0]).st_blocks * 512
    assert 0 < blocks < table.nbytes
    os.close(copies[0])
    assert 0 < mappings() <= 32
    del table
    gc.collect()
    assert mappings() == 0


def test_fork(many):
    """A fork sees the batches that it has, though this process drops them and reads on; and may close its copy of the iterator."""
    it = tp.batches(many, spec=SPEC)
    batch = next(it)
    expected = batch.to_pylist()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        it.close()
        os.read(read, 1)
        same = batch.to_pylist() == expected
        del batch
        os._exit(not same)
    rest = list(expected)
    for b in it:
        rest += b.to_pylist()
        if os.fork() == 0:
            it.close()
            os._exit(0)
    assert it._slots._count < 10  # the slots of batches that forks have seen are used again
    del batch
    os.write(write, b".")
    assert os.waitpid(child, 0)[1] == 0
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    assert rest == tp.read(many, spec=SPEC).to_pylist()
    os.close(read)
    os.close(write)


def test_descriptors(many):
    """Kept batches take no file descriptors."""
    before = len(os.listdir("/proc/self/fd"))
    kept = list(tp.batches(many, spec=SPEC))
    assert len(kept) > 10 and len(os.listdir("/proc/self/fd")) == before


def test_closed_streams(many):
    """The file is none of the standard streams of the command, though this process has closed its own."""
    program = f"""
import os, sys, tfrecord_tools as tp
for fd in (0, 1): os.close(fd)
n = sum(b.num_rows for b in tp.batches({many!r}, spec={SPEC!r}))
os._exit(n == 0)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_no_address(many, monkeypatch):
    """Batches that the process cannot map are copied."""
    expected = tp.read(many, spec=SPEC)
    maps = _slots.SlotReader._map
    calls = itertools.count()

    def refuse(self, *args):
        if next(calls) % 2:
            raise OSError("no address")
        return maps(self, *args)

    monkeypatch.setattr(_slots.SlotReader, "_map", refuse)
    assert tp.read(many, spec=SPEC).equals(expected)


def test_no_memory_file(many, monkeypatch):
    """Where the system has no file in memory, batches come over a pipe."""

    def refuse(name):
        raise OSError("not allowed")

    monkeypatch.setattr(os, "memfd_create", refuse)
    with tp.batches(many, spec=SPEC) as it:
        assert it._slots is None and next(it).num_rows > 0
