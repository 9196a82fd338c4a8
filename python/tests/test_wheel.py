"""The wheels: contents of all platforms, and an offline installation on this one.

TFPARSE_BINARIES may name the binaries of a release, as "linux/arm64=PATH …"; the others are stand-ins that only begin as such.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import struct
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from conftest import TESTDATA

import tfrecord_tools as tp

if sys.version_info < (3, 11):
    pytest.skip("build_wheels.py needs Python 3.11", allow_module_level=True)
sys.path.insert(0, str(Path(__file__).parents[1]))
import build_wheels  # noqa: E402

MAGIC = {"linux": b"\x7fELF", "darwin": struct.pack("<I", 0xFEEDFACF), "windows": b"MZ"}
HERE = f"{'darwin' if sys.platform == 'darwin' else 'windows' if os.name == 'nt' else 'linux'}/{'arm64' if platform.machine().lower() in ('arm64', 'aarch64') else 'amd64'}"
PLATFORMS = (Path(__file__).parents[2] / ".ci" / "release-platforms").read_text().split()


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("wheels")
    named = dict(b.split("=", 1) for b in os.environ.get("TFPARSE_BINARIES", "").split())
    out = {}
    for p in PLATFORMS:
        binary = Path(named.get(p) or (tp.binary() if p == HERE else folder / p.replace("/", "-")))
        if not binary.exists():
            binary.write_bytes(MAGIC[p.split("/")[0]])
        out[p] = build_wheels.write_wheel(folder, "v1.2.3", p, binary)
    return out


@pytest.mark.lean
def test_contents(wheels, tmp_path):
    assert set(PLATFORMS) == set(build_wheels.TAGS) and len({w.name for w in wheels.values()}) == 6
    for p, wheel in wheels.items():
        name, version, *tag = wheel.stem.split("-")
        assert (name, version, tag[:2]) == ("tfrecord_tools", "1.2.3", ["py3", "none"])
        with zipfile.ZipFile(wheel) as z:
            assert z.testzip() is None
            record = z.read("tfrecord_tools-1.2.3.dist-info/RECORD").decode().splitlines()
            assert sorted(r.split(",")[0] for r in record) == sorted(z.namelist())
            for line in record[:-1]:
                path, digest, size = line.split(",")
                data = z.read(path)
                assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode() and int(size) == len(data)
            text = z.read("tfrecord_tools-1.2.3.dist-info/WHEEL").decode()
            assert {t for t in text.splitlines() if t.startswith("Tag")} == {f"Tag: py3-none-{t}" for t in tag[2].split(".")}
            binary = z.getinfo(f"tfrecord_tools/_bin/tfparse{'.exe' if p.startswith('windows') else ''}")
            assert z.read(binary).startswith(MAGIC[p.split("/")[0]]) and binary.external_attr >> 16 == 0o100755
            metadata = z.read("tfrecord_tools-1.2.3.dist-info/METADATA").decode()
            assert "Requires-Dist: pyarrow>=15\n" in metadata and 'Requires-Dist: torch>=2.4; extra == "torch"' in metadata
    again = build_wheels.write_wheel(tmp_path, "v1.2.3", PLATFORMS[0], next(Path(b) for b in [tp.binary()])) if PLATFORMS[0] == HERE else None
    assert again is None or again.read_bytes() == wheels[PLATFORMS[0]].read_bytes()
    assert build_wheels.pep440("v1.2.3-rc.1") == "1.2.3rc1"


def run(*command, env: dict[str, str] | None = None, code: int = 0) -> str:
    clean = {k: v for k, v in os.environ.items() if k not in ("TFPARSE_BINARY", "PYTHONPATH")}
    p = subprocess.run([str(c) for c in command], env={**clean, **(env or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert p.returncode == code, p.stdout
    return p.stdout


def test_install(wheels, tmp_path):
    """Install offline, into an environment and with --target; run; uninstall leaves nothing."""
    env = tmp_path / "env"
    venv.create(env, with_pip=True)
    scripts = env / ("Scripts" if os.name == "nt" else "bin")
    python, tfparse = scripts / "python", scripts / "tfparse"
    before = sorted(p for p in env.rglob("*") if "__pycache__" not in p.parts)
    pip = [python, "-m", "pip", "--disable-pip-version-check", "-q"]
    run(*pip, "install", "--no-index", "--no-deps", wheels[HERE])
    assert "parquet, arrow" in run(tfparse, "version")
    assert run(python, "-m", "tfrecord_tools", "count", TESTDATA / "recipes.tfrecord").startswith("12\t")
    assert "no such file" in run(tfparse, "count", "none", code=4)
    verify = f"import tfrecord_tools as tp; print(tp.verify({str(TESTDATA / 'recipes.tfrecord')!r})['files'][0]['records'], tp.binary())"
    assert run(python, "-c", verify).startswith(f"12 {env}")
    run(*pip, "install", "--no-index", "--no-deps", "--target", tmp_path / "target", wheels[HERE])
    assert run(python, "-c", verify, env={"PYTHONPATH": str(tmp_path / "target")}).startswith(f"12 {tmp_path / 'target'}")
    run(*pip, "uninstall", "-y", "tfrecord-tools")
    assert sorted(p for p in env.rglob("*") if "__pycache__" not in p.parts) == before
