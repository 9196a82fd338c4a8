"""Reads our Arrow and Parquet files with the libraries of Python, and writes them again; makes readers.jsonl, rewritten/ and foreign/.

    python readers.py >readers.jsonl

The Go test TestReaders writes the files and compares this transcript with the values that it wrote. A line has the
reader, the file, the column, its type in that reader, and the nested values. A string has one character for each byte.
The test TestRewritten reads the files in rewritten, which these libraries wrote in their own ways, and TestForeign those in foreign, with
types that we do not write. Needs Go, pyarrow, pandas, polars, duckdb, awkward, datasets and Pillow, and takes 30 s.
"""
import json
import os
import subprocess
import sys
import tempfile

import awkward as ak
import datasets
import duckdb
import numpy as np
import PIL.Image
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

HERE = os.path.dirname(os.path.abspath(__file__))


def plain(v):
    """Returns the value in types of JSON."""
    if isinstance(v, (str, bytes, bytearray)):
        return (v.encode() if isinstance(v, str) else bytes(v)).decode("latin-1")
    if v is None or v is pd.NA or isinstance(v, (bool, int)):
        return None if v is pd.NA else v
    if isinstance(v, float):
        return None if v != v else v
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    if isinstance(v, np.generic):
        return plain(v.item())
    return [plain(x) for x in v]


def table_columns(t):
    t.validate(full=True)
    return [(n, str(t.schema.field(n).type), t[n].to_pylist()) for n in t.column_names]


def frame_columns(df):
    return [(n, str(df[n].dtype), list(df[n])) for n in df.columns]


def polars_columns(df):
    return [(n, str(df[n].dtype), df[n].to_list()) for n in df.columns]


def duck_columns(relation):
    rows = relation.fetchall()
    return [(d[0], str(d[1]), [r[i] for r in rows]) for i, d in enumerate(relation.description)]


def without_halves(t):
    """Returns the table without half floats: DuckDB refuses them (Unsupported Internal Arrow Type e)."""
    return t.drop_columns([f.name for f in t.schema if "halffloat" in str(f.type)])


def ak_columns(a):
    return [(n, str(a[n].type), a[n].to_list()) for n in a.fields]


def dataset_columns(kind, path):
    """Returns the columns of a dataset, with the types of its features: images are not decoded."""
    with tempfile.TemporaryDirectory() as cache:
        d = datasets.load_dataset(kind, data_files=path, split="train", cache_dir=cache)
        t = d.with_format("arrow")[:]
    return [(n, str(d.features[n]), t[n].to_pylist()) for n in d.column_names]


def stream(path):
    with pa.OSFile(path) as f:
        return pa.ipc.open_stream(f).read_all()


def file(path):
    with pa.OSFile(path) as f:
        return pa.ipc.open_file(f).read_all()


READERS = {
    ".parquet": [
        ("pyarrow", lambda p: table_columns(pa.parquet.read_table(p))),
        ("pandas", lambda p: frame_columns(pd.read_parquet(p))),
        ("pandas with dtype_backend", lambda p: frame_columns(pd.read_parquet(p, dtype_backend="pyarrow"))),
        ("polars", lambda p: polars_columns(pl.read_parquet(p))),
        ("duckdb", lambda p: duck_columns(duckdb.sql(f"from read_parquet('{p}')"))),
        ("awkward", lambda p: ak_columns(ak.from_parquet(p))),
        ("datasets", lambda p: dataset_columns("parquet", p)),
    ],
    ".arrow": [
        ("pyarrow", lambda p: table_columns(file(p))),
        ("pandas", lambda p: frame_columns(pd.read_feather(p))),
        ("polars", lambda p: polars_columns(pl.read_ipc(p))),
        ("datasets", lambda p: dataset_columns("arrow", p)),
    ],
    ".arrows": [
        ("pyarrow", lambda p: table_columns(stream(p))),
        ("polars", lambda p: polars_columns(pl.read_ipc_stream(p))),
        ("duckdb", lambda p: duck_columns(duckdb.from_arrow(without_halves(stream(p))))),
        ("awkward", lambda p: ak_columns(ak.from_arrow(stream(p)))),
        ("datasets", lambda p: dataset_columns("arrow", p)),
    ],
}


