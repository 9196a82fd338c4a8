"""Python readers of TFRecord on one machine: files to NumPy arrays, one pass at a time.

    go run ./python/datasets DIR                       # in folder bench: writes the files
    python python/bench.py DIR tfparse=PYTHON tf=PYTHON bsl=PYTHON ray=PYTHON pypi=PYTHON

Each PYTHON has the packages of its side: tfrecord-tools and torch; TensorFlow; TensorFlow and tfx_bsl; ray[data] and TensorFlow;
tfrecord. Sides take turns; the table has the medians in MB/s of TFRecord, and in parentheses per second of processor time, which other
programs change less. Every side makes NumPy arrays of all columns, in batches of 1,024 records or of its own size; "Parquet" is a pass
to a file, zstd, dictionaries for strings. "error": the side cannot read the set.
"""

from __future__ import annotations

import glob
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
import traceback

SETS = ("ads", "text", "wide", "image")
ROWS = 1024
# Side and name of what is measured.
RUNS = [
    ("tfparse", "batches"),
    ("tfparse", "rows"),
    ("tfparse", "torch"),
    ("tf", "tfdata1"),
    ("tf", "tfdata2"),
    ("bsl", "bsl"),
    ("ray", "ray"),
    ("pypi", "records"),
    ("tfparse", "read_parquet"),
    ("tfparse", "export_parquet"),
    ("tfparse", "write_parquet"),
]
NAMES = {
    "batches": "`tp.batches`",
    "rows": "`tp.batches(rows=1024)`",
    "torch": "`tp.torch`",
    "tfdata1": "tf.data, 1 thread",
    "tfdata2": "tf.data, 2 threads",
    "bsl": "tfx_bsl",
    "ray": "Ray Data",
    "records": "PyPI `tfrecord`: records, no batches, no checksums",
    "read_parquet": "Parquet: `tp.batches` and pyarrow's writer",
    "export_parquet": "Parquet: `tfparse export`",
    "write_parquet": "Parquet: pyarrow's writer alone, columns in memory",
}


def arrays(column) -> None:
    """Makes NumPy arrays of the buffers of an Arrow column: its values, offsets and bytes."""
    import numpy as np

    for buffer in column.buffers():
        if buffer is not None:
            np.frombuffer(buffer, np.uint8)


class Tfparse:
    def __init__(self, folder: str) -> None:
        import tfrecord_tools

        self.tp, self.out = tfrecord_tools, os.path.join(folder, "out.parquet")
        self.table = {}

    def batches(self, files, spec, **options) -> int:
        n = 0
        for b in self.tp.batches(files, spec=spec, utf8="-*", **options):
            n += b.num_rows
            for c in b.columns:
                arrays(c)
        return n

    def rows(self, files, spec) -> int:
        return self.batches(files, spec, rows=ROWS)

    def torch(self, files, spec) -> int:
        n = 0
        for b in self.tp.torch(files, rows=ROWS, spec=spec):
            column = next(iter(b.values()))
            n += len(column["offsets"][0]) - 1 if isinstance(column, dict) else len(column)
        return n

    def write(self, schema, batches) -> int:
        import pyarrow as pa
        import pyarrow.parquet as pq

        n, held, size = 0, [], 0
        strings = [f.name for f in schema if "string" in str(f.type)]
        with pq.ParquetWriter(self.out, schema, compression="zstd", use_dictionary=strings) as w:
            for b in batches:
                n, size = n + b.num_rows, size + b.nbytes
                held.append(b)
                if size > 64 << 20:
                    w.write_table(pa.Table.from_batches(held))
                    held, size = [], 0
            if held:
                w.write_table(pa.Table.from_batches(held))
        return n

    def read_parquet(self, files, spec) -> int:
        with self.tp.batches(files, spec=spec) as b:
            return self.write(b.schema, b)

    def write_parquet(self, files, spec) -> int:
        if spec not in self.table:
            self.table = {spec: self.tp.read(files, spec=spec)}
        return self.write(self.table[spec].schema, self.table[spec].to_batches())

    def export_parquet(self, files, spec) -> int:
        subprocess.run([self.tp.binary(), "export", "--spec", spec, "-o", self.out, *files], check=True, stderr=subprocess.DEVNULL)
        import pyarrow.parquet as pq

        return pq.read_metadata(self.out).num_rows


class TF:
    def __init__(self, folder: str) -> None:
        os.environ["TF_CPP_MIN_LOG_LEVEL"], os.environ["CUDA_VISIBLE_DEVICES"] = "3", ""
        sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tf"))
        import parse_ops

        self.ops = parse_ops

    def tfdata(self, files, spec, threads: int) -> int:
        import tensorflow as tf

        parallel = threads if threads > 1 else None
        d = tf.data.TFRecordDataset(files, num_parallel_reads=parallel).batch(ROWS)
        d = d.map(self.ops.parser(json.load(open(spec))), num_parallel_calls=parallel)
        options = tf.data.Options()
        options.threading.private_threadpool_size = threads
        n = 0
        for batch in d.with_options(options).prefetch(1):
            for t in tf.nest.flatten(batch, expand_composites=True):
                t.numpy()
            n += int(next(iter(batch.values())).shape[0])
        return n

    def tfdata1(self, files, spec) -> int:
        return self.tfdata(files, spec, 1)

    def tfdata2(self, files, spec) -> int:
        return self.tfdata(files, spec, 2)


