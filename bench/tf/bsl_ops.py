"""Records to Arrow record batches with tfx_bsl: every feature becomes a list column, without a spec or partitions."""

import numpy as np

from clocks import CLOCKS

state = {}


def load(batches):
    state["batches"] = batches


def view(request):
    from tfx_bsl.coders import example_coder

    state["decode"] = example_coder.ExamplesToRecordBatchDecoder().DecodeBatch
    return {}


def run(request):
    clock, decode = CLOCKS[request["clock"]], state["decode"]
    start = clock()
    for batch in state["batches"]:
        decode(batch)
    return {"seconds": clock() - start}


def checksum(request):
    total = dict(ints=0, floats=0, bytes=0, splits=0)
    for batch in state["batches"]:
        for column in state["decode"](batch).columns:
            values = column.flatten()
            kind = str(values.type)
            if kind == "int64":
                total["ints"] += int(values.to_numpy(zero_copy_only=False).sum())
            elif kind == "float":
                total["floats"] += int(values.to_numpy(zero_copy_only=False).view(np.int32).astype(np.int64).sum())
            else:
                total["bytes"] += sum(len(v) for v in values.to_pylist())
    total["ints"] = (total["ints"] + 2**63) % 2**64 - 2**63
    return {"sum": total}


HANDLERS = {"bsl.view": view, "bsl.run": run, "bsl.sum": checksum}