def rewrite(source, folder, name):
    """Writes our Parquet file with each library; with pyarrow in pages of a few values, of both versions."""
    t = pa.parquet.read_table(source)
    out = os.path.join(folder, name)
    small = dict(data_page_size=20, write_batch_size=2, row_group_size=2)
    pa.parquet.write_table(t, out + ".v1.parquet", use_dictionary=False, compression="none", **small)
    pa.parquet.write_table(t, out + ".v2.parquet", data_page_version="2.0", version="2.6", **small)
    pa.parquet.write_table(t, out + ".plain.parquet", store_schema=False, compression="gzip")
    for make, extension in [(pa.ipc.new_file, ".arrow"), (pa.ipc.new_stream, ".arrows")]:
        with pa.OSFile(out + extension, "wb") as f, make(f, t.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as w:
            w.write_table(t)
    pl.read_parquet(source).write_parquet(out + ".polars.parquet")
    pl.read_parquet(source).write_ipc(out + ".polars.arrow", compat_level=pl.CompatLevel.oldest())
    duckdb.sql(f"copy (from read_parquet('{source}')) to '{out}.duckdb.parquet'")
    pd.read_parquet(source, dtype_backend="pyarrow").to_parquet(out + ".pandas.parquet")


def write_foreign(folder):
    """Writes categories, columns without values, and images of datasets."""
    at = lambda name: os.path.join(folder, name)
    df = pd.DataFrame({"c": pd.Categorical(["x", "y", None, "x"]), "n": pd.Categorical([5, 7, 5, 5]), "none": [None] * 4, "empty": [[], [], [], []]})
    df.to_parquet(at("pandas.parquet"))
    df.to_feather(at("pandas.arrow"))
    t = pa.table({"l": pa.array([["x"], [], ["y", "x"], None], pa.list_(pa.dictionary(pa.int8(), pa.string())))})
    pa.parquet.write_table(t, at("pyarrow.parquet"))
    first = pa.table({"c": pa.array(["x", "y"]).dictionary_encode()})
    with pa.OSFile(at("pyarrow.arrows"), "wb") as f, pa.ipc.new_stream(f, first.schema) as w:
        w.write_table(first)
        w.write_table(pa.table({"c": pa.array(["z", None, "y"]).dictionary_encode()}))  # another dictionary
    d = pl.DataFrame({"c": pl.Series(["x", None], dtype=pl.Categorical), "e": pl.Series(["a", "b"], dtype=pl.Enum(["a", "b"])),
                      "l": pl.Series([["x"], []], dtype=pl.List(pl.Categorical))})
    d.write_parquet(at("polars.parquet"))
    d.write_ipc(at("polars.arrow"), compat_level=pl.CompatLevel.oldest())
    features = datasets.Features({"image": datasets.Image(), "label": datasets.ClassLabel(names=["cat", "dog"])})
    datasets.Dataset.from_dict({"image": [PIL.Image.new("RGB", (2, 1)), None], "label": [1, 0]}, features=features).to_parquet(at("datasets.parquet"))


def main():
    datasets.disable_progress_bars()
    write_foreign(os.path.join(HERE, "foreign"))
    print(json.dumps({"made by": "readers.py", "pyarrow": pa.__version__, "pandas": pd.__version__, "polars": pl.__version__,
                      "duckdb": duckdb.__version__, "awkward": ak.__version__, "datasets": datasets.__version__}))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["go", "test", "-count=1", "-run", "TestReaders", "./parquetfile"], cwd=os.path.dirname(HERE), check=True,
                       stdout=sys.stderr, env=dict(os.environ, TFPARSE_READERS=folder))
        for name in "lists", "spec", "sequence", "images":
            rewrite(os.path.join(folder, name + ".parquet"), os.path.join(HERE, "rewritten"), name)
        for name in sorted(os.listdir(folder)):
            for reader, read in READERS[os.path.splitext(name)[1]]:
                for column, kind, values in read(os.path.join(folder, name)):
                    print(json.dumps({"reader": reader, "file": name, "column": column, "type": kind, "values": plain(values)}))


main()
