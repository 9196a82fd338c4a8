"""Runs every line of docs/python.md and python/README.md in one program each."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path

import pytest
from conftest import TESTDATA

ROOT = Path(__file__).parents[2]


def statements(block: str):
    """Yield the source of each statement, the number of its first line, and what its comment says it gives."""
    import ast

    lines = block.splitlines()
    for node in ast.parse(block).body:
        source = lines[node.lineno - 1 : node.end_lineno]
        m = re.search(r"# → (.*)$", source[-1])
        yield "\n".join(source), node.lineno, m and m[1]


def test_page(tmp_path, monkeypatch):
    text = (ROOT / "docs" / "python.md").read_text("utf-8")
    for p in TESTDATA.glob("recipes*"):
        shutil.copy(p, tmp_path)
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {}
    checked, wrong = 0, []
    for m in re.finditer(r"```python\n(.*?)```", text, re.S):
        block = m[1]
        missing = [n for n in re.findall(r"\b(torch|duckdb|polars|pandas)\b", block) if importlib.util.find_spec(n) is None]
        if missing or "tp.torch" in block and importlib.util.find_spec("torch") is None:
            print(f"left out without {missing}")
            continue
        line = text[: m.start()].count("\n") + 1
        for source, at, want in statements(block):
            if want is None:
                exec(compile(source, "docs/python.md", "exec"), space)
                continue
            value = eval(compile(source, "docs/python.md", "eval"), space)
            got = str(value.item() if hasattr(value, "item") and not hasattr(value, "dtype") else value)
            got = repr(value) if isinstance(value, (str, tuple, list)) else got
            if got != want:
                wrong.append(f"docs/python.md:{line + at}: {source}: got {got}")
            checked += 1
    assert not wrong, "\n".join(wrong)
    assert checked > 15 and text.count("    pip install tfrecord-tools") == 1
    assert "# →" not in re.sub(r"```python\n.*?```", "", text, flags=re.S)


def test_readme(tmp_path, monkeypatch):
    """The example of the README, with files of its names."""
    import tfrecord_tools as tp

    text = (ROOT / "python" / "README.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.S)
    monkeypatch.chdir(tmp_path)
    tp.write({"label": [3, 4] * 20}, "train@16")
    (tmp_path / "spec.json").write_text('{"features": {"label": {"fixed_len": {"dtype": "int64", "shape": []}}}}')
    if importlib.util.find_spec("torch") is None:
        block = block.replace("dataset = tp.torch", "0 and tp.torch")
    space: dict[str, object] = {}
    exec(compile(block, "README.md", "exec"), space)
    assert space["table"].num_rows == 20 and len(list(tmp_path.glob("out-*.gz"))) == 4
