"""Statistics of records with TensorFlow Data Validation: from files to one message."""

import os

from clocks import CLOCKS


def one_core():
    """Keeps all current and later threads of the process on one processor, if the system supports it."""
    if not hasattr(os, "sched_setaffinity"):
        return
    core = {min(os.sched_getaffinity(0))}
    for thread in os.listdir("/proc/self/task"):
        os.sched_setaffinity(int(thread), core)


def run(request):
    import tensorflow_data_validation as tfdv

    one_core()
    clock = CLOCKS[request["clock"]]
    start = clock()
    stats = tfdv.generate_statistics_from_tfrecord(request["files"])
    seconds = clock() - start
    return {"seconds": seconds, "sum": {"records": int(stats.datasets[0].num_examples), "features": len(stats.datasets[0].features)}}


HANDLERS = {"tfdv.run": run}