class BSL:
    def __init__(self, folder: str) -> None:
        os.environ["TF_CPP_MIN_LOG_LEVEL"], os.environ["CUDA_VISIBLE_DEVICES"] = "3", ""
        import tensorflow as tf
        from tfx_bsl.coders import example_coder

        self.read = tf.compat.v1.io.tf_record_iterator
        self.decode = example_coder.ExamplesToRecordBatchDecoder().DecodeBatch

    def bsl(self, files, spec) -> int:
        n, held = 0, []
        for file in files:
            for record in self.read(file):
                held.append(record)
                if len(held) == ROWS:
                    n += self.finish(held)
                    held = []
        return n + (self.finish(held) if held else 0)

    def finish(self, records) -> int:
        b = self.decode(records)
        for c in b.columns:
            arrays(c)
        return b.num_rows


class Ray:
    def __init__(self, folder: str) -> None:
        os.environ["TF_CPP_MIN_LOG_LEVEL"], os.environ["CUDA_VISIBLE_DEVICES"] = "3", ""
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        ray.data.DataContext.get_current().enable_progress_bars = False
        self.ray_data = ray.data

    def ray(self, files, spec) -> int:
        n = 0
        for batch in self.ray_data.read_tfrecords(files).iter_batches(batch_size=ROWS, batch_format="numpy"):
            n += len(next(iter(batch.values())))
        return n


class PyPI:
    def __init__(self, folder: str) -> None:
        from tfrecord.reader import tfrecord_loader

        self.load = tfrecord_loader

    def records(self, files, spec) -> int:
        return sum(1 for file in files for _ in self.load(file, None))


def serve(side: str, folder: str) -> None:
    """Answers each line "run set" with the seconds of a pass."""
    ops = {"tfparse": Tfparse, "tf": TF, "bsl": BSL, "ray": Ray, "pypi": PyPI}[side](folder)
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        run, name = line.split()
        files, spec = inputs(folder, name)
        if run == "write_parquet" and spec not in ops.table:
            ops.write_parquet(files, spec)
        start, before = time.perf_counter(), processor()
        try:
            rows = getattr(ops, run)(files, spec)
        except Exception:
            traceback.print_exc()
            rows = None
        # The workers of Ray are not children of this process.
        used = processor() - before if side != "ray" else math.nan
        print(json.dumps([time.perf_counter() - start, used, rows]), file=answers, flush=True)


def processor() -> float:
    """Returns the processor time of this process and of its children that have ended, in seconds."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usage)


def inputs(folder: str, name: str):
    return sorted(glob.glob(os.path.join(folder, name + "-none-*"))), os.path.join(folder, name + ".spec.json")


def main() -> None:
    folder, pythons, turns = sys.argv[1], dict(a.split("=", 1) for a in sys.argv[2:]), int(os.environ.get("TURNS", 5))
    workers = {
        side: subprocess.Popen([python, __file__, "--serve", side, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL)
        for side, python in pythons.items()
    }
    runs = [(side, run) for side, run in RUNS if side in workers]
    print("| | " + " | ".join(SETS) + " |\n| --- |" + " ---: |" * len(SETS))
    rates = {}
    for name in SETS:
        files, _ = inputs(folder, name)
        size = sum(map(os.path.getsize, files)) / 1e6
        seconds, failed = {run: [] for _, run in runs}, set()
        for turn in range(turns + 1):  # the first warms up
            for side, run in runs:
                if run in failed:
                    continue
                worker = workers[side]
                print(run, name, file=worker.stdin, flush=True)
                answer = worker.stdout.readline()
                if not answer:
                    sys.exit(f"{side} failed at {run} {name}")
                *took, rows = json.loads(answer)
                if rows is None:
                    failed.add(run)
                    continue
                if turn:
                    seconds[run].append(took)
                rates.setdefault(("rows", name), rows)
                if rows != rates["rows", name]:
                    sys.exit(f"{run} read {rows} rows of {name}, others {rates['rows', name]}")
        for run, took in seconds.items():
            rates[run, name] = "{:.0f} ({:.0f})".format(*(size / statistics.median(t) for t in zip(*took))) if took else "error"
    for _, run in runs:
        print(f"| {NAMES[run]} | " + " | ".join(rates[run, name] for name in SETS).replace("(nan)", "") + " |")
    cold = []
    for _ in range(turns):
        files, spec = inputs(folder, "ads")
        program = f"import tfrecord_tools as tp; next(tp.batches({files[0] + '#:100'!r}, spec={spec!r}))"
        start = time.perf_counter()
        subprocess.run([pythons["tfparse"], "-c", program], check=True)
        cold.append(time.perf_counter() - start)
    print(f"\nCold: import and the first batch of 100 records in {statistics.median(cold):.2f} s. Load of the machine: {os.getloadavg()[0]:.1f}.")


if sys.argv[1] == "--serve":
    serve(sys.argv[2], sys.argv[3])
else:
    main()
