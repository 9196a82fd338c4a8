"""The command as a process: ends, signals, forks, streams that are not complete."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from conftest import SPEC, TESTDATA

import tfrecord_tools as tp
from tfrecord_tools import _slots
from tfrecord_tools._command import Process

pytestmark = pytest.mark.usefixtures("transport")
posix = pytest.mark.skipif(os.name != "posix", reason="signals and scripts of POSIX")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def endless(numbered):
    """More data than a pipe holds."""
    return [numbered[0]] * 200


@posix
def test_dropped(endless):
    def begin():
        it = tp.batches(endless, spec=SPEC)
        next(it)
        return it, it._process._popen.pid

    it, pid = begin()
    assert alive(pid)
    it.close()
    it.close()
    assert not alive(pid) and list(it) == []
    with begin()[0] as it:
        pid = it._process._popen.pid
    assert not alive(pid)
    with pytest.raises(RuntimeError), tp.batches(endless, spec=SPEC) as it:
        pid = it._process._popen.pid
        raise RuntimeError
    assert not alive(pid)


@posix
def test_dropped_at_once(endless, monkeypatch):
    """Reference counting ends the command, without the garbage collector, and though a batch is kept."""
    started = []

    def process(args, **options):
        p = Process(args, **options)
        started.append(p._popen.pid)
        return p

    monkeypatch.setattr(_slots, "Process", process)
    gc.disable()
    try:
        it = tp.batches(endless, spec=SPEC, rows=10)
        kept = next(it)
        assert alive(started[0])
        del it
        assert not alive(started[0]) and kept.num_rows == 10
        for _ in tp.batches(endless, spec=SPEC, rows=10):
            assert alive(started[1])
            break
        assert not alive(started[1])
    finally:
        gc.enable()


@posix
def test_fork(endless):
    """A fork that drops its copy of the iterator does not end the command."""
    it = tp.batches(endless, spec=SPEC)
    next(it)
    child = os.fork()
    if child == 0:
        it.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0 and next(it).num_rows > 0
    it.close()


@posix
def test_interrupt(endless):
    """Ctrl-C ends the program with KeyboardInterrupt, and the command with it."""
    program = f"""
        import time, tfrecord_tools as tp
        it = tp.batches({endless!r}, spec={SPEC!r})
        print(it._process._popen.pid, flush=True)
        try:
            for b in it: time.sleep(0.001)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    for whole_group in (True, False):
        p = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True, start_new_session=True)
        pid = int(p.stdout.readline())
        time.sleep(0.2)
        (os.killpg if whole_group else os.kill)(p.pid, signal.SIGINT)
        out, _ = p.communicate(timeout=20)
        assert out == "interrupted\n" and not alive(pid)


STUB = """#!{python}
import atexit, io, os, struct, sys, pyarrow as pa
batch = pa.RecordBatch.from_pydict({{"n": list(range(10))}})
out = sys.stdout.buffer
if "--slots" in sys.argv:
    class Slots(io.BytesIO):  # a piece for each flush
        def flush(self):
            if data := self.getvalue():
                (slot,) = struct.unpack("<I", sys.stdin.buffer.read(4))
                os.pwrite(int(sys.argv[sys.argv.index("--slots") + 1]), data, slot << 36)
                sys.stdout.buffer.write(struct.pack("<QQ", slot, len(data)))
                sys.stdout.buffer.flush()
            self.seek(0); self.truncate()
    out = Slots()
    atexit.register(out.flush)
def stream(batches, end, finish=True):
    w = pa.ipc.new_stream(out, batch.schema)
    for i in range(batches): w.write_batch(batch, custom_metadata={{"tfparse:next": f"0:{{10*i+10}}"}})
    if end is not None: w.write_batch(batch.slice(0, 0), custom_metadata={{"tfparse:end": str(end)}})
    if finish: w.close()
    out.flush()
{body}
"""


@posix
@pytest.mark.lean
@pytest.mark.parametrize(
    "body, rows, message",
    [
        ("stream(3, 30)", 30, None),
        ("stream(3, 30); sys.stderr.write('x' * 1000000)", 30, None),  # more than a pipe holds
        ("stream(3, None)", 20, "closing batch"),
        ("stream(3, None, False)", 20, "closing batch"),
        ("stream(3, 40)", 20, "30 arrived"),
        ("stream(3, 30); sys.exit('it failed')", 20, "it failed"),
        ("stream(3, 30); sys.exit(4)", 20, "exit code 4"),
        ("stream(3, None); sys.stderr.write('{\"file\": \"f\", \"message\": \"bad\"}'); sys.exit(4)", 20, "bad"),
        ("sys.exit('no schema')", 0, "no schema"),
        ("pass", 0, "without a schema"),
        ("import os; stream(2, None, False); os.kill(os.getpid(), 9)", 10, "-9"),
        ("stream(3, None, False); out.write(b'\\xff\\xff\\xff\\xff\\x10\\x10')", 20, "closing batch"),
    ],
)
def test_incomplete(tmp_path, monkeypatch, body, rows, message):
    """The last batch of a stream that is not complete is not returned; there is an error in its place."""
    stub = tmp_path / "stub"
    stub.write_text(STUB.format(python=sys.executable, body=body))
    stub.chmod(0o755)
    monkeypatch.setenv("TFPARSE_BINARY", str(stub))
    got = 0

    def run():
        nonlocal got
        for b in tp.batches("x"):
            got += b.num_rows

    if message is None:
        if "stderr" in body:
            with pytest.warns(UserWarning):
                run()
        else:
            run()
    else:
        with pytest.raises(tp.Error, match=message) as e:
            run()
        assert "bad" not in message or e.value.file == "f"
    assert got == rows


@pytest.mark.lean
def test_binary(tmp_path, monkeypatch):
    monkeypatch.setenv("TFPARSE_BINARY", str(tmp_path / "none"))
    with pytest.raises(OSError):
        tp.verify(TESTDATA / "recipes.tfrecord")
    monkeypatch.delenv("TFPARSE_BINARY")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(tp.Error, match="reinstall|TFPARSE_BINARY"):
        tp.binary()
    (tmp_path / "tfparse").write_text("#!/bin/sh\n")  # a script such as our own: not the command
    (tmp_path / "tfparse").chmod(0o755)
    with pytest.raises(tp.Error):
        tp.binary()


@pytest.mark.lean
def test_main():
    out = subprocess.run([sys.executable, "-m", "tfrecord_tools", "count", TESTDATA / "recipes.tfrecord"], capture_output=True, text=True, check=True)
    assert out.stdout.startswith("12\t")
    assert subprocess.run([sys.executable, "-m", "tfrecord_tools", "count", "none"], capture_output=True).returncode == 4
    lazy = "import sys, tfrecord_tools; sys.exit(any(m in sys.modules for m in ('pyarrow', 'torch', 'pandas', 'numpy')))"
    assert subprocess.run([sys.executable, "-c", lazy]).returncode == 0
