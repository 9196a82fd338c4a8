"""Finds and runs the command tfparse, which reads and writes the files."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
import weakref
from pathlib import Path
from typing import IO, Any, Sequence

VARIABLE = "TFPARSE_BINARY"  # the environment variable that names another binary
_EXE = "tfparse.exe" if os.name == "nt" else "tfparse"
_KEPT = 64 << 10  # bytes of the messages of a run that an exception may have


class Error(Exception):
    """Bad input, or another failure of the command.

    ``file``, ``record`` (from 0), ``offset`` (in the uncompressed file, in bytes), ``feature`` and ``kind`` (the class of the fault,
    such as ``"payload_crc"``) say where and what; each is None where it does not apply. ``code`` is the exit code of the command.
    """

    def __init__(self, message: str, place: dict[str, Any] | None = None, code: int | None = None) -> None:
        super().__init__(message)
        place = place or {}
        self.message = message
        self.file: str | None = place.get("file")
        self.record: int | None = place.get("record")
        self.offset: int | None = place.get("offset")
        self.feature: str | None = place.get("feature")
        self.kind: str | None = place.get("class")
        self.code = code


class UsageError(Error, ValueError):
    """Arguments that the command refuses, such as an expression with a syntax error."""


class SkippedWarning(UserWarning):
    """Records were left out, with ``on_error="skip"``: the text says which."""


def binary() -> str:
    """Return the path of the command: that of TFPARSE_BINARY, of the package, or a tfparse on PATH."""
    if named := os.environ.get(VARIABLE):
        return named
    packaged = Path(__file__).with_name("_bin") / _EXE
    if packaged.is_file():
        return str(packaged)
    # Of a development install: the script of this package, which may be on PATH too, would call itself.
    for folder in os.get_exec_path():
        found = shutil.which(_EXE, path=folder)
        if found and Path(found).parent.resolve() != Path(sys.executable).parent.resolve():
            with open(found, "rb") as f:
                if f.read(2) != b"#!":
                    return found
    raise Error(f"no {packaged} and no tfparse on PATH: reinstall tfrecord-tools (a virus scanner may have removed it), or set {VARIABLE}")


def main() -> None:
    """Run the command in place of this process: the console script tfparse."""
    try:
        command = [binary(), *sys.argv[1:]]
    except Error as err:
        sys.exit(f"tfparse: {err}")
    if os.name == "nt":  # there execv returns to the shell at once
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)


class Process:
    """One run of the command, with pipes from its standard output and to its standard input, and an open file."""

    def __init__(self, args: Sequence[str], stdin: bool = False, file: int | None = None) -> None:
        self._pid = os.getpid()  # of the process that may end the command: not a fork of it
        self._messages: IO[bytes] = tempfile.TemporaryFile()  # a pipe that nobody reads would fill up
        self._popen = subprocess.Popen(
            [binary(), *args],
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            pass_fds=() if file is None else (file,),
            env={**os.environ, "TFPARSE_ERRORS": "json"},
        )
        _processes.add(self)
        assert self._popen.stdout is not None
        self.stdout: IO[bytes] = self._popen.stdout
        self.stdin = self._popen.stdin

    def leave(self) -> None:
        """Let go of the pipes in a fork of the process that started the command: it would not see that they are closed there."""
        null = os.open(os.devnull, os.O_RDWR)
        for pipe in (self._popen.stdout, self._popen.stdin):
            if pipe is not None and not pipe.closed:
                os.dup2(null, pipe.fileno(), inheritable=False)
        os.close(null)

    def stop(self) -> None:
        """End the command. It drops the file that it writes."""
        if self._pid != os.getpid() or self._popen.returncode is not None:
            return
        self.stdout.close()
        self._popen.terminate()
        try:
            self._popen.wait(5)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()
        self._close_input()
        self._messages.close()

    def ended(self) -> bool:
        """Return whether the command has ended, or does so within two seconds."""
        try:
            self._popen.wait(2)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _close_input(self) -> None:
        if self.stdin is not None:
            try:
                self.stdin.close()
            except OSError:  # what is in its buffer cannot be written
                pass

    def finish(self, negative: bool = False, quiet: bool = False) -> int:
        """Wait for the end and return the exit code; raise an Error if the command failed.

        negative allows exit code 1, a check that failed. quiet drops the messages of a run that succeeded.
        """
        self.stdout.close()
        self._close_input()
        code = self._popen.wait()
        size = self._messages.seek(0, os.SEEK_END)
        self._messages.seek(max(0, size - _KEPT))
        text = self._messages.read().decode(errors="replace").strip()
        self._messages.close()
        if code == 0 and _place(text.rpartition("\n")[2]):
            code = 4  # where SIGCHLD is ignored, Python does not learn the exit code
        if code == 3:
            warnings.warn(text, SkippedWarning, stacklevel=_outside())
        elif code == 0 or code == 1 and negative:
            if text and not quiet:
                warnings.warn(text, UserWarning, stacklevel=_outside())
        else:
            raise _error(text, code)
        return code


_processes: weakref.WeakSet[Process] = weakref.WeakSet()  # those that this process started


def _leave_all() -> None:
    for process in list(_processes):
        process.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all)


def _outside() -> int:
    """Return the stacklevel with which a warning of the caller points at the code that called this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and Path(frame.f_code.co_filename).parent == Path(__file__).parent:
        level, frame = level + 1, frame.f_back
    return level


def _error(text: str, code: int) -> Error:
    """Return the exception of a run that failed. The last line of its messages is JSON, unless it was killed."""
    place = _place(text.rpartition("\n")[2])
    text = place.get("message", text).removeprefix("-: ")  # of standard input, as which data come from write
    if place.get("file") == "-":
        del place["file"]
    kind = UsageError if code == 2 and not re.search("^(panic|fatal error|runtime): ", text, re.MULTILINE) else Error  # of Go
    return kind(text or f"tfparse ended with exit code {code}", place, code)


def _place(line: str) -> dict[str, Any]:
    """Return an error of the command in JSON; {} for any other message."""
    try:
        place = json.loads(line) if line.startswith("{") else {}
    except ValueError:
        return {}
    return place if "message" in place else {}


def call(args: Sequence[str], negative: bool = False, quiet: bool = False) -> tuple[str, int]:
    """Run the command and return its output and exit code."""
    p = Process(args)
    try:
        out = p.stdout.read().decode()
        return out, p.finish(negative, quiet)
    finally:
        p.stop()
