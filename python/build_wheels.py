#!/usr/bin/env python3
"""Writes the wheels of a release, each with the command for one platform:

    python3 python/build_wheels.py v1.2.3 dist linux/amd64=PATH/tfparse windows/arm64=PATH/tfparse.exe …

Equal inputs give equal wheels. It needs Python 3.11 and no network. There is no sdist: it could not build the command, and without one
pip says that there is no distribution for a platform.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
# A static binary runs on glibc and on musl. The versions of macOS are those that Go's linker writes.
TAGS = {
    "linux/amd64": ["manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"],
    "linux/arm64": ["manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"],
    "darwin/amd64": ["macosx_12_0_x86_64"],
    "darwin/arm64": ["macosx_12_0_arm64"],
    "windows/amd64": ["win_amd64"],
    "windows/arm64": ["win_arm64"],
}


def pep440(version: str) -> str:
    """Return the version of Python packages for a tag: 1.2.3 for v1.2.3, 1.2.3rc1 for v1.2.3-rc.1."""
    m = re.fullmatch(r"v(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?", version)
    if not m:
        sys.exit(f"build_wheels: {version}: want vX.Y.Z, or vX.Y.Z-rc.N")
    return m[1] + (({"alpha": "a", "beta": "b"}.get(m[2], m[2]) + m[3]) if m[2] else "")


def metadata(project: dict, version: str) -> str:
    """Return the file METADATA."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"License-Expression: {project['license']}",
        "License-File: LICENSE",
        "License-File: THIRD_PARTY_NOTICES",
        *(f"Project-URL: {name}, {url}" for name, url in project["urls"].items()),
        *(f"Classifier: {c}" for c in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {d}" for d in project["dependencies"]),
    ]
    for extra, needs in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {d}; extra == "{extra}"' for d in needs)]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", (HERE / project["readme"]).read_text("utf-8")])


def write_wheel(out: Path, version: str, platform: str, binary: Path) -> Path:
    """Write the wheel of a platform and return its path."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]
    name, number = project["name"].replace("-", "_"), pep440(version)
    tags = [f"py3-none-{tag}" for tag in TAGS[platform]]
    info = f"{name}-{number}.dist-info"
    scripts = "".join(f"{k} = {v}\n" for k, v in project["scripts"].items())
    wheel = "Wheel-Version: 1.0\nGenerator: tfparse\nRoot-Is-Purelib: false\n" + "".join(f"Tag: {t}\n" for t in tags)
    files = {f"{name}/{p.name}": (p.read_bytes(), 0o644) for p in sorted((HERE / "src" / name).iterdir()) if p.is_file()}
    files[f"{name}/_bin/tfparse{'.exe' if platform.startswith('windows') else ''}"] = binary.read_bytes(), 0o755
    for licence in ("LICENSE", "THIRD_PARTY_NOTICES"):
        files[f"{info}/licenses/{licence}"] = (HERE.parent / licence).read_bytes(), 0o644
    for file, text in {"METADATA": metadata(project, number), "WHEEL": wheel, "entry_points.txt": f"[console_scripts]\n{scripts}"}.items():
        files[f"{info}/{file}"] = text.encode(), 0o644
    record = ""
    for path, (content, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode(), 0o644
    target = out / f"{name}-{number}-py3-none-{'.'.join(TAGS[platform])}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for path, (content, mode) in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED  # Unix, so that pip keeps the mode
            entry.external_attr = (0o100000 | mode) << 16
            z.writestr(entry, content)
    return target


def main() -> None:
    if len(sys.argv) < 4 or not all("=" in a for a in sys.argv[3:]):
        sys.exit(__doc__)
    out = Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for arg in sys.argv[3:]:
        platform, binary = arg.split("=", 1)
        print(write_wheel(out, sys.argv[1], platform, Path(binary)))


if __name__ == "__main__":
    main()
